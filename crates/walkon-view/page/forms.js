// @ts-check
// A form for any part of the level, made from the schema.
//
// In: a value, its schema, diagnostics by JSON pointer. Out: changes: while a number is dragged as trials, at the end
// as an edit. Holds: what the schema does not know is shown as JSON rather than left out; a mistake stands below its
// field. Not here: the stage (`editor.js`), saving (the program).

import { button, h, short } from "./elements.js";
import { escaped, fitting } from "./document.js";
import { askFor } from "./menus.js";
import { model } from "./model.js";

/**
 * @typedef {{try: (changes: Change[]) => void, edit: (changes: Change[], label: string, joins?: string) => void, rename?: (name: string) => void,
 *   diagnostics: Diagnostic[], takeBack?: () => void, skip?: Set<string>}} FormHost
 * `takeBack` is there where the form shows an edit that was refused
 * @typedef {{value: Json, schema: Json, at: string, name: string, isNeeded: boolean, host: FormHost}} Field
 */

/** Whether a number is being dragged. */
export const dragging = { is: false };

/**
 * @param {{value: Json, schema: Json, at: string}} part
 * @param {FormHost} host
 */
export function form({ value, schema, at }, host) {
  if (schema?.type === "object" || (value && typeof value === "object" && !Array.isArray(value))) {
    return h("div", { class: "form" }, objectRows({ value, schema: schema ?? {}, at, name: "", isNeeded: true, host }));
  }
  return h(
    "div",
    { class: "form" },
    row({ value, schema: schema ?? {}, at, name: at.split("/").pop() ?? "", isNeeded: true, host }),
  );
}

/** @param {Field} field @returns {HTMLElement[]} */
function objectRows({ value, schema, at, host }) {
  const known = schema.properties ?? {};
  const needed = new Set(schema.required ?? []);
  const extra = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const names = Object.keys(value ?? {}).filter((name) => !host.skip?.has(`${at}/${escaped(name)}`));
  const rows = names.map((name) =>
    row({
      value: value[name],
      schema: fitting(known[name] ?? extra, value[name]) ?? {},
      at: `${at}/${escaped(name)}`,
      name,
      isNeeded: needed.has(name),
      host,
    }),
  );
  const missing = Object.keys(known).filter((name) => !(name in (value ?? {})) && name !== "$schema");
  const own = remarks(
    host,
    at,
    names.map((name) => `${at}/${escaped(name)}`),
  );
  if (own.length) rows.push(h("div", { class: "formrow wrong" }, own));
  if (missing.length || schema.additionalProperties)
    rows.push(adder({ missing, known, at, host, isOpen: Boolean(schema.additionalProperties) }));
  return rows;
}

/**
 * @param {FormHost} host
 * @param {string} at
 * @param {string[]} others pointers that show their own
 */
function remarks(host, at, others = []) {
  return host.diagnostics
    .filter(
      (each) =>
        each.pointer !== undefined &&
        (each.pointer === at || each.pointer.startsWith(`${at}/`)) &&
        !others.some((other) => each.pointer === other || each.pointer?.startsWith(`${other}/`)),
    )
    .map((each) =>
      h(
        "div",
        { class: "mistake", "data-test": "field-problem" },
        each.message,
        each.help ? ` ${each.help}` : "",
        host.takeBack && each.severity === "error"
          ? h(
              "button",
              { type: "button", class: "button small", "data-test": "take-back", onclick: host.takeBack },
              "Take it back",
            )
          : null,
      ),
    );
}

/** @param {Field} field @returns {HTMLElement} */
function row(field) {
  const { value, schema, at, name, isNeeded, host } = field;
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  const own = isObject ? [] : remarks(host, at);
  const isError = host.diagnostics.some((each) => each.severity === "error" && each.pointer?.startsWith(at));
  const label = h("label", { title: schema.description ?? name, for: `f${at}` }, name);
  const remove = isNeeded
    ? h("span", {})
    : button({
        icon: "close",
        label: `Leave ${name} out`,
        onclick: () => host.edit([{ at, remove: true }], `leave ${name} out`),
      });
  if (isObject) {
    return h(
      "div",
      { class: "formrow tall" },
      label,
      h("span", {}),
      remove,
      h("div", { class: "nested form" }, objectRows({ ...field, host })),
    );
  }
  const made = control(field, label);
  return h(
    "div",
    { class: `formrow${own.length ? (isError ? " wrong" : " care") : ""}${made.isTall ? " tall" : ""}` },
    label,
    made.element,
    remove,
    own,
  );
}

/**
 * @param {Field} field
 * @param {HTMLElement} label
 * @returns {{element: HTMLElement, isTall?: boolean}}
 */
function control(field, label) {
  const { value, schema, at, name, host } = field;
  const set = (/** @type {Json} */ next) =>
    host.edit([{ at, set: next }], `${name} = ${typeof next === "object" ? JSON.stringify(next) : next}`);
  const common = { id: `f${at}`, "data-at": at };
  const choices =
    (schema.oneOf ?? schema.anyOf)?.map((/** @type {Json} */ each) => each.const) ??
    schema.enum ??
    suggestions(at, name, value);
  if (typeof value === "boolean") {
    return {
      element: h("input", {
        type: "checkbox",
        checked: value,
        ...common,
        onchange: (/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.target).checked),
      }),
    };
  }
  if (typeof value === "number") return { element: numberField(field, label) };
  if (typeof value === "string" && choices?.length) {
    const all = choices.includes(value) ? choices : [value, ...choices];
    return {
      element: h(
        "select",
        {
          class: "field wide",
          ...common,
          value,
          onchange: (/** @type {Event} */ event) => set(/** @type {HTMLSelectElement} */ (event.target).value),
        },
        all.map((/** @type {string} */ each) => h("option", { value: each, selected: each === value }, each)),
      ),
    };
  }
  if (typeof value === "string") {
    return {
      element: h("input", {
        class: "field wide",
        value,
        ...common,
        autocomplete: "off",
        onchange: (/** @type {Event} */ event) => {
          const next = /** @type {HTMLInputElement} */ (event.target).value;
          if (name === "name" && host.rename && next) host.rename(next);
          else set(next);
        },
        onkeydown: enterBlurs,
      }),
    };
  }
  if (Array.isArray(value) && value.length >= 2 && value.length <= 3 && value.every((part) => typeof part === "number"))
    return { element: pairField(field) };
  if (Array.isArray(value) && value.every((part) => typeof part === "string") && schema.items?.type === "string") {
    return {
      element: h("input", {
        class: "field wide",
        value: value.join(", "),
        ...common,
        title: "Words with commas between",
        onchange: (/** @type {Event} */ event) =>
          set(
            /** @type {HTMLInputElement} */ (event.target).value
              .split(",")
              .map((word) => word.trim())
              .filter(Boolean),
          ),
        onkeydown: enterBlurs,
      }),
    };
  }
  return { element: jsonField(field), isTall: true };
}

/** @param {KeyboardEvent} event */
function enterBlurs(event) {
  if (event.key === "Enter" || event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
}

/**
 * Names that a field of that name usually takes.
 * @param {string} at
 * @param {string} name
 * @param {Json} value
 * @returns {string[] | null}
 */
function suggestions(at, name, value) {
  const level = model.document.value;
  if (/\/doors\/\d+\/area$/.test(at))
    return (level.navigation?.areas ?? []).map((/** @type {Json} */ area) => area.name);
  if (/\/params\//.test(at) && typeof value === "string") {
    for (const list of [
      Object.keys(level.routes ?? {}),
      Object.keys(level.marks ?? {}),
      (level.regions ?? []).map((/** @type {Json} */ each) => each.name),
      (level.characters ?? []).map((/** @type {Json} */ each) => each.name),
    ]) {
      if (list.includes(value)) return list;
    }
  }
  void name;
  return null;
}

/**
 * @param {Field} field
 * @param {HTMLElement} label
 */
function numberField({ value, schema, at, name, host }, label) {
  const isWhole = schema.type === "integer";
  const limit = (/** @type {number} */ number) =>
    Math.min(schema.maximum ?? Infinity, Math.max(schema.minimum ?? -Infinity, number));
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "field wide number",
      type: "number",
      step: "any",
      value: String(value),
      id: `f${at}`,
      "data-at": at,
      "data-test": `field-${name}`,
    })
  );
  let saved = value;
  const commit = (/** @type {number} */ number) => {
    // A field that is taken away while it has the focus says so once more.
    if (number === saved) return;
    saved = number;
    host.edit([{ at, set: number }], `${name} = ${short(number, 3)}`, at);
  };
  input.addEventListener(
    "input",
    () => Number.isFinite(input.valueAsNumber) && host.try([{ at, set: input.valueAsNumber }]),
  );
  // What is typed is sent as it is: whether it may stand there is said by the program.
  input.addEventListener("change", () => Number.isFinite(input.valueAsNumber) && commit(input.valueAsNumber));
  input.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (way) {
      event.preventDefault();
      input.value = String(
        limit(
          rounded(
            (Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : value) +
              way * stepOf(value, isWhole) * (event.shiftKey ? 10 : 1),
            isWhole,
          ),
        ),
      );
      host.try([{ at, set: input.valueAsNumber }]);
    } else if (event.key === "Enter") input.blur();
    else if (event.key === "Escape") {
      input.value = String(saved);
      host.try([]);
      input.blur();
    }
  });
  input.addEventListener("blur", () => Number.isFinite(input.valueAsNumber) && commit(input.valueAsNumber));
  label.classList.add("drags");
  label.setAttribute("data-test", `drag-${name}`);
  label.title = `${schema.description ?? name}\nDrag to change; with Shift faster, with Alt finer.`;
  label.addEventListener("pointerdown", (event) =>
    scrub(event, { label, input, value, isWhole, limit, at, host, commit }),
  );
  return input;
}

/**
 * @param {PointerEvent} event
 * @param {{label: HTMLElement, input: HTMLInputElement, value: number, isWhole: boolean, limit: (number: number) => number, at: string,
 *   host: FormHost, commit: (number: number) => void}} it
 */
function scrub(event, { label, input, value, isWhole, limit, at, host, commit }) {
  event.preventDefault();
  label.setPointerCapture(event.pointerId);
  dragging.is = true;
  let now = value;
  let last = event.clientX;
  let exact = value;
  const move = (/** @type {PointerEvent} */ step) => {
    exact += (step.clientX - last) * stepOf(value, isWhole) * 0.25 * (step.shiftKey ? 10 : step.altKey ? 0.1 : 1);
    last = step.clientX;
    const next = limit(rounded(exact, isWhole));
    if (next === now) return;
    now = next;
    input.value = String(now);
    host.try([{ at, set: now }]);
  };
  const end = () => {
    label.removeEventListener("pointermove", move);
    dragging.is = false;
    if (now !== value) commit(now);
    else host.try([]);
  };
  label.addEventListener("pointermove", move);
  label.addEventListener("pointerup", end, { once: true });
}

/**
 * @param {number} value
 * @param {boolean} isWhole
 */
function stepOf(value, isWhole) {
  if (isWhole) return 1;
  const size = Math.abs(value);
  return size >= 100 ? 5 : size >= 10 ? 0.5 : 0.1;
}

/**
 * @param {number} value
 * @param {boolean} isWhole
 */
function rounded(value, isWhole) {
  return isWhole ? Math.round(value) : Math.round(value * 100) / 100;
}

/** @param {Field} field */
function pairField({ value, at, name, host }) {
  return h(
    "div",
    { class: "pair" },
    value.map((/** @type {number} */ part, /** @type {number} */ number) => {
      const input = /** @type {HTMLInputElement} */ (
        h("input", {
          class: "field number",
          type: "number",
          step: "any",
          value: String(part),
          "aria-label": `${name} ${"xyz"[value.length === 3 ? number : number * 2]}`,
          title: "xyz"[value.length === 3 ? number : number * 2],
          id: number === 0 ? `f${at}` : null,
          "data-at": `${at}/${number}`,
        })
      );
      const next = () =>
        value.map((/** @type {number} */ old, /** @type {number} */ other) =>
          other === number ? input.valueAsNumber : old,
        );
      input.addEventListener("input", () => Number.isFinite(input.valueAsNumber) && host.try([{ at, set: next() }]));
      input.addEventListener(
        "change",
        () =>
          Number.isFinite(input.valueAsNumber) &&
          host.edit([{ at: `${at}/${number}`, set: input.valueAsNumber }], `${name}`, at),
      );
      input.addEventListener("keydown", enterBlurs);
      return input;
    }),
  );
}

/** @param {Field} field */
function jsonField({ value, at, name, host }) {
  const text = compact(value);
  const area = /** @type {HTMLTextAreaElement} */ (
    h("textarea", {
      class: "field code wide",
      rows: Math.min(8, Math.max(2, Math.ceil(text.length / 34))),
      spellcheck: "false",
      id: `f${at}`,
      "data-at": at,
    })
  );
  area.value = text;
  const wrong = h("div", { class: "mistake" });
  area.addEventListener("change", () => {
    try {
      host.edit([{ at, set: JSON.parse(area.value) }], name);
      wrong.textContent = "";
    } catch (mistake) {
      wrong.textContent = `This is not JSON: ${/** @type {Error} */ (mistake).message}`;
    }
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) area.blur();
  });
  return h("div", {}, area, wrong);
}

/** @param {Json} value */
function compact(value) {
  if (Array.isArray(value) && value.some((part) => typeof part === "object"))
    return `[${value.map((part) => JSON.stringify(part)).join(",\n ")}]`;
  return JSON.stringify(value);
}

/**
 * @param {{missing: string[], known: Json, at: string, host: FormHost, isOpen: boolean}} it
 */
function adder({ missing, known, at, host, isOpen }) {
  const select = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      { class: "field", "aria-label": "Add a key", "data-test": "add-key" },
      h("option", { value: "" }, "Add..."),
      missing.map((name) => h("option", { value: name, title: known[name].description ?? "" }, name)),
      isOpen ? h("option", { value: "*" }, "another key...") : null,
    )
  );
  select.addEventListener("change", async () => {
    const wanted = select.value;
    select.value = "";
    if (!wanted) return;
    const name =
      wanted === "*" ? (await askFor("Another key", [{ name: "name", label: "Name" }], "Add"))?.name : wanted;
    if (!name) return;
    host.edit(
      [{ at: `${at}/${escaped(name)}`, insert: firstValue(known[name] ? fitting(known[name], undefined) : {}) }],
      `add ${name}`,
    );
  });
  return h("div", { class: "row" }, select);
}

/** @param {Json} schema @returns {Json} */
function firstValue(schema) {
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms?.[0] && "const" in forms[0]) return forms[0].const;
  const type = [schema.type].flat()[0];
  if (type === "number" || type === "integer") return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1, 1));
  if (type === "boolean") return true;
  if (type === "array")
    return Array.from({ length: schema.minItems ?? 0 }, () =>
      schema.items?.type === "number" ? 0 : firstValue(fitting(schema.items ?? {}, undefined)),
    );
  if (type === "object") return {};
  if (schema.type === undefined) return 0;
  return "";
}

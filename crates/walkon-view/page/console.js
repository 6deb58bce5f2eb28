// @ts-check
// A console in the environment of the level's script, and events of the host.
//
// In: Luau text, names of events with a payload. Out: inputs of the run; what came of them. Holds: the last hundred
// entries, with the arrow keys back. Not here: other inputs (`hands.js`, `inspector.js`).

import { ask } from "./connection.js";
import { h } from "./elements.js";
import { clock, listen, model, remember, remembered, seenTick } from "./model.js";
import { addTab } from "./tabs.js";

const output = h("div", { class: "output", role: "log", "data-test": "console-output" });
const input = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field code grow",
    placeholder: 'Luau, as in world.character("guard").position',
    "aria-label": "Luau to evaluate",
    autocomplete: "off",
    spellcheck: "false",
    "data-test": "console-input",
  })
);
const eventName = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field",
    placeholder: "event",
    "aria-label": "Name of the event",
    "data-test": "event-name",
    autocomplete: "off",
  })
);
const payload = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field code grow",
    placeholder: 'payload, as in {"who": "guard"}',
    "aria-label": "Payload, JSON",
    "data-test": "event-payload",
    autocomplete: "off",
  })
);
const root = h(
  "div",
  { class: "page full" },
  output,
  h(
    "div",
    { class: "foot" },
    h(
      "form",
      { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), evaluate()) },
      h("span", { class: "prompt" }, "›"),
      input,
    ),
    h(
      "form",
      { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), emit()) },
      eventName,
      payload,
      h(
        "button",
        { class: "button", type: "submit", title: "Tell the level this event  (Enter)", "data-test": "emit" },
        "Emit",
      ),
    ),
  ),
);

/** The last tick of which inputs were written. */
let newest = -1;
/** @type {string[]} */
let entered = remembered("console", []);
let at = entered.length;

/** Begins to listen. */
export function startConsole() {
  addTab({ name: "console", label: "Console", root, show: () => input.focus() });
  listen("happenings", (/** @type {LaneItem[] | undefined} */ items) => writeInputs(items ?? []));
  listen("forgotten", (/** @type {{after: number}} */ { after }) => (newest = Math.min(newest, after)));
  listen("console", (/** @type {{text: string, tick: number, place: string}} */ told) => write(`${told.place}: ${told.text}`, "result", told.tick));
  input.addEventListener("keydown", keys);
  write("What you enter here is an input of the run: the trace repeats it.", "soft");
}

/** What is told again of the past stands there already. @param {LaneItem[]} items */
function writeInputs(items) {
  const since = Math.max(newest, model.state.tick - 601);
  for (const item of items) {
    if (item.lane !== "inputs" || item.tick <= since) continue;
    newest = Math.max(newest, item.tick);
    write(item.text, isMistake(item) ? "mistake" : "result", item.tick);
  }
}

/** @param {LaneItem} item */
function isMistake(item) {
  return item.kind === "inputRefused" || (item.kind === "evaluated" && item.line?.ok === false);
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (event.key === "ArrowUp" && at > 0) input.value = entered[--at] ?? "";
  else if (event.key === "ArrowDown" && at < entered.length) input.value = entered[++at] ?? "";
  else if (event.key === "Escape") input.blur();
  else if (event.key === "l" && event.ctrlKey) output.replaceChildren();
  else return;
  event.preventDefault();
}

async function evaluate() {
  const text = input.value.trim();
  if (!text) return;
  entered = [...entered.filter((each) => each !== text), text].slice(-100);
  at = entered.length;
  remember("console", entered);
  input.value = "";
  write(text, "entered");
  try {
    await ask("input", { evaluate: text });
    if (!model.state.playing) write("The level is paused: it hears this at its next tick.", "soft");
  } catch (mistake) {
    write(/** @type {Error} */ (mistake).message, "mistake");
  }
}

async function emit() {
  const name = eventName.value.trim();
  if (!name) return;
  try {
    const value = payload.value.trim() ? JSON.parse(payload.value) : undefined;
    const answer = await ask("input", { event: name, ...(value === undefined ? {} : { payload: value }) });
    write(`event ${name} at tick ${answer.tick}`, "soft");
  } catch (mistake) {
    write(/** @type {Error} */ (mistake).message, "mistake");
  }
}

/**
 * @param {string} text
 * @param {string} kind
 * @param {number} [tick]
 */
function write(text, kind, tick) {
  const isAtEnd = output.scrollTop + output.clientHeight > output.scrollHeight - 30;
  output.append(
    h(
      "div",
      { class: `entry ${kind}` },
      kind === "entered" ? h("span", { class: "prompt" }, "›") : null,
      h("span", { class: "grow" }, text),
      h("span", { class: "soft small number" }, kind === "soft" ? "" : clock(tick ?? seenTick())),
    ),
  );
  while (output.children.length > 300) output.firstElementChild?.remove();
  if (isAtEnd) output.scrollTop = output.scrollHeight;
}

/** Puts the cursor in the console. */
export function focusConsole() {
  input.focus();
}

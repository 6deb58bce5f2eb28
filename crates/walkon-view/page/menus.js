// @ts-check
// Menus and dialogs that lie over the page.
//
// In: entries and a place. Out: a menu by mouse and keyboard. Holds: one menu at a time; Escape and a click elsewhere
// close it, and the focus goes back where it was. Not here: what the entries do.

import { h } from "./elements.js";

/**
 * @typedef {{label: string, note?: string, key?: string, isChecked?: boolean, isDanger?: boolean, isOff?: boolean, test?: string, stays?: boolean,
 *   do: () => void} | "line" | {title: string}} Entry
 */

/** @type {HTMLElement | null} */
let open = null;
/** @type {Element | null} */
let before = null;

/** @returns {boolean} whether one was open */
export function closeMenu() {
  if (!open) return false;
  open.remove();
  open = null;
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return true;
}

/**
 * @param {Entry[] | (() => Entry[])} entries
 * @param {{left: number, top: number} | HTMLElement} where
 */
export function openMenu(entries, where) {
  const wasHere =
    open?.dataset.owner !== undefined &&
    where instanceof HTMLElement &&
    open.dataset.owner === where.id &&
    where.id !== "";
  closeMenu();
  if (wasHere) return;
  before = document.activeElement;
  const menu = h("div", { class: "menu", role: "menu", "data-test": "menu" });
  if (where instanceof HTMLElement) menu.dataset.owner = where.id;
  const build = () =>
    menu.replaceChildren(...(typeof entries === "function" ? entries() : entries).map((entry) => row(entry, build)));
  build();
  document.body.append(menu);
  open = menu;
  const spot = where instanceof HTMLElement ? below(where) : where;
  const box = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(spot.left, window.innerWidth - box.width - 6))}px`;
  menu.style.top = `${Math.max(4, Math.min(spot.top, window.innerHeight - box.height - 6))}px`;
  menu.addEventListener("keydown", keys);
  /** @type {HTMLElement | null} */ (menu.querySelector("button:not(:disabled)"))?.focus();
}

/** @param {HTMLElement} element */
function below(element) {
  const box = element.getBoundingClientRect();
  return { left: box.left, top: box.bottom + 4 };
}

/**
 * @param {Entry} entry
 * @param {() => void} again
 */
function row(entry, again) {
  if (entry === "line") return h("hr", {});
  if ("title" in entry) return h("div", { class: "soft small title" }, entry.title);
  return h(
    "button",
    {
      type: "button",
      role: entry.isChecked === undefined ? "menuitem" : "menuitemcheckbox",
      "aria-checked": entry.isChecked === undefined ? null : String(entry.isChecked),
      class: entry.isDanger ? "danger" : "",
      disabled: entry.isOff ?? false,
      "data-test": entry.test ?? null,
      onclick: () => {
        if (!entry.stays) closeMenu();
        entry.do();
        if (entry.stays) {
          const at = [.../** @type {HTMLElement} */ (open).querySelectorAll("button")].indexOf(
            /** @type {HTMLButtonElement} */ (document.activeElement),
          );
          again();
          open?.querySelectorAll("button")[at]?.focus();
        }
      },
    },
    h("span", { class: "check" }, entry.isChecked ? "✓" : ""),
    h("span", { class: entry.note ? "" : "grow" }, entry.label),
    entry.note ? h("span", { class: "grow soft small note" }, entry.note) : null,
    entry.key ? h("kbd", {}, entry.key) : null,
  );
}

/** @param {KeyboardEvent} event */
function keys(event) {
  const all = /** @type {HTMLButtonElement[]} */ ([...(open?.querySelectorAll("button:not(:disabled)") ?? [])]);
  const at = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
  else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
  else if (event.key === "Home") all[0]?.focus();
  else if (event.key === "End") all[all.length - 1]?.focus();
  else if (event.key === "Escape") closeMenu();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("pointerdown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (open && !open.contains(target) && !(open.dataset.owner && target.closest(`#${open.dataset.owner}`))) {
    open.remove();
    open = null;
  }
});

/**
 * A field of a dialog. `wrong` says why a text cannot stand there; empty where it can.
 * @typedef {{name: string, label: string, value?: string, options?: string[], hint?: string, wrong?: (text: string) => string}} Asked
 */

/**
 * Keeps a form open while one of its fields is wrong, and says what is.
 * @param {HTMLFormElement} form
 * @param {Asked[]} fields
 * @param {HTMLElement} mistake where it is said
 */
function keepWhileWrong(form, fields, mistake) {
  form.addEventListener("submit", (event) => {
    for (const { name, wrong } of fields) {
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
      const why = wrong?.(input.value) ?? "";
      if (!why) continue;
      event.preventDefault();
      mistake.textContent = why;
      mistake.hidden = false;
      input.focus();
      return;
    }
  });
}

/**
 * A dialog with a few fields. The promise holds what was entered, by name, or null.
 * @param {string} title
 * @param {Asked[]} fields
 * @param {string} [verb]
 * @returns {Promise<Record<string, string> | null>}
 */
export function askFor(title, fields, verb = "OK") {
  return new Promise((resolve) => {
    const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "dialog", "aria-label": title }));
    const inputs = fields.map((field) => {
      const id = `field-${field.name}`;
      const made = field.options
        ? h(
            "select",
            { class: "field wide", id, name: field.name },
            field.options.map((option) => h("option", { value: option }, option || "none")),
          )
        : h("input", { class: "field wide", id, name: field.name, autocomplete: "off", placeholder: field.hint ?? "" });
      /** @type {HTMLInputElement} */ (made).value = field.value ?? field.options?.[0] ?? "";
      return [h("label", { for: id }, field.label), made];
    });
    const mistake = h("p", { class: "mistake", role: "alert", hidden: true, "data-test": "dialog-mistake" });
    const form = /** @type {HTMLFormElement} */ (
      h(
        "form",
        { method: "dialog" },
        h("h2", {}, title),
        h("div", { class: "fields" }, inputs.flat()),
        mistake,
        h(
          "div",
          { class: "row end" },
          h("button", { type: "button", class: "button", onclick: () => dialog.close("no") }, "Cancel"),
          h("button", { type: "submit", class: "button accent", value: "yes", "data-test": "dialog-ok" }, verb),
        ),
      )
    );
    keepWhileWrong(form, fields, mistake);
    dialog.append(form);
    document.body.append(dialog);
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.addEventListener("close", () => {
      const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? values : null);
    });
    dialog.showModal();
    /** @type {HTMLInputElement | null} */ (form.querySelector("input,select"))?.select?.();
  });
}

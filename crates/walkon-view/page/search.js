// @ts-check
// The search field: anything by its name.
//
// In: letters. Out: what `find` answers; the chosen one is selected and brought to the middle. Holds: one question is
// under way at a time. Not here: what is known about it (`inspector.js`).

import { ask } from "./connection.js";
import { camera, centre, planeOf, toStage } from "./camera.js";
import { fill, h, icon } from "./elements.js";
import { heat } from "./heat.js";
import { inspect } from "./inspector.js";

const input = /** @type {HTMLInputElement} */ (
  h("input", {
    type: "search",
    class: "field",
    placeholder: "Find",
    title: "Find anything by its name  (/)",
    "aria-label": "Find anything by its name",
    autocomplete: "off",
    spellcheck: "false",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "found",
    "data-test": "search",
  })
);
const list = h("ul", { id: "found", class: "menu found", role: "listbox", hidden: true, "data-test": "found" });

/** @type {Found[]} */
let found = [];
let chosen = 0;
let isUnderWay = false;
let wanted = "";

/** The field with its list. */
export function searchField() {
  input.addEventListener("input", () => find(input.value));
  input.addEventListener("keydown", keys);
  input.addEventListener("focus", () => input.value && find(input.value));
  input.addEventListener("blur", () => setTimeout(close, 150));
  return h("div", { class: "search" }, icon("search"), input, list);
}

/** Puts the cursor into the field. */
export function focusSearch() {
  input.focus();
  input.select();
}

/** @param {string} text */
async function find(text) {
  wanted = text;
  if (isUnderWay) return;
  isUnderWay = true;
  try {
    let asked;
    do {
      asked = wanted;
      found = asked.trim() ? ((await ask("find", { text: asked.trim() })).found ?? []) : [];
    } while (asked !== wanted);
    chosen = 0;
    show();
  } catch {
    close();
  }
  isUnderWay = false;
}

function show() {
  list.hidden = input.value.trim() === "" || document.activeElement !== input;
  input.setAttribute("aria-expanded", String(!list.hidden));
  fill(
    list,
    found.length === 0
      ? h("li", { class: "soft pad" }, "Nothing has that name.")
      : found.slice(0, 14).map((each, at) =>
          h(
            "li",
            {
              role: "option",
              "aria-selected": String(at === chosen),
              onpointerdown: (/** @type {Event} */ event) => (event.preventDefault(), choose(at)),
            },
            h("span", { class: "grow ellipsis" }, each.name),
            heat(each.fuel),
            h("span", { class: "tag" }, each.kind),
          ),
        ),
  );
}

function close() {
  list.hidden = true;
  input.setAttribute("aria-expanded", "false");
}

/** @param {number} at */
function choose(at) {
  const each = found[at];
  if (!each) return;
  inspect({ kind: each.kind, name: each.name });
  if (each.at) bringIn(each.at.length === 3 ? planeOf(each.at[0], each.at[1], each.at[2]) : [each.at[0], each.at[1]]);
  input.value = "";
  close();
  input.blur();
}

/** Moves the view only if the place is not well in it. @param {Point} point */
function bringIn(point) {
  const [left, top] = toStage(...point);
  const room = 60;
  if (left > room && top > room && left < camera.width - room && top < camera.height - room) return;
  centre(point);
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (event.key === "ArrowDown") chosen = Math.min(found.length - 1, chosen + 1);
  else if (event.key === "ArrowUp") chosen = Math.max(0, chosen - 1);
  else if (event.key === "Enter") {
    choose(chosen);
    return;
  } else if (event.key === "Escape") {
    input.value = "";
    close();
    input.blur();
    return;
  } else return;
  event.preventDefault();
  show();
}

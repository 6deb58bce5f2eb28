// @ts-check
// Work on the graph of a level: what `walkon graph` does, as buttons.
//
// In: actions and what they need. Out: their answers. Holds: an action runs in the program and may take a while; its button says so. Not here:
// boxes, which are dragged on the stage (`editor.js`).

import { centre, planeOf } from "./camera.js";
import { ask } from "./connection.js";
import { fill, h } from "./elements.js";
import { plain } from "./inspector.js";
import { changed } from "./model.js";

/**
 * What an action needs, beside its name.
 * @typedef {{action: string, label: string, hint: string, needs?: {name: string, label: string, value: string, isText?: boolean, isPlace?: boolean}[]}} Action
 */

/** @type {Action[]} */
const ACTIONS = [
  { action: "generate", label: "Generate", hint: "Points and links again, from the scene and its boxes" },
  { action: "link", label: "Link", hint: "The links alone again, between the points there are" },
  { action: "island", label: "Islands", hint: "What is not connected to the rest" },
  { action: "remove", label: "Remove islands", hint: "Take away islands of at most so many points", needs: [{ name: "most", label: "points at most", value: "20" }] },
  { action: "stitch", label: "Stitch", hint: "Join each island to the main group by its shortest link" },
  {
    action: "space", label: "Space", hint: "A part of the graph, grown from a place",
    needs: [{ name: "name", label: "name", value: "space1", isText: true }, { name: "from", label: "from x, y, z", value: "0, 0, 0", isPlace: true }, { name: "within", label: "within, metres", value: "2.5" }],
  },
  { action: "table", label: "Table", hint: "Ways from every part to every other, worked out ahead" },
];

/** @type {{label: string, value: Json} | null} */
let answer = null;
let busy = "";
const root = h("section", { class: "section", "data-test": "graph" });

/** The panel. */
export function graphPanel() {
  show();
  return root;
}

function show() {
  fill(root, h("h2", {}, "Graph"), h("div", { class: "form" }, ACTIONS.map(row)), answer ? h("div", {}, h("h3", {}, answer.label), result(answer.value)) : null);
}

/** @param {Action} action */
function row(action) {
  const inputs = (action.needs ?? []).map((need) => ({ need, input: /** @type {HTMLInputElement} */ (h("input", { class: "field grow", value: need.value, title: need.label, "aria-label": need.label, placeholder: need.label })) }));
  return h(
    "div",
    { class: "row" },
    h("button", { type: "button", class: "button small", title: action.hint, disabled: busy !== "", "data-test": `graph-${action.action}`, onclick: () => run(action, inputs) }, busy === action.action ? "working" : action.label),
    inputs.map(({ input }) => input),
  );
}

/**
 * @param {Action} action
 * @param {{need: {name: string, isText?: boolean, isPlace?: boolean}, input: HTMLInputElement}[]} inputs
 */
async function run(action, inputs) {
  /** @type {Record<string, Json>} */
  const fields = { action: action.action };
  for (const { need, input } of inputs) fields[need.name] = need.isText ? input.value : need.isPlace ? input.value.split(",").map(Number) : Number(input.value);
  busy = action.action;
  show();
  try {
    answer = { label: action.label, value: await ask("graph", fields) };
  } catch (mistake) {
    changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
  }
  busy = "";
  show();
}

/** @param {Json} value */
function result(value) {
  const islands = Array.isArray(value?.islands) ? value.islands : null;
  if (!islands) return plain(value?.text ?? value);
  return h("ul", { class: "list" }, islands.map((/** @type {Json} */ island, /** @type {number} */ at) =>
    h("li", { class: "row" }, h("span", { class: "grow" }, `island ${at + 1}: ${island.points ?? island.size ?? ""} points`),
      Array.isArray(island.at) ? h("button", { type: "button", class: "button small", onclick: () => centre(planeOf(island.at[0], island.at[1] ?? 0, island.at[2] ?? island.at[1])) }, "Fly to") : null)));
}

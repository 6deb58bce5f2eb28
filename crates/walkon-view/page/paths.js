// @ts-check
// Path testing: click, click, and the way between.
//
// In: two places, a body. Out: the way, its length, cost and effort, or why there is none; a list of expected ways that
// is run again at every edit. Holds: while the second place is open the way follows the pointer, one question under way
// at a time. Not here: the search (the program).

import { planeOf, toStage } from "./camera.js";
import { ask, order } from "./connection.js";
import { button, fill, h, short } from "./elements.js";
import { groundAt } from "./hands.js";
import { legendRow } from "./legend.js";
import { askFor } from "./menus.js";
import { changed, listen, model } from "./model.js";
import { stageColours } from "./palette.js";
import { isOfSearch, paintSearched } from "./searched.js";
import { redraw } from "./stage.js";
import { addTab, showTab } from "./tabs.js";
import { registerTool, takeTool, tool } from "./tools.js";

/** @typedef {import("./tools.js").Touch} Touch */

/** @type {Place | null} */
let from = null;
/** @type {Place | null} */
let to = null;
let isFixed = false;
let grip = 0;
/** @type {Json} */
let answer = null;
let mistake = "";
/** @type {Json[]} */
let expectations = [];
let isUnderWay = false;
let isWanted = false;

const radius = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field wide number",
    type: "number",
    min: "0.05",
    step: "0.05",
    value: "0.35",
    id: "path-radius",
    "data-test": "path-radius",
    onchange: query,
    oninput: query,
  })
);
const keys = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field wide",
    id: "path-keys",
    "data-test": "path-keys",
    placeholder: "bronze, silver",
    title: "Keys that are carried, for doors that want one",
    onchange: query,
  })
);
const doors = /** @type {HTMLSelectElement} */ (
  h(
    "select",
    { class: "field wide", id: "path-doors", "data-test": "path-doors", onchange: query },
    h("option", { value: "closed" }, "closed ones are walls"),
    h("option", { value: "open" }, "all open"),
  )
);
const avoid = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", id: "path-avoid", onchange: query }));
const searched = /** @type {HTMLInputElement} */ (
  h("input", { type: "checkbox", id: "path-searched", checked: true, onchange: () => (show(), redraw()) })
);
const result = h("div", { "data-test": "path-result" });
const list = h("div", {});
const root = h(
  "div",
  { class: "page" },
  h(
    "section",
    { class: "section" },
    h(
      "div",
      { class: "form" },
      line("radius, m", radius),
      line("doors", doors),
      line("keys", keys),
      line("around others", avoid),
      line("searched cells", searched),
    ),
  ),
  h("section", { class: "section" }, result),
  h("section", { class: "section" }, h("h2", {}, "Expected paths"), list),
);

/**
 * @param {string} label
 * @param {HTMLElement} input
 */
function line(label, input) {
  return h("div", { class: "formrow" }, h("label", { for: input.id }, label), input, h("span", {}));
}

/** Makes tab and tool. */
export function startPaths() {
  addTab({
    name: "paths",
    label: "Paths",
    root,
    show: () => (takeTool("path"), show(), showList()),
    hide: () => tool.now.name === "path" && takeTool("select"),
  });
  registerTool({
    name: "path",
    label: "Path testing",
    cursor: "crosshair",
    hint: "Click where it begins, then where it ends. Drag the ends to change them.",
    down,
    move,
    up: () => (grip = 0),
    click,
    hover,
    below: (context) => answer && searched.checked && paintSearched(context, answer.searched ?? []),
    draw,
    cancel,
    leave: redraw,
  });
  listen("pathFrom", (/** @type {{place: Place}} */ detail) => {
    showTab("paths");
    takeTool("path");
    [from, to, isFixed, answer] = [detail.place, null, false, null];
    show();
  });
  listen("expected", (/** @type {Json} */ message) => {
    expectations = message.rows ?? [];
    showList();
  });
  radius.addEventListener("input", () => (isOwnRadius = true));
  listen("document", usualRadius);
  for (const what of ["document", "scene"]) listen(what, () => tool.now.name === "path" && query());
  listen("tab", (name) => name === "paths" && show());
}

/** Whether somebody has said how wide the body is. */
let isOwnRadius = false;

/** A graph is made for bodies of a size: wider ones have no way on it. */
function usualRadius() {
  const navigation = model.document.value?.navigation;
  const widest = navigation?.kind === "graph" ? navigation.agentRadius : undefined;
  if (!isOwnRadius && typeof widest === "number") radius.value = String(Math.min(0.35, widest));
}

/** @param {Touch} touch */
function end(touch) {
  const near = (/** @type {Place | null} */ place) => {
    if (!place) return false;
    const [left, top] = toStage(...planeOf(...place));
    return Math.hypot(left - touch.stage[0], top - touch.stage[1]) < 10;
  };
  return isFixed && near(to) ? 2 : near(from) ? 1 : 0;
}

/** @param {Touch} touch */
function down(touch) {
  grip = end(touch);
  return grip > 0;
}

/** @param {Touch} touch */
function move(touch) {
  if (grip === 1) from = groundAt(touch.plane);
  else to = groundAt(touch.plane);
  query();
}

/** @param {Touch} touch */
function click(touch) {
  if (grip) return;
  if (!from || isFixed) {
    [from, to, isFixed, answer] = [groundAt(touch.plane), null, false, null];
  } else {
    to = groundAt(touch.plane);
    isFixed = true;
    query();
  }
  show();
  redraw();
}

/** @param {Touch} touch */
function hover(touch) {
  if (!from || isFixed) return;
  to = groundAt(touch.plane);
  query();
}

function cancel() {
  if (!from) return false;
  [from, to, isFixed, answer, mistake] = [null, null, false, null, ""];
  show();
  redraw();
  return true;
}

function keysCarried() {
  return keys.value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

async function query() {
  isWanted = true;
  if (isUnderWay) return;
  isUnderWay = true;
  while (isWanted && from && to) {
    isWanted = false;
    try {
      answer = await ask("path", {
        from,
        to,
        radius: radius.valueAsNumber || 0.35,
        doors: doors.value,
        keys: keysCarried(),
        avoidCharacters: avoid.checked,
      });
      mistake = "";
    } catch (wrong) {
      answer = null;
      mistake = /** @type {Error} */ (wrong).message;
    }
    show();
    redraw();
  }
  isUnderWay = false;
}

function show() {
  if (mistake) {
    fill(result, h("p", { class: "soft" }, mistake));
    return;
  }
  if (!answer) {
    fill(
      result,
      h("p", { class: "soft" }, from ? "Now click where it ends." : "Click where the path begins, then where it ends."),
    );
    return;
  }
  const it = answer;
  /** @type {[string, string | null][]} */
  const facts = [
    ["why", it.why ?? it.reason ?? null],
    ["length", `${short(it.length)} m`],
    ["cost", short(it.cost)],
    ["expansions", String(it.expansions)],
    ["time", `${short(it.microseconds, 1)} µs`],
    ["points", String(it.points?.length ?? 0)],
    [
      "nearest",
      it.nearest && it.status !== "complete"
        ? it.nearest.map((/** @type {number} */ part) => part.toFixed(2)).join(", ")
        : null,
    ],
    ["from", from ? from.map((part) => part.toFixed(2)).join(", ") : null],
    ["to", to ? to.map((part) => part.toFixed(2)).join(", ") : null],
  ];
  fill(
    result,
    h(
      "div",
      { class: "row" },
      h("span", { class: `outcome grow ${it.status}`, "data-test": "path-status" }, it.status),
      isFixed
        ? h(
            "button",
            {
              type: "button",
              class: "button small",
              title: "Keep this, and run it again at every edit",
              "data-test": "expect",
              onclick: expect,
            },
            "Expect this",
          )
        : null,
    ),
    h(
      "dl",
      {},
      facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [h("dt", {}, name), h("dd", { class: "number" }, value)]),
    ),
    searched.checked ? h("ul", { class: "searchlegend small" }, (it.legend ?? []).filter(isOfSearch).map(legendRow)) : null,
  );
}

async function expect() {
  const rows = await order("expect", {
    add: {
      from,
      to,
      radius: radius.valueAsNumber || 0.35,
      doors: doors.value,
      keys: keysCarried(),
      avoidCharacters: avoid.checked,
      ...(model.layer > 0 ? { layer: model.welcome?.layerNames[model.layer] } : {}),
      status: answer.status,
    },
  });
  if (rows?.rows) expectations = rows.rows;
  showList();
}

function showList() {
  if (expectations.length === 0) {
    fill(
      list,
      h(
        "p",
        { class: "soft" },
        "None yet. What you expect is run again at every edit, and can be saved as a test of the level.",
      ),
    );
    return;
  }
  const at = (/** @type {number[]} */ place) => place.map((part) => short(part, 1)).join(", ");
  fill(
    list,
    h(
      "table",
      { "data-test": "expectations" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["from", "to", "expected", "got", ""].map((name) => h("th", {}, name)),
        ),
      ),
      h(
        "tbody",
        {},
        expectations.map((row, number) =>
          h(
            "tr",
            {},
            h(
              "td",
              {},
              h(
                "button",
                { type: "button", class: "plain link number", title: "Show this path", onclick: () => again(row) },
                at(row.from),
              ),
            ),
            h("td", { class: "number" }, at(row.to)),
            h("td", { title: inWords(row) }, row.expected, isUsual(row) ? null : h("span", { class: "soft" }, " *")),
            h("td", { class: row.ok ? "ok" : "bad" }, row.ok ? "✓" : (row.got ?? "no layer")),
            h("td", {}, button({ icon: "close", label: "Forget this", test: `forget-${number}`, onclick: () => forget(number) })),
          ),
        ),
      ),
    ),
    h(
      "div",
      { class: "row end" },
      h(
        "button",
        { type: "button", class: "button small", onclick: save, "data-test": "save-expectations" },
        "Save as a test...",
      ),
    ),
  );
}

/** Whether a row asks as most do. @param {Json} row */
function isUsual(row) {
  return !row.keys?.length && !row.avoidCharacters && !row.layer;
}

/** Who asks, in words. @param {Json} row */
function inWords(row) {
  const words = [`radius ${short(row.radius)} m`, row.doors === "open" ? "doors open" : "closed doors are walls"];
  if (row.keys?.length) words.push(`keys ${row.keys.join(", ")}`);
  if (row.avoidCharacters) words.push("around others, as they stand when the level begins");
  if (row.layer) words.push(`layer ${row.layer}`);
  return words.join("; ");
}

/** @param {Json} row */
function again(row) {
  [from, to, isFixed] = [row.from, row.to, true];
  radius.value = String(row.radius ?? 0.35);
  doors.value = row.doors ?? "closed";
  keys.value = (row.keys ?? []).join(", ");
  avoid.checked = Boolean(row.avoidCharacters);
  const layer = Math.max(0, (model.welcome?.layerNames ?? []).indexOf(row.layer ?? ""));
  if (layer !== model.layer) changed("layer", layer);
  query();
}

/** @param {number} number */
async function forget(number) {
  const rows = await order("expect", { remove: number });
  if (rows?.rows) expectations = rows.rows;
  showList();
}

async function save() {
  const name = model.welcome?.level ?? "level";
  const values = await askFor(
    "Save as a test",
    [{ name: "file", label: "File", value: `scripts/${name}_paths_test.lua` }],
    "Save",
  );
  if (!values) return;
  const answered = await order("expect", { save: values.file });
  if (answered) changed("notice", { text: `${values.file} is saved.` });
}

/** @param {CanvasRenderingContext2D} context */
function draw(context) {
  const colours = stageColours();
  const points = /** @type {Place[]} */ (answer?.points ?? []);
  context.beginPath();
  points.forEach((place, at) => {
    const [left, top] = toStage(...planeOf(...place));
    if (at) context.lineTo(left, top);
    else context.moveTo(left, top);
  });
  context.lineJoin = "round";
  context.strokeStyle = colours.halo;
  context.lineWidth = 5;
  context.stroke();
  context.strokeStyle = answer?.status === "complete" ? "#e86a10" : colours.warn;
  context.lineWidth = 2.5;
  context.stroke();
  if (answer?.nearest && to && answer.status !== "complete") {
    context.setLineDash([3, 4]);
    context.beginPath();
    context.moveTo(...toStage(...planeOf(.../** @type {Place} */ (answer.nearest))));
    context.lineTo(...toStage(...planeOf(...to)));
    context.lineWidth = 1.5;
    context.stroke();
    context.setLineDash([]);
  }
  for (const [place, colour] of /** @type {[Place | null, string][]} */ ([
    [from, colours.accent],
    [isFixed ? to : null, "#d6332b"],
  ])) {
    if (!place) continue;
    const [left, top] = toStage(...planeOf(...place));
    context.beginPath();
    context.arc(left, top, 5.5, 0, Math.PI * 2);
    context.fillStyle = colour;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = colours.paper;
    context.stroke();
  }
}

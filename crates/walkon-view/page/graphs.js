// @ts-check
// Work on the graph of a level: what `walkon graph` does, as buttons, and points and links by hand.
//
// In: actions and what they need, touches of the stage. Out: their answers, in the panel and on the stage: islands,
// blocked links with what hit them, the points that a box would find. Holds: an action runs in the program and may take
// a while; its button says so. Not here: boxes, which are dragged as other things are (`editor.js`).

import { centre, groundOf, planeOf, stageOf } from "./camera.js";
import { ask } from "./connection.js";
import { fill, h, short } from "./elements.js";
import { groundAt } from "./hands.js";
import { plain } from "./inspector.js";
import { changed, isAbove, listen, model } from "./model.js";
import { stageColours } from "./palette.js";
import { registerTool, takeTool, tool } from "./tools.js";

/** @typedef {import("./tools.js").Touch} Touch */

/**
 * What an action needs, beside its name.
 * @typedef {{action: string, label: string, hint: string, fields?: Record<string, Json>,
 *   needs?: {name: string, label: string, value: string, kind: "number" | "text" | "place"}[]}} Action
 */

/** @type {Action[]} */
const ACTIONS = [
  {
    action: "generate",
    label: "Generate",
    hint: "Points and links again, from the scene and its boxes; edits by hand are kept",
  },
  { action: "link", label: "Link", hint: "The links alone again, between the points there are" },
  { action: "island", label: "Islands", hint: "What hangs together, and what the doors keep apart" },
  {
    action: "remove",
    label: "Remove islands",
    hint: "Islands of at most so many points go",
    needs: [{ name: "points", label: "points at most", value: "20", kind: "number" }],
  },
  { action: "stitch", label: "Stitch", hint: "Each island is joined to the main group by its shortest link" },
  { action: "blocked", label: "Blocked links", hint: "Links that nobody can walk, and what is in the way" },
  {
    action: "blocked",
    label: "Remove blocked",
    hint: "Links that nobody can walk go; what hit them stays on the stage",
    fields: { remove: true },
  },
  {
    action: "space",
    label: "Divide",
    hint: "All of it, in parts of about so many points",
    needs: [{ name: "auto", label: "points of a part", value: "80", kind: "number" }],
  },
  { action: "space", label: "No parts", hint: "The graph is no longer divided", fields: { clear: true } },
  { action: "table", label: "Table", hint: "The ways between parts" },
  {
    action: "table",
    label: "Keep the table",
    hint: "The ways between parts, kept in the compact form",
    fields: { keep: true },
  },
  { action: "undo", label: "Undo by hand", hint: "The last edit of points by hand is taken back, even that of somebody else" },
];

/** @type {{label: string, action: string, value: Json} | null} */
let answer = null;
let busy = "";
const root = h("section", { class: "section", "data-test": "graph" });

/**
 * What is marked on the stage: points, links, what is in their way; of rays of a box what they hit, and where they end in the
 * void.
 * @type {{points: Place[], links: [Place, Place][], hits: Place[], rays: Place[], misses: Place[]}}
 */
const marks = { points: [], links: [], hits: [], rays: [], misses: [] };

/** The points of the graph, by number. @type {Place[]} */
let points = [];
/** @type {Set<string>} */
let links = new Set();
/** The point that a link begins at, or that is dragged. */
let held = -1;
let under = -1;
/** @type {Place | null} */
let dragged = null;

/** Makes the tool. */
export function startGraphs() {
  registerTool({
    name: "edit-points",
    label: "Points and links",
    cursor: "crosshair",
    hint: "Click the ground: a point. Click two points: a link, or no longer. Drag a point to move it; Del removes it.",
    down,
    move,
    up,
    click,
    hover,
    draw: drawPoints,
    cancel,
    key,
    leave: () => (held = -1),
  });
  listen("edited", () => tool.now.name === "edit-points" && load());
  listen("tool", () => tool.now.name === "edit-points" && points.length === 0 && load());
}

/** The panel. */
export function graphPanel() {
  show();
  return root;
}

function show() {
  fill(
    root,
    h("h2", {}, "Graph"),
    h(
      "div",
      { class: "row wrap spaced" },
      h(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-pressed": String(tool.now.name === "edit-points"),
          title: "Points and links by hand",
          "data-test": "graph-points",
          onclick: () => takeTool(tool.now.name === "edit-points" ? "edit" : "edit-points"),
        },
        "By hand",
      ),
      ACTIONS.filter((each) => !each.needs).map((each) => runButton(each, [])),
    ),
    h("div", { class: "form" }, ACTIONS.filter((each) => each.needs).map(row), spaceRow()),
    answer ? h("div", { class: "answer" }, h("h3", {}, answer.label), result(answer.action, answer.value)) : null,
  );
}

/**
 * @param {Action} action
 * @param {{need: {name: string, kind: string}, input: HTMLInputElement}[]} inputs
 */
function runButton(action, inputs) {
  return h(
    "button",
    {
      type: "button",
      class: "button small",
      title: action.hint,
      disabled: busy !== "",
      "data-test": `graph-${action.label.toLowerCase().replaceAll(" ", "-")}`,
      onclick: () => run(action, inputs),
    },
    busy === action.label ? "working" : action.label,
  );
}

/** @param {Action} action */
function row(action) {
  const inputs = (action.needs ?? []).map((need) => ({
    need,
    input: /** @type {HTMLInputElement} */ (
      h("input", {
        class: "field grow number",
        value: need.value,
        title: need.label,
        "aria-label": need.label,
        placeholder: need.label,
      })
    ),
  }));
  return h(
    "div",
    { class: "row" },
    runButton(action, inputs),
    inputs.map(({ input }) => input),
    h("span", { class: "soft small" }, (action.needs ?? []).map((need) => need.label).join(", ")),
  );
}

const space = { name: "space1", within: 2.5, adds: false, from: /** @type {Place | null} */ (null) };
/** Names of the spaces that the graph has, as far as is known. @type {string[]} */
let spaces = [];
/** The slider reaches at least so far, metres; what is typed may be more. */
const NEAR = 20;

function spaceRow() {
  const name = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "field",
      value: space.name,
      "aria-label": "Name of the space",
      list: "spaces",
      "data-test": "space-name",
      onchange: () => (space.name = name.value),
    })
  );
  const known = h("datalist", { id: "spaces" }, spaces.map((each) => h("option", { value: each })));
  const within = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "range",
      min: "0",
      max: String(Math.max(NEAR, space.within * 2)),
      step: "0.25",
      value: String(space.within),
      class: "grow",
      "aria-label": "Within metres",
      "data-test": "space-within",
    })
  );
  const size = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "number",
      class: "field number metres",
      min: "0",
      step: "any",
      value: String(space.within),
      title: "Metres to walk; more than the slider has may be typed",
      "aria-label": "Within metres, typed",
      "data-test": "space-metres",
    })
  );
  within.addEventListener("input", () => {
    space.within = within.valueAsNumber;
    size.value = String(space.within);
    grow();
  });
  size.addEventListener("change", () => {
    if (!(size.valueAsNumber >= 0)) return;
    space.within = size.valueAsNumber;
    within.max = String(Math.max(NEAR, space.within * 2));
    within.value = String(space.within);
    grow();
  });
  const adds = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "checkbox",
      checked: space.adds,
      "data-test": "space-adds",
      onchange: () => (space.adds = adds.checked),
    })
  );
  const set = h(
    "button",
    {
      type: "button",
      class: "button small",
      title: "A part of the graph grown from a point: pick one with By hand, or the selection",
      onclick: () => {
        space.from = held >= 0 ? points[held] : space.from;
        grow();
      },
    },
    "Space",
  );
  return h(
    "div",
    { class: "row wrap spacerow" },
    set,
    name,
    known,
    within,
    size,
    h(
      "label",
      { class: "row soft small", title: "What the space has stays in it: pick another point and press Space again" },
      adds,
      "adds",
    ),
  );
}

let isGrowing = false;
let growsAgain = false;

async function grow() {
  const from = held >= 0 ? points[held] : space.from;
  if (!from) {
    changed("notice", { text: "A space grows from a point: press By hand and click one." });
    return;
  }
  space.from = from;
  growsAgain = true;
  if (isGrowing) return;
  isGrowing = true;
  while (growsAgain) {
    growsAgain = false;
    await run(
      { action: "space", label: "Space", hint: "", fields: { name: space.name, from, within: space.within, adds: space.adds } },
      [],
      false,
    );
  }
  isGrowing = false;
}

/**
 * @param {Action} action
 * @param {{need: {name: string, kind: string}, input: HTMLInputElement}[]} inputs
 * @param {boolean} [shows]
 */
async function run(action, inputs, shows = true) {
  /** @type {Record<string, Json>} */
  const fields = { action: action.action, ...action.fields };
  for (const { need, input } of inputs)
    fields[need.name] =
      need.kind === "text"
        ? input.value
        : need.kind === "place"
          ? input.value.split(",").map(Number)
          : Number(input.value);
  if (shows) {
    busy = action.label;
    show();
  }
  try {
    const value = await ask("graph", fields);
    answer = { label: action.label, action: action.action, value };
    if (Array.isArray(value.parts)) spaces = value.parts.map((/** @type {Json} */ part) => String(part.name ?? part));
    mark(action.action, value);
  } catch (mistake) {
    changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
  }
  busy = "";
  if (shows) show();
}

/**
 * Marks on the stage what an answer is about.
 * @param {string} action
 * @param {Json} value
 */
function mark(action, value) {
  if (action === "blocked" || value?.warnings?.length) {
    const list = value.links ?? value.warnings;
    const real = Array.isArray(list) ? list.filter((/** @type {Json} */ link) => Array.isArray(link.from)) : [];
    marks.links = real.map((/** @type {Json} */ link) => [link.from, link.to]);
    marks.hits = real.flatMap((/** @type {Json} */ link) =>
      Array.isArray(link.hit) ? [/** @type {Place} */ (link.hit)] : [],
    );
  } else if (action !== "space" && action !== "table") {
    marks.links = [];
    marks.hits = [];
  }
  marks.points = action === "island" ? (value.groups ?? []).slice(1).map((/** @type {Json} */ group) => group.at) : [];
  changed("ahead");
}

/**
 * @param {string} action
 * @param {Json} value
 */
function result(action, value) {
  if (action === "island" && Array.isArray(value.groups)) return islandList(value);
  if (action === "table" && Array.isArray(value.pairs)) return pairTable(value.pairs);
  if (action === "blocked" && Array.isArray(value.links)) return blockedList(value);
  return plain(value);
}

/** @param {Json} value */
function islandList(value) {
  return h(
    "div",
    {},
    h(
      "p",
      { class: "soft" },
      `${value.points} points, ${value.links} links, ${value.groups.length === 1 ? "in one piece" : `${value.groups.length} groups`}`,
    ),
    h(
      "ul",
      { class: "list" },
      value.groups
        .slice(0, 200)
        .map((/** @type {Json} */ group, /** @type {number} */ at) =>
          h(
            "li",
            { class: "row" },
            h(
              "span",
              { class: "grow" },
              at === 0 ? `the main group: ${group.points} points` : `island ${at}: ${group.points} points`,
            ),
            fly(group.at),
            at > 0
              ? runButton(
                  {
                    action: "stitch",
                    label: "Stitch it",
                    hint: `Join island ${at} to the main group by its shortest link`,
                    fields: { island: at },
                  },
                  [],
                )
              : null,
            at > 0
              ? runButton(
                  { action: "remove", label: "Remove", hint: `Remove island ${at}`, fields: { island: at } },
                  [],
                )
              : null,
          ),
        ),
    ),
    (value.doors ?? []).map((/** @type {Json} */ door) => h("p", { class: "soft small" }, door.text ?? door.door)),
  );
}

/** @param {number[] | undefined} at */
function fly(at) {
  if (!Array.isArray(at)) return null;
  return h(
    "button",
    {
      type: "button",
      class: "button small",
      title: "Bring it to the middle",
      onclick: () => centre(planeOf(at[0], at[1], at[2])),
    },
    "Fly to",
  );
}

/** @param {Json[]} pairs */
function pairTable(pairs) {
  if (pairs.length === 0)
    return h("p", { class: "soft" }, "The graph has no two parts yet: divide it, or grow spaces from points.");
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["from", "to", "length", "points"].map((name) => h("th", {}, name)),
      ),
    ),
    h(
      "tbody",
      {},
      pairs
        .slice(0, 300)
        .map((pair) =>
          h(
            "tr",
            {},
            h("td", {}, pair.from),
            h("td", {}, pair.to),
            h("td", { class: "number" }, typeof pair.length === "number" ? `${short(pair.length)} m` : "no way"),
            h("td", { class: "number" }, String(pair.points ?? "")),
          ),
        ),
    ),
  );
}

/** @param {Json} value */
function blockedList(value) {
  if (value.count === 0) return h("p", { class: "soft" }, "Every link can be walked.");
  return h(
    "ul",
    { class: "list" },
    value.links
      .slice(0, 200)
      .map((/** @type {Json} */ link) =>
        h("li", { class: "row" }, h("span", { class: "grow" }, link.text), fly(link.hit ?? link.from)),
      ),
  );
}

/* A box while it is dragged */

let isPreviewing = false;
/** Whether a box is still dragged: what comes too late is not shown. */
let isPreviewed = false;
/** @type {{min: number[], max: number[]} | null} */
let nextBox = null;

/**
 * Shows the points that a box would find; null for none.
 * @param {{min: number[], max: number[]} | null} box
 */
export async function previewBox(box) {
  nextBox = box;
  isPreviewed = box !== null;
  if (!box) {
    [marks.points, marks.rays, marks.misses] = [[], [], []];
    changed("ahead");
    return;
  }
  if (isPreviewing) return;
  isPreviewing = true;
  while (nextBox) {
    const wanted = nextBox;
    nextBox = null;
    try {
      const value = await ask("graph", { action: "preview", ...wanted });
      if (nextBox === null && !isPreviewed) break;
      [marks.points, marks.rays, marks.misses] = [value.points ?? [], value.hits ?? [], value.misses ?? []];
    } catch {
      [marks.points, marks.rays, marks.misses] = [[], [], []];
    }
    changed("ahead");
  }
  isPreviewing = false;
}

/**
 * Draws what is marked.
 * @param {CanvasRenderingContext2D} context
 */
export function drawMarks(context) {
  const colours = stageColours();
  drawRays(context, colours);
  context.fillStyle = colours.accent;
  for (const [x, y, z] of marks.points.slice(0, 6000)) {
    const [left, top] = stageOf(x, y, z);
    context.fillRect(left - 1.5, top - 1.5, 3, 3);
  }
  context.strokeStyle = colours.warn;
  context.lineWidth = 2;
  for (const [from, to] of marks.links) {
    context.beginPath();
    context.moveTo(...stageOf(...from));
    context.lineTo(...stageOf(...to));
    context.stroke();
  }
  for (const hit of marks.hits) {
    const [left, top] = stageOf(...hit);
    context.beginPath();
    context.moveTo(left - 4, top - 4);
    context.lineTo(left + 4, top + 4);
    context.moveTo(left + 4, top - 4);
    context.lineTo(left - 4, top + 4);
    context.stroke();
  }
}

/**
 * Rays of a box: a dot where one hits first, a small cross where one ends in the void.
 * @param {CanvasRenderingContext2D} context
 * @param {ReturnType<typeof stageColours>} colours
 */
function drawRays(context, colours) {
  context.fillStyle = colours.soft;
  for (const place of marks.rays) {
    const [left, top] = stageOf(...place);
    context.fillRect(left - 1, top - 1, 2, 2);
  }
  context.strokeStyle = colours.warn;
  context.lineWidth = 1;
  context.beginPath();
  for (const place of marks.misses) {
    const [left, top] = stageOf(...place);
    context.moveTo(left - 2, top - 2);
    context.lineTo(left + 2, top + 2);
    context.moveTo(left + 2, top - 2);
    context.lineTo(left - 2, top + 2);
  }
  context.stroke();
}

/* Points and links by hand */

async function load() {
  const wasHeld = points[held];
  try {
    const { value } = await ask("document", { file: model.welcome?.file });
    const navigation = value?.navigation;
    let graph = Array.isArray(navigation?.points) ? navigation : null;
    if (!graph) {
      const files = await ask("files");
      const name = files.level.find(
        (/** @type {string} */ file) => file.endsWith(".graph.json") && !file.endsWith(".edits.graph.json"),
      );
      if (!name) return;
      graph = JSON.parse((await ask("source", { file: name })).text);
    }
    points = graph.points ?? [];
    links = new Set((graph.links ?? []).map((/** @type {Json} */ link) => pairName(link[0], link[1])));
  } catch (mistake) {
    changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
  }
  // Points have other numbers now; what lies under the pointer does so still.
  [held, under] = [numberOf(wasHeld), resting ? pointAt(resting) : -1];
  changed("ahead");
}

/**
 * @param {number} one
 * @param {number} two
 */
function pairName(one, two) {
  return one < two ? `${one},${two}` : `${two},${one}`;
}

/** @param {Touch} touch */
function pointAt(touch) {
  let [best, nearest] = [-1, 8];
  points.forEach((place, number) => {
    if (isAbove(place[1])) return;
    const [left, top] = stageOf(...place);
    const away = Math.hypot(left - touch.stage[0], top - touch.stage[1]);
    if (away < nearest) [best, nearest] = [number, away];
  });
  return best;
}

/** @param {Record<string, Json>} edit */
async function edit(edit) {
  await run({ action: "edit", label: "By hand", hint: "", fields: edit }, []);
  await load();
}

/** Gestures in their order: a point has another number after an edit, so that each waits for the one before. */
let gestures = Promise.resolve();

/** @param {() => void | Promise<void>} gesture */
function inTurn(gesture) {
  gestures = gestures.then(gesture).catch((mistake) => console.error(mistake));
}

/**
 * The number that a place has by now, or -1.
 * @param {Place | undefined} place
 */
function numberOf(place) {
  return place ? points.findIndex((each) => each.every((part, axis) => part === place[axis])) : -1;
}

/** @param {Touch} touch */
function down(touch) {
  under = pointAt(touch);
  return under >= 0;
}

/** @param {Touch} touch */
function move(touch) {
  if (under < 0) return;
  const [x, , z] = groundOf(touch.plane, points[under][1]);
  dragged = [x, points[under][1], z];
  changed("ahead");
}

function up() {
  const [from, to] = [points[under], dragged];
  dragged = null;
  if (!to) return;
  inTurn(() => {
    const point = numberOf(from);
    if (point >= 0) return edit({ move: [{ point, to: /** @type {Place} */ (to.map(rounded)) }] });
  });
}

/** @param {number} part */
function rounded(part) {
  return Math.round(part * 1000) / 1000;
}

/** @param {Touch} touch */
function click(touch) {
  inTurn(() => press(touch));
}

/** @param {Touch} touch */
async function press(touch) {
  const at = pointAt(touch);
  if (at < 0) {
    if (held >= 0) held = -1;
    else await edit({ add: [groundAt(touch.plane)] });
  } else if (held < 0 || held === at) {
    held = held === at ? -1 : at;
  } else {
    const ends = [held, at];
    held = -1;
    await edit(links.has(pairName(ends[0], ends[1])) ? { unlink: [ends] } : { link: [ends] });
  }
  changed("ahead");
}

/** Where the pointer rests. @type {Touch | null} */
let resting = null;

/** @param {Touch} touch */
function hover(touch) {
  resting = touch;
  const at = pointAt(touch);
  if (at === under) return;
  under = at;
  changed("ahead");
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.key !== "Delete" && event.key !== "Backspace") return false;
  inTurn(() => {
    const at = held >= 0 ? held : under;
    if (at >= 0 && points[at]) return edit({ remove: [at] });
  });
  return true;
}

function cancel() {
  if (held < 0) {
    takeTool("edit");
    return true;
  }
  held = -1;
  changed("ahead");
  return true;
}

/** @param {CanvasRenderingContext2D} context */
function drawPoints(context) {
  drawMarks(context);
  const colours = stageColours();
  context.fillStyle = colours.ink;
  for (const place of points) {
    const [left, top] = stageOf(...place);
    context.fillRect(left - 1.5, top - 1.5, 3, 3);
  }
  for (const [number, radius] of [
    [under, 5],
    [held, 7],
  ]) {
    if (number < 0 || !points[number]) continue;
    const [left, top] = stageOf(...(number === under && dragged ? dragged : points[number]));
    context.beginPath();
    context.arc(left, top, radius, 0, Math.PI * 2);
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.stroke();
  }
}

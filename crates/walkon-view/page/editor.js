// @ts-check
// Editing the level: on the stage with tools, in the panel with a form.
//
// In: the level's document, touches, fields. Out: edits by JSON pointer, undo and redo. Holds: what is dragged is shown
// where it would be and saved when it is let go; a forecast that is on shows the future of it meanwhile. Not here: what
// the level's things are (`document.js`), fields (`forms.js`), tiles (`tiles.js`), graphs (`graphs.js`).

import { camera, groundOf, stageOf } from "./camera.js";
import { Refused, ask, order } from "./connection.js";
import { added, escaped, freeName, moved, renamed, schemaAt, thingAt, things, tried, valueAt } from "./document.js";
import { boxChanges, boxOf, drawBox, faceAt, faceMoved } from "./boxes.js";
import { button, fill, h, icon, morph } from "./elements.js";
import { dragging, form } from "./forms.js";
import { tryChanges } from "./future.js";
import { drawMarks, graphPanel, previewBox } from "./graphs.js";
import { contains, groundAt, lineDistance } from "./hands.js";
import { askFor } from "./menus.js";
import { changed, listen, model, select } from "./model.js";
import { stageColours } from "./palette.js";
import { redraw } from "./stage.js";
import { addTab, isShown, showTab } from "./tabs.js";
import { cellsOf, outlineOf, paintLayer, startTiles, symbolMoved, symbols, tileAt, tilesBetween, tilesOf } from "./tiles.js";
import { registerTool, takeTool, tool } from "./tools.js";

/** @typedef {import("./document.js").Thing} Thing */
/** @typedef {import("./tools.js").Touch} Touch */
/** @typedef {import("./boxes.js").Box} Box */

const bar = h("div", { class: "toolbar", role: "toolbar", "aria-label": "Editing" });
const body = h("div", { class: "upper" });
const list = h("div", { class: "lower" });
const root = h(
  "div",
  { class: "page full" },
  h("div", { class: "head" }, bar),
  h("div", { class: "split" }, body, list),
);

/** The pointer of what is picked; "" for the level itself, null for nothing. @type {string | null} */
let picked = null;
/**
 * Where the points of the picked thing are while they are dragged; of a box whose face is dragged, the box before and now.
 * @type {{thing: Thing, points: Point[], from: Point, grip: number, radius?: number, box?: Box | null, moved?: Box, stage: Point} | null}
 */
let drag = null;
/** The smallest round region that is drawn, metres. */
const LEAST_RADIUS = 0.1;
/** Grips from here on are faces of a box. */
const FACES = 100;
/** Corners of what is being drawn. @type {Point[]} */
let drawn = [];
/** @type {Point | null} */
let pointer = null;
/** @type {Point | null} */
let rectangle = null;
/** The height that something new is drawn at, metres. */
let newAt = 0;
let brush = "#";
/** @type {Map<string, Point>} */
let stroke = new Map();
/** Strokes that the program has not answered yet. @type {Set<Point[]>} */
const sent = new Set();
/** @type {Promise<unknown>} */
let strokes = Promise.resolve();
/** Where the pointer was last seen on its stroke, and over the map. @type {Point} */
let strokeAt = [0, 0];
/** @type {Point | null} */
let brushAt = null;

/** What can be added. @type {{kind: string, picture: string, label: string, has: () => boolean}[]} */
const ADDS = [
  { kind: "area", picture: "polygon", label: "New area", has: () => hasPolygons() },
  { kind: "obstacle", picture: "block", label: "New obstacle", has: () => hasPolygons() },
  { kind: "region", picture: "region", label: "New region", has: () => true },
  { kind: "round", picture: "round", label: "New round region", has: () => true },
  { kind: "mark", picture: "mark", label: "New mark", has: () => true },
  { kind: "route", picture: "route", label: "New route", has: () => true },
  { kind: "character", picture: "person", label: "New character", has: () => true },
  { kind: "door", picture: "door", label: "New door: click its area", has: () => hasPolygons() },
  { kind: "box", picture: "fit", label: "New box", has: () => model.document.value?.navigation?.kind === "graph" },
];

const HINTS = /** @type {Record<string, string>} */ ({
  area: "Click the corners, then the first one or Enter. Or drag a rectangle.",
  obstacle: "Click the corners, then the first one or Enter. Or drag a rectangle.",
  region: "Click the corners, then the first one or Enter. Or drag a rectangle.",
  round: "Press where its middle is and drag to its rim.",
  mark: "Click where the mark is.",
  route: "Click the stops, near a mark to stop at it; then Enter.",
  character: "Click where the character stands when the level begins.",
  door: "Click the area that is there while the door is open.",
  box: "Drag the box over a floor.",
});

function hasPolygons() {
  const navigation = model.document.value?.navigation;
  return typeof navigation === "object" && ["grid", "mesh", "graph"].includes(navigation?.kind ?? "grid");
}

/** Makes tab and tools. */
export function startEditor() {
  addTab({
    name: "edit",
    label: "Edit",
    root,
    show: () => {
      if (tool.now.name === "select" || tool.now.name === "none") takeTool("edit");
      load();
    },
    hide: () => tool.now.name.startsWith("edit") && takeTool("select"),
  });
  registerTool({
    name: "edit",
    label: "Edit",
    cursor: "default",
    hint: "Drag corners, things, stops. Double click a line for a new corner; Del deletes.",
    down,
    move,
    up,
    click,
    hover,
    double,
    draw,
    key,
    cancel: () => cancel(),
    leave: () => (drag = null),
  });
  for (const add of ADDS) {
    registerTool({
      name: `edit-${add.kind}`,
      label: add.label,
      cursor: "crosshair",
      hint: HINTS[add.kind],
      down: (touch) => beginShape(touch, add.kind),
      move: stretch,
      up: (touch) => endShape(touch, add.kind),
      click: (touch) => addPoint(touch, add.kind),
      hover,
      draw,
      key: (event) => shapeKey(event, add.kind),
      cancel: cancelShape,
      leave: () => (drawn = []),
    });
  }
  registerTool({
    name: "edit-paint",
    label: "Paint tiles",
    cursor: "crosshair",
    hint: "Drag over tiles. Alt and a click takes the symbol of a tile.",
    down: beginStroke,
    move: goOnStroke,
    up: endStroke,
    hover: (touch) => {
      brushAt = touch.plane;
      redraw();
    },
    draw,
    cancel: cancelStroke,
    leave: () => (stroke = new Map()),
  });
  for (const what of ["edited", "script"]) listen(what, takeNews);
  listen("history", (/** @type {Json} */ news) => {
    [model.document.canUndo, model.document.canRedo] = [news.canUndo, news.canRedo];
    if (isShown("edit")) showBar();
  });
  listen("diagnostics", () => {
    // Those of scripts are shown with their text.
    own = model.diagnostics.filter((each) => !/\.luau?$/.test(each.file ?? ""));
    show();
  });
  startTiles();
  listen("grid", show);
  listen("welcome", () => load(true));
  listen("schema", show);
  listen("tool", show);
  listen("edit", (/** @type {{kind: string, name: string}} */ wanted) => edit(wanted));
  listen("undo", () => turnBack("undo"));
  listen("redo", () => turnBack("redo"));
  listen("selection", () => {
    const chosen = model.selection;
    if (!chosen || !isShown("edit")) return;
    const thing = find(chosen.kind, chosen.name);
    if (thing && thing.at !== picked) pick(thing.at);
  });
}

/**
 * Somebody changed a text: of the level, of a graph beside it, of a script. There is one history for all of them.
 * @param {Json} news
 */
function takeNews(news) {
  model.document.canUndo = news.canUndo;
  model.document.canRedo = news.canRedo;
  if (isShown("edit")) showBar();
  if (news.file === model.document.file || !model.document.file) load(true);
}

/**
 * @param {string} kind
 * @param {string} name
 */
function find(kind, name) {
  return (
    things().find(
      (thing) => thing.name === name && (thing.kind === kind || (kind === "area" && thing.kind === "obstacle")),
    ) ?? null
  );
}

/** @param {{kind: string, name: string}} wanted */
async function edit({ kind, name }) {
  showTab("edit");
  takeTool("edit");
  if (!model.document.value) await load();
  const thing = find(kind, name);
  if (thing) pick(thing.at);
  else changed("notice", { text: `${name} does not stand in the level: a script made it, or a map file.` });
}

/** The document under way, and the one that is asked for after it. @type {Promise<void> | null} */
let loading = null;
/** @type {Promise<void> | null} */
let nextLoading = null;

/**
 * Reads the document. The promise is kept when it is known as it is now: what is under way may be older.
 * @param {boolean} [again]
 * @returns {Promise<void>}
 */
function load(again = false) {
  if ((model.document.value && !again) || !model.welcome) return Promise.resolve();
  if (!loading) {
    loading = read(model.welcome.file).finally(() => (loading = null));
    return loading;
  }
  nextLoading ??= loading.then(() => {
    nextLoading = null;
    return load(true);
  });
  return nextLoading;
}

/** @param {string} file */
async function read(file) {
  try {
    const answer = await ask("document", { file });
    model.document = {
      file: answer.file ?? file,
      text: answer.text,
      value: inOrder(answer),
      canUndo: answer.canUndo,
      canRedo: answer.canRedo,
    };
    if (answer.diagnostics) own = answer.diagnostics;
    changed("document");
  } catch (mistake) {
    if (isShown("edit")) changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
  }
  show();
  redraw();
}

/**
 * The value of the level, its keys in the order of its text.
 * @param {{text: string, value: Json}} answer
 */
function inOrder(answer) {
  try {
    return JSON.parse(answer.text);
  } catch {
    return answer.value;
  }
}

/** Diagnostics of the level: of the last edit, or of the last check, whichever was later. @type {Diagnostic[]} */
let own = [];

/** An edit that was refused: what was wanted, and what would be wrong with it. @type {{changes: Change[], diagnostics: Diagnostic[]} | null} */
let refused = null;

function takeBack() {
  refused = null;
  show();
}

/**
 * Sends an edit. One that is refused stays in the form with what is wrong with it.
 * @param {Change[]} changes
 * @param {string} label
 * @param {string} [joins]
 */
async function send(changes, label, joins) {
  if (changes.length === 0) return null;
  changed("ownEdit");
  try {
    const answer = await ask("edit", { file: model.document.file, changes, label, ...(joins ? { joins } : {}) });
    refused = null;
    if (answer.diagnostics) own = answer.diagnostics;
    await load(true);
    return answer;
  } catch (mistake) {
    const diagnostics = mistake instanceof Refused ? mistake.diagnostics : [];
    const isInForm = (/** @type {Diagnostic} */ each) =>
      each.severity === "error" && picked !== null && (each.pointer === picked || each.pointer?.startsWith(`${picked}/`));
    refused = diagnostics.some(isInForm) ? { changes, diagnostics } : null;
    if (!refused) changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
    show();
    return null;
  }
}

/** @param {"undo" | "redo"} way */
async function turnBack(way) {
  changed("ownEdit");
  const answer = await order(way);
  if (!answer) return;
  changed("notice", { text: `${way === "undo" ? "Undone" : "Done again"}: ${answer.label ?? "edit"}` });
  if (answer.diagnostics) own = answer.diagnostics;
  await load(true);
}

/** @param {string | null} at */
function pick(at) {
  if (at !== picked) refused = null;
  picked = at;
  show();
  redraw();
}

/* The panel */

/** What the form was of before. @type {string | null} */
let shownAt = null;
/** Everything that the form was made from. */
let shownLook = "";
/** The field that somebody types into and has not left. @type {EventTarget | null} */
let typed = null;
/** Whether the form is older than what is known. */
let isLate = false;

body.addEventListener("input", (event) => (typed = event.target));
body.addEventListener("change", () => (typed = null));
body.addEventListener("focusout", () => {
  typed = null;
  if (isLate) show();
});

/** What the form is made from, as a text. */
function lookOfForm() {
  const of = picked ?? "";
  const wrong = own.filter((each) => each.pointer === of || each.pointer?.startsWith(`${of}/`));
  const { document: { text }, schema, layer } = model;
  const has = [schema !== null, tilesOf() !== null];
  return JSON.stringify([picked, tool.now.name, text, wrong, refused, has, brush, layer]);
}

function show() {
  if (!isShown("edit")) return;
  showBar();
  if (dragging.is) return;
  // What is being typed is not taken away.
  isLate = typed !== null && typed === document.activeElement;
  if (isLate) return;
  const top = list.scrollTop;
  fill(list, model.document.value ? outline() : null);
  list.scrollTop = top;
  const look = lookOfForm();
  if (look === shownLook && body.childElementCount > 0) {
    if (model.document.value?.navigation?.kind === "graph") graphPanel();
    return;
  }
  shownLook = look;
  const focused =
    document.activeElement instanceof HTMLElement && body.contains(document.activeElement)
      ? document.activeElement.dataset.at
      : undefined;
  const was = body.scrollTop;
  fill(body, panel());
  body.scrollTop = shownAt === picked ? was : 0;
  if (shownAt !== picked) list.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  shownAt = picked;
  if (focused)
    /** @type {HTMLElement | null} */ (body.querySelector(`[data-at="${CSS.escape(focused)}"]`))?.focus({
      preventScroll: true,
    });
}

/**
 * What the buttons of the bar do, by their marks. The bar is kept as it is while it is updated: a button that was
 * replaced between the press and the release of a mouse would not be clicked.
 * @type {Record<string, () => void>}
 */
const BAR = {
  "edit-pick": () => takeTool("edit"),
  paint: () => takeTool("edit-paint"),
  undo: () => void turnBack("undo"),
  redo: () => void turnBack("redo"),
  ...Object.fromEntries(
    ADDS.map(({ kind }) => [
      `add-${kind}`,
      () => takeTool(tool.now.name === `edit-${kind}` ? "edit" : `edit-${kind}`),
    ]),
  ),
};

bar.addEventListener("click", (event) => {
  const pressed = /** @type {Element} */ (event.target).closest("button");
  if (pressed && !pressed.disabled) BAR[pressed.dataset.test ?? ""]?.();
});

function showBar() {
  const tools = ADDS.filter((add) => model.document.value && add.has()).map((add) =>
    button({
      icon: add.picture,
      text: add.kind,
      label: add.label,
      test: `add-${add.kind}`,
      class: "worded",
      pressed: tool.now.name === `edit-${add.kind}`,
    }),
  );
  const named = (/** @type {string} */ verb, /** @type {string | boolean | null} */ what) =>
    typeof what === "string" ? `${verb}: ${what}` : verb;
  const { canUndo, canRedo } = model.document;
  const undo = button({ icon: "undo", label: named("Undo", canUndo), key: "Ctrl+Z", test: "undo" });
  const redo = button({ icon: "redo", label: named("Redo", canRedo), key: "Ctrl+Shift+Z", test: "redo" });
  undo.disabled = !canUndo;
  redo.disabled = !canRedo;
  const isPicking = tool.now.name === "edit";
  morph(
    bar,
    h(
      "div",
      {},
      button({ icon: "cursor", text: "pick", label: "Pick and move", test: "edit-pick", class: "worded", pressed: isPicking }),
      tools,
      tilesOf()
        ? button({
            icon: "brush",
            text: "paint",
            label: "Paint tiles",
            test: "paint",
            class: "worded",
            pressed: tool.now.name === "edit-paint",
          })
        : null,
      h("span", { class: "turns" }, undo, redo),
    ),
  );
}

function panel() {
  const document_ = model.document;
  if (!document_.value)
    return [
      tool.now.name === "edit-paint" ? brushPanel() : null,
      h("p", { class: "soft pad" }, tilesOf() ? "A map of Tiled: its tiles are painted here, the rest is edited in Tiled." : "The level is being read."),
    ];
  return [
    tool.now.name === "edit-paint" ? brushPanel() : null,
    picked !== null
      ? pickedPanel(picked)
      : h("p", { class: "soft pad" }, "Click something on the stage or below to change it."),
    document_.value.navigation?.kind === "graph" ? graphPanel() : null,
  ];
}

/** @param {string} at */
function pickedPanel(at) {
  const thing = thingAt(at);
  const value = valueAt(refused ? tried(model.document.value, refused.changes) : model.document.value, at);
  if (value === undefined) return h("p", { class: "soft pad" }, "This is no longer in the level.");
  const isKeyed = thing?.kind === "mark" || thing?.kind === "route";
  const host = {
    try: (/** @type {Change[]} */ changes) => void tryChanges(model.document.file, changes),
    edit: (/** @type {Change[]} */ changes, /** @type {string} */ label, /** @type {string | undefined} */ joins) =>
      void send(changes, label, joins),
    rename: thing ? (/** @type {string} */ name) => void rename(thing, name) : undefined,
    diagnostics: refused?.diagnostics ?? own,
    takeBack: refused ? takeBack : undefined,
    skip: at === "" ? new Set(["/navigation", "/characters", "/doors", "/marks", "/routes", "/regions"]) : undefined,
  };
  const nameField =
    thing && isKeyed
      ? h(
          "div",
          { class: "formrow" },
          h("label", { for: "thing-name" }, "name"),
          h("input", {
            class: "field wide",
            id: "thing-name",
            "data-at": "name",
            value: thing.name,
            "data-test": "field-name",
            onchange: (/** @type {Event} */ event) =>
              rename(thing, /** @type {HTMLInputElement} */ (event.target).value),
            onkeydown: (/** @type {KeyboardEvent} */ event) => {
              if (event.key === "Enter" || event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
            },
          }),
          h("span", {}),
        )
      : null;
  return h(
    "section",
    { class: "section", "data-test": "form" },
    h(
      "div",
      { class: "row title" },
      h("strong", { class: "grow ellipsis" }, thing?.name ?? (at === "" ? "Level" : at)),
      h("span", { class: "tag" }, thing?.kind ?? "level"),
      at && at !== "/navigation"
        ? button({ icon: "bin", label: "Delete", key: "Del", test: "delete", onclick: () => remove(at) })
        : null,
    ),
    h("div", { class: "form" }, nameField, form({ value, schema: schemaAt(at), at }, host)),
  );
}

function outline() {
  const all = things();
  const groups = ["area", "obstacle", "region", "door", "mark", "route", "character", "box"];
  const item = (/** @type {string} */ at, /** @type {string} */ name, /** @type {string} */ kind) => {
    const wrong = own.some((each) => each.severity === "error" && at && each.pointer?.startsWith(`${at}/`));
    return h(
      "button",
      {
        type: "button",
        class: "plain item",
        "aria-current": String(picked === at),
        onclick: () => pickFromList(at),
        "data-test": `item-${kind}-${name}`,
      },
      h("span", { class: "grow ellipsis" }, name || "without a name"),
      wrong ? icon("help") : null,
    );
  };
  return h(
    "section",
    { class: "section outline" },
    h("h2", {}, "In the level"),
    item("", "level", "level"),
    item("/navigation", "map", "map"),
    groups.map((kind) => {
      const some = all.filter((thing) => thing.kind === kind);
      if (some.length === 0) return null;
      return h(
        "details",
        { open: some.length <= 12 || some.some((thing) => thing.at === picked) },
        h(
          "summary",
          { class: "soft" },
          kind === "box" ? "boxes " : `${kind}s `,
          h("span", { class: "small" }, String(some.length)),
        ),
        some.map((thing) => item(thing.at, thing.name, kind)),
      );
    }),
  );
}

/** @param {string} at */
function pickFromList(at) {
  pick(at);
  const thing = thingAt(at);
  const kinds = /** @type {Record<string, string>} */ ({ obstacle: "area" });
  if (thing && thing.kind !== "box") select({ kind: kinds[thing.kind] ?? thing.kind, name: thing.name });
}

/**
 * @param {Thing} thing
 * @param {string} name
 */
async function rename(thing, name) {
  if (!name || name === thing.name) return;
  if (await send(renamed(thing, name), `rename ${thing.name} to ${name}`)) {
    if (thing.kind === "mark" || thing.kind === "route")
      pick(things().find((each) => each.kind === thing.kind && each.name === name)?.at ?? null);
  }
}

/** @param {string} at */
async function remove(at) {
  const thing = thingAt(at);
  if (await send([{ at, remove: true }], `delete ${thing?.kind ?? ""} ${thing?.name ?? at}`)) pick(null);
}

function brushPanel() {
  const tiles = tilesOf();
  if (!tiles) return null;
  const all = symbols(tiles);
  if (!all.some((each) => each.symbol === brush)) brush = all[0].symbol;
  const isOwn = brush in tiles.legend;
  const { tiled } = tiles;
  const offered = tiled ? all.filter(({ symbol }) => symbol === brush || tiled.shown.has(tiled.ids.get(symbol) ?? -1)) : all;
  return h(
    "section",
    { class: "section", "data-test": "brush" },
    h("h2", {}, "Brush"),
    tiles.tiled && tiles.tiled.layers.length > 1
      ? h(
          "select",
          {
            class: "field wide",
            "aria-label": "Layer of the map",
            "data-test": "tile-layer",
            onchange: (/** @type {Event} */ event) => paintLayer(Number(/** @type {HTMLSelectElement} */ (event.target).value)),
          },
          tiles.tiled.layers.map((name, at) => h("option", { value: String(at), selected: at === tiles.layer }, name)),
        )
      : null,
    h(
      "div",
      { class: "brushes" },
      offered.map(({ symbol, text }) =>
        h(
          "button",
          {
            type: "button",
            class: "button",
            title: text,
            "aria-pressed": String(symbol === brush),
            "data-test": `brush-${tiles.tiled?.ids.get(symbol) ?? symbol}`,
            onclick: () => {
              brush = symbol;
              show();
            },
          },
          tiles.tiled ? String(tiles.tiled.ids.get(symbol) || "none") : symbol,
        ),
      ),
    ),
    tiled && offered.length < all.length
      ? h("input", {
          class: "field wide",
          type: "number",
          placeholder: "Number of another tile",
          "aria-label": "Number of another tile",
          "data-test": "other-tile",
          onchange: (/** @type {Event} */ event) => {
            const id = Number(/** @type {HTMLInputElement} */ (event.target).value);
            const other = all.find(({ symbol }) => tiled.ids.get(symbol) === id);
            if (other) brush = other.symbol;
            else changed("notice", { text: `There is no tile ${id} on this map.`, isMistake: true });
            show();
          },
        })
      : null,
    h("p", { class: "soft small" }, all.find((each) => each.symbol === brush)?.text ?? ""),
    tiles.isFile || tiles.tiled
      ? null
      : h(
          "div",
          { class: "row wrap spaced" },
          h(
            "button",
            {
              type: "button",
              class: "button small",
              title: "Another character with a meaning of its own",
              "data-test": "new-symbol",
              onclick: () => newSymbol(tiles.legend),
            },
            "New symbol...",
          ),
          h(
            "button",
            {
              type: "button",
              class: "button small",
              title: isOwn ? "Terrain, cost, directions, mark of this symbol" : "This one means the same on every map",
              disabled: !isOwn,
              "data-test": "edit-symbol",
              onclick: () => pick(`/navigation/legend/${escaped(brush)}`),
            },
            "What it means",
          ),
        ),
  );
}

/** Why a text is no cost; empty where it is one, or none is named. @param {string} text */
function wrongCost(text) {
  return Number.isFinite(Number(text)) ? "" : "The cost is a number, such as 1.5.";
}

/**
 * A new symbol of the legend.
 * @param {Record<string, Json>} legend
 */
async function newSymbol(legend) {
  const isTiles = model.document.value.navigation.kind === "tiles";
  const free = [..."~,:;o*%=+abcdefghijklmnopqrstuvwxyz"].find((letter) => !(letter in legend)) ?? "";
  const terrain = model.schema?.$defs?.Terrain;
  const consts = (/** @type {Json} */ schema) =>
    schema?.enum ?? (schema?.oneOf ?? []).map((/** @type {Json} */ each) => each.const);
  const terrains = consts(terrain);
  const headings = consts(model.schema?.$defs?.Heading);
  const values = await askFor(
    "A new symbol",
    [
      { name: "symbol", label: "Symbol", value: free },
      ...(isTiles ? [{ name: "terrain", label: "Terrain", options: ["", ...terrains] }] : []),
      { name: "cost", label: "Cost of a metre", hint: "1", wrong: wrongCost },
      ...(isTiles ? [{ name: "oneWay", label: "Left only to the", options: ["", ...headings] }] : []),
      { name: "mark", label: "Mark", hint: "post" },
    ],
    "Add",
  );
  if (!values) return;
  const [symbol, ...rest] = [...values.symbol];
  if (!symbol || rest.length || symbol in legend || symbol === "." || symbol === "#") {
    changed("notice", { text: "A symbol is one character that means nothing yet.", isMistake: true });
    return;
  }
  const meaning = {
    ...(values.terrain ? { terrain: values.terrain } : {}),
    ...(values.cost ? { cost: Number(values.cost) } : {}),
    ...(values.oneWay ? { oneWay: values.oneWay } : {}),
    ...(values.mark ? { mark: values.mark } : {}),
  };
  const at = "/navigation/legend";
  const has = valueAt(model.document.value, at) !== undefined;
  const change = has ? { at: `${at}/${escaped(symbol)}`, insert: meaning } : { at, insert: { [symbol]: meaning } };
  if (!(await send([change], `new symbol ${symbol}`))) return;
  brush = symbol;
  show();
}

/* The stage */

/**
 * What a touch meets: a corner of the picked thing, a thing, nothing.
 * @param {Touch} touch
 * @returns {{thing: Thing, grip: number} | null} grip -1 for the whole of it
 */
function hit(touch) {
  const all = things();
  const chosen = all.find((thing) => thing.at === picked);
  if (chosen) {
    const face = chosen.shape === "box" ? faceAt(boxOf(chosen.at), touch.stage) : -1;
    if (face >= 0) return { thing: chosen, grip: FACES + face };
    const corners = grips(chosen);
    for (let at = 0; at < corners.length; at++) {
      const [left, top] = onStage(corners[at], chosen.y);
      if (Math.hypot(left - touch.stage[0], top - touch.stage[1]) < 8) return { thing: chosen, grip: at };
    }
  }
  const rank = { character: 0, mark: 1, route: 2, obstacle: 3, door: 4, region: 5, area: 6, box: 7 };
  let best = null;
  let order_ = Infinity;
  for (const thing of all) {
    const place = rank[/** @type {keyof typeof rank} */ (thing.kind)] ?? 9;
    if (place >= order_ || !meets(thing, touch)) continue;
    [best, order_] = [thing, place];
  }
  if (chosen && (!best || best.kind === "area") && meets(chosen, touch)) return { thing: chosen, grip: -1 };
  return best ? { thing: best, grip: best.shape === "point" ? 0 : -1 } : null;
}

/**
 * The points that can be dragged. A box has its four corners; its faces are gripped by their middles (`boxes.js`). A circle
 * has its middle and a place of its rim; a door moves with its area.
 * @param {Thing} thing
 * @returns {Point[]}
 */
function grips(thing) {
  if (thing.shape === "outline") return [];
  if (thing.shape === "circle") {
    const [[x, z]] = thing.points;
    return [
      [x, z],
      [x + (thing.radius ?? 1), z],
    ];
  }
  if (thing.shape !== "box") return thing.points;
  const [[left, top], [right, bottom]] = thing.points;
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/**
 * @param {Thing} thing
 * @param {Touch} touch
 */
function meets(thing, touch) {
  const [x, , z] = groundOf(touch.plane, thing.y);
  if (thing.shape === "point") {
    const [left, top] = onStage(thing.points[0], thing.y);
    return Math.hypot(left - touch.stage[0], top - touch.stage[1]) < 9;
  }
  if (thing.shape === "circle")
    return contains({ kind: "", circle: [...thing.points[0], thing.radius ?? 1] }, [x, z]);
  if (thing.shape === "route") return nearestEdge(thing, touch, false).away < 6;
  if (thing.shape === "outline") return contains({ kind: "", polygon: thing.points }, [x, z]);
  if (thing.shape === "polygon")
    return contains({ kind: "", polygon: thing.points }, [x, z]) || nearestEdge(thing, touch, true).away < 6;
  if (thing.shape === "box") return contains({ kind: "", polygon: grips(thing) }, [x, z]);
  return false;
}

/**
 * @param {Thing} thing
 * @param {Touch} touch
 * @param {boolean} isClosed
 */
function nearestEdge(thing, touch, isClosed) {
  let [best, nearest] = [-1, Infinity];
  const count = thing.points.length;
  for (let at = isClosed ? 0 : 1; at < count; at++) {
    const away = lineDistance(
      touch.stage,
      onStage(thing.points[(at + count - 1) % count], thing.y),
      onStage(thing.points[at], thing.y),
    );
    if (away < nearest) [best, nearest] = [at, away];
  }
  return { at: best, away: nearest };
}

/**
 * Where a point of a thing is seen.
 * @param {Point} point
 * @param {number} y
 */
function onStage([x, z], y) {
  return stageOf(x, y, z);
}

/**
 * @param {Touch} touch
 * @param {number} [y] the height that it is looked for at; that of the ground which is seen there if none is given
 * @returns {Point}
 */
function snapped(touch, y) {
  const place = y === undefined ? groundAt(touch.plane) : groundOf(touch.plane, y);
  const step =
    touch.event.ctrlKey || touch.event.metaKey ? 0.001 : camera.scale > 60 ? 0.05 : camera.scale > 12 ? 0.1 : 0.5;
  const round = (/** @type {number} */ value) => millimetres(Math.round(value / step) * step);
  return [round(place[0]), round(place[2])];
}

/** A length in metres without what is less than a millimetre. @param {number} value */
function millimetres(value) {
  return Math.round(value * 1000) / 1000;
}

/** @param {Touch} touch */
function down(touch) {
  const met = hit(touch);
  if (!met) return false;
  if (met.thing.at !== picked) {
    // An area is picked by a click first, so that dragging the ground pans.
    if (["area", "region", "box", "door"].includes(met.thing.kind)) return false;
    pick(met.thing.at);
  }
  if (met.thing.kind === "door") return false;
  if (met.grip < 0 && met.thing.kind === "area" && !touch.event.shiftKey) return false;
  drag = {
    thing: met.thing,
    points: met.thing.points.map((point) => [...point]),
    from: snapped(touch, met.thing.y),
    grip: met.grip,
    box: met.grip >= FACES ? boxOf(met.thing.at) : null,
    stage: touch.stage,
  };
  return true;
}

/** @param {Touch} touch */
function move(touch) {
  if (!drag) return;
  const to = snapped(touch, drag.thing.y);
  const { thing, grip, from } = drag;
  if (drag.box && grip >= FACES) {
    drag.moved = faceMoved(drag.box, grip - FACES, { from: drag.stage, to: touch.stage });
    previewBox(drag.moved);
    redraw();
    tryChanges(model.document.file, boxChanges(thing.at, drag.box, drag.moved));
    return;
  }
  if (thing.shape === "circle" && grip === 1) {
    const [x, z] = thing.points[0];
    drag.radius = Math.max(LEAST_RADIUS, Math.round(Math.hypot(to[0] - x, to[1] - z) * 100) / 100);
    redraw();
    tryChanges(model.document.file, [{ at: `${thing.at}/radius`, set: drag.radius }]);
    return;
  }
  if (thing.shape === "box" && grip >= 0) {
    const points = thing.points.map((point) => /** @type {Point} */ ([...point]));
    points[grip === 0 || grip === 3 ? 0 : 1][0] = to[0];
    points[grip === 0 || grip === 1 ? 0 : 1][1] = to[1];
    drag.points = points;
    preview(thing, points);
  } else if (grip >= 0) {
    drag.points[grip] = to;
  } else {
    drag.points = thing.points.map(([x, z]) => [x + to[0] - from[0], z + to[1] - from[1]]);
    if (thing.shape === "box") preview(thing, drag.points);
  }
  redraw();
  tryChanges(model.document.file, moved(thing, drag.points));
}

/**
 * Shows what a box would find where it is dragged to.
 * @param {Thing} thing
 * @param {Point[]} points
 */
function preview(thing, points) {
  const box = valueAt(model.document.value, thing.at);
  if (box?.min?.length !== 3 || box?.max?.length !== 3) return;
  previewBox({ min: [points[0][0], box.min[1], points[0][1]], max: [points[1][0], box.max[1], points[1][1]] });
}

/** @param {Touch} touch */
async function up(touch) {
  const it = drag;
  if (!it) return;
  if (it.thing.shape === "box") previewBox(null);
  void touch;
  const verb = it.radius === undefined ? "move" : "size of";
  const changes = changesOf(it);
  if (changes.length) await send(changes, `${verb} ${it.thing.kind} ${it.thing.name}`);
  if (drag === it) drag = null;
  redraw();
}

/**
 * What a drag comes down to.
 * @param {NonNullable<typeof drag>} it
 * @returns {Change[]}
 */
function changesOf(it) {
  if (it.box) return it.moved ? boxChanges(it.thing.at, it.box, it.moved) : [];
  if (it.radius !== undefined) return [{ at: `${it.thing.at}/radius`, set: it.radius }];
  // The rim that was not moved is no place of its own.
  return it.thing.shape === "circle" && it.grip === 1 ? [] : moved(it.thing, it.points);
}

/** @param {Touch} touch */
async function click(touch) {
  if (drag) return;
  // The first click may come before the file does.
  if (!model.document.value) await load();
  const met = hit(touch);
  if (met?.thing.kind === "door" && met.thing.at === picked) {
    // Once more: the area that the door closes, whose corners can be dragged.
    const name = valueAt(model.document.value, met.thing.at)?.area;
    const area = things().find((thing) => thing.kind === "area" && thing.name === name);
    if (area) return pick(area.at);
  }
  pick(met?.thing.at ?? null);
}

/** @param {Touch} touch */
function hover(touch) {
  pointer = snapped(touch);
  redraw();
}

/** @param {Touch} touch */
async function double(touch) {
  const thing = picked === null ? null : thingAt(picked);
  if (!thing || (thing.shape !== "polygon" && thing.shape !== "route")) return;
  const edge = nearestEdge(thing, touch, thing.shape === "polygon");
  if (edge.away > 8) return;
  const [x, z] = snapped(touch, thing.y);
  await send(
    [{ at: `${thing.pointsAt}/${edge.at === 0 ? "-" : edge.at}`, insert: [x, z] }],
    `a new corner of ${thing.name}`,
  );
}

/** @param {KeyboardEvent} event */
function key(event) {
  if ((event.key === "Delete" || event.key === "Backspace") && picked) {
    const thing = thingAt(picked);
    const grip =
      thing && pointer
        ? grips(thing).findIndex(
            (point) =>
              Math.hypot(point[0] - /** @type {Point} */ (pointer)[0], point[1] - /** @type {Point} */ (pointer)[1]) *
                camera.scale <
              10,
          )
        : -1;
    const isCorner =
      grip >= 0 &&
      thing &&
      ((thing.shape === "polygon" && thing.points.length > 3) || (thing.shape === "route" && thing.points.length > 1));
    if (isCorner) send([{ at: `${thing.pointsAt}/${grip}`, remove: true }], `a corner of ${thing.name} less`);
    else remove(picked);
    return true;
  }
  return false;
}

function cancel() {
  if (drag) {
    drag = null;
    tryChanges(model.document.file, []);
    redraw();
    return true;
  }
  if (picked !== null) {
    pick(null);
    return true;
  }
  return false;
}

/* New things */

/**
 * @param {Touch} touch
 * @param {string} kind
 */
function beginShape(touch, kind) {
  if (!["area", "obstacle", "region", "round", "box"].includes(kind) || drawn.length > 0) return false;
  newAt = groundAt(touch.plane)[1];
  rectangle = snapped(touch, newAt);
  return true;
}

/** @param {Touch} touch */
function stretch(touch) {
  pointer = snapped(touch, newAt);
  redraw();
}

/**
 * @param {Touch} touch
 * @param {string} kind
 */
function endShape(touch, kind) {
  const from = rectangle;
  rectangle = null;
  const to = snapped(touch, newAt);
  if (from && kind === "round") {
    const radius = Math.round(Math.hypot(to[0] - from[0], to[1] - from[1]) * 100) / 100;
    if (radius >= LEAST_RADIUS) finish("region", { name: freeName("region"), centre: from, radius });
    return;
  }
  if (!from || Math.abs(from[0] - to[0]) < 0.15 || Math.abs(from[1] - to[1]) < 0.15) return;
  const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
  const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
  if (kind === "box")
    finish(kind, {
      name: freeName("floor"),
      min: [left, millimetres(newAt - 0.5), top],
      max: [right, millimetres(newAt + 2), bottom],
    });
  else
    finish(kind, {
      name: freeName(kind),
      polygon: [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ],
      ...onFloor(kind),
    });
}

/**
 * Where there are several floors, new ground and new obstacles keep to the one that they were drawn on.
 * @param {string} kind
 */
function onFloor(kind) {
  const [low, high] = model.welcome?.heights ?? [0, 0];
  if (high - low < 1 || (kind !== "area" && kind !== "obstacle")) return {};
  const floor = Math.round(newAt * 10) / 10;
  return { heights: [millimetres(floor - 1), millimetres(floor + 1)] };
}

/**
 * @param {Touch} touch
 * @param {string} kind
 */
function addPoint(touch, kind) {
  const place = groundAt(touch.plane);
  if (drawn.length === 0) newAt = place[1];
  const point = snapped(touch, newAt);
  const position = hasHeights() ? [point[0], place[1], point[1]] : point;
  if (kind === "mark") finish(kind, position);
  else if (kind === "character")
    finish(kind, { name: freeName(kind), position, ...(layerName() ? { layer: layerName() } : {}) });
  else if (kind === "door") {
    const area = things().find(
      (thing) =>
        thing.kind === "area" &&
        contains({ kind: "", polygon: thing.points }, [place[0], place[2]]) &&
        !(model.document.value.doors ?? []).some((/** @type {Json} */ door) => door.area === thing.name),
    );
    if (area) finish(kind, { name: freeName(kind), area: area.name, open: false });
    else changed("notice", { text: "There is no area here that has no door yet. A door needs an area of its own." });
  } else if (kind !== "box" && kind !== "round") {
    const first = drawn[0];
    if (drawn.length > 2 && kind !== "route" && first && near(first, touch)) {
      complete(kind);
      return;
    }
    drawn.push(point);
    redraw();
  }
}

function hasHeights() {
  const [low, high] = model.welcome?.heights ?? [0, 0];
  return high - low > 0.01 || model.document.value?.navigation?.kind === "graph";
}

function layerName() {
  const layers = model.document.value?.navigation?.layers;
  return model.layer > 0 && Array.isArray(layers) ? layers[model.layer]?.name : null;
}

/**
 * @param {Point} point
 * @param {Touch} touch
 */
function near(point, touch) {
  const [left, top] = onStage(point, newAt);
  return Math.hypot(left - touch.stage[0], top - touch.stage[1]) < 9;
}

/** @param {string} kind */
function complete(kind) {
  const points = drawn;
  drawn = [];
  if (kind === "route" && points.length > 0) {
    const marks = things().filter((thing) => thing.kind === "mark");
    finish(
      kind,
      points.map(
        (point) =>
          marks.find((mark) => Math.hypot(mark.points[0][0] - point[0], mark.points[0][1] - point[1]) < 0.5)?.name ??
          point,
      ),
    );
  } else if (points.length > 2) {
    finish(kind, { name: freeName(kind), polygon: points, ...onFloor(kind) });
  }
  redraw();
}

/**
 * @param {string} kind
 * @param {Json} value
 */
async function finish(kind, value) {
  const name = value.name ?? freeName(kind);
  const { changes, at } = added(kind, value, name);
  if (!(await send(changes, `new ${kind} ${name}`))) return;
  takeTool("edit");
  pick(at);
  const field = /** @type {HTMLInputElement | null} */ (body.querySelector('#thing-name, [data-at$="/name"]'));
  field?.focus();
  field?.select();
}

/**
 * @param {KeyboardEvent} event
 * @param {string} kind
 */
function shapeKey(event, kind) {
  if (event.key === "Enter" && drawn.length) complete(kind);
  else if (event.key === "Backspace" && drawn.length) {
    drawn.pop();
    redraw();
  } else return false;
  return true;
}

function cancelShape() {
  if (!drawn.length && !rectangle) {
    takeTool("edit");
    return true;
  }
  drawn = [];
  rectangle = null;
  redraw();
  return true;
}

/* Tiles */

/** @param {Touch} touch */
function beginStroke(touch) {
  const tiles = tilesOf();
  if (!tiles) return false;
  const tile = tileAt(tiles, touch.plane);
  if (!tile) return false;
  if (touch.event.altKey) {
    brush = [...tiles.rows[tile[1]]][tile[0]];
    show();
    return true;
  }
  stroke = new Map([[tile.join(), tile]]);
  strokeAt = touch.plane;
  redraw();
  return true;
}

/** @param {Touch} touch */
function goOnStroke(touch) {
  const tiles = tilesOf();
  brushAt = touch.plane;
  if (tiles && stroke.size) {
    for (const tile of tilesBetween(tiles, strokeAt, touch.plane)) stroke.set(tile.join(), tile);
    strokeAt = touch.plane;
  }
  redraw();
}

function endStroke() {
  const cells = [...stroke.values()];
  const tiles = tilesOf();
  stroke = new Map();
  if (!tiles || cells.length === 0) return;
  const isMark = symbols(tiles).some((each) => each.symbol === brush && "mark" in each && each.mark);
  const what = tiles.tiled ? { tile: tiles.tiled.ids.get(brush), layer: tiles.layer } : { symbol: brush, layer: model.layer };
  const symbol = brush;
  // The next stroke may be drawn while this one is on its way.
  sent.add(cells);
  strokes = strokes
    .then(() => (isMark ? moveSymbol(symbol, cells[cells.length - 1]) : paint({ cells: cellsOf(tiles, cells), ...what })))
    .finally(() => {
      sent.delete(cells);
      redraw();
    });
}

/** A stroke that is under way, or the brush. */
function cancelStroke() {
  if (stroke.size === 0) takeTool("edit");
  stroke = new Map();
  redraw();
  return true;
}

/**
 * @param {string} symbol
 * @param {Point} to
 */
async function moveSymbol(symbol, to) {
  const tiles = tilesOf();
  if (tiles) await send(symbolMoved(tiles, symbol, to), `move the mark of ${symbol}`);
}

/** @param {Json} what */
async function paint(what) {
  changed("ownEdit");
  const answer = await order("paint", what);
  if (answer) await load(true);
}

/* Drawing */

/** @param {CanvasRenderingContext2D} context */
function draw(context) {
  const colours = stageColours();
  if (tool.now.name === "edit-paint") {
    drawBrush(context, colours);
    return;
  }
  drawMarks(context);
  for (const thing of things()) drawThing(context, thing, colours);
  drawNew(context, colours);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Point[]} points
 * @param {boolean} isClosed
 * @param {number} [y] metres
 */
function outlinePath(context, points, isClosed, y = newAt) {
  context.beginPath();
  points.forEach((point, at) => {
    if (Number.isNaN(point[0])) return;
    const [left, top] = onStage(point, y);
    if (at === 0) context.moveTo(left, top);
    else context.lineTo(left, top);
  });
  if (isClosed) context.closePath();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Thing} thing
 * @param {ReturnType<typeof stageColours>} colours
 */
function drawThing(context, thing, colours) {
  const isPicked = thing.at === picked;
  if (thing.shape === "box" && isPicked) {
    const box = drag?.thing.at === thing.at ? drag.moved : null;
    drawBox(context, box ?? boxOf(thing.at));
  }
  const isDragged = drag?.thing.at === thing.at;
  const points = drag && isDragged ? drag.points : thing.points;
  const radius = (isDragged ? drag?.radius : undefined) ?? thing.radius ?? 1;
  context.lineWidth = isPicked ? 2 : 1;
  context.strokeStyle = isPicked ? colours.accent : colours.soft;
  context.globalAlpha = isPicked ? 1 : 0.55;
  if (thing.shape === "polygon" || (thing.shape === "outline" && isPicked)) outlinePath(context, points, true, thing.y);
  else if (thing.shape === "box") outlinePath(context, grips({ ...thing, points }), true, thing.y);
  else if (thing.shape === "route") outlinePath(context, points, false, thing.y);
  else if (thing.shape === "circle") {
    const [left, top] = onStage(points[0], thing.y);
    context.beginPath();
    context.arc(left, top, radius * camera.scale, 0, Math.PI * 2);
  } else if (thing.shape === "point") {
    const [left, top] = onStage(points[0], thing.y);
    context.beginPath();
    if (thing.kind === "character") {
      for (const [dx, dy] of [
        [0, -7],
        [7, 0],
        [0, 7],
        [-7, 0],
      ])
        context.lineTo(left + dx, top + dy);
      context.closePath();
    } else context.arc(left, top, 6, 0, Math.PI * 2);
  } else return;
  if (thing.kind !== "area" && thing.kind !== "route") {
    context.globalAlpha = isPicked ? 0.14 : 0.05;
    context.fillStyle = isPicked ? colours.accent : colours.soft;
    context.fill();
    context.globalAlpha = isPicked ? 1 : 0.55;
  }
  context.stroke();
  context.globalAlpha = 1;
  if (isPicked && thing.shape !== "point") drawGrips(context, grips({ ...thing, points, radius }), thing.y);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Point[]} points
 * @param {number} y
 */
function drawGrips(context, points, y) {
  const colours = stageColours();
  context.lineWidth = 1.5;
  context.strokeStyle = colours.accent;
  context.fillStyle = colours.paper;
  for (const point of points) {
    if (Number.isNaN(point[0])) continue;
    const [left, top] = onStage(point, y);
    context.fillRect(left - 4, top - 4, 8, 8);
    context.strokeRect(left - 4, top - 4, 8, 8);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {ReturnType<typeof stageColours>} colours
 */
function drawNew(context, colours) {
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  if (rectangle && pointer && tool.now.name === "edit-round") {
    const [left, top] = onStage(rectangle, newAt);
    context.beginPath();
    context.arc(left, top, Math.hypot(pointer[0] - rectangle[0], pointer[1] - rectangle[1]) * camera.scale, 0, Math.PI * 2);
    context.stroke();
    return;
  }
  if (rectangle && pointer) {
    outlinePath(context, [rectangle, [pointer[0], rectangle[1]], pointer, [rectangle[0], pointer[1]]], true);
    context.stroke();
    return;
  }
  if (drawn.length === 0) return;
  outlinePath(context, pointer ? [...drawn, pointer] : drawn, false);
  context.setLineDash([4, 3]);
  context.stroke();
  context.setLineDash([]);
  drawGrips(context, drawn, newAt);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {ReturnType<typeof stageColours>} colours
 */
function drawBrush(context, colours) {
  const tiles = tilesOf();
  if (!tiles) return;
  const cells = [...stroke.values(), ...[...sent].flat()];
  const under = brushAt && tileAt(tiles, brushAt);
  if (under) cells.push(under);
  context.fillStyle = colours.accent;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  for (const [column, row] of cells) {
    outlinePath(context, outlineOf(tiles, column, row), true);
    context.globalAlpha = 0.3;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
  }
}

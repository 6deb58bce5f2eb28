// @ts-check
// The debugger: where scripts stop, what is to be seen there, how they go on.
//
// In: stops and breakpoints as the program tells them. Out: orders; a bar while the level is stopped, and a pane below the
// source. Holds: breakpoints are those of the program, alike on every page; what was opened stays open from stop to stop.
// Not here: the lines of the source (`source.js`).

import { ask, order } from "./connection.js";
import { button, byId, fill, h } from "./elements.js";
import { fileLink } from "./inspector.js";
import { askFor, openMenu } from "./menus.js";
import { changed, clock, listen, model, remember, remembered } from "./model.js";

/** Entries of a table that are shown at once. */
const PAGE = 100;

/** @typedef {{id: number, asked: number, line: number, condition: string | null, hits: string | null, log: string | null, trouble: string | null}} Breakpoint */
/** @typedef {{name: string, value: string, type: string, reference: number, indexed: number, named: number}} Variable */

export const debugging = {
  /** @type {Record<string, Breakpoint[]>} */
  files: {},
  /** @type {string[]} */
  events: [],
  faults: false,
  /** Where the level is stopped. @type {Stop | null} */
  stop: null,
};

/** Names of events that the runtime tells of. @type {string[]} */
let eventNames = [];
/** @type {{id: number, name: string, isRunning: boolean}[]} */
let threads = [];
/** @type {{id: number, function: string, file: string, line: number}[]} */
let frames = [];
/** @type {{name: string, reference: number, count: number}[]} */
let scopes = [];
let thread = 0;
let frame = 0;
/** What is inside what is open, by its path. @type {Map<string, Variable[]>} */
let inside = new Map();
/** Values at the stop before, by path. @type {Map<string, string>} */
let before = new Map();
/** @type {Map<string, string>} */
let now = new Map();
/** @type {Set<string>} */
const opened = new Set(["Locals", "self"]);
/** How many entries of something are shown, by its path. @type {Map<string, number>} */
const shown = new Map();
/** Texts that are asked for at every stop. @type {string[]} */
let watches = remembered("watches", []);
/** What the watches came to. @type {Map<string, {value?: Variable, why?: string}>} */
let answers = new Map();
/** Counts what was asked for: answers to what is over are not shown. */
let round = 0;

const bar = byId("halt");
const pane = h("section", { class: "debugger", "aria-label": "Debugger", "data-test": "debugger" });
const watchField = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field code grow",
    placeholder: "Look at, as in self.state; with ! in front it may change the run",
    "aria-label": "Text to evaluate in the frame",
    "data-test": "evaluate",
    autocomplete: "off",
    spellcheck: "false",
  })
);
const eventField = /** @type {HTMLInputElement} */ (
  h("input", {
    class: "field grow",
    placeholder: "event, as in walk.blocked",
    "aria-label": "Name of an event to stop at",
    "data-test": "stop-event",
    list: "event-names",
    autocomplete: "off",
    spellcheck: "false",
  })
);
const eventList = h("datalist", { id: "event-names" });
const watchForm = h(
  "form",
  { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), evaluate()) },
  h("span", { class: "prompt" }, "›"),
  watchField,
);
const eventForm = h(
  "form",
  { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), addEvent()) },
  eventField,
  h("button", { class: "button", type: "submit" }, "Stop at it"),
);
let isOpen = remembered("debugger", true);
/** Height of the pane when it was shown last, pixels. */
let grown = 0;

/** The pane. */
export function debuggerPane() {
  return pane;
}

/** Begins to listen. */
export function startDebugger() {
  listen("breakpoints", take);
  listen("stopped", (/** @type {Stop} */ stop) => stopAt(stop));
  listen("continued", goneOn);
  listen("welcome", () => {
    const stop = model.state.stopped ?? null;
    if (stop) stopAt(stop);
    else goneOn();
    if (!eventNames.length) askNames();
  });
  listen("connection", () => model.isConnected || goneOn());
  listen("logPoint", (/** @type {Json} */ told) => changed("console", { text: told.text, tick: told.tick, place: `${told.file}:${told.line}` }));
  pane.addEventListener("click", click);
  pane.addEventListener("change", change);
  for (const field of [watchField, eventField])
    field.addEventListener("keydown", (event) => event.key === "Escape" && field.blur());
  eventField.addEventListener("input", () => eventField.setCustomValidity(""));
  show();
}

async function askNames() {
  try {
    eventNames = (await ask("debug", { action: "stops" })).names ?? [];
    fill(
      eventList,
      eventNames.map((name) => h("option", { value: name })),
    );
  } catch {
    // They only help typing.
  }
}

/** @param {{files: Record<string, Breakpoint[]>, events: string[], faults: boolean}} news */
function take(news) {
  debugging.files = news.files;
  debugging.events = news.events;
  debugging.faults = news.faults;
  changed("debug");
  show();
}

/** @param {Stop} stop */
async function stopAt(stop) {
  const isKnown = debugging.stop !== null && debugging.stop.number === stop.number;
  if (isKnown) return;
  debugging.stop = stop;
  thread = stop.thread;
  before = now;
  now = new Map();
  isOpen = true;
  showBar();
  changed("debug");
  if (stop.file) changed("source", { file: stop.file, line: stop.line });
  else changed("debugger");
  show();
  const own = ++round;
  const known = await asked("threads", {});
  if (own !== round) return;
  threads = known?.threads ?? [];
  await askFrames(own);
}

/** @param {number} own */
async function askFrames(own) {
  const answer = await asked("frames", { thread });
  if (own !== round) return;
  frames = answer?.frames ?? [];
  frame = frames[0]?.id ?? 0;
  await askScopes(own);
}

/** @param {number} own */
async function askScopes(own) {
  const answer = frame > 0 ? await asked("scopes", { frame }) : null;
  if (own !== round) return;
  scopes = answer?.scopes ?? [];
  inside = new Map();
  await Promise.all([...scopes.map((scope) => askInside(scope.name, scope.reference, own)), askWatches(own)]);
  if (own === round) show();
}

/**
 * What is inside something that is open, and inside what is open in there.
 * @param {string} path
 * @param {number} reference
 * @param {number} own
 */
async function askInside(path, reference, own) {
  if (!opened.has(path) || !reference) return;
  const answer = await asked("variables", { reference, count: shown.get(path) ?? PAGE });
  if (own !== round || !answer) return;
  /** @type {Variable[]} */
  const rows = answer.variables;
  inside.set(path, rows);
  for (const row of rows) now.set(`${path}/${row.name}`, row.value);
  await Promise.all(rows.map((row) => askInside(`${path}/${row.name}`, row.reference, own)));
}

/** @param {number} own */
async function askWatches(own) {
  /** @type {typeof answers} */
  const found = new Map();
  await Promise.all(
    watches.map(async (text) => {
      try {
        const value = await ask("debug", { action: "evaluate", text, frame });
        found.set(text, { value });
        await askInside(`watch ${text}`, value.reference, own);
      } catch (mistake) {
        found.set(text, { why: /** @type {Error} */ (mistake).message });
      }
    }),
  );
  if (own === round) answers = found;
}

/**
 * @param {string} action
 * @param {Record<string, any>} fields
 * @returns {Promise<any>} null where the level has gone on meanwhile
 */
async function asked(action, fields) {
  try {
    return await ask("debug", { action, ...fields });
  } catch {
    return null;
  }
}

function goneOn() {
  if (!debugging.stop) return;
  debugging.stop = null;
  round += 1;
  threads = [];
  frames = [];
  scopes = [];
  inside = new Map();
  answers = new Map();
  showBar();
  changed("debug");
  show();
}

// Orders

/** Goes on: `continue`, `over`, `in`, `out`. @param {string} action */
export function go(action) {
  if (debugging.stop) order("debug", { action });
}

/** Stops wherever code is, or between two ticks. */
export function stopNow() {
  if (!debugging.stop) order("debug", { action: "pause" });
}

/** The keys that are the debugger's wherever the focus is; whether this was one. @param {KeyboardEvent} event */
export function debugKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const actions = /** @type {Record<string, string>} */ ({ F5: "continue", F10: "over", F11: event.shiftKey ? "out" : "in" });
  if (event.key === "F6" && !debugging.stop) stopNow();
  else if (event.key === "F9") changed("toggleBreakpoint");
  else if (actions[event.key] && debugging.stop) go(actions[event.key]);
  else return false;
  return true;
}

/**
 * @param {string} file
 * @param {Partial<Breakpoint>[]} lines
 */
function set(file, lines) {
  // What is set in a row goes on from this, before the program has told where it came to.
  debugging.files = {
    ...debugging.files,
    [file]: lines.map((each) => ({ id: 0, line: 0, hits: null, log: null, condition: null, trouble: null, ...each, asked: each.asked ?? 0 })).map((each) => ({ ...each, line: each.line || each.asked })),
  };
  const wishes = lines.map((each) => ({
    line: each.asked ?? each.line,
    ...(each.condition ? { condition: each.condition } : {}),
    ...(each.hits ? { hits: each.hits } : {}),
    ...(each.log ? { log: each.log } : {}),
  }));
  return order("debug", { action: "breakpoints", file, lines: wishes });
}

/** The breakpoint that stands at a line. @param {string} file @param {number} line */
export function breakpointAt(file, line) {
  return debugging.files[file]?.find((each) => each.line === line);
}

/** Sets a breakpoint, or takes it away. @param {string} file @param {number} line */
export function toggleBreakpoint(file, line) {
  const all = debugging.files[file] ?? [];
  const there = breakpointAt(file, line);
  return set(file, there ? all.filter((each) => each !== there) : [...all, { asked: line }]);
}

/**
 * A breakpoint with something to it.
 * @param {string} file
 * @param {number} line
 * @param {"condition" | "hits" | "log"} what
 */
async function editBreakpoint(file, line, what) {
  const all = debugging.files[file] ?? [];
  const there = breakpointAt(file, line);
  const [label, hint] = {
    condition: ["Stop only if", "self.state.stop == 3"],
    hits: ["Stop only the so-manieth time", "5, >= 5, < 5, % 5"],
    log: ["Tell instead of stopping", "stop {self.state.stop} of {self.character}"],
  }[what];
  const values = await askFor(`${file}:${line}`, [{ name: what, label, hint, value: there?.[what] ?? "" }], "Set");
  if (values) set(file, [...all.filter((each) => each !== there), { ...(there ?? { asked: line }), [what]: values[what].trim() }]);
}

/**
 * What can be done at a line.
 * @param {string} file
 * @param {number} line
 * @param {{left: number, top: number}} where
 */
export function breakpointMenu(file, line, where) {
  const there = breakpointAt(file, line);
  openMenu(
    [
      { title: `${file}:${line}` },
      { label: there ? "Remove breakpoint" : "Breakpoint", key: "F9", test: "breakpoint", do: () => void toggleBreakpoint(file, line) },
      { label: "Condition...", note: there?.condition ?? undefined, test: "breakpoint-condition", do: () => void editBreakpoint(file, line, "condition") },
      { label: "Count...", note: there?.hits ?? undefined, test: "breakpoint-hits", do: () => void editBreakpoint(file, line, "hits") },
      { label: "Log point...", note: there?.log ?? undefined, test: "breakpoint-log", do: () => void editBreakpoint(file, line, "log") },
    ],
    where,
  );
}

/** What a breakpoint does, in a few words. @param {Breakpoint} it */
export function aboutBreakpoint(it) {
  const parts = [
    it.condition ? `if ${it.condition}` : "",
    it.hits ? `count ${it.hits}` : "",
    it.log ? `tells: ${it.log}` : "",
    it.trouble ?? "",
    it.line !== it.asked ? `asked for at line ${it.asked}, which has no code` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

/** @param {string[]} events */
const setEvents = (events) => order("debug", { action: "stops", events });

async function addEvent() {
  const name = eventField.value.trim();
  if (name && (await setEvents([...debugging.events, name]))) eventField.value = "";
}

async function evaluate() {
  const text = watchField.value.trim();
  if (!text) return;
  if (text.startsWith("!")) {
    const value = await order("debug", { action: "evaluate", text: text.slice(1), frame, acts: true });
    if (!value) return;
    changed("notice", { text: `${text} → ${value.value}`, topic: "evaluate" });
  } else if (!watches.includes(text)) {
    watches = [...watches, text].slice(-20);
    remember("watches", watches);
  }
  watchField.value = "";
  const own = ++round;
  await askScopes(own);
}

/** @param {MouseEvent} event */
async function click(event) {
  const target = /** @type {Element} */ (event.target).closest("[data-act],[data-file]");
  if (!(target instanceof HTMLElement)) return;
  const { act, file, line, path = "", reference = "0", id = "0" } = target.dataset;
  if (act === "frame") {
    const own = ++round;
    frame = Number(id);
    changed("source", { file: target.dataset.at, line: Number(line) });
    await askScopes(own);
  } else if (act === "open") {
    if (!opened.delete(path)) opened.add(path);
    await askInside(path, Number(reference), round);
    show();
  } else if (act === "more") {
    shown.set(path, (shown.get(path) ?? PAGE) + PAGE);
    await askInside(path, Number(reference), round);
    show();
  } else if (act === "unwatch") {
    watches = watches.filter((text) => text !== id);
    remember("watches", watches);
    show();
  } else if (act === "remove") {
    const name = target.dataset.at ?? "";
    set(name, (debugging.files[name] ?? []).filter((each) => String(each.id) !== id));
  } else if (act === "event") {
    setEvents(debugging.events.filter((name) => name !== id));
  } else if (act === "pause") stopNow();
  else if (act === "fold") {
    isOpen = !isOpen;
    remember("debugger", isOpen);
    show();
  } else if (file) changed("source", { file, line: Number(line) || undefined });
}

/** @param {Event} event */
function change(event) {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.dataset.act === "faults") order("debug", { action: "stops", faults: target.checked });
  if (target.dataset.act === "thread") {
    thread = Number(target.value);
    askFrames(++round);
  }
}

// What is seen

/** Why it stands still, in a few words. @param {Stop} stop */
function why(stop) {
  switch (stop.reason) {
    case "breakpoint":
      return "at a breakpoint";
    case "step":
      return "after a step";
    case "fault":
      return "at a fault";
    case "event":
      return `at ${stop.event}`;
    default:
      return "where it was";
  }
}

const CONTROLS = [
  { action: "continue", label: "Go on", key: "F5", icon: "play" },
  { action: "over", label: "Over this line", key: "F10", icon: "over" },
  { action: "in", label: "Into the next line that runs", key: "F11", icon: "into" },
  { action: "out", label: "Out of this call", key: "Shift+F11", icon: "out" },
];

function showBar() {
  const stop = debugging.stop;
  bar.hidden = stop === null;
  document.body.classList.toggle("halted", stop !== null);
  if (!stop) return;
  fill(
    bar,
    h("strong", {}, "Stopped"),
    h(
      "span",
      { class: "ellipsis", "data-test": "halt-words" },
      why(stop),
      stop.tick === null || stop.tick === undefined ? "" : `, tick ${stop.tick} (${clock(stop.tick)})`,
      stop.text ? `: ${stop.text}` : "",
    ),
    stop.file
      ? h(
          "button",
          {
            type: "button",
            class: "plain link code",
            "data-test": "halt-place",
            onclick: () => changed("source", { file: stop.file, line: stop.line }),
          },
          `${stop.file}:${stop.line}`,
        )
      : null,
    h("span", { class: "grow" }),
    CONTROLS.map((each) =>
      button({ icon: each.icon, text: each.action === "continue" ? "Go on" : "", label: each.label, key: each.key, test: `debug-${each.action}`, onclick: () => go(each.action) }),
    ),
  );
}

function show() {
  const stop = debugging.stop;
  const count = Object.values(debugging.files).reduce((sum, all) => sum + all.length, 0) + debugging.events.length;
  // Fields are the same elements all the time, and keep the focus that they lose while everything around them is replaced.
  const focused = document.activeElement;
  const top = pane.scrollTop;
  fill(
    pane,
    h(
      "div",
      { class: "row debughead" },
      h(
        "button",
        { type: "button", class: "plain fold", "data-act": "fold", "aria-expanded": String(isOpen), "data-test": "debugger-fold" },
        h("strong", {}, "Debugger"),
        h("span", { class: "soft small" }, count ? `${count} ${count === 1 ? "stop" : "stops"} set` : "click on a line number to stop there"),
      ),
      h("span", { class: "grow" }),
      stop
        ? null
        : h("button", { type: "button", class: "button small", title: "Stop where code is, or between two ticks  (F6)", "data-act": "pause", "data-test": "debug-pause" }, "Stop now"),
    ),
    isOpen && stop ? [showFrames(), showScopes(), showWatches()] : null,
    isOpen ? showStops() : null,
  );
  pane.scrollTop = top;
  const height = pane.clientHeight;
  if (height > grown) changed("debuggerGrown");
  grown = height;
  if (focused instanceof HTMLElement && pane.contains(focused)) focused.focus();
}

function showFrames() {
  return h(
    "div",
    { class: "section", "data-test": "frames" },
    threads.length > 1
      ? h(
          "select",
          { class: "field wide", "aria-label": "Task", "data-act": "thread", "data-test": "threads", value: String(thread) },
          threads.map((each) =>
            h("option", { value: String(each.id), selected: each.id === thread }, `${each.isRunning ? "▸ " : ""}${each.name}`),
          ),
        )
      : null,
    frames.length
      ? h(
          "ul",
          { class: "frames" },
          frames.map((each) =>
            h(
              "li",
              {},
              h(
                "button",
                {
                  type: "button",
                  class: `plain frame${each.id === frame ? " chosen" : ""}`,
                  "data-act": "frame",
                  "data-id": String(each.id),
                  "data-at": each.file,
                  "data-line": String(each.line),
                  "aria-current": each.id === frame ? "true" : null,
                },
                h("span", { class: "grow ellipsis" }, each.function),
                h("span", { class: "soft code" }, `${each.file}:${each.line}`),
              ),
            ),
          ),
        )
      : h("p", { class: "soft" }, "No code stands here: the tick is over. Choose a task to see where it waits."),
  );
}

function showScopes() {
  if (!scopes.length) return null;
  return h(
    "div",
    { class: "section variables", "data-test": "variables" },
    scopes
      .filter((scope) => scope.count > 0 || scope.name === "Locals")
      .flatMap((scope) => [
        h(
          "button",
          {
            type: "button",
            class: `plain scope${opened.has(scope.name) ? " open" : ""}`,
            "data-act": "open",
            "data-path": scope.name,
            "data-reference": String(scope.reference),
            "aria-expanded": String(opened.has(scope.name)),
          },
          scope.name,
          h("span", { class: "soft small" }, scope.count ? "" : "none"),
        ),
        ...showInside(scope.name, scope.reference, scope.count, 1),
      ]),
  );
}

/**
 * @param {string} path
 * @param {number} reference
 * @param {number} count
 * @param {number} depth
 * @returns {(HTMLElement | null)[]}
 */
function showInside(path, reference, count, depth) {
  const rows = opened.has(path) ? inside.get(path) : undefined;
  if (!rows) return [];
  const made = rows.flatMap((row) => showVariable(row, `${path}/${row.name}`, depth));
  const rest = count - rows.length;
  return rest > 0 && rows.length >= PAGE
    ? [
        ...made,
        indented(
          depth,
          h(
            "button",
            { type: "button", class: "plain link", "data-act": "more", "data-path": path, "data-reference": String(reference) },
            `${rest} more`,
          ),
        ),
      ]
    : made;
}

/**
 * @param {number} depth
 * @param {...any} children
 */
function indented(depth, ...children) {
  return h("div", { class: "variable", style: { paddingLeft: `${depth * 12}px` } }, ...children);
}

/**
 * @param {Variable} row
 * @param {string} path
 * @param {number} depth
 * @returns {(HTMLElement | null)[]}
 */
function showVariable(row, path, depth) {
  const isNew = before.size > 0 && before.has(path) && before.get(path) !== row.value;
  const isOpened = opened.has(path) && inside.has(path);
  return [
    indented(
      depth,
      row.reference
        ? h(
            "button",
            {
              type: "button",
              class: `plain twist${isOpened ? " open" : ""}`,
              "data-act": "open",
              "data-path": path,
              "data-reference": String(row.reference),
              "aria-expanded": String(isOpened),
              "aria-label": row.name,
            },
          )
        : h("span", { class: "twist none" }),
      h("span", { class: "variable-name" }, row.name),
      h("span", { class: `variable-value ${row.type === "string" ? "text" : row.type === "number" ? "figure" : ""}${isNew ? " fresh" : ""}`, title: row.type }, row.value),
    ),
    ...showInside(path, row.reference, row.indexed + row.named, depth + 1),
  ];
}

function showWatches() {
  return h(
    "div",
    { class: "section variables", "data-test": "watches" },
    watches.flatMap((text) => {
      const answer = answers.get(text);
      const remove = h("button", { type: "button", class: "plain link", "data-act": "unwatch", "data-id": text, title: "Look at it no more", "aria-label": `Look at ${text} no more` }, "×");
      if (answer?.value) {
        const [first, ...rest] = showVariable({ ...answer.value, name: text }, `watch ${text}`, 0);
        first?.append(remove);
        return [first, ...rest];
      }
      return [indented(0, h("span", { class: "twist none" }), h("span", { class: "variable-name" }, text), h("span", { class: "variable-value warn" }, answer?.why ?? ""), remove)];
    }),
    watchForm,
  );
}

function showStops() {
  const files = Object.entries(debugging.files);
  return h(
    "div",
    { class: "section stops", "data-test": "stops" },
    files.flatMap(([file, all]) =>
      all.map((each) =>
        h(
          "div",
          { class: "row" },
          h("span", { class: `stopmark ${kindOf(each)}` }),
          fileLink(file, each.line),
          h("span", { class: "grow ellipsis soft small", title: aboutBreakpoint(each) }, aboutBreakpoint(each)),
          h("button", { type: "button", class: "plain link", "data-act": "remove", "data-at": file, "data-id": String(each.id), title: "Remove", "aria-label": `Remove the breakpoint ${file}:${each.line}` }, "×"),
        ),
      ),
    ),
    debugging.events.map((name) =>
      h(
        "div",
        { class: "row" },
        h("span", { class: "stopmark event" }),
        h("span", { class: "grow" }, name),
        h("button", { type: "button", class: "plain link", "data-act": "event", "data-id": name, title: "Stop at it no more", "aria-label": `Stop at ${name} no more` }, "×"),
      ),
    ),
    h(
      "label",
      { class: "row" },
      h("input", { type: "checkbox", "data-act": "faults", "data-test": "stop-faults", checked: debugging.faults }),
      "Stop at faults",
    ),
    eventForm,
    eventList,
  );
}

/** How a breakpoint looks. @param {Breakpoint} it */
export function kindOf(it) {
  if (it.trouble) return "lost";
  if (it.log) return "log";
  return it.condition || it.hits ? "condition" : "plain";
}

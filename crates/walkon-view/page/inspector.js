// @ts-check
// Everything about what is selected, as at the tick that is seen.
//
// In: answers of `inspect`. Out: sections that stay in place while their numbers change. Holds: it asks five times a
// second at most, and only while it is shown; sections keep whether they are open. Not here: forms that change the
// level (`forms.js`).

import { Refused, ask, order } from "./connection.js";
import { button, fill, h, morph, short } from "./elements.js";
import { clock, changed, isLive, listen, model, remember, remembered, rowNamed, seenTick, select, tickRate } from "./model.js";
import { colourOf } from "./colours.js";
import { eventsNamed } from "./happenings.js";
import { heat } from "./heat.js";
import { rgbaOf } from "./palette.js";
import { addTab, isShown, showTab } from "./tabs.js";
import { takeTool } from "./tools.js";

const head = h("div", { class: "head" });
const facts = h("div", { class: "sections" });
const root = h("div", { class: "page" }, head, facts);

let isUnderWay = false;
let askedAt = 0;
let isStale = true;
/** @type {Json} */
let last = null;
/** Whether the program knows of no such thing now. */
let isUnknown = false;
/** Whether the head offers what can be done. */
let isOffering = true;
/** @type {Set<string>} */
const closed = new Set(remembered("closed", ["handlers", "raw", "counts"]));

/** The tab. */
export const inspectorTab = { name: "inspect", label: "Inspect", root, show: () => ((isStale = true), refresh()) };

/** Begins to ask. */
export function startInspector() {
  addTab(inspectorTab);
  listen("selection", () => {
    last = null;
    isStale = true;
    isUnknown = false;
    showHead();
    fill(facts);
    refresh();
  });
  for (const what of ["sought", "state", "tick", "happenings", "roster"]) listen(what, () => (isStale = true));
  for (const what of ["follow", "welcome"]) listen(what, showHead);
  listen("roster", showOffers);
  setInterval(() => isStale && refresh(), 50);
  root.addEventListener("click", click);
  facts.addEventListener("toggle", noteOpen, true);
  showHead();
}

function subject() {
  return model.selection ?? { kind: "level", name: model.welcome?.level ?? "" };
}

async function refresh() {
  if (isUnderWay || !isShown("inspect") || !model.isConnected || document.hidden) return;
  if (performance.now() - askedAt < 200) return;
  isUnderWay = true;
  isStale = model.state.playing && model.sought === null;
  askedAt = performance.now();
  const { kind, name } = subject();
  try {
    const answer = kind === "event" ? aboutEvent(name) : await ask("inspect", { kind, name });
    if (kind === "level") await askHeat();
    if (kind === subject().kind && name === subject().name) {
      isUnknown = false;
      showOffers();
      show(kind, answer);
    }
  } catch (mistake) {
    if (kind === subject().kind && name === subject().name) {
      isUnknown = mistake instanceof Refused && isLive();
      showOffers();
      const made = h("div", {}, h("p", { class: "soft pad" }, /** @type {Error} */ (mistake).message));
      morph(facts, made);
    }
  }
  isUnderWay = false;
}

/** @param {Event} event */
function noteOpen(event) {
  const details = /** @type {HTMLDetailsElement} */ (event.target);
  const id = details.dataset.id ?? "";
  if (details.open) closed.delete(id);
  else closed.add(id);
  remember("closed", [...closed]);
}

/** @param {MouseEvent} event */
function click(event) {
  const target = /** @type {Element} */ (event.target).closest("[data-file],[data-select],[data-act]");
  if (!(target instanceof HTMLElement)) return;
  if (target.dataset.act === "by-cost") {
    isByCost = !isByCost;
    remember("byCost", isByCost);
    if (last) show("level", last);
    return;
  }
  if (target.dataset.file) {
    changed("source", { file: target.dataset.file, line: Number(target.dataset.line) || undefined });
  } else if (target.dataset.select) {
    select({ kind: target.dataset.kind ?? "character", name: target.dataset.select });
  }
}

/** Whether anything can be done with the subject: not with somebody who is gone. */
function isThere() {
  const { kind, name } = subject();
  return !isUnknown && (kind !== "character" || model.byName.has(name));
}

/** Makes the head again where what it offers is no longer so. */
function showOffers() {
  if (isThere() !== isOffering) showHead();
}

function showHead() {
  const { kind, name } = subject();
  isOffering = isThere();
  const row = kind === "character" ? rowNamed(name) : undefined;
  const swatch = h("span", { class: "swatch" });
  if (row) swatch.style.background = `rgb(${rgbaOf(colourOf(row)).slice(0, 3).join(",")})`;
  fill(
    head,
    h(
      "div",
      { class: "row title" },
      row ? swatch : null,
      h("strong", { class: "grow ellipsis", "data-test": "inspected" }, name || "level"),
      h("span", { class: "tag" }, kind),
      model.selection
        ? button({ icon: "close", label: "Select nothing", key: "Esc", onclick: () => select(null) })
        : null,
    ),
    h(
      "div",
      { class: "row wrap actions", "data-test": "actions" },
      isOffering ? actions(kind, name) : h("span", { class: "soft" }, `This ${kind} is not there now.`),
    ),
  );
}

/**
 * @param {string} kind
 * @param {string} name
 */
function actions(kind, name) {
  const act = (/** @type {string} */ label, /** @type {Json} */ input, test = "") =>
    h(
      "button",
      { type: "button", class: "button small", "data-test": test || null, onclick: () => order("input", input) },
      label,
    );
  if (kind === "character") {
    return [
      h(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-pressed": String(model.follows),
          title: "Keep it in the middle  (L)",
          "data-test": "follow",
          onclick: () => {
            model.follows = !model.follows;
            changed("follow");
            changed("camera", {});
          },
        },
        "Follow",
      ),
      h(
        "button",
        { type: "button", class: "button small", title: "Then click where to  (W)", onclick: () => takeTool("walk") },
        "Walk to",
      ),
      act("Stop", { stop: name }, "stop"),
      h("button", { type: "button", class: "button small", onclick: () => changed("edit", { kind, name }) }, "Edit"),
      h(
        "button",
        { type: "button", class: "button small danger", onclick: () => order("input", { remove: name }) },
        "Remove",
      ),
    ];
  }
  if (kind === "door") {
    return [
      ...["open", "close", "lock", "unlock"].map((word) =>
        act(word[0].toUpperCase() + word.slice(1), { door: name, order: word }, `door-${word}`),
      ),
      editButton(kind, name),
    ];
  }
  if (kind === "area")
    return [
      act("Make available", { area: name, available: true }),
      act("Close off", { area: name, available: false }),
      editButton(kind, name),
    ];
  if (kind === "mark" || kind === "region" || kind === "route") return [editButton(kind, name)];
  if (kind === "level")
    return [
      h(
        "button",
        {
          type: "button",
          class: "button small",
          title: "The trace of the run so far, which walkon replay runs again",
          onclick: saveTrace,
          "data-test": "trace",
        },
        "Save the trace",
      ),
      h(
        "button",
        {
          type: "button",
          class: "button small",
          title: "The game as it is now, which walkon run --from goes on from",
          onclick: saveGame,
          "data-test": "save-game",
        },
        "Save the game",
      ),
    ];
  if (kind === "scene") return [act("Go on", { continue: name }), act("Skip", { skip: name })];
  return [];
}

async function saveTrace() {
  const answer = await order("trace");
  if (answer) keepFile(`${model.welcome?.level ?? "run"}.jsonl`, answer.text);
}

async function saveGame() {
  const answer = await order("save");
  if (!answer) return;
  const bytes = Uint8Array.from(atob(answer.save), (letter) => letter.charCodeAt(0));
  keepFile(`${model.welcome?.level ?? "run"}-${answer.tick}.save`, bytes);
}

/**
 * Has the browser keep a file.
 * @param {string} name
 * @param {string | Uint8Array<ArrayBuffer>} content
 */
function keepFile(name, content) {
  const link = /** @type {HTMLAnchorElement} */ (
    h("a", { download: name, href: URL.createObjectURL(new Blob([content])) })
  );
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * @param {string} kind
 * @param {string} name
 */
function editButton(kind, name) {
  return h("button", { type: "button", class: "button small", onclick: () => changed("edit", { kind, name }) }, "Edit");
}

/**
 * @param {string} kind
 * @param {Json} answer
 */
function show(kind, answer) {
  last = answer;
  const made = h("div", {}, sectionsOf(kind, answer));
  morph(facts, made);
  changed("inspected", answer);
}

/** An event that went to everybody: how often it came, when, and with what. @param {string} name */
function aboutEvent(name) {
  const items = eventsNamed(name, seenTick());
  const last = items[items.length - 1];
  if (!last) throw new Error(`there was no event "${name}" up to now`);
  return { times: items.length, payload: last.line?.payload, events: items.slice(-50).reverse() };
}

/** What was inspected last. */
export function lastInspected() {
  return last;
}

/** Shows the tab and selects. @param {Chosen} selection */
export function inspect(selection) {
  select(selection);
  showTab("inspect");
}

const KNOWN = new Set([
  "payload",
  "times",
  "name",
  "key",
  "position",
  "facing",
  "velocity",
  "desired",
  "radius",
  "speed",
  "fuel",
  "stops",
  "length",
  "tags",
  "animation",
  "heldBy",
  "behaviour",
  "board",
  "walk",
  "tasks",
  "timers",
  "handlers",
  "tree",
  "log",
  "events",
  "faults",
  "kind",
  "measures",
  "boards",
  "state",
  "switchedOff",
  "counts",
  "isLocked",
  "area",
  "users",
  "by",
  "inside",
  "isAvailable",
  "factor",
  "class",
  "cast",
  "since",
  "mark",
  "line",
  "tick",
]);

/**
 * @param {string} kind
 * @param {Json} it
 */
function sectionsOf(kind, it) {
  const parts = [];
  parts.push(h("div", { class: "section", "data-id": "facts" }, rows(plainFacts(kind, it))));
  if (it.behaviour)
    parts.push(
      section("behaviour", "Behaviour", behaviourRows(it.behaviour), it.behaviour.isOff ? "switched off" : ""),
    );
  if (kind === "event")
    parts.push(section("payload", "Payload", has(it.payload) ? rows(entries(it.payload)) : rows([["payload", it.payload ?? "none"]]), it.times > 1 ? `the last of ${it.times}` : ""));
  if (it.walk) parts.push(section("walk", "Walk", walkRows(it.walk), it.walk.status ?? ""));
  if (it.tree) parts.push(section("tree", "Behaviour tree", h("ul", { class: "tree" }, treeNode(it.tree))));
  if (it.tasks?.length)
    parts.push(section("tasks", "Tasks", h("ul", { class: "list" }, it.tasks.map(taskRow)), String(it.tasks.length)));
  if (has(it.board)) parts.push(section("board", "Blackboard", rows(entries(it.board))));
  if (it.timers?.length)
    parts.push(
      section("timers", "Timers", h("ul", { class: "list" }, it.timers.map(timerRow)), String(it.timers.length)),
    );
  if (it.handlers?.length)
    parts.push(
      section(
        "handlers",
        "Handlers",
        h("ul", { class: "list" }, it.handlers.map(handlerRow)),
        String(it.handlers.length),
      ),
    );
  if (it.faults?.length)
    parts.push(
      section("faults", "Faults", h("ul", { class: "list" }, it.faults.map(faultRow)), String(it.faults.length)),
    );
  if (it.stops) parts.push(section("stops", "Stops", stops(it.stops), String(it.stops.length)));
  if (it.inside) parts.push(section("inside", "Inside", names(it.inside), String(it.inside.length)));
  if (it.users?.length) parts.push(section("users", "Users", names(it.users), String(it.users.length)));
  if (it.cast?.length) parts.push(section("cast", "Cast", names(it.cast)));
  if (it.switchedOff?.length)
    parts.push(
      section(
        "off",
        "Switched off",
        h("ul", { class: "list" }, it.switchedOff.map(offRow)),
        String(it.switchedOff.length),
      ),
    );
  if (kind === "level") parts.push(section("people", "Characters", people(), String(model.roster.size)));
  if (kind === "level" && has(it.state)) parts.push(section("state", "State of the scripts", rows(entries(it.state))));
  if (has(it.measures)) parts.push(section("measures", "Measures", rows(entries(it.measures))));
  const boards = entries(it.boards ?? {}).filter(([, board]) => has(board));
  if (boards.length) parts.push(section("boards", "Blackboards", rows(boards)));
  if (has(it.counts)) parts.push(section("counts", "Counts", rows(entries(it.counts))));
  if (it.log?.length)
    parts.push(
      section("log", "Log", h("ul", { class: "list log" }, newestFirst(it.log).map(logRow)), String(it.log.length)),
    );
  if (it.events?.length)
    parts.push(
      section(
        "events",
        "Events",
        h("ul", { class: "list log" }, newestFirst(it.events).map(logRow)),
        String(it.events.length),
      ),
    );
  const rest = Object.entries(it).filter(([name]) => !KNOWN.has(name));
  if (rest.length) parts.push(section("raw", "More", rows(rest.map(([name, value]) => [name, value]))));
  return parts;
}

/** @param {Json} value */
function has(value) {
  return value && typeof value === "object" && Object.keys(value).length > 0;
}

/**
 * @param {string} id
 * @param {string} title
 * @param {HTMLElement} body
 * @param {string} [note]
 */
function section(id, title, body, note = "") {
  return h(
    "details",
    { class: "section", "data-id": id, open: !closed.has(id) },
    h("summary", {}, h("span", { class: "grow" }, title), note ? h("span", { class: "tag" }, note) : null),
    body,
  );
}

/**
 * @param {string} kind
 * @param {Json} it
 * @returns {[string, any][]}
 */
function plainFacts(kind, it) {
  /** @type {[string, any][]} */
  const all = [];
  const add = (/** @type {string} */ name, /** @type {any} */ value) =>
    value !== undefined && value !== null && value !== "" && all.push([name, value]);
  if (kind === "level") {
    add("file", model.welcome?.file);
    add("seed", model.welcome?.seed);
    add("ticks a second", tickRate());
    if (model.state.hash) add("hash", h("code", { class: "number" }, model.state.hash));
    if (!model.state.isReproducible) add("note", "This run cannot be repeated: the watchdog ended a call, or a text was allowed to change it.");
    if (model.state.ended) add("ended", model.state.ended);
  }
  add("position", it.position && place(it.position));
  if (typeof it.facing === "number") add("facing", `${short(((it.facing * 180) / Math.PI + 360) % 360, 0)}°`);
  if (it.velocity) add("velocity", speedText(it.velocity));
  if (it.desired) add("desired", speedText(it.desired));
  add("radius", it.radius !== undefined && `${short(it.radius)} m`);
  add("speed", it.speed !== undefined && `${short(it.speed)} m/s`);
  add("tags", it.tags?.length ? it.tags.join(", ") : null);
  if (typeof it.fuel === "number")
    add("cost", h("span", { class: "row", "data-test": "fuel" }, heat(it.fuel), `${short(it.fuel, 1)} fuel a tick`));
  add("animation", it.animation && plain(it.animation));
  add("length", it.length !== undefined && `${short(it.length)} m`);
  add("held by", it.heldBy && link("scene", it.heldBy));
  if (kind !== "level") add("state", it.state && plain(it.state));
  if (it.isLocked !== undefined) add("locked", it.isLocked ? "yes" : "no");
  add("area", it.area && link("area", it.area));
  add("by", it.by && plain(it.by));
  if (it.isAvailable !== undefined) add("available", it.isAvailable ? "yes" : "no");
  add("factor", it.factor);
  add("class", it.class && plain(it.class));
  add("since", typeof it.since === "number" ? clock(it.since) : null);
  add("mark", it.mark && plain(it.mark));
  add("stands at", it.line && plain(it.line));
  return all.filter(([, value]) => value !== false);
}

/** @param {number[]} velocity */
function speedText(velocity) {
  const [x, z] = [velocity[0], velocity[velocity.length - 1]];
  return `${short(Math.hypot(x, z))} m/s  (${short(x)}, ${short(z)})`;
}

/** @param {number[]} at */
function place(at) {
  return h("span", { class: "number" }, at.map((part) => part.toFixed(2)).join(", "));
}

/**
 * @param {string} kind
 * @param {string} name
 */
function link(kind, name) {
  return h("button", { type: "button", class: "plain link", "data-select": name, "data-kind": kind }, name);
}

/** @param {string[] | Json[]} list */
function names(list) {
  return h(
    "div",
    { class: "row wrap" },
    list.length
      ? list.map((name) => link("character", typeof name === "string" ? name : String(name?.name ?? name)))
      : h("span", { class: "soft" }, "nobody"),
  );
}

/** Most names of a list of everybody. */
const PEOPLE_MAX = 40;

/** The stops of a route. @param {{mark: string | null, position: number[]}[]} list */
function stops(list) {
  return h(
    "ol",
    { class: "values" },
    list.map((stop) => h("li", {}, stop.mark ? link("mark", stop.mark) : place(stop.position))),
  );
}

/** What the scripts of everybody take in a tick, by key. @type {Map<number, number>} */
let fuels = new Map();
/** Whether the list of everybody has the costliest first. */
let isByCost = Boolean(remembered("byCost", false));

/** Asks what everybody costs, for the list of everybody. */
async function askHeat() {
  try {
    fuels = new Map((await ask("heat")).rows);
  } catch {
    // The figures of before stay.
  }
}

/** Everybody, to be chosen by name. */
function people() {
  const all = [...model.roster.values()];
  if (isByCost) all.sort((one, two) => (fuels.get(two.key) ?? 0) - (fuels.get(one.key) ?? 0));
  return h(
    "ul",
    { class: "list", "data-test": "people" },
    h(
      "li",
      { class: "row soft small", "data-id": "head" },
      h("span", { class: "grow" }, isByCost ? "the costliest first" : "in the order of the level"),
      h(
        "button",
        {
          type: "button",
          class: "plain link",
          "data-act": "by-cost",
          "data-test": "by-cost",
          "aria-pressed": String(isByCost),
          title: "What its scripts take in a tick on average; press to sort",
        },
        isByCost ? "fuel a tick ▾" : "fuel a tick",
      ),
    ),
    all.slice(0, PEOPLE_MAX).map((row) =>
      h(
        "li",
        { class: "row", "data-id": String(row.key) },
        h("span", { class: "swatch small", style: { background: colourOf(row) } }),
        link("character", row.name),
        h("span", { class: "grow ellipsis soft small" }, row.isPlayer ? "player" : (row.behaviour ?? "")),
        h("span", { class: "soft small ellipsis" }, row.tags.join(", ")),
        heat(fuels.get(row.key)),
        h("span", { class: "number small fuel" }, fuels.has(row.key) ? short(fuels.get(row.key) ?? 0, 1) : ""),
      ),
    ),
    all.length > PEOPLE_MAX ? h("li", { class: "soft small" }, `and ${all.length - PEOPLE_MAX} more: press / to find one`) : null,
    h(
      "li",
      { class: "soft small hintline" },
      "Click somebody, here or on the stage, to look inside. Shift+click sends the player, a right click lists what can be done, ? lists every key.",
    ),
  );
}

/**
 * @param {string | undefined} file
 * @param {number | undefined} line
 */
export function fileLink(file, line) {
  if (!file) return null;
  return h(
    "button",
    { type: "button", class: "plain link code", "data-file": file, "data-line": line ?? "" },
    line ? `${file}:${line}` : file,
  );
}

/**
 * @param {Json} object
 * @returns {[string, any][]}
 */
function entries(object) {
  return Object.entries(object);
}

/** @param {[string, any][]} pairs */
function rows(pairs) {
  return h(
    "dl",
    {},
    pairs.map(([name, value]) => [
      h("dt", { title: name }, name),
      h("dd", {}, value instanceof Node ? value : plain(value)),
    ]),
  );
}

/**
 * Any value, readable.
 * @param {Json} value
 * @returns {HTMLElement | string}
 */
export function plain(value) {
  if (value === null || value === undefined) return h("span", { class: "soft" }, "nil");
  if (typeof value === "number")
    return h("span", { class: "number" }, Number.isInteger(value) ? String(value) : short(value, 3));
  if (typeof value === "boolean") return h("span", { class: "bool" }, String(value));
  if (typeof value === "string") return model.byName.has(value) ? link("character", value) : value;
  if (Array.isArray(value)) {
    if (value.length <= 4 && value.every((part) => typeof part === "number"))
      return h("span", { class: "number" }, value.map((part) => short(part)).join(", "));
    if (value.every((part) => typeof part !== "object" || part === null))
      return h("span", {}, value.map((part) => String(part)).join(", "));
    return h(
      "ol",
      { class: "values" },
      value.slice(0, 100).map((part) => h("li", {}, plain(part))),
    );
  }
  if (typeof value.file === "string" && typeof value.line === "number")
    return fileLink(value.file, value.line) ?? value.file;
  const pairs = Object.entries(value);
  if (pairs.length === 0) return h("span", { class: "soft" }, "{}");
  return rows(pairs);
}

/** @param {Json} behaviour */
function behaviourRows(behaviour) {
  /** @type {[string, any][]} */
  const all = [["file", fileLink(behaviour.file ?? behaviour.name, undefined) ?? behaviour.name]];
  if (has(behaviour.params)) all.push(["params", rows(entries(behaviour.params))]);
  if (has(behaviour.state)) all.push(["state", rows(entries(behaviour.state))]);
  return rows(all);
}

/** @param {Json} walk */
function walkRows(walk) {
  /** @type {[string, any][]} */
  const all = [];
  const add = (/** @type {string} */ name, /** @type {any} */ value) =>
    value !== undefined && value !== null && all.push([name, value]);
  add("number", walk.number);
  add("status", walk.status);
  add("goal", walk.goal === undefined ? undefined : Array.isArray(walk.goal) ? place(walk.goal) : plain(walk.goal));
  add("remaining", typeof walk.remaining === "number" ? `${short(walk.remaining)} m` : undefined);
  add("waits for", walk.why ? plain(walk.why) : undefined);
  add("since", typeof walk.since === "number" ? clock(walk.since) : undefined);
  add("new plans", walk.repaths);
  add("points", Array.isArray(walk.points) ? walk.points.length : undefined);
  for (const [name, value] of Object.entries(walk)) {
    if (!["number", "status", "goal", "remaining", "why", "since", "repaths", "points"].includes(name))
      add(name, plain(value));
  }
  return rows(all);
}

/** @param {Json} node @returns {HTMLElement} */
function treeNode(node) {
  const status = String(node.status ?? "");
  // A node without a name of its own is called after its line.
  const place = /^(.+\.luau?):(\d+)$/.exec(node.name ?? "");
  const name = place || !node.name ? node.kind : node.name;
  const kind = name === node.kind ? "" : node.kind;
  return h(
    "li",
    { class: node.isRunning ? "node running" : "node" },
    h(
      "div",
      { class: "row" },
      h("span", { class: `lamp ${status}` }),
      h("span", { class: "grow ellipsis" }, name),
      h("span", { class: "soft small" }, [kind, status === "idle" ? "" : status].filter(Boolean).join(" ")),
      place ? fileLink(place[1], Number(place[2])) : null,
    ),
    node.children?.length ? h("ul", {}, node.children.map(treeNode)) : null,
  );
}

/** @param {Json} task */
function taskRow(task) {
  const waits = typeof task.waits === "string" ? task.waits : task.waits ? JSON.stringify(task.waits) : "runs";
  return h(
    "li",
    {},
    h(
      "div",
      { class: "row" },
      h("strong", { class: "grow ellipsis" }, task.name ?? task.callback ?? `task ${task.id}`),
      fileLink(task.file, task.line),
    ),
    h(
      "div",
      { class: "soft" },
      waits,
      typeof task.since === "number" ? ` · since ${clock(task.since)}` : "",
      typeof task.until === "number" ? ` · until ${clock(task.until)}` : "",
    ),
  );
}

/** @param {Json} timer */
function timerRow(timer) {
  return h(
    "li",
    { class: "row" },
    h(
      "span",
      { class: "grow ellipsis" },
      timer.name ?? "timer",
      h(
        "span",
        { class: "soft" },
        typeof timer.due === "number" ? ` due ${clock(timer.due)}` : "",
        timer.every ? ` every ${short(timer.every)}` : "",
      ),
    ),
    fileLink(timer.file, timer.line),
  );
}

/** @param {Json} handler */
function handlerRow(handler) {
  return h(
    "li",
    { class: "row" },
    h("span", { class: "grow ellipsis" }, String(handler.event ?? handler.name ?? "handler")),
    fileLink(handler.file, handler.line),
  );
}

/** @param {Json} off */
function offRow(off) {
  return h(
    "li",
    { class: "row wrap" },
    off.character ? link("character", off.character) : null,
    h("span", { class: "grow soft" }, typeof off === "string" ? off : (off.owner ?? "")),
    typeof off.again === "number" ? h("span", { class: "soft" }, `again at ${clock(off.again)}`) : null,
  );
}

/** @param {Json} fault */
function faultRow(fault) {
  return h(
    "li",
    { class: "fault" },
    h(
      "div",
      { class: "row" },
      h("span", { class: "grow ellipsis soft" }, fault.owner ?? "", fault.count > 1 ? ` × ${fault.count}` : ""),
      fileLink(fault.file, fault.line),
    ),
    h("div", {}, fault.message),
  );
}

/** @param {Json[]} lines */
function newestFirst(lines) {
  return [...lines].reverse().sort((one, two) => two.tick - one.tick);
}

/** @param {Json} line */
function logRow(line) {
  return h(
    "li",
    { class: `logline ${line.level ?? ""}` },
    h("span", { class: "soft number when" }, clock(line.tick ?? 0)),
    h("span", { class: "grow" }, line.text ?? line.message ?? ""),
    fileLink(
      line.file ?? line.line?.file,
      line.line?.file ? line.line.line : typeof line.line === "number" ? line.line : undefined,
    ),
  );
}

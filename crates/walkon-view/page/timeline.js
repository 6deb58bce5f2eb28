// @ts-check
// The timeline: lanes of what happened, the tick that is seen, the past that is kept, the forecast.
//
// In: items, state, forecast. Out: ticks to go to. Holds: it is drawn ten times a second at most while the level runs;
// dragging anywhere on it goes to that tick. Not here: seeking (`rewind.js`), computing the forecast (the program).

import { byId, fill, h, icon, morph } from "./elements.js";
import { future, setHorizon, toggleFrom, toggleFuture } from "./future.js";
import { firstAfter, lanes, LANES, subjectOf } from "./happenings.js";
import { changed, clock, listen, model, seenTick, select, tickRate } from "./model.js";
import { FONT } from "./painter.js";
import { isDark, stageColours } from "./palette.js";
import { goOn, goTo, live } from "./rewind.js";

const canvas = /** @type {HTMLCanvasElement} */ (byId("timeline"));
const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
const tip = byId("tip");

const GUTTER = 64;
const RULER = 20;
const LANE = 15;
/** Lanes that are there from the beginning, so that the stage keeps its size. */
const ALWAYS = new Set(["scenes", "events", "doors", "regions", "walks", "log", "faults"]);

/** Windows lower than this are low, pixels. */
const LOW = 640;

/** @type {Record<string, [string, string]>} light, dark */
const COLOURS = {
  scenes: ["#7a5bb0", "#b196e6"],
  events: ["#0a66c2", "#6cb2ff"],
  doors: ["#a0622d", "#e0a36a"],
  regions: ["#5f7a86", "#93b0bd"],
  walks: ["#1f8a45", "#5cc983"],
  log: ["#757a82", "#9aa1aa"],
  faults: ["#c4321f", "#ff8a7a"],
  reloads: ["#0f8b8d", "#4fd0d2"],
  inputs: ["#c2569b", "#f09acb"],
};

/** The ticks that are shown; null: all of them. @type {{from: number, to: number} | null} */
let span = null;
let drawnAt = 0;
let isAsked = false;
let isDragging = false;
/** @type {number | null} */
let hoverX = null;
let hoverY = 0;
/** Where an item was pressed. @type {number | null} */
let heldAt = null;

/** Begins to draw and to listen. */
export function startTimeline() {
  for (const what of ["state", "happenings", "tick", "selection", "future", "theme", "frame"]) listen(what, ask);
  for (const what of ["tick", "state", "future", "ahead"]) listen(what, showBar);
  new ResizeObserver(() => draw()).observe(canvas);
  window.addEventListener("resize", () => draw());
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", () => (isDragging = false));
  canvas.addEventListener("pointercancel", () => (isDragging = false));
  canvas.addEventListener("pointerleave", () => {
    hoverX = null;
    tip.hidden = true;
    draw();
  });
  canvas.addEventListener("wheel", turn, { passive: false });
  canvas.addEventListener("dblclick", () => ((span = null), draw()));
  canvas.addEventListener("keydown", keys);
  showBar();
}

function ask() {
  if (isAsked) return;
  isAsked = true;
  const wait =
    model.sought !== null || model.ahead !== null || !model.state.playing
      ? 0
      : Math.max(0, 100 - (performance.now() - drawnAt));
  setTimeout(() => {
    isAsked = false;
    draw();
  }, wait);
}

/** A tick of the level's end of time on this page. */
function lastTick() {
  const ahead = future.isOn ? Math.max(future.seconds * tickRate(), future.newest?.to ?? 0) : 0;
  return Math.max(model.state.tick, ahead);
}

function shownSpan() {
  if (span) return span;
  const seconds = Math.max(10, lastTick() / tickRate());
  // The end moves in steps, so that what is shown rests for a while.
  const steps = [10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 2700, 3600];
  const end =
    future.isOn && lastTick() > model.state.tick
      ? seconds
      : (steps.find((step) => step >= seconds) ?? Math.ceil(seconds / 1800) * 1800);
  return { from: 0, to: end * tickRate() * 1.01 };
}

function shownLanes() {
  // A low window has room for the lanes on which something is.
  const isLow = window.innerHeight < LOW;
  return LANES.filter((lane) => (isLow ? lane === "walks" : ALWAYS.has(lane)) || (lanes.get(lane)?.length ?? 0) > 0);
}

/** @param {number} tick */
function leftOf(tick) {
  const { from, to } = shownSpan();
  return GUTTER + ((tick - from) / (to - from)) * (canvas.clientWidth - GUTTER - 10);
}

/** Where a tick is on the timeline, pixels of the window. @param {number} tick */
export function spotOfTick(tick) {
  const box = canvas.getBoundingClientRect();
  return { x: box.left + leftOf(tick), y: box.top + RULER / 2 };
}

/** @param {number} left */
function tickAt(left) {
  const { from, to } = shownSpan();
  return from + ((left - GUTTER) / (canvas.clientWidth - GUTTER - 10)) * (to - from);
}

/** @param {string} lane */
function colourOf(lane) {
  return (COLOURS[lane] ?? COLOURS.log)[isDark() ? 1 : 0];
}

function draw() {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const rows = shownLanes();
  const high = RULER + rows.length * LANE + 6;
  if (canvas.style.height !== `${high}px`) canvas.style.height = `${high}px`;
  const wide = canvas.clientWidth;
  if (canvas.width !== Math.round(wide * ratio)) canvas.width = Math.round(wide * ratio);
  if (canvas.height !== Math.round(high * ratio)) canvas.height = Math.round(high * ratio);
  drawnAt = performance.now();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, wide, high);
  drawGround(wide, high);
  rows.forEach((lane, at) => drawLane(lane, RULER + at * LANE, wide));
  drawHeads(high);
  const tick = model.ahead ?? seenTick();
  canvas.setAttribute("aria-valuenow", String(Math.round(tick)));
  canvas.setAttribute("aria-valuemax", String(Math.round(lastTick())));
  canvas.setAttribute("aria-valuetext", `${clock(tick)}, tick ${Math.round(tick)}`);
}

/**
 * @param {number} wide
 * @param {number} high
 */
function drawGround(wide, high) {
  const colours = stageColours();
  const [first, last] = model.state.kept;
  context.fillStyle = isDark() ? "rgba(255,255,255,.045)" : "rgba(20,40,60,.045)";
  const [left, right] = [Math.max(GUTTER, leftOf(first)), Math.min(wide, leftOf(Math.max(last, model.state.tick)))];
  if (right > left) context.fillRect(left, RULER, right - left, high - RULER - 4);
  const { from, to } = shownSpan();
  const rate = tickRate();
  const room = (wide - GUTTER) / ((to - from) / rate);
  const step =
    [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find((each) => each * room > 62) ?? 7200;
  context.font = `10.5px ${FONT}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let second = Math.ceil(from / rate / step) * step; second <= to / rate; second += step) {
    const x = Math.round(leftOf(second * rate)) + 0.5;
    if (x < GUTTER) continue;
    context.strokeStyle = isDark() ? "rgba(255,255,255,.07)" : "rgba(20,30,40,.08)";
    context.beginPath();
    context.moveTo(x, RULER - 6);
    context.lineTo(x, high - 4);
    context.stroke();
    context.fillStyle = colours.soft;
    const text =
      second < 60 || step < 1
        ? `${Number(second.toFixed(1))} s`
        : `${Math.floor(second / 60)}:${String(Math.round(second % 60)).padStart(2, "0")}`;
    if (x < wide - 32) context.fillText(text, x + 3, 8);
  }
}

/**
 * @param {string} lane
 * @param {number} top
 * @param {number} wide
 */
function drawLane(lane, top, wide) {
  const colour = colourOf(lane);
  context.font = `11px ${FONT}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = stageColours().soft;
  context.fillText(lane, 10, top + LANE / 2);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, wide - GUTTER, 9999);
  context.clip();
  const has = lanes.get(lane) ?? [];
  if (future.isOn && future.base && future.base !== future.newest) {
    drawItems(
      future.vanished.filter((item) => item.lane === lane),
      { lane, top, colour: stageColours().ghost, isGhost: true },
    );
  }
  if (future.isOn && future.newest) {
    // The forecast is pale where the level has not been yet; where it has, what happened counts.
    const ahead = future.newest.items.filter((item) => item.lane === lane);
    context.globalAlpha = 0.62;
    drawItems(ahead, {
      lane,
      top,
      colour,
      isGhost: false,
      after: future.newest === future.base ? model.state.tick : -1,
    });
    context.globalAlpha = 1;
  }
  drawItems(has, { lane, top, colour, isGhost: false });
  context.restore();
}

/** Words of the trace after which something goes on. */
const BEGINS = new Set(["cinematicStarted", "walkStarted"]);

/**
 * @param {LaneItem[]} items
 * @param {{lane: string, top: number, colour: string, isGhost: boolean, after?: number}} look `after`: what came up to then is not drawn
 */
function drawItems(items, look) {
  const { from, to } = shownSpan();
  const chosen = model.selection?.kind === "character" ? model.selection.name : null;
  const isOfChosen = look.lane === "walks" && chosen !== null;
  let last = -Infinity;
  const after = look.after ?? -1;
  /** @type {Map<string, number>} */
  const open = new Map();
  const middle = look.top + LANE / 2;
  context.fillStyle = context.strokeStyle = look.colour;
  const begin = look.lane === "scenes" || isOfChosen ? 0 : firstAfter(items, from - 1);
  for (let at = begin; at < items.length; at++) {
    const item = items[at];
    if (item.tick > to) break;
    if (isOfChosen && item.name !== chosen && item.line?.character !== chosen) continue;
    const name = String(item.line?.name ?? item.line?.walk ?? item.name ?? "");
    const word = String(item.line?.e ?? item.kind);
    if (BEGINS.has(word) && !open.has(name)) open.set(name, item.tick);
    if (word === "cinematicEnded" || word === "walkSettled") {
      const since = open.get(name);
      open.delete(name);
      if (since !== undefined && item.tick > after && (look.lane === "scenes" || isOfChosen))
        bar(Math.max(since, after), item.tick, middle, look);
    }
    if (item.tick <= after) continue;
    const x = leftOf(item.tick);
    if (x - last < 1.5) continue;
    last = x;
    if (look.isGhost) {
      context.lineWidth = 1;
      context.strokeRect(Math.round(x) - 1.5, middle - 4.5, 3, 9);
    } else if (look.lane === "faults") {
      context.beginPath();
      context.moveTo(x, middle - 5);
      context.lineTo(x + 5, middle + 4);
      context.lineTo(x - 5, middle + 4);
      context.fill();
    } else {
      const isBad = word === "walkSettled" && item.line?.ok === false;
      if (isBad) context.fillStyle = colourOf("faults");
      context.fillRect(Math.round(x) - 1, middle - 4.5, 2.5, 9);
      if (isBad) context.fillStyle = look.colour;
    }
  }
  if (look.lane === "scenes" || isOfChosen) {
    const end = items.length && items[items.length - 1].tick > model.state.tick ? lastTick() : model.state.tick;
    for (const since of open.values()) bar(Math.max(since, after), end, middle, look);
  }
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} middle
 * @param {{isGhost: boolean}} look
 */
function bar(from, to, middle, look) {
  const [left, right] = [leftOf(from), leftOf(to)];
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * 0.32;
  if (look.isGhost) context.strokeRect(left, middle - 3, right - left, 6);
  else context.fillRect(left, middle - 3, Math.max(1, right - left), 6);
  context.globalAlpha = alpha;
}

/** @param {number} high */
function drawHeads(high) {
  const colours = stageColours();
  const liveX = leftOf(model.state.tick);
  const seen = model.ahead ?? model.sought;
  context.strokeStyle = seen === null ? colours.accent : colours.soft;
  context.lineWidth = seen === null ? 2 : 1;
  vertical(liveX, high);
  if (hoverX !== null && !isDragging && hoverX > GUTTER) {
    context.strokeStyle = colours.soft;
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    vertical(hoverX, high);
    context.globalAlpha = 1;
  }
  const headX = seen === null ? liveX : leftOf(seen);
  context.fillStyle = context.strokeStyle = colours.accent;
  if (seen !== null) {
    context.lineWidth = 2;
    vertical(headX, high);
  }
  if (headX < GUTTER - 1) return;
  context.beginPath();
  context.moveTo(headX - 5, RULER - 8);
  context.lineTo(headX + 5, RULER - 8);
  context.lineTo(headX + 5, RULER - 4);
  context.lineTo(headX, RULER + 2);
  context.lineTo(headX - 5, RULER - 4);
  context.fill();
}

/**
 * @param {number} x
 * @param {number} high
 */
function vertical(x, high) {
  if (x < GUTTER - 1) return;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, RULER - 4);
  context.lineTo(Math.round(x) + 0.5, high - 4);
  context.stroke();
}

/** @param {PointerEvent} event */
function press(event) {
  if (event.button !== 0) return;
  canvas.setPointerCapture(event.pointerId);
  isDragging = true;
  heldAt = null;
  const item = itemAt(event.offsetX, event.offsetY);
  if (item) {
    const of = subjectOf(item);
    if (of) select(of);
    goTo(item.tick);
    heldAt = event.offsetX;
    return;
  }
  go(event.offsetX);
}

/** @param {number} left */
function go(left) {
  goTo(tickAt(Math.max(GUTTER, left)));
}

/** @param {PointerEvent} event */
function move(event) {
  hoverX = event.offsetX;
  hoverY = event.offsetY;
  // A press on an item stays with it until the pointer really moves.
  if (isDragging && heldAt !== null && Math.abs(event.offsetX - heldAt) > 3) heldAt = null;
  if (isDragging && heldAt === null) go(event.offsetX);
  showTip(event);
  draw();
}

/**
 * The item under the pointer.
 * @param {number} left
 * @param {number} top
 * @returns {LaneItem | null}
 */
function itemAt(left, top) {
  const lane = shownLanes()[Math.floor((top - RULER) / LANE)];
  if (!lane || top < RULER || left < GUTTER) return null;
  const chosen = model.selection?.kind === "character" && lane === "walks" ? model.selection.name : null;
  const reach = Math.abs(tickAt(left + 4) - tickAt(left));
  const tick = tickAt(left);
  let best = null;
  let nearest = reach;
  const all = (lanes.get(lane) ?? []).concat(
    future.isOn
      ? (future.newest?.items.filter((item) => item.lane === lane && item.tick > model.state.tick) ?? [])
      : [],
  );
  for (let at = firstAfter(all, tick - reach - 1); at < all.length && all[at].tick <= tick + reach; at++) {
    if (chosen && all[at].name !== chosen && all[at].line?.character !== chosen) continue;
    const away = Math.abs(all[at].tick - tick);
    if (away <= nearest) [best, nearest] = [all[at], away];
  }
  return best;
}

/** @param {PointerEvent} event */
function showTip(event) {
  const item = isDragging ? null : itemAt(hoverX ?? 0, hoverY);
  const tick = Math.round(tickAt(hoverX ?? 0));
  tip.hidden = (hoverX ?? 0) < GUTTER || tick < 0;
  if (tip.hidden) return;
  fill(
    tip,
    h("span", { class: "soft" }, `${clock(item?.tick ?? tick)}  tick ${item?.tick ?? tick}`),
    item ? h("div", {}, item.text) : null,
  );
  canvas.style.cursor = item ? "pointer" : "ew-resize";
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(6, Math.min(event.clientX + 10, window.innerWidth - box.width - 8))}px`;
  tip.style.top = `${canvas.getBoundingClientRect().top - box.height - 6}px`;
}

/** @param {WheelEvent} event */
function turn(event) {
  event.preventDefault();
  const { from, to } = shownSpan();
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = ((event.deltaX || event.deltaY) / canvas.clientWidth) * (to - from);
    span = { from: Math.max(0, from + by), to: Math.max(to - from, to + by) };
  } else {
    const factor = Math.exp(event.deltaY * 0.0016);
    const middle = tickAt(event.offsetX);
    const long = Math.max(tickRate() * 0.5, (to - from) * factor);
    const share = (middle - from) / (to - from);
    const begin = Math.max(0, middle - long * share);
    span = begin === 0 && long > lastTick() * 1.3 && long > 10 * tickRate() ? null : { from: begin, to: begin + long };
  }
  draw();
}

/** @param {KeyboardEvent} event */
function keys(event) {
  const tick = model.ahead ?? seenTick();
  const by = event.shiftKey ? tickRate() : 1;
  if (event.key === "ArrowLeft") goTo(tick - by);
  else if (event.key === "ArrowRight") goTo(tick + by);
  else if (event.key === "PageUp") goTo(tick - 10 * tickRate());
  else if (event.key === "PageDown") goTo(tick + 10 * tickRate());
  else if (event.key === "Home") goTo(model.state.kept[0]);
  else if (event.key === "End") live();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

const timebar = byId("timebar");
let barText = "";

function showBar() {
  const tick = Math.round(model.ahead ?? model.sought ?? model.state.tick);
  const isPast = model.sought !== null;
  const isAhead = model.ahead !== null;
  const now = isAhead
    ? "the forecast"
    : isPast
      ? "the past"
      : model.state.playing
        ? "running"
        : model.state.ended
          ? "ended"
          : model.state.stopped
            ? "stopped"
            : "paused";
  const text = JSON.stringify([
    now,
    isPast,
    isAhead,
    future.isOn,
    future.seconds,
    future.from,
    future.newest?.isDone,
    future.newest?.to,
  ]);
  if (text !== barText) {
    barText = text;
    buildBar({ isPast, isAhead, now });
  }
  byId("clock-tick").textContent = `tick ${tick}`;
  byId("clock-time").textContent = clock(tick);
  document.body.classList.toggle("past", isPast);
  document.body.classList.toggle("ahead", isAhead);
}

/**
 * @param {{isPast: boolean, isAhead: boolean, now: string}} what
 */
function buildBar({ isPast, isAhead, now }) {
  const horizon = h(
    "select",
    {
      class: "field",
      "data-id": "horizon",
      title: "How far ahead the future is computed",
      "aria-label": "Horizon of the forecast",
      "data-test": "horizon",
      onchange: (/** @type {Event} */ event) =>
        setHorizon(Number(/** @type {HTMLSelectElement} */ (event.target).value)),
    },
    [10, 30, 60, 120, 300].map((seconds) =>
      h("option", { value: seconds, selected: seconds === future.seconds }, `${seconds} s`),
    ),
  );
  /** @type {HTMLSelectElement} */ (horizon).value = String(future.seconds);
  const progress =
    future.isOn && future.newest && !future.newest.isDone
      ? ` ${Math.round(((future.newest.to - future.newest.from) / (future.seconds * tickRate())) * 100)} %`
      : "";
  // What is there stays, so that a press is not lost while the future grows.
  const made = h(
    "div",
    {},
    h("strong", { id: "clock-time", class: "number" }),
    h("span", { id: "clock-tick", class: "soft number" }),
    h("span", { class: `state ${now}`, "data-test": "now" }, now),
    isPast
      ? h(
          "button",
          {
            type: "button",
            class: "button",
            "data-id": "go-on",
            title: "The running level continues from here; what came after is forgotten  (G)",
            "data-test": "go-on",
            onclick: goOn,
          },
          "Go on from here",
        )
      : null,
    isPast || isAhead
      ? h(
          "button",
          {
            type: "button",
            class: "button accent",
            "data-id": "live",
            title: "Back to the running level  (Esc)",
            "data-test": "live",
            onclick: live,
          },
          "Live",
        )
      : null,
    h("span", { class: "grow", "data-id": "gap" }),
    future.isOn
      ? h(
          "button",
          {
            type: "button",
            class: "button",
            "aria-pressed": String(future.from > 0),
            "data-id": "from",
            title: "The future from the tick that is seen; press again for the whole run from its start",
            "data-test": "future-from",
            onclick: () => toggleFrom(),
          },
          future.from > 0 ? `from ${clock(future.from)}` : "from the start",
        )
      : null,
    future.isOn ? horizon : null,
    h(
      "button",
      {
        type: "button",
        class: "button",
        "data-id": "future",
        "aria-pressed": String(future.isOn),
        title: "The whole run computed ahead, again at every save  (U)",
        "data-test": "future",
        onclick: () => toggleFuture(),
      },
      icon("future"),
      h("span", {}, `Future${progress}`),
    ),
  );
  morph(timebar, made);
  changed("timebar");
}

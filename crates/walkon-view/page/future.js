// @ts-check
// The forecast: the run computed ahead, drawn over the one before.
//
// In: tracks and items of each generation. Out: trajectories, ghosts at a tick, items for the timeline, the list of
// differences. Holds: the base and the newest generation only; a track that is as before is drawn once, faint. Not
// here: the timeline (`timeline.js`), the forms whose numbers are dragged (`forms.js`).

import { planeOf } from "./camera.js";
import { Refused, ask, order } from "./connection.js";
import { button, byId, fill, h } from "./elements.js";
import { colourOf } from "./colours.js";
import { changed, clock, listen, model, remember, remembered, rowOf, seenTick, select, tickRate } from "./model.js";
import { body as bodyColour, stageColours } from "./palette.js";
import { goTo } from "./rewind.js";

/**
 * @typedef {{generation: number, isBase: boolean, from: number, to: number, isDone: boolean, items: LaneItem[], tracks: Tracks | null}} Run
 */

export const future = {
  isOn: false,
  seconds: remembered("horizon", 60),
  /** The tick that it is computed from. */
  from: 0,
  /** @type {Run | null} */
  base: null,
  /** @type {Run | null} */
  newest: null,
  /** @type {Difference[]} */
  differences: [],
  isTrial: false,
  /** Why there is no newer one. */
  error: "",
  /** Milliseconds from asking to the last answer. */
  took: 0,
  /** How many outlines of the future of before were drawn last. */
  outlines: 0,
  /** Items of the base that the newest generation has not. @type {LaneItem[]} */
  vanished: [],
};

/** @type {Map<number, boolean>} */
let differs = new Map();
let askedAt = 0;

/** Begins to listen. */
export function startFuture() {
  // A run that began again has no tick to begin from but the first.
  listen("forgotten", (/** @type {{after: number}} */ { after }) => (future.from = Math.min(future.from, after)));
  listen("forecast", takeForecast);
  listen("tracks", takeTracks);
  for (const what of ["edited", "script"]) {
    listen(what, () => {
      askedAt = performance.now();
      future.isTrial = false;
    });
  }
}

/** The last tick of the forecast that can be looked at; 0 without one. */
export function lastAhead() {
  return future.isOn && future.newest?.tracks ? future.newest.to : 0;
}

/** Switches the forecast on or off. */
export async function toggleFuture() {
  future.isOn = !future.isOn;
  if (!future.isOn) {
    future.base = future.newest = null;
    future.differences = [];
    leaveAhead();
    order("forecast", { from: 0, seconds: 0 });
    showDifferences();
    changed("future");
    return;
  }
  changed("future");
  await forecastAgain();
}

/** Without a forecast none is looked at. */
function leaveAhead() {
  if (model.ahead === null) return;
  model.ahead = null;
  changed("ahead");
}

/** @param {number} seconds */
export function setHorizon(seconds) {
  future.seconds = seconds;
  remember("horizon", seconds);
  if (future.isOn) forecastAgain();
}

/** The future from the tick that is seen, or from the start again. */
export function toggleFrom() {
  future.from = future.from > 0 ? 0 : Math.min(seenTick(), model.state.tick);
  forecastAgain();
}

/** Asks for the forecast, at first or after the connection was lost. */
export async function forecastAgain() {
  if (!future.isOn) return;
  future.base = future.newest = null;
  future.differences = [];
  showDifferences();
  askedAt = performance.now();
  const answer = await order("forecast", { from: future.from, seconds: future.seconds });
  if (!answer) {
    future.isOn = false;
    leaveAhead();
  }
  changed("future");
}

/** The newest generation is what later ones are compared with. */
export async function keepFuture() {
  if (!(await order("keep"))) return;
  if (future.newest) future.base = { ...future.newest, isBase: true };
  future.differences = [];
  differs = new Map();
  showDifferences();
  changed("future");
}

/** Most milliseconds that a trial is waited for. */
const PATIENCE = 400;

/** @type {(() => void) | null} */
let onForecast = null;

/** Until a future is computed, or patience ends. @returns {Promise<void>} */
function nextForecast() {
  return new Promise((resolve) => {
    onForecast = resolve;
    setTimeout(resolve, PATIENCE);
  });
}

let isTrying = false;
/** @type {{file: string, changes: Change[]} | null} */
let nextTrial = null;

/**
 * The future with these changes, without saving them. One trial is under way at a time, the last one wins.
 * @param {string} file
 * @param {Change[]} changes
 */
export async function tryChanges(file, changes) {
  if (!future.isOn) return;
  nextTrial = { file, changes };
  if (isTrying) return;
  isTrying = true;
  while (nextTrial) {
    const trial = nextTrial;
    nextTrial = null;
    askedAt = performance.now();
    future.isTrial = trial.changes.length > 0;
    const computed = nextForecast();
    try {
      await ask("try", trial);
      // The next one would end the computing of this one: somebody who drags wants to see something meanwhile.
      await computed;
    } catch (mistake) {
      // A number on its way may be out of range for a moment.
      if (mistake instanceof Refused && mistake.diagnostics.length)
        changed("notice", { text: mistake.message, isMistake: true, topic: "trial" });
    }
  }
  isTrying = false;
}

/**
 * @param {number} generation
 * @param {boolean} isBase
 * @param {number} from
 * @returns {Run}
 */
function runOf(generation, isBase, from) {
  const known = isBase ? future.base : future.newest;
  if (known && known.generation === generation) return known;
  /** @type {Run} */
  const made = { generation, isBase, from, to: from, isDone: false, items: [], tracks: null };
  if (isBase) future.base = made;
  if (!isBase || !future.newest) future.newest = made;
  return made;
}

/** @param {Json} message */
function takeForecast(message) {
  if (message.done) onForecast?.();
  if (!future.isOn) return;
  future.error = message.error ?? "";
  if (future.error) {
    // What cannot be computed leaves the last future that could.
    showDifferences();
    return;
  }
  const run = runOf(message.generation, message.isBase === true, message.from);
  run.to = Math.max(run.to, message.to ?? run.to);
  if (message.items?.length) run.items = merged(run.items, message.items);
  run.isDone = message.done === true;
  if (message.differences) future.differences = message.differences;
  if (run.isDone) future.took = performance.now() - askedAt;
  compare();
  showDifferences();
  changed("future");
}

/**
 * Parts may come again with what they said before; each item stays once.
 * @param {LaneItem[]} have
 * @param {LaneItem[]} more
 */
function merged(have, more) {
  const last = have.length ? have[have.length - 1].tick : -1;
  if (more[0].tick > last) return have.concat(more);
  const seen = new Set(have.map((item) => `${item.tick} ${item.text}`));
  return have
    .concat(more.filter((item) => !seen.has(`${item.tick} ${item.text}`)))
    .sort((one, two) => one.tick - two.tick);
}

/** @param {Tracks} tracks */
function takeTracks(tracks) {
  if (!future.isOn) return;
  const run = runOf(tracks.generation, tracks.isBase, tracks.from);
  run.tracks = run.tracks && tracks.from > run.tracks.from ? joined(run.tracks, tracks) : tracks;
  compare();
  changed("future");
}

/**
 * @param {Tracks} first
 * @param {Tracks} second
 * @returns {Tracks}
 */
function joined(first, second) {
  const keys = [...new Set([...first.keys, ...second.keys])];
  const start = Math.round((second.from - first.from) / first.every);
  const samples = start + second.samples;
  const at = new Float32Array(samples * keys.length * 3).fill(Number.NaN);
  for (const [tracks, offset] of /** @type {[Tracks, number][]} */ ([
    [first, 0],
    [second, start],
  ])) {
    tracks.keys.forEach((key, column) => {
      const to = keys.indexOf(key);
      for (let sample = 0; sample < tracks.samples; sample++) {
        const from = (sample * tracks.keys.length + column) * 3;
        const into = ((sample + offset) * keys.length + to) * 3;
        for (let axis = 0; axis < 3; axis++) at[into + axis] = tracks.at[from + axis];
      }
    });
  }
  return { ...first, samples, keys: Uint32Array.from(keys), at };
}

/** Finds out who goes elsewhere than before. */
function compare() {
  differs = new Map();
  const has = new Set((future.newest?.items ?? []).map((item) => `${item.tick} ${item.text}`));
  const until = future.newest?.isDone ? Infinity : (future.newest?.to ?? 0);
  const isOther = future.base !== null && future.base !== future.newest;
  future.vanished = isOther
    ? (future.base?.items ?? []).filter((item) => item.tick <= until && !has.has(`${item.tick} ${item.text}`))
    : [];
  const [was, is] = [future.base?.tracks, future.newest?.tracks];
  if (!was || !is || was === is) return;
  const columns = new Map([...was.keys].map((key, column) => [key, column]));
  is.keys.forEach((key, column) => {
    const other = columns.get(key);
    if (other === undefined) {
      differs.set(key, true);
      return;
    }
    const samples = Math.min(was.samples, is.samples);
    for (let sample = 0; sample < samples; sample++) {
      const a = (sample * was.keys.length + other) * 3;
      const b = (sample * is.keys.length + column) * 3;
      const away = Math.abs(was.at[a] - is.at[b]) + Math.abs(was.at[a + 2] - is.at[b + 2]);
      if (away > 0.2) {
        differs.set(key, true);
        return;
      }
    }
  });
}

/**
 * Draws where everybody will have gone.
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} map
 * @param {number} ratio
 */
export function paintTrajectories(context, map, ratio) {
  const newest = future.newest;
  if (!future.isOn || !newest?.tracks) return;
  const chosen = model.selection?.kind === "character" ? model.selection.key : undefined;
  if (future.base?.tracks && future.base !== newest) {
    context.setLineDash([5 * ratio, 4 * ratio]);
    future.base.tracks.keys.forEach((key, column) => {
      if (!differs.get(key)) return;
      const look = { colour: stageColours().ghost, width: 1.5 * ratio, opacity: 0.75 };
      paintTrack(context, /** @type {Tracks} */ (future.base?.tracks), column, map, look);
    });
    context.setLineDash([]);
  }
  const many = newest.tracks.keys.length > 30;
  newest.tracks.keys.forEach((key, column) => {
    const [red, green, blue] = bodyColour(colourOf(rowOf(key)));
    const isBold = differs.get(key) || key === chosen;
    const opacity = isBold ? 0.9 : many ? 0.14 : 0.4;
    const look = { colour: `rgb(${red},${green},${blue})`, width: (isBold ? 2 : 1.2) * ratio, opacity };
    paintTrack(context, /** @type {Tracks} */ (newest.tracks), column, map, look);
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Tracks} tracks
 * @param {number} column
 * @param {number[]} map
 * @param {{colour: string, width: number, opacity: number}} look
 */
function paintTrack(context, tracks, column, map, look) {
  const [a, b, c, d, e, f] = map;
  const wide = tracks.keys.length;
  context.beginPath();
  let isDown = false;
  let [lastX, lastY] = [Infinity, Infinity];
  for (let sample = 0; sample < tracks.samples; sample++) {
    const at = (sample * wide + column) * 3;
    if (Number.isNaN(tracks.at[at])) {
      isDown = false;
      continue;
    }
    const [x, z] = planeOf(tracks.at[at], tracks.at[at + 1], tracks.at[at + 2]);
    const [left, top] = [a * x + c * z + e, b * x + d * z + f];
    if (isDown && Math.abs(left - lastX) + Math.abs(top - lastY) < 1.5) continue;
    if (isDown) context.lineTo(left, top);
    else context.moveTo(left, top);
    isDown = true;
    [lastX, lastY] = [left, top];
  }
  context.globalAlpha = look.opacity;
  context.strokeStyle = look.colour;
  context.lineWidth = look.width;
  context.lineJoin = "round";
  context.stroke();
  context.globalAlpha = 1;
}

/**
 * Where in the plane a run has that character at a tick, or null.
 * @param {Run | null} run
 * @param {number} column
 * @param {number} tick
 * @returns {Point | null}
 */
function placeAt(run, column, tick) {
  const tracks = run?.tracks;
  if (!tracks || tracks.samples === 0) return null;
  const exact = (tick - tracks.from) / tracks.every;
  const sample = Math.floor(exact);
  if (sample < 0 || sample > tracks.samples - 1) return null;
  const next = Math.min(sample + 1, tracks.samples - 1);
  const share = exact - sample;
  const [one, two] = [(sample * tracks.keys.length + column) * 3, (next * tracks.keys.length + column) * 3];
  const axis = (/** @type {number} */ at) =>
    tracks.at[one + at] + (tracks.at[two + at] - tracks.at[one + at]) * share;
  return Number.isNaN(axis(0)) ? null : planeOf(axis(0), axis(1), axis(2));
}

/**
 * Draws where everybody is in the forecast at the tick that is looked at: the newest filled, the base as an outline.
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} map
 * @param {number} ratio
 */
export function drawGhosts(context, map, ratio) {
  future.outlines = 0;
  if (!future.isOn || !future.newest?.tracks) return;
  const tick = model.ahead ?? seenTick();
  const [a, b, c, d, e, f] = map;
  const scale = Math.hypot(a, b) * (b ? Math.SQRT1_2 * 1.27 : 1);
  const colours = stageColours();
  const draw = (/** @type {Run} */ run, /** @type {boolean} */ isFilled) => {
    run.tracks?.keys.forEach((key, column) => {
      if (!isFilled && !differs.get(key)) return;
      const place = placeAt(run, column, tick);
      if (!place) return;
      if (!isFilled) future.outlines++;
      const row = rowOf(key);
      const radius = Math.max(3.5 * ratio, (row?.radius ?? 0.35) * scale);
      const [left, top] = [a * place[0] + c * place[1] + e, b * place[0] + d * place[1] + f];
      const [red, green, blue] = bodyColour(colourOf(row));
      context.beginPath();
      context.arc(left, top, radius, 0, Math.PI * 2);
      if (isFilled) {
        context.fillStyle = `rgba(${red},${green},${blue},.55)`;
        context.fill();
      }
      context.lineWidth = 1.5 * ratio;
      context.setLineDash([3 * ratio, 2.5 * ratio]);
      context.strokeStyle = isFilled ? colours.line : colours.ghost;
      context.stroke();
      context.setLineDash([]);
    });
  };
  if (future.base && future.base !== future.newest) draw(future.base, false);
  if (model.ahead !== null) draw(future.newest, true);
}

function showDifferences() {
  const card = byId("differences");
  const has = future.isOn && (future.error !== "" || (future.newest !== null && future.newest !== future.base));
  card.hidden = !has;
  if (!has) return;
  if (future.error) {
    fill(
      card,
      h(
        "header",
        { class: "row" },
        h("strong", { class: "grow" }, "No future"),
        button({ icon: "close", label: "Hide", onclick: () => (card.hidden = true) }),
      ),
      h("p", { class: "soft" }, future.error),
    );
    return;
  }
  const all = [...future.differences].sort(
    (one, two) => Number(weight(two) > weight(one)) - Number(weight(two) < weight(one)),
  );
  const rows = all.filter((each) => weight(each) >= SLIGHT).slice(0, 60);
  fill(
    card,
    h(
      "header",
      { class: "row" },
      h("strong", { class: "grow" }, future.isTrial ? "Would change" : "Changed"),
      h("span", { class: "soft small" }, future.newest?.isDone ? `${Math.round(future.took)} ms` : "computing"),
      h(
        "button",
        {
          type: "button",
          class: "button",
          title: "Later futures are compared with this one",
          onclick: keepFuture,
          "data-test": "keep",
        },
        "Keep",
      ),
      button({ icon: "close", label: "Hide the differences", onclick: () => (card.hidden = true) }),
    ),
    all.length === 0
      ? h("p", { class: "soft" }, future.newest?.isDone ? "Nothing: everybody goes where they went." : "...")
      : h("ul", {}, rows.map(differenceRow)),
    all.length > rows.length
      ? h(
          "p",
          { class: "soft small" },
          `${rows.length ? "and " : ""}${all.length - rows.length} ${rows.length < 60 ? `by less than ${SLIGHT} s` : "more"}`,
        )
      : null,
  );
}

/** What comes earlier or later by less is counted, not listed. Seconds. */
const SLIGHT = 0.1;

/** How much a difference matters: what comes or goes, then by seconds. @param {Difference} difference */
function weight({ was, is }) {
  return was === null || is === null ? Infinity : Math.abs(is - was) / tickRate();
}

/** @param {Difference} difference */
function differenceRow(difference) {
  const { was, is } = difference;
  const kind = was === null ? "new" : is === null ? "gone" : is > was ? "later" : "sooner";
  const when = is ?? was ?? 0;
  const delta = was !== null && is !== null ? `${is > was ? "+" : ""}${((is - was) / tickRate()).toFixed(2)} s` : kind;
  return h(
    "li",
    { class: `difference ${kind}` },
    h(
      "button",
      {
        type: "button",
        class: "plain",
        title: `At ${clock(when)}`,
        onclick: () => (chooseNamed(difference.name ?? difference.text), goTo(when)),
      },
      h("span", { class: "grow" }, difference.text),
      h("span", { class: "tag" }, delta),
    ),
  );
}

/** Selects the character that a sentence begins with. @param {string} text */
function chooseNamed(text) {
  const name = text.split(/[\s:]/)[0];
  if (model.byName.has(name)) select({ kind: "character", name });
}

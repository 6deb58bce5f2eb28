// @ts-check
// The tick that is seen: the running level, its past, its forecast.
//
// In: ticks to go to. Out: `seek` commands, one under way at a time, the last one wins. Holds: beyond the running tick
// nothing is sought: there the forecast is looked at, which the page has already. Either the past is seen or the
// forecast, never both. Playing in the past seeks on until the running level is reached. Not here: the timeline that
// shows it (`timeline.js`).

import { ask, order } from "./connection.js";
import { lastAhead } from "./future.js";
import { changed, isLive, listen, model, seenTick, tickRate } from "./model.js";

let isUnderWay = false;
/** @type {{tick: number | null} | null} */
let wanted = null;
/** Whether the past is played. */
export const replaying = { is: false };

/**
 * Shows a tick, of the past or of the forecast; null for the running level.
 * @param {number | null} tick
 */
export function goTo(tick) {
  const now = model.state.tick;
  const last = Math.max(now, lastAhead(), model.ahead ?? 0);
  const goal = tick === null ? now : Math.min(last, Math.max(model.state.kept[0], Math.round(tick)));
  // A hair beyond the running tick is not meant as the forecast.
  if (goal === now || (goal === now + 1 && model.ahead === null)) live();
  else if (goal > now) lookAhead(goal);
  else lookBack(goal);
}

/** @param {number} goal */
function lookAhead(goal) {
  const wasPast = model.sought !== null;
  replaying.is = false;
  [model.sought, model.ahead] = [null, goal];
  changed("ahead");
  changed("tick");
  if (wasPast) seek(null);
}

/** @param {number} goal */
function lookBack(goal) {
  const wasAhead = model.ahead !== null;
  [model.sought, model.ahead] = [goal, null];
  if (wasAhead) changed("ahead");
  changed("tick");
  seek(goal);
}

/** Shows the running level where it has caught up with what was ahead, or no longer has what was past. */
function keepWithin() {
  const { tick } = model.state;
  if ((model.sought !== null && model.sought >= tick) || (model.ahead !== null && model.ahead <= tick)) live();
}

/** Back to the running level. */
export function live() {
  replaying.is = false;
  const was = !isLive();
  model.ahead = null;
  model.sought = null;
  if (!was) return;
  changed("ahead");
  changed("tick");
  seek(null);
}

/** @param {number | null} tick */
async function seek(tick) {
  wanted = { tick };
  if (isUnderWay) return;
  isUnderWay = true;
  while (wanted) {
    const goal = wanted.tick;
    wanted = null;
    try {
      await ask("seek", { tick: goal });
      changed("sought");
    } catch (mistake) {
      if (goal !== null && !wanted) {
        changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
        // What the program shows of the past, if it does, is not that tick.
        live();
      }
    }
  }
  isUnderWay = false;
}

/** Says again what is seen, after the connection was lost. */
export function seekAgain() {
  if (model.sought !== null) seek(model.sought);
}

/** One tick back, or some. @param {number} ticks */
export function stepBack(ticks) {
  if (model.state.playing && isLive()) order("pause");
  goTo((model.ahead ?? seenTick()) - ticks);
}

/** One tick on, or some; in the past and in the forecast without running the level. @param {number} ticks */
export function stepOn(ticks) {
  const { ahead, sought } = model;
  if (ahead !== null) goTo(ahead + ticks);
  else if (sought !== null) goTo(Math.min(sought + ticks, model.state.tick));
  else step(ticks);
}

/** Ticks that were asked for while a step was under way. */
let owed = 0;
let isStepping = false;
/** @type {{goal: number, resolve: () => void} | null} */
let awaited = null;
/** Most milliseconds that a step is waited for. */
const STEP_PATIENCE = 400;

/**
 * Runs so many ticks. What is asked for meanwhile follows in one go, so that no press is lost, however fast they come.
 * @param {number} ticks
 */
async function step(ticks) {
  owed += ticks;
  if (isStepping) return;
  isStepping = true;
  while (owed > 0) {
    const now = owed;
    owed = 0;
    const goal = model.state.tick + now;
    if (!(await order("step", { ticks: now }))) break;
    await reached(goal);
  }
  owed = 0;
  isStepping = false;
}

/**
 * Until the level has come to a tick, or patience ends.
 * @param {number} goal
 * @returns {Promise<void>}
 */
function reached(goal) {
  return new Promise((resolve) => {
    awaited = { goal, resolve };
    setTimeout(resolve, STEP_PATIENCE);
    look();
  });
}

function look() {
  if (awaited && model.state.tick >= awaited.goal) awaited.resolve();
}

for (const what of ["state", "frame"]) {
  listen(what, look);
  listen(what, keepWithin);
}

/** Plays or pauses: the running level, or the past that is seen. */
export function togglePlay() {
  if (model.sought === null) {
    if (model.ahead !== null) live();
    // What has ended is played from the start.
    if (model.state.ended && !model.state.playing) order("restart").then((answer) => answer && order("play"));
    else order(model.state.playing ? "pause" : "play");
    return;
  }
  replaying.is = !replaying.is;
  changed("tick");
  if (replaying.is) requestAnimationFrame((now) => replay(now, now, model.sought ?? 0));
}

/**
 * @param {number} now
 * @param {number} before
 * @param {number} at
 */
function replay(now, before, at) {
  if (!replaying.is || model.sought === null) return;
  if (Math.abs(model.sought - Math.round(at)) > 2) at = model.sought;
  const speed = typeof model.state.speed === "number" ? model.state.speed : 10;
  const next = at + ((now - before) / 1000) * tickRate() * speed;
  if (next >= model.state.tick) {
    live();
    return;
  }
  if (Math.round(next) !== model.sought) goTo(next);
  requestAnimationFrame((later) => replay(later, now, next));
}

/** The running level continues from the tick that is seen. */
export async function goOn() {
  const tick = model.sought;
  if (tick === null) return;
  if (await order("goOn", { tick })) live();
}

// @ts-check
// Everything that happened, by lane.
//
// In: `happened` tells, answers of `history`. Out: items in order of their ticks. Holds: at most 40,000 items, the
// oldest walks and log lines go first; what comes after a tick that the level went back to is forgotten. Not here:
// showing them (`events.js`, `timeline.js`, `film.js`).

import { ask } from "./connection.js";
import { changed, listen, model, rowNamed } from "./model.js";

const MOST = 40000;

/** Lanes in the order in which they are shown. */
export const LANES = ["scenes", "events", "doors", "regions", "walks", "log", "faults", "reloads", "inputs"];

/** @type {Map<string, LaneItem[]>} */
export const lanes = new Map(LANES.map((lane) => [lane, []]));

let count = 0;

/** Begins to listen. */
export function startHappenings() {
  listen("forgotten", (/** @type {{after: number}} */ { after }) => forgetAfter(after));
}

/**
 * @param {LaneItem[]} items
 */
export function takeItems(items) {
  for (const item of items) {
    const lane = laneOf(item.lane);
    const last = lane[lane.length - 1];
    if (!last || last.tick <= item.tick) lane.push(item);
    else lane.splice(firstAfter(lane, item.tick), 0, item);
  }
  count += items.length;
  if (count > MOST) thinOut();
  changed("happenings", items);
}

/** @param {string} name */
export function laneOf(name) {
  let lane = lanes.get(name);
  if (!lane) {
    lane = [];
    lanes.set(name, lane);
  }
  return lane;
}

/**
 * The place of the first item later than `tick`.
 * @param {LaneItem[]} items
 * @param {number} tick
 */
export function firstAfter(items, tick) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].tick <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Asks for what happened before the page came. */
export async function askHistory() {
  forgetAfter(-1);
  try {
    const answer = await ask("history", { from: 0, to: model.state.tick });
    const known = new Set();
    for (const lane of lanes.values()) for (const item of lane) known.add(`${item.tick} ${item.lane} ${item.text}`);
    takeItems(
      (answer.items ?? []).filter(
        (/** @type {LaneItem} */ item) => !known.has(`${item.tick} ${item.lane} ${item.text}`),
      ),
    );
  } catch {
    // Without history the lanes begin where the page came in.
  }
}

/** @param {number} tick */
export function forgetAfter(tick) {
  count = 0;
  for (const lane of lanes.values()) {
    lane.length = firstAfter(lane, tick);
    count += lane.length;
  }
  changed("happenings", []);
}

function thinOut() {
  for (const name of ["walks", "log", "regions"]) {
    const lane = laneOf(name);
    if (lane.length > MOST / 4) lane.splice(0, lane.length >> 1);
  }
  count = 0;
  for (const lane of lanes.values()) count += lane.length;
  if (count > MOST) for (const lane of lanes.values()) lane.splice(0, lane.length >> 1);
}

/**
 * What an item is of, as it can be selected; null for what has nothing to select.
 * @param {LaneItem} item
 * @returns {Chosen | null}
 */
export function subjectOf(item) {
  const { lane, kind, line } = item;
  const name = item.name ?? line?.character;
  if (lane === "regions" && line?.region) return { kind: "region", name: line.region };
  if (lane === "scenes") return name ? { kind: "scene", name: line?.scene ?? name } : null;
  if (lane === "doors") return name ? { kind: kind === "areaChanged" ? "area" : "door", name } : null;
  if (name && rowNamed(name)) return { kind: "character", name };
  if (name && name === model.welcome?.level) return { kind: "level", name };
  // An event for everybody is selected itself.
  return lane === "events" && kind === "event" ? { kind: "event", name: line?.name ?? name ?? "" } : null;
}

/** The events of a name up to a tick, in their order. @param {string} name @param {number} until */
export function eventsNamed(name, until) {
  const items = laneOf("events");
  return items.slice(0, firstAfter(items, until)).filter((item) => item.kind === "event" && (item.line?.name ?? item.name) === name);
}

/**
 * Items of all lanes up to a tick, newest first.
 * @param {{until: number, most: number, keeps: (item: LaneItem) => boolean}} query
 */
export function newestItems({ until, most, keeps }) {
  const cursors = [...lanes.values()].map((items) => ({ items, at: firstAfter(items, until) - 1 }));
  /** @type {LaneItem[]} */
  const found = [];
  while (found.length < most) {
    let best = null;
    for (const cursor of cursors) {
      while (cursor.at >= 0 && !keeps(cursor.items[cursor.at])) cursor.at--;
      if (cursor.at >= 0 && (!best || cursor.items[cursor.at].tick > best.items[best.at].tick)) best = cursor;
    }
    if (!best) break;
    found.push(best.items[best.at--]);
  }
  return found;
}

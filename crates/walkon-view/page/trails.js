// @ts-check
// Where the selected character went: its way up to the tick that is seen.
//
// In: the selection, the tick, answers of `tracks`. Out: a thin line on the stage. Holds: it asks once a second while
// the level runs, and only for the selected character. Not here: where it is going (the overlay), where it will go
// (`future.js`).

import { planeOf } from "./camera.js";
import { ask } from "./connection.js";
import { bodyOf } from "./frames.js";
import { colourOf } from "./colours.js";
import { changed, listen, model, rowOf, seenTick, tickRate } from "./model.js";
import { body as bodyColour } from "./palette.js";

/** How much of the past is drawn, seconds. */
const BACK = 30;
const POINTS = 400;

/** @type {[number, number, number, number][]} */
let points = [];
let askedAt = 0;
let isUnderWay = false;
let isStale = true;

/** Begins to ask. */
export function startTrails() {
  for (const what of ["selection", "sought", "tick", "parts"])
    listen(what, () => ((isStale = true), (points = what === "selection" ? [] : points)));
  listen("forgotten", () => ((isStale = true), (points = [])));
  setInterval(look, 120);
}

async function look() {
  const key = model.selection?.kind === "character" ? model.selection.key : undefined;
  if (key === undefined || !model.parts.has("trail") || !model.isConnected || isUnderWay) return;
  const now = performance.now();
  if (!isStale && (!model.state.playing || model.sought !== null || now - askedAt < 1000)) return;
  isUnderWay = true;
  isStale = false;
  askedAt = now;
  const tick = seenTick();
  try {
    const answer = await ask("tracks", {
      keys: [key],
      from: Math.max(0, Math.floor(tick - BACK * tickRate())),
      to: tick,
      points: POINTS,
    });
    if (model.selection?.key === key) points = answer.tracks?.[0]?.points ?? [];
    changed("overlay");
  } catch {
    points = [];
  }
  isUnderWay = false;
}

/**
 * Draws the way so far.
 * @param {CanvasRenderingContext2D} context
 * @param {number[]} map
 * @param {number} ratio
 * @param {number} share between the last two frames
 */
export function drawTrail(context, map, ratio, share) {
  const key = model.selection?.key;
  if (points.length < 2 || key === undefined || !model.parts.has("trail")) return;
  const [a, b, c, d, e, f] = map;
  const tick = seenTick();
  context.beginPath();
  let last = points[0];
  for (const point of points) {
    const [at, x, y, z] = point;
    if (at > tick) break;
    const [px, pz] = planeOf(x, y, z);
    // Nobody runs that fast: it was put there.
    const isJump = Math.hypot(x - last[1], z - last[3]) > 1 + ((at - last[0]) / tickRate()) * 15;
    if (isJump) context.moveTo(a * px + c * pz + e, b * px + d * pz + f);
    else context.lineTo(a * px + c * pz + e, b * px + d * pz + f);
    last = point;
  }
  const body = bodyOf(key, share);
  if (body) {
    const [px, pz] = planeOf(body.x, body.y, body.z);
    context.lineTo(a * px + c * pz + e, b * px + d * pz + f);
  }
  const [red, green, blue] = bodyColour(colourOf(rowOf(key)));
  context.strokeStyle = `rgba(${red},${green},${blue},.5)`;
  context.lineWidth = 2 * ratio;
  context.lineJoin = context.lineCap = "round";
  context.setLineDash([0.1, 4.5 * ratio]);
  context.stroke();
  context.setLineDash([]);
}

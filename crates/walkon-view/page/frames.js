// @ts-check
// Binary messages, and where everybody is between two frames.
//
// In: buffers as docs/protocol.md lays them out. Out: frames and tracks whose numbers are views of the buffer, nothing
// copied; places between the last two frames. Holds: a row is five words from word 4 on: key, x, y, z, then facing,
// state and layer packed. Not here: drawing.

import { model } from "./model.js";

const HEAD = 4;
export const ROW = 5;

export const MOVES = 1;
export const HAS_WALK = 2;
export const WAITS = 4;
export const HELD = 8;
export const REPLANNED = 16;
export const IS_OFF = 32;

/** A flag of frames: it shows the past. */
export const OF_THE_PAST = 1;

/**
 * @param {ArrayBuffer} buffer
 * @param {number} now
 * @returns {Frame}
 */
export function frameOf(buffer, now) {
  const words = new Uint32Array(buffer);
  const count = Math.min(words[3], Math.floor((words.length - HEAD) / ROW));
  return {
    number: words[1],
    tick: words[2],
    flags: (words[0] >> 8) & 0xff,
    count,
    words,
    floats: new Float32Array(buffer),
    arrived: now,
    index: null,
  };
}

/**
 * @param {ArrayBuffer} buffer
 * @returns {Tracks}
 */
export function tracksOf(buffer) {
  const words = new Uint32Array(buffer, 0, 5);
  const count = words[4];
  const samples = words[3];
  return {
    generation: words[1],
    isBase: ((words[0] >> 8) & 1) === 1,
    every: Math.max(1, words[0] >>> 16),
    from: words[2],
    samples,
    keys: new Uint32Array(buffer, 20, count),
    at: new Float32Array(buffer, 20 + count * 4, samples * count * 3),
  };
}

/**
 * Takes a new frame in.
 * @param {Frame} frame
 */
export function takeFrame(frame) {
  const last = model.frame;
  const goesOn = last && frame.tick > last.tick && ((frame.flags ^ last.flags) & OF_THE_PAST) === 0;
  model.before = goesOn && frame.arrived - last.arrived < 400 ? last : null;
  model.frame = frame;
}

/**
 * Which row of a frame is of that character, or -1.
 * @param {Frame} frame
 * @param {number} key
 * @param {number} guess a row to look at first
 */
export function rowOf(frame, key, guess) {
  if (guess >= 0 && guess < frame.count && frame.words[HEAD + guess * ROW] === key) return guess;
  if (!frame.index) {
    frame.index = new Map();
    for (let row = 0; row < frame.count; row++) frame.index.set(frame.words[HEAD + row * ROW], row);
  }
  return frame.index.get(key) ?? -1;
}

/**
 * How far between the frame before and the last one this moment is: 0 to 1.
 * @param {number} now
 */
export function progress(now) {
  const { frame, before } = model;
  if (!frame || !before) return 1;
  const span = Math.max(frame.arrived - before.arrived, 8);
  return Math.min(1, (now - frame.arrived) / span);
}

/** One character of the frame that is shown. */
export class Body {
  key = 0;
  x = 0;
  y = 0;
  z = 0;
  facing = 0;
  state = 0;
  layer = 0;
}

/**
 * Fills `body` from a row of the last frame, `share` of the way from the frame before.
 * @param {number} row
 * @param {number} share
 * @param {Body} body
 */
export function readBody(row, share, body) {
  const frame = /** @type {Frame} */ (model.frame);
  const at = HEAD + row * ROW;
  const packed = frame.words[at + 4];
  body.key = frame.words[at];
  body.x = frame.floats[at + 1];
  body.y = frame.floats[at + 2];
  body.z = frame.floats[at + 3];
  body.facing = ((packed & 0xffff) / 65536) * Math.PI * 2;
  body.state = (packed >>> 16) & 0xff;
  body.layer = packed >>> 24;
  const before = model.before;
  if (share >= 1 || !before) return;
  const was = rowOf(before, body.key, row);
  if (was < 0) return;
  const from = HEAD + was * ROW;
  const rest = 1 - share;
  body.x = body.x * share + before.floats[from + 1] * rest;
  body.y = body.y * share + before.floats[from + 2] * rest;
  body.z = body.z * share + before.floats[from + 3] * rest;
}

/**
 * Where that character is now, or null.
 * @param {number | undefined} key
 * @param {number} [share]
 * @returns {Body | null}
 */
export function bodyOf(key, share = 1) {
  if (key === undefined || !model.frame) return null;
  const row = rowOf(model.frame, key, -1);
  if (row < 0) return null;
  const body = new Body();
  readBody(row, share, body);
  return body;
}

// @ts-check
// The boxes around the floors of a graph: their edges in space, and their faces, which are dragged.
//
// In: a box of the level, places of the stage. Out: the face that is met, the box with that face elsewhere, the changes
// that this comes down to. Holds: a face moves along its own axis; opposite faces keep apart. Not here: corners, which are
// dragged as those of other things are (`editor.js`), what a box finds (`graphs.js`).

import { isTilted, stageOf } from "./camera.js";
import { valueAt } from "./document.js";
import { model } from "./model.js";
import { stageColours } from "./palette.js";

/** @typedef {{min: number[], max: number[]}} Box */

/** Least distance of opposite faces, metres. */
const LEAST = 0.1;
/** What faces keep to, metres. */
const STEP = 0.05;
/** How near a pointer has to come to the middle of a face, pixels. */
const REACH = 8;

/**
 * The box at a pointer, or null.
 * @param {string} at
 * @returns {Box | null}
 */
export function boxOf(at) {
  const box = valueAt(model.document.value, at);
  return box?.min?.length === 3 && box?.max?.length === 3 ? { min: box.min, max: box.max } : null;
}

/** The axis of a face: west, east, bottom, top, north, south. @param {number} face */
function axisOf(face) {
  return Math.floor(face / 2);
}

/**
 * The middle of a face.
 * @param {Box} box
 * @param {number} face
 * @returns {Place}
 */
function middleOf(box, face) {
  const middle = box.min.map((low, axis) => (low + box.max[axis]) / 2);
  middle[axisOf(face)] = (face % 2 ? box.max : box.min)[axisOf(face)];
  // From above, sides are gripped at the height that the box is drawn at.
  if (!isTilted()) middle[1] = box.min[1];
  return /** @type {Place} */ (middle);
}

/** The faces that can be gripped: from above, bottom and top are one over the other. */
function faces() {
  return isTilted() ? [0, 1, 2, 3, 4, 5] : [0, 1, 4, 5];
}

/**
 * The face whose middle lies at a place of the stage, or -1.
 * @param {Box | null} box
 * @param {Point} stage
 */
export function faceAt(box, [left, top]) {
  if (!box) return -1;
  const away = (/** @type {number} */ face) => {
    const [x, y] = stageOf(...middleOf(box, face));
    return Math.hypot(x - left, y - top);
  };
  const nearest = faces().reduce((best, face) => (away(face) < away(best) ? face : best));
  return away(nearest) < REACH ? nearest : -1;
}

/**
 * The box with a face where the pointer has dragged it.
 * @param {Box} box
 * @param {number} face
 * @param {{from: Point, to: Point}} drag places of the stage
 * @returns {Box}
 */
export function faceMoved(box, face, { from, to }) {
  const axis = axisOf(face);
  const middle = middleOf(box, face);
  const further = [...middle];
  further[axis] += 1;
  // How a metre along the axis looks on the stage, and how much of that the pointer has gone.
  const [here, there] = [stageOf(...middle), stageOf(.../** @type {Place} */ (further))];
  const [right, down] = [there[0] - here[0], there[1] - here[1]];
  const long = right * right + down * down;
  if (long < 1) return box;
  const metres = ((to[0] - from[0]) * right + (to[1] - from[1]) * down) / long;
  const made = { min: [...box.min], max: [...box.max] };
  const end = face % 2 ? made.max : made.min;
  const place = Math.round((end[axis] + metres) / STEP) * STEP;
  end[axis] = face % 2 ? Math.max(place, box.min[axis] + LEAST) : Math.min(place, box.max[axis] - LEAST);
  end[axis] = Math.round(end[axis] * 1000) / 1000;
  return made;
}

/**
 * The changes that make a box another.
 * @param {string} at
 * @param {Box} was
 * @param {Box} is
 * @returns {Change[]}
 */
export function boxChanges(at, was, is) {
  return /** @type {("min" | "max")[]} */ (["min", "max"]).flatMap((end) =>
    was[end].flatMap((part, axis) => (part === is[end][axis] ? [] : [{ at: `${at}/${end}/${axis}`, set: is[end][axis] }])),
  );
}

/**
 * Draws the edges of a box and the grips of its faces.
 * @param {CanvasRenderingContext2D} context
 * @param {Box | null} box
 */
export function drawBox(context, box) {
  if (!box) return;
  const colours = stageColours();
  const corner = (/** @type {number} */ bits) =>
    stageOf(
      (bits & 1 ? box.max : box.min)[0],
      (bits & 2 ? box.max : box.min)[1],
      (bits & 4 ? box.max : box.min)[2],
    );
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let bits = 0; bits < 8; bits++) {
    for (const bit of [1, 2, 4]) {
      if (bits & bit) continue;
      context.moveTo(...corner(bits));
      context.lineTo(...corner(bits | bit));
    }
  }
  context.stroke();
  context.fillStyle = colours.paper;
  for (const face of faces()) {
    const [left, top] = stageOf(...middleOf(box, face));
    context.beginPath();
    context.arc(left, top, 5, 0, Math.PI * 2);
    context.fill();
    context.stroke();
  }
}

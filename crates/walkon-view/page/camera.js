// @ts-check
// From metres of the plane to pixels of the stage, and back.
//
// In: zoom, pan, fit, projection. Out: points. Holds: the plane is the picture's (x to the right, z downwards; a slant
// has moved what is higher up by 0.8 of its height already); isometric maps show x to the lower right and z to the
// lower left, twice as wide as high. Not here: drawing, pointers.

import { changed, model } from "./model.js";

/** How far up in the picture a metre of height goes. */
export const RISE = 0.8;

const HALF = Math.SQRT2 / 2;

export const camera = {
  /** Pixels of a metre across. */
  scale: 20,
  /** The point of the plane in the middle of the stage. @type {Point} */
  middle: [0, 0],
  width: 800,
  height: 600,
  isIsometric: false,
};

/** The numbers of the map from plane to stage: x' = a x + c z + e, y' = b x + d z + f. */
export function matrix() {
  const s = camera.scale;
  const [a, b, c, d] = camera.isIsometric ? [s * HALF, (s * HALF) / 2, -s * HALF, (s * HALF) / 2] : [s, 0, 0, s];
  const [x, z] = camera.middle;
  return [a, b, c, d, camera.width / 2 - a * x - c * z, camera.height / 2 - b * x - d * z];
}

/**
 * @param {number} x
 * @param {number} z
 * @returns {Point}
 */
export function toStage(x, z) {
  const [a, b, c, d, e, f] = matrix();
  return [a * x + c * z + e, b * x + d * z + f];
}

/**
 * @param {number} left
 * @param {number} top
 * @returns {Point}
 */
export function toPlane(left, top) {
  const [a, b, c, d, e, f] = matrix();
  const [u, v] = [left - e, top - f];
  const det = a * d - b * c;
  return [(d * u - c * v) / det, (a * v - b * u) / det];
}

/**
 * Where a place of the world lies in the plane.
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @returns {Point}
 */
export function planeOf(x, y, z) {
  return model.slant === "oblique" ? [x, z - y * RISE] : [x, z];
}

/**
 * Zooms so that the point under (left, top) stays there.
 * @param {number} factor
 * @param {number} [left]
 * @param {number} [top]
 */
export function zoom(factor, left = camera.width / 2, top = camera.height / 2) {
  const [x, z] = toPlane(left, top);
  camera.scale = Math.min(600, Math.max(0.2, camera.scale * factor));
  const [nowX, nowZ] = toPlane(left, top);
  camera.middle = [camera.middle[0] + x - nowX, camera.middle[1] + z - nowZ];
  changed("camera", { isZoom: true });
}

/**
 * Moves what is shown by pixels.
 * @param {number} right
 * @param {number} down
 */
export function pan(right, down) {
  camera.middle = toPlane(camera.width / 2 - right, camera.height / 2 - down);
  changed("camera", {});
}

/** @param {Point} point */
export function centre(point) {
  camera.middle = point;
  changed("camera", {});
}

/** Shows the whole level. */
export function fit() {
  const welcome = model.welcome;
  if (!welcome) return;
  let [left, top, right, bottom] = welcome.bounds;
  if (model.slant === "oblique") [top, bottom] = [top - welcome.heights[1] * RISE, bottom - welcome.heights[0] * RISE];
  const [wide, deep] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const across = camera.isIsometric ? (wide + deep) * HALF : wide;
  const down = camera.isIsometric ? across / 2 : deep;
  const room = 36;
  const bars = 28;
  camera.scale = Math.max(0.2, Math.min((camera.width - room * 2) / across, (camera.height - room * 2 - bars) / down));
  camera.middle = [(left + right) / 2, (top + bottom) / 2];
  changed("camera", { isZoom: true });
}

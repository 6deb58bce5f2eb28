// @ts-check
// From metres of the world to pixels of the stage, and back.
//
// In: zoom, pan, fit, projection, the pose of a level with heights. Out: points. Holds: between the world and the stage
// lies the plane of the picture (x to the right, z downwards), which is what is panned and zoomed; from above the plane is
// the ground itself; isometric maps show x to the lower right and z to the lower left, twice as wide as high. Not here:
// drawing (`stage.js`), what hides what (`relief.js`), pointers.

import { changed, model } from "./model.js";

const HALF = Math.SQRT2 / 2;

/** Straight down. */
const DOWN = Math.PI / 2;
/** As flat as one may look at a level: below, floors are lines. */
const FLAT = Math.PI / 9;
/** How a level is looked at from the side unless somebody turns it. */
const ASIDE = { turn: -0.45, tilt: 0.8 };
/** Milliseconds of a turn that nobody drags. */
const TURNING = 220;

/** Where a level with heights is looked at from: turned about the vertical, tilted up from the ground; radians. */
export const pose = { turn: 0, tilt: DOWN };

export const camera = {
  /** Pixels of a metre across. */
  scale: 20,
  /** The point of the plane in the middle of the stage. @type {Point} */
  middle: [0, 0],
  width: 800,
  height: 600,
  isIsometric: false,
  /** Whether the whole level is shown, so that it is to stay so when the stage changes its size. */
  isFitted: false,
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

/** Whether this level is one that can be looked at from the side. */
export function hasHeights() {
  return model.welcome?.slants ?? false;
}

/** Whether the level is looked at from the side. */
export function isTilted() {
  return hasHeights() && pose.tilt < DOWN - 1e-3;
}

/** The point that the level is turned about. @returns {Place} */
function pivot() {
  const [left, top, right, bottom] = model.welcome?.bounds ?? [0, 0, 0, 0];
  return [(left + right) / 2, model.welcome?.heights[0] ?? 0, (top + bottom) / 2];
}

/**
 * The numbers of the map from world to plane: two rows of [x, y, z, 1], and a third that says how near it is to those
 * who look, metres.
 */
export function turned() {
  if (!hasHeights()) {
    return [
      [1, 0, 0, 0],
      [0, 0, 1, 0],
      [0, 1, 0, 0],
    ];
  }
  const [cx, cy, cz] = pivot();
  const [sin, cos, up, flat] = [Math.sin(pose.turn), Math.cos(pose.turn), Math.sin(pose.tilt), Math.cos(pose.tilt)];
  return [
    [cos, 0, -sin, cx - cos * cx + sin * cz],
    [sin * up, -flat, cos * up, cz - up * (sin * cx + cos * cz) + flat * cy],
    [sin * flat, up, cos * flat, -flat * (sin * cx + cos * cz) - up * cy],
  ];
}

/**
 * The map from world to pixels, and how near: three rows of [x, y, z, 1].
 * @param {number[]} map from the plane to pixels, as `matrix` gives it
 */
export function spaceMatrix(map) {
  const [right, down, near] = turned();
  const [a, b, c, d, e, f] = map;
  const row = (/** @type {number} */ one, /** @type {number} */ two, /** @type {number} */ rest) =>
    right.map((part, at) => one * part + two * down[at] + (at === 3 ? rest : 0));
  return [row(a, c, e), row(b, d, f), near];
}

/**
 * Where a place of the world lies in the plane.
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @returns {Point}
 */
export function planeOf(x, y, z) {
  if (!hasHeights()) return [x, z];
  const [right, down] = turned();
  return [right[0] * x + right[2] * z + right[3], down[0] * x + down[1] * y + down[2] * z + down[3]];
}

/**
 * Where a place of the world lies on the stage.
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @returns {Point}
 */
export function stageOf(x, y, z) {
  return toStage(...planeOf(x, y, z));
}

/**
 * The place of the world at some height below a point of the plane.
 * @param {Point} plane
 * @param {number} y
 * @returns {Place}
 */
export function groundOf([px, pz], y) {
  if (!hasHeights()) return [px, y, pz];
  const [cx, cy, cz] = pivot();
  const [sin, cos] = [Math.sin(pose.turn), Math.cos(pose.turn)];
  const [u, v] = [px - cx, (pz - cz + (y - cy) * Math.cos(pose.tilt)) / Math.sin(pose.tilt)];
  return [cx + u * cos + v * sin, y, cz - u * sin + v * cos];
}

/**
 * The place of the world below a point of the plane that is so near to those who look.
 * @param {Point} plane
 * @param {number} nearness as the third row of `turned` has it
 * @returns {Place}
 */
export function placeAtDepth(plane, nearness) {
  const [, cy, cz] = pivot();
  return groundOf(plane, cy + nearness * Math.sin(pose.tilt) - (plane[1] - cz) * Math.cos(pose.tilt));
}

/**
 * Looks at the level from elsewhere.
 * @param {number} turn
 * @param {number} tilt
 */
export function setPose(turn, tilt) {
  if (!hasHeights()) return;
  // What is in the middle of the stage stays there.
  const middle = groundOf(camera.middle, pivot()[1]);
  pose.turn = Math.atan2(Math.sin(turn), Math.cos(turn));
  pose.tilt = Math.min(DOWN, Math.max(FLAT, tilt));
  camera.middle = planeOf(...middle);
  changed("pose");
  changed("camera", {});
}

let turning = 0;

/**
 * The same in a moment rather than at once.
 * @param {number} turn
 * @param {number} tilt
 */
export function turnTo(turn, tilt) {
  const from = { ...pose };
  const way = Math.atan2(Math.sin(turn - from.turn), Math.cos(turn - from.turn));
  const began = performance.now();
  const mine = ++turning;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const step = () => {
    if (mine !== turning) return;
    const share = isCalm ? 1 : Math.min(1, (performance.now() - began) / TURNING);
    const eased = share * share * (3 - 2 * share);
    setPose(from.turn + way * eased, from.tilt + (tilt - from.tilt) * eased);
    if (share < 1) requestAnimationFrame(step);
  };
  step();
}

/**
 * Turns the level by what a pointer was dragged.
 * @param {number} right pixels
 * @param {number} down pixels
 */
export function orbit(right, down) {
  turning++;
  setPose(pose.turn - right * 0.008, pose.tilt + down * 0.006);
}

/** From above, or from the side. */
export function toggleTilt() {
  if (isTilted()) turnTo(0, DOWN);
  else turnTo(ASIDE.turn, ASIDE.tilt);
}

/** North up and from above. */
export function fromAbove() {
  turnTo(0, DOWN);
}

/** A level of several floors is looked at from the side at first. */
export function firstPose() {
  const [low, high] = model.welcome?.heights ?? [0, 0];
  const isTall = hasHeights() && high - low > 2;
  [pose.turn, pose.tilt] = isTall ? [ASIDE.turn, ASIDE.tilt] : [0, DOWN];
  changed("pose");
}

/**
 * Zooms so that the point under (left, top) stays there.
 * @param {number} factor
 * @param {number} [left]
 * @param {number} [top]
 */
export function zoom(factor, left = camera.width / 2, top = camera.height / 2) {
  const [x, z] = toPlane(left, top);
  camera.isFitted = false;
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
  camera.isFitted = false;
  camera.middle = toPlane(camera.width / 2 - right, camera.height / 2 - down);
  changed("camera", {});
}

/** @param {Point} point */
export function centre(point) {
  camera.isFitted = false;
  camera.middle = point;
  changed("camera", {});
}

/** The bars that lie on the stage: pixels at its left and at its bottom. */
const BARS = { left: 52, bottom: 46 };

/** Shows the whole level. */
export function fit() {
  const welcome = model.welcome;
  if (!welcome) return;
  const [west, north, east, south] = welcome.bounds;
  const box = hasHeights() ? model.box : null;
  const [[x0, y0, z0], [x1, y1, z1]] = box ?? [
    [west, welcome.heights[0], north],
    [east, welcome.heights[1], south],
  ];
  const corners = [x0, x1].flatMap((x) => [z0, z1].flatMap((z) => [y0, y1].map((y) => planeOf(x, y, z))));
  const [xs, zs] = [corners.map(([x]) => x), corners.map(([, z]) => z)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...zs), Math.max(...zs)];
  const [wide, deep] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const across = camera.isIsometric ? (wide + deep) * HALF : wide;
  const down = camera.isIsometric ? across / 2 : deep;
  const room = Math.min(20, camera.width / 20);
  const [free, high] = [camera.width - BARS.left - 2 * room, camera.height - BARS.bottom - 2 * room];
  camera.scale = Math.max(0.2, Math.min(free / across, high / down));
  camera.middle = [(left + right) / 2, (top + bottom) / 2];
  camera.middle = toPlane(camera.width / 2 - BARS.left / 2, camera.height / 2 + BARS.bottom / 2);
  camera.isFitted = true;
  changed("camera", { isZoom: true });
}

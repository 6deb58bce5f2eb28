// @ts-check
// Levels with heights: floors, stairs and walls in space, and everything that lies on them, as seen from the pose.
//
// In: the picture of a level in which every point has its height, the pose of the camera. Out: the same picture in the
// plane; shaded floors with what hides what; the place of the world under a point. Holds: floors hide what lies below
// them, walls are glass, so that one looks into the rooms; what lies above the ceiling is left out, and so it hides
// nothing. Not here: the pose itself (`camera.js`), flat levels, whose pictures need none of this.

import { hasHeights, placeAtDepth, planeOf, pose, spaceMatrix, turned } from "./camera.js";
import { changed, listen, model } from "./model.js";
import { groundPixel, stageColours } from "./palette.js";

/** Corners of what is round. */
const ROUND = 28;
/** From where the light comes. */
const LIGHT = [0.37, 0.86, 0.35];
/** How much of a wall is seen, of 1. */
const GLASS = 0.16;
/** What is so much further away than what is in front of it is hidden, metres. */
const THICK = 0.12;
/** How much of what is hidden is seen, of 1. */
export const VEILED = 0.12;

/** Triangles in space: nine numbers each, and how each looks. */
const solid = {
  corners: new Float64Array(0),
  /** @type {{fill: string, light: number, isWall: boolean, top: number}[]} */
  looks: [],
  /** Edges of walls, six numbers each. @type {number[][]} */
  edges: [],
};

/** What the last relief was painted with. */
const shown = {
  depth: new Float32Array(0),
  wide: 0,
  high: 0,
  /** From the plane to its pixels. @type {number[]} */
  map: [],
};

/** Begins to listen. */
export function startRelief() {
  listen("pose", () => {
    if (!hasHeights()) return;
    model.scene = projected(model.raw);
    model.overlay = { ...model.overlay, layers: projectedLayers(model.rawOverlay) };
  });
}

/** Takes a picture in. @param {Picture} picture */
export function takeScene(picture) {
  model.raw = picture;
  model.scene = projected(picture);
  build(picture);
  changed("scene");
}

/** Takes moving parts in. @param {{tick: number, layers: PictureLayer[], legend?: LegendLine[]}} overlay */
export function takeOverlay(overlay) {
  model.rawOverlay = overlay.layers;
  model.overlay = { ...overlay, layers: projectedLayers(overlay.layers) };
  changed("overlay");
}

/** @param {Picture} picture @returns {Picture} */
function projected(picture) {
  if (!hasHeights()) return model.parts.has("padding") ? picture : withoutPadding(picture);
  const labels = picture.labels?.map((label) => ({ ...label, at: planeOf(label.at[0], label.y ?? 0, label.at[1]) }));
  return { ...picture, layers: projectedLayers(picture.layers), labels };
}

/**
 * The same without the rim along walls, which looks as blocked as it is.
 * @param {Picture} picture
 * @returns {Picture}
 */
function withoutPadding(picture) {
  const plain = (/** @type {PictureLayer} */ layer) => {
    const blocked = layer.shapes.find((shape) => shape.kind === "cells" && shape.key === "blocked");
    const shapes = layer.shapes.map((shape) =>
      shape.kind === "cells" && shape.key === "padding"
        ? { ...shape, fill: blocked?.fill ?? null, hatch: blocked?.hatch ?? null, stroke: blocked?.stroke ?? null }
        : shape,
    );
    return { ...layer, shapes };
  };
  return { ...picture, layers: picture.layers.map(plain) };
}

/**
 * Layers as they lie in the plane.
 * @param {PictureLayer[]} layers
 * @returns {PictureLayer[]}
 */
export function projectedLayers(layers) {
  if (!hasHeights()) return layers;
  return layers.map((layer) => ({ ...layer, shapes: layer.shapes.map(projectedShape) }));
}

/** @param {Shape} shape @returns {Shape} */
function projectedShape(shape) {
  const ys = shape.ys;
  if (!ys || ys.length === 0) return shape;
  const y = shape.y ?? Math.min(...ys);
  const points = shape.polygon ?? shape.line;
  if (points) {
    const placed = points.map(([x, z], at) => planeOf(x, ys[at] ?? y, z));
    const half = points.length / 2;
    const [one, two] = [Math.floor(half - 0.5), Math.ceil(half - 0.5)];
    const mid = /** @type {Place} */ ([
      (points[one][0] + points[two][0]) / 2,
      ((ys[one] ?? y) + (ys[two] ?? y)) / 2,
      (points[one][1] + points[two][1]) / 2,
    ]);
    // Faces lie in the relief, where they hide what they hide.
    const fill = shape.kind === "cells" && shape.polygon ? null : shape.fill;
    return { ...shape, [shape.polygon ? "polygon" : "line"]: placed, fill, y, mid };
  }
  if (shape.dot) {
    const [x, z, radius] = shape.dot;
    return { ...shape, dot: [...planeOf(x, ys[0], z), radius], y, mid: [x, ys[0], z] };
  }
  if (shape.circle) {
    const [x, z, radius] = shape.circle;
    const corner = (/** @type {number} */ at) => {
      const angle = (at / ROUND) * Math.PI * 2;
      return planeOf(x + Math.cos(angle) * radius, ys[0], z + Math.sin(angle) * radius);
    };
    const polygon = Array.from({ length: ROUND }, (_, at) => corner(at));
    return { ...shape, circle: undefined, polygon, y, mid: [x, ys[0], z] };
  }
  return shape;
}

/**
 * Makes triangles of the faces of a picture.
 * @param {Picture} picture
 */
function build(picture) {
  /** @type {{corners: Place[], fill: string, isWall: boolean}[]} */
  const all = [];
  for (const part of picture.scenery ?? [])
    for (const corners of part.triangles)
      all.push({ corners, fill: part.fill, isWall: part.kind === "wall" });
  const faces = picture.layers.flatMap((layer) => layer.shapes);
  for (const { kind, polygon, ys, fill } of faces) {
    if (kind !== "cells" || !polygon || !ys || !fill) continue;
    const at = (/** @type {number} */ corner) =>
      /** @type {Place} */ ([polygon[corner][0], ys[corner], polygon[corner][1]]);
    for (let corner = 2; corner < polygon.length; corner++)
      all.push({ corners: [at(0), at(corner - 1), at(corner)], fill, isWall: false });
  }
  const [low, high] = model.welcome?.heights ?? [0, 0];
  solid.corners = new Float64Array(all.length * 9);
  solid.looks = all.map(({ corners, fill, isWall }, number) => {
    solid.corners.set(corners.flat(), number * 9);
    const heights = corners.map(([, y]) => y);
    const up = high > low ? Math.min(1, Math.max(0, (Math.min(...heights) - low) / (high - low))) : 1;
    const light = (0.8 + 0.2 * lightOn(corners)) * (0.9 + 0.1 * up);
    return { fill, light, isWall, top: Math.max(...heights) };
  });
  model.box = boxOf(solid.corners);
  solid.edges = wallEdges(all.filter(({ isWall }) => isWall).map(({ corners }) => corners));
}

/**
 * The box around all triangles, or null.
 * @param {Float64Array} corners
 * @returns {[Place, Place] | null}
 */
function boxOf(corners) {
  if (corners.length === 0) return null;
  /** @type {[Place, Place]} */
  const box = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  corners.forEach((part, at) => {
    box[0][at % 3] = Math.min(box[0][at % 3], part);
    box[1][at % 3] = Math.max(box[1][at % 3], part);
  });
  return box;
}

/** How much light falls on a triangle, 0 to 1. @param {Place[]} corners */
function lightOn([a, b, c]) {
  const [u, v] = [b.map((part, axis) => part - a[axis]), c.map((part, axis) => part - a[axis])];
  const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const long = Math.hypot(...normal) || 1;
  return Math.abs(normal.reduce((sum, part, axis) => sum + part * LIGHT[axis], 0)) / long;
}

/**
 * The edges of walls that are level or upright, each once: not the diagonals that halve them.
 * @param {Place[][]} walls
 */
function wallEdges(walls) {
  /** @type {Map<string, number[]>} */
  const edges = new Map();
  for (const corners of walls) {
    for (let at = 0; at < 3; at++) {
      const [one, two] = [corners[at], corners[(at + 1) % 3]];
      const isLevel = Math.abs(one[1] - two[1]) < 0.01;
      const isUpright = Math.hypot(one[0] - two[0], one[2] - two[2]) < 0.01;
      if (isLevel === isUpright) continue;
      const names = [one, two].map((corner) => corner.map((part) => part.toFixed(2)).join()).sort();
      edges.set(names.join(" "), [...one, ...two]);
    }
  }
  return [...edges.values()];
}

/** Whether there is a relief to be painted. */
export function hasRelief() {
  return hasHeights() && solid.looks.length > 0;
}

/**
 * Paints floors and walls over everything that is there.
 * @param {CanvasRenderingContext2D} context
 * @param {number} wide
 * @param {number} high
 * @param {number[]} map from the plane to pixels
 * @param {number} ratio
 */
export function paintRelief(context, wide, high, map, ratio) {
  if (shown.depth.length !== wide * high) shown.depth = new Float32Array(wide * high);
  shown.depth.fill(-Infinity);
  [shown.wide, shown.high, shown.map] = [wide, high, map];
  const image = context.getImageData(0, 0, wide, high);
  const pixels = new Uint32Array(image.data.buffer);
  const rows = spaceMatrix(map);
  for (const isWall of [false, true]) {
    solid.looks.forEach((look, number) => {
      if (look.isWall === isWall && look.top <= model.ceiling + 0.05) fillTriangle(pixels, rows, number, look);
    });
  }
  context.putImageData(image, 0, 0);
  paintEdges(context, rows, ratio);
}

/**
 * @param {Uint32Array} pixels
 * @param {number[][]} rows
 * @param {number} number
 * @param {{fill: string, light: number, isWall: boolean}} look
 */
function fillTriangle(pixels, rows, number, look) {
  const at = number * 9;
  const { corners } = solid;
  const { depth, wide, high } = shown;
  const place = (/** @type {number[]} */ row, /** @type {number} */ from) =>
    row[0] * corners[from] + row[1] * corners[from + 1] + row[2] * corners[from + 2] + row[3];
  const [x0, x1, x2] = [place(rows[0], at), place(rows[0], at + 3), place(rows[0], at + 6)];
  const [y0, y1, y2] = [place(rows[1], at), place(rows[1], at + 3), place(rows[1], at + 6)];
  const [d0, d1, d2] = [place(rows[2], at), place(rows[2], at + 3), place(rows[2], at + 6)];
  const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  if (Math.abs(area) < 1e-3) return;
  const across = ((d1 - d0) * (y2 - y0) - (d2 - d0) * (y1 - y0)) / area;
  const down = ((d2 - d0) * (x1 - x0) - (d1 - d0) * (x2 - x0)) / area;
  const colour = groundPixel(look.fill, look.light);
  const first = Math.max(0, Math.ceil(Math.min(y0, y1, y2) - 0.5));
  const last = Math.min(high - 1, Math.ceil(Math.max(y0, y1, y2) - 0.5) - 1);
  for (let y = first; y <= last; y++) {
    const middle = y + 0.5;
    let [left, right] = [Infinity, -Infinity];
    const cross = (/** @type {number} */ xa, /** @type {number} */ ya, /** @type {number} */ xb, /** @type {number} */ yb) => {
      if (ya <= middle === yb <= middle) return;
      const x = xa + ((middle - ya) / (yb - ya)) * (xb - xa);
      if (x < left) left = x;
      if (x > right) right = x;
    };
    cross(x0, y0, x1, y1);
    cross(x1, y1, x2, y2);
    cross(x2, y2, x0, y0);
    const from = Math.max(0, Math.ceil(left - 0.5));
    const to = Math.min(wide - 1, Math.ceil(right - 0.5) - 1);
    let near = d0 + (from + 0.5 - x0) * across + (middle - y0) * down;
    for (let pixel = y * wide + from; pixel <= y * wide + to; pixel++, near += across) {
      if (near <= depth[pixel]) continue;
      if (look.isWall) {
        pixels[pixel] = blend(pixels[pixel], colour);
      } else {
        depth[pixel] = near;
        pixels[pixel] = colour;
      }
    }
  }
}

/**
 * @param {number} below
 * @param {number} above
 */
function blend(below, above) {
  const part = (/** @type {number} */ shift) =>
    ((below >>> shift) & 255) + (((above >>> shift) & 255) - ((below >>> shift) & 255)) * GLASS;
  return ((255 << 24) | (part(16) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number[][]} rows
 * @param {number} ratio
 */
function paintEdges(context, rows, ratio) {
  const [right, down] = rows;
  context.strokeStyle = stageColours().soft;
  context.lineWidth = ratio;
  context.lineCap = "round";
  for (const isSeen of [false, true]) {
    context.globalAlpha = isSeen ? 0.75 : 0.1;
    context.beginPath();
    for (const [ax, ay, az, bx, by, bz] of solid.edges) {
      if (Math.max(ay, by) > model.ceiling + 0.05) continue;
      if (isHidden([(ax + bx) / 2, (ay + by) / 2, (az + bz) / 2]) === isSeen) continue;
      context.moveTo(
        right[0] * ax + right[1] * ay + right[2] * az + right[3],
        down[0] * ax + down[1] * ay + down[2] * az + down[3],
      );
      context.lineTo(
        right[0] * bx + right[1] * by + right[2] * bz + right[3],
        down[0] * bx + down[1] * by + down[2] * bz + down[3],
      );
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** How near what is painted at a point of the plane is; -Infinity where nothing is. @param {Point} plane */
function nearAt([px, pz]) {
  const [a, b, c, d, e, f] = shown.map;
  const [x, y] = [Math.floor(a * px + c * pz + e), Math.floor(b * px + d * pz + f)];
  if (!(x >= 0 && y >= 0 && x < shown.wide && y < shown.high)) return -Infinity;
  return shown.depth[y * shown.wide + x];
}

/**
 * Whether a floor lies before a place.
 * @param {Place} place
 */
export function isHidden([x, y, z]) {
  if (!hasRelief() || shown.map.length === 0) return false;
  const near = turned()[2];
  const own = near[0] * x + near[1] * y + near[2] * z + near[3];
  // The flatter one looks, the more a floor leans away within a pixel.
  const lean = (2 / Math.tan(pose.tilt)) / (Math.abs(shown.map[0]) || 1);
  return nearAt(planeOf(x, y, z)) > own + THICK + lean;
}

/**
 * The place of the world that is seen at a point of the plane, or null.
 * @param {Point} plane
 * @returns {Place | null}
 */
export function surfaceAt(plane) {
  if (!hasRelief()) return null;
  const near = nearAt(plane);
  return near === -Infinity ? null : placeAtDepth(plane, near);
}

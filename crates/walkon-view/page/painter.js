// @ts-check
// Pictures on a canvas.
//
// In: layers of a picture, a map from plane to pixels. Out: pixels. Holds: lines, dots and words have the same size at
// every zoom; words never overlap: the more important ones stay. Not here: what is in a picture (the program),
// characters (`bodies.js`).

import { isAbove } from "./model.js";
import { ground, ink, stageColours, tint } from "./palette.js";
import { isHidden, VEILED } from "./relief.js";

/** Kinds whose inside is ground. */
const GROUND = new Set(["cells", "area"]);

/** Tiles of slanted lines, by colour. @type {Map<string, CanvasPattern | null>} */
const hatches = new Map();

/**
 * @param {CanvasRenderingContext2D} context
 * @param {PictureLayer[]} layers
 * @param {number[]} map as `matrix()` of `camera.js` gives it, in pixels of the canvas
 * @param {number} ratio pixels of the canvas to one of the page
 */
export function paintLayers(context, layers, map, ratio) {
  for (const layer of layers) {
    /** Shapes in a row that look alike are one path: a graph has thousands of links. @type {Shape | null} */
    let first = null;
    let wasVeiled = false;
    const finish = () => {
      if (!first) return;
      context.globalAlpha = wasVeiled ? VEILED : 1;
      paintPath(context, first, ratio);
      context.globalAlpha = 1;
      first = null;
    };
    for (const shape of layer.shapes) {
      if (isAbove(shape.y)) continue;
      const isVeiled = shape.mid !== undefined && isHidden(shape.mid);
      if (!first || isVeiled !== wasVeiled || !isAlike(first, shape)) {
        finish();
        context.beginPath();
        [first, wasVeiled] = [shape, isVeiled];
      }
      trace(context, shape, map, ratio);
    }
    finish();
  }
}

/**
 * Whether two shapes may be one path: links, and dots of a graph.
 * @param {Shape} one
 * @param {Shape} two
 */
function isAlike(one, two) {
  if (!(one.line && two.line) && !(one.dot && two.dot && !one.stroke)) return false;
  return (
    one.stroke === two.stroke && one.fill === two.fill && one.width === two.width && one.dashed === two.dashed
  );
}

/**
 * Fills and strokes the path of the context as a shape looks.
 * @param {CanvasRenderingContext2D} context
 * @param {Shape} shape
 * @param {number} ratio
 */
function paintPath(context, shape, ratio) {
  if (shape.fill) {
    context.fillStyle = GROUND.has(shape.kind) ? ground(shape.fill) : tint(shape.fill);
    context.fill("evenodd");
  }
  if (shape.hatch) {
    const pattern = hatch(context, ink(shape.hatch), ratio);
    if (pattern) {
      context.fillStyle = pattern;
      context.fill("evenodd");
    }
  }
  if (!shape.stroke) return;
  const width = (shape.width ?? 1) * ratio;
  context.strokeStyle = ink(shape.stroke);
  context.lineWidth = width;
  context.lineJoin = "round";
  context.lineCap = shape.dashed ? "butt" : "round";
  context.setLineDash(shape.dashed ? [4 * ratio, 3 * ratio] : []);
  context.stroke();
  context.setLineDash([]);
}

/**
 * Adds the outline of a shape to the path of the context.
 * @param {CanvasRenderingContext2D} context
 * @param {Shape} shape
 * @param {number[]} map
 * @param {number} ratio
 */
function trace(context, shape, map, ratio) {
  const [a, b, c, d, e, f] = map;
  if (shape.dot) {
    const [x, z, radius] = shape.dot;
    const [left, top] = [a * x + c * z + e, b * x + d * z + f];
    context.moveTo(left + radius * ratio, top);
    context.arc(left, top, radius * ratio, 0, Math.PI * 2);
    return;
  }
  if (shape.line) {
    shape.line.forEach(([x, z], at) => {
      const [left, top] = [a * x + c * z + e, b * x + d * z + f];
      if (at === 0) context.moveTo(left, top);
      else context.lineTo(left, top);
    });
    return;
  }
  if (shape.blocks && b === 0 && c === 0) {
    // Whole pixels, so that blocks that touch show no seam.
    for (const [left, top, right, bottom] of shape.blocks) {
      const [x, y] = [Math.round(a * left + e), Math.round(d * top + f)];
      context.rect(x, y, Math.round(a * right + e) - x, Math.round(d * bottom + f) - y);
    }
    return;
  }
  context.setTransform(a, b, c, d, e, f);
  for (const [left, top, right, bottom] of shape.blocks ?? []) context.rect(left, top, right - left, bottom - top);
  for (const facet of shape.facets ?? []) corners(context, facet);
  if (shape.polygon) corners(context, shape.polygon);
  if (shape.circle) {
    const [x, z, radius] = shape.circle;
    context.arc(x, z, radius, 0, Math.PI * 2);
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Point[]} points
 */
function corners(context, points) {
  points.forEach(([x, z], at) => (at === 0 ? context.moveTo(x, z) : context.lineTo(x, z)));
  context.closePath();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @param {number} ratio
 */
function hatch(context, colour, ratio) {
  const name = `${colour} ${ratio}`;
  const known = hatches.get(name);
  if (known !== undefined) return known;
  const side = Math.round(7 * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const pen = tile.getContext("2d");
  if (!pen) return null;
  pen.strokeStyle = colour;
  pen.lineWidth = ratio;
  for (const shift of [-side, 0, side]) {
    pen.moveTo(shift, side);
    pen.lineTo(shift + side, 0);
  }
  pen.stroke();
  const pattern = context.createPattern(tile, "repeat");
  hatches.set(name, pattern);
  return pattern;
}

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";

/** Rectangles that words take up already. */
export class Words {
  /** @type {[number, number, number, number][]} */
  taken = [];

  /**
   * Writes a word at a place if nothing else is written there.
   * @param {CanvasRenderingContext2D} context
   * @param {{text: string, left: number, top: number, size: number, colour: string, isSure?: boolean, isBold?: boolean}} word
   *   `left` is its middle, `top` its upper edge
   * @returns {boolean} whether there was room
   */
  write(context, word) {
    context.font = `${word.isBold ? 600 : 500} ${word.size}px ${FONT}`;
    const wide = context.measureText(word.text).width;
    const [left, right, top, bottom] = [
      word.left - wide / 2 - 2,
      word.left + wide / 2 + 2,
      word.top,
      word.top + word.size * 1.15,
    ];
    const meets = this.taken.some(([l, r, t, b]) => left < r && right > l && top < b && bottom > t);
    if (meets && !word.isSure) return false;
    this.taken.push([left, right, top, bottom]);
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineJoin = "round";
    context.strokeStyle = stageColours().halo;
    context.lineWidth = word.size * 0.28;
    context.strokeText(word.text, word.left, word.top);
    context.fillStyle = word.colour;
    context.fillText(word.text, word.left, word.top);
    return true;
  }
}

/** Where a name may stand in its area, shares of width and depth. */
const SPOTS = [
  [0.5, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.25, 0.25],
  [0.75, 0.75],
  [0.75, 0.25],
  [0.25, 0.75],
];

/**
 * A place for the name of an area where nothing lies on it.
 * @param {PictureLabel} label
 * @param {Shape[]} areas
 * @returns {Point}
 */
function spotOf(label, areas) {
  const own = areas.find((shape) => shape.key === label.key && !shape.fill)?.polygon;
  if (!own) return label.at;
  const obstacles = areas
    .filter((shape) => shape.fill && shape.polygon)
    .map((shape) => /** @type {Point[]} */ (shape.polygon));
  const [xs, zs] = [own.map((corner) => corner[0]), own.map((corner) => corner[1])];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...zs), Math.max(...zs)];
  for (const [across, down] of SPOTS) {
    const [x, z] = [left + (right - left) * across, top + (bottom - top) * down];
    if (inPolygon(own, x, z) && !obstacles.some((obstacle) => inPolygon(obstacle, x, z))) return [x, z];
  }
  return label.at;
}

/**
 * @param {Point[]} corners
 * @param {number} x
 * @param {number} z
 */
export function inPolygon(corners, x, z) {
  let isIn = false;
  for (let at = 0, last = corners.length - 1; at < corners.length; last = at++) {
    const [ax, az] = corners[at];
    const [bx, bz] = corners[last];
    if (az > z !== bz > z && x < ((bx - ax) * (z - az)) / (bz - az) + ax) isIn = !isIn;
  }
  return isIn;
}

/**
 * Writes the labels of a picture.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number[]} map
 * @param {number} ratio
 * @returns {[number, number, number, number][]} where words are: left, right, top, bottom
 */
export function paintLabels(context, picture, map, ratio) {
  const [a, b, c, d, e, f] = map;
  const words = new Words();
  const zoom = Math.hypot(a, b) / ratio;
  // Of equals the later one lies on top, an obstacle on its area, and comes first.
  const areas = picture.layers.flatMap((layer) => layer.shapes).filter((shape) => shape.kind === "area");
  const sorted = (picture.labels ?? [])
    .filter((label) => label.kind !== "character")
    .reverse()
    .sort((one, two) => two.importance - one.importance);
  // Far away, names of ground would hide what happens on it.
  const isDense = sorted.length > 80 && zoom < 15;
  for (const label of sorted) {
    if (isAbove(label.y)) continue;
    if ((zoom < 5 && label.importance < 4) || (isDense && (label.kind === "area" || label.kind === "mark"))) continue;
    const [x, z] = label.kind === "area" ? spotOf(label, areas) : label.at;
    const size = (label.size || 11) * ratio;
    // A door that is seen from afar is no larger than its name.
    const isPoint = label.kind === "mark" || label.kind === "link" || (label.kind === "door" && zoom < 14);
    const word = { text: label.text, left: a * x + c * z + e, size, colour: ink(label.colour) };
    const top = b * x + d * z + f + (isPoint ? 6 * ratio : -size / 2);
    for (const lines of isPoint ? [0, -2.2] : [0, 2, -2, 4, -4]) {
      if (words.write(context, { ...word, top: top + lines * size })) break;
    }
  }
  return words.taken;
}

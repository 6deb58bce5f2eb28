// @ts-check
// The stage: the level and everybody in it.
//
// In: the model, the camera, the tool in hand. Out: pixels, sixty times a second at most and not at all while nothing
// changes. Holds: what stands still is drawn once per zoom into a backdrop larger than the stage and moved from there.
// Not here: pointers (`pointer.js`), what clicks do (`tools.js`).

import { countVisible, drawBodies, forgetLooks, stampBodies, STAMPED_FROM } from "./bodies.js";
import { camera, centre, fit, matrix, planeOf, stageOf, toStage } from "./camera.js";
import { byId } from "./elements.js";
import { bodyOf, progress } from "./frames.js";
import { drawGhosts, paintTrajectories } from "./future.js";
import { listen, model, rowOf, seenTick } from "./model.js";
import { paintLabels, paintLayers } from "./painter.js";
import { stageColours } from "./palette.js";
import { hasRelief, paintRelief } from "./relief.js";
import { drawSearched } from "./searched.js";
import { tool } from "./tools.js";
import { drawTrail } from "./trails.js";

const canvas = /** @type {HTMLCanvasElement} */ (byId("stage"));
const context = /** @type {CanvasRenderingContext2D} */ (
  canvas.getContext("2d", { alpha: false, willReadFrequently: true })
);

/** Pixels of the backdrop beyond each edge of the stage. */
const MARGIN = 160;

const backdrop = {
  canvas: document.createElement("canvas"),
  isStale: true,
  scale: 0,
  isIsometric: false,
  /** @type {Point} */
  middle: [0, 0],
  cost: 0,
  /** @type {Uint32Array | null} */
  pixels: null,
  /** Where words are on it. @type {[number, number, number, number][]} */
  words: [],
};
const backdropContext = /** @type {CanvasRenderingContext2D} */ (
  backdrop.canvas.getContext("2d", { alpha: false, willReadFrequently: true })
);

/** @type {ImageData | null} */
let image = null;
let needsDrawing = true;
let zoomedAt = 0;
let ratio = 1;

/** Counters for those who test the page. */
export const counters = {
  frames: 0,
  drawn: 0,
  cost: 0,
  backdrops: 0,
  backdropCost: 0,
  times: /** @type {number[]} */ ([]),
};

/** What the pointer rests on. */
export const hover = { key: -1 };

/** Asks for the stage to be drawn again. */
export function redraw() {
  needsDrawing = true;
}

/** Asks for everything to be drawn again, what stands still included. */
export function redrawAll() {
  backdrop.isStale = true;
  needsDrawing = true;
}

/** Whether the stage shows all that it was asked to show. */
export function isDrawn() {
  return !needsDrawing && !backdrop.isStale;
}

/** Frames drawn in the last second. */
export function fps() {
  const since = performance.now() - 1000;
  return counters.times.filter((time) => time > since).length;
}

function resize() {
  const box = canvas.getBoundingClientRect();
  ratio = Math.min(3, window.devicePixelRatio || 1);
  [camera.width, camera.height] = [Math.max(50, box.width), Math.max(50, box.height)];
  [canvas.width, canvas.height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
  image = null;
  if (camera.isFitted) fit();
  redrawAll();
}

/** Begins to draw. */
export function startStage() {
  new ResizeObserver(resize).observe(canvas);
  resize();
  for (const what of ["overlay", "selection", "frame", "tool", "ahead"]) listen(what, redraw);
  for (const what of ["scene", "theme", "future", "pose", "ceiling"]) listen(what, redrawAll);
  for (const what of ["roster", "theme"]) listen(what, () => (forgetLooks(), redraw()));
  listen("camera", (/** @type {{isZoom?: boolean}} */ detail) => {
    if (detail?.isZoom) zoomedAt = performance.now();
    redraw();
  });
  requestAnimationFrame(turn);
}

/** @param {number} now */
function turn(now) {
  requestAnimationFrame(turn);
  const share = model.ahead === null ? progress(performance.now()) : 1;
  const isBetween = share < 1 || wasBetween;
  if (!needsDrawing && !isBetween) return;
  wasBetween = share < 1;
  needsDrawing = false;
  draw(share, now);
}

let wasBetween = false;

/**
 * @param {number} share
 * @param {number} now
 */
function draw(share, now) {
  const begun = performance.now();
  if (model.follows) follow(share);
  prepareBackdrop(now);
  const isMany = (model.frame?.count ?? 0) > STAMPED_FROM && countVisible() > STAMPED_FROM;
  const showsBodies = model.parts.has("characters");
  if (isMany && showsBodies) {
    drawMany(share);
  } else {
    drawBackdrop();
  }
  const map = matrix().map((part) => part * ratio);
  if (Math.abs(model.overlay.tick - seenTick()) < 30) paintLayers(context, model.overlay.layers, map, ratio);
  drawSearched(context);
  tool.now.below?.(context);
  drawTrail(context, map, ratio, share);
  drawSelection(share);
  if (!isMany && showsBodies)
    drawBodies(context, ratio, share, {
      hovered: hover.key,
      hasNames: model.parts.has("names"),
      taken: labelsOnStage(),
    });
  drawGhosts(context, map, ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  tool.now.draw?.(context);
  context.setTransform(1, 0, 0, 1, 0, 0);
  counters.frames++;
  counters.drawn = seenTick();
  counters.cost = performance.now() - begun;
  counters.times.push(begun);
  if (counters.times.length > 400) counters.times.splice(0, 200);
}

/** @param {number} share */
function follow(share) {
  const body = bodyOf(model.selection?.key, share);
  if (!body) return;
  const [x, z] = planeOf(body.x, body.y, body.z);
  // A little each time: a camera that jumps is no help.
  const [nowX, nowZ] = camera.middle;
  if (Math.hypot(x - nowX, z - nowZ) * camera.scale < 0.3) return;
  centre([nowX + (x - nowX) * 0.15, nowZ + (z - nowZ) * 0.15]);
}

/** How far the stage is from the backdrop, in pixels of the canvas. */
function shift() {
  const [a, b, c, d] = matrix();
  const [x, z] = [camera.middle[0] - backdrop.middle[0], camera.middle[1] - backdrop.middle[1]];
  return [Math.round((a * x + c * z + MARGIN) * ratio), Math.round((b * x + d * z + MARGIN) * ratio)];
}

/** @param {number} now */
function prepareBackdrop(now) {
  const isOtherZoom = backdrop.scale !== camera.scale || backdrop.isIsometric !== camera.isIsometric;
  const [right, down] = shift();
  const isAway = right < 0 || down < 0 || right > 2 * MARGIN * ratio || down > 2 * MARGIN * ratio;
  if (!backdrop.isStale && !isOtherZoom && !isAway) return;
  // While the wheel turns, a costly picture is stretched, and drawn sharp when the wheel rests.
  if (!backdrop.isStale && isOtherZoom && backdrop.cost > 14 && now - zoomedAt < 140) {
    needsDrawing = true;
    return;
  }
  paintBackdrop();
}

function paintBackdrop() {
  const begun = performance.now();
  const [wide, high] = [
    Math.round((camera.width + 2 * MARGIN) * ratio),
    Math.round((camera.height + 2 * MARGIN) * ratio),
  ];
  if (backdrop.canvas.width !== wide) backdrop.canvas.width = wide;
  if (backdrop.canvas.height !== high) backdrop.canvas.height = high;
  const map = matrix().map((part) => part * ratio);
  map[4] += MARGIN * ratio;
  map[5] += MARGIN * ratio;
  backdropContext.setTransform(1, 0, 0, 1, 0, 0);
  backdropContext.fillStyle = stageColours().paper;
  backdropContext.fillRect(0, 0, wide, high);
  if (hasRelief()) paintRelief(backdropContext, wide, high, map, ratio);
  paintLayers(backdropContext, model.scene.layers, map, ratio);
  paintTrajectories(backdropContext, map, ratio);
  backdrop.words = model.parts.has("names") ? paintLabels(backdropContext, model.scene, map, ratio) : [];
  backdrop.isStale = false;
  backdrop.scale = camera.scale;
  backdrop.isIsometric = camera.isIsometric;
  backdrop.middle = [camera.middle[0], camera.middle[1]];
  backdrop.pixels = null;
  backdrop.cost = performance.now() - begun;
  counters.backdrops++;
  counters.backdropCost = backdrop.cost;
}

/** Where words of the ground are on the stage. @returns {[number, number, number, number][]} */
function labelsOnStage() {
  if (backdrop.scale !== camera.scale) return [];
  const [right, down] = shift();
  return backdrop.words.map(([left, end, top, bottom]) => [left - right, end - right, top - down, bottom - down]);
}

function drawBackdrop() {
  if (backdrop.scale === camera.scale) {
    const [right, down] = shift();
    context.drawImage(backdrop.canvas, -right, -down);
    return;
  }
  const factor = camera.scale / backdrop.scale;
  const [left, top] = toStage(backdrop.middle[0], backdrop.middle[1]);
  context.fillStyle = stageColours().paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const [wide, high] = [backdrop.canvas.width * factor, backdrop.canvas.height * factor];
  context.drawImage(backdrop.canvas, left * ratio - wide / 2, top * ratio - high / 2, wide, high);
}

/** @param {number} share */
function drawMany(share) {
  const [wide, high] = [canvas.width, canvas.height];
  if (!image || image.width !== wide || image.height !== high) image = context.createImageData(wide, high);
  const pixels = new Uint32Array(image.data.buffer);
  if (backdrop.scale === camera.scale) {
    copyBackdrop(pixels, wide, high);
  } else {
    drawBackdrop();
    pixels.set(new Uint32Array(context.getImageData(0, 0, wide, high).data.buffer));
  }
  stampBodies(pixels, wide, high, ratio, share);
  context.putImageData(image, 0, 0);
}

/**
 * @param {Uint32Array} pixels
 * @param {number} wide
 * @param {number} high
 */
function copyBackdrop(pixels, wide, high) {
  const source = backdrop.canvas;
  if (!backdrop.pixels) {
    backdrop.pixels = new Uint32Array(backdropContext.getImageData(0, 0, source.width, source.height).data.buffer);
  }
  const [right, down] = shift();
  for (let row = 0; row < high; row++) {
    const from = (row + down) * source.width + right;
    pixels.set(backdrop.pixels.subarray(from, from + wide), row * wide);
  }
}

/** @param {number} share */
function drawSelection(share) {
  const selection = model.selection;
  if (!selection) return;
  const colours = stageColours();
  context.strokeStyle = colours.accent;
  context.lineWidth = 2 * ratio;
  if (selection.kind === "character") {
    const body = bodyOf(selection.key, share);
    if (!body) return;
    const [left, top] = stageOf(body.x, body.y, body.z);
    const radius = Math.max(5, (rowOf(body.key)?.radius ?? 0.35) * camera.scale) + 5;
    context.beginPath();
    context.arc(left * ratio, top * ratio, radius * ratio, 0, Math.PI * 2);
    context.stroke();
    return;
  }
  const map = matrix().map((part) => part * ratio);
  for (const layer of model.scene.layers) {
    for (const shape of layer.shapes) {
      if (shape.kind !== selection.kind || shape.name !== selection.name) continue;
      paintLayers(
        context,
        [
          {
            name: "",
            shapes: [{ ...shape, fill: null, hatch: null, stroke: colours.accent, width: 2.5, dashed: false }],
          },
        ],
        map,
        ratio,
      );
    }
  }
}

/** Where the canvas is on the page. */
export function stageBox() {
  return canvas.getBoundingClientRect();
}

/** The element itself, for those who listen to its pointers. */
export const stageElement = canvas;

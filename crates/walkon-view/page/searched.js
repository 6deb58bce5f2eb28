// @ts-check
// What a search looked at: of a path that is tested, and of the walk of the selected character.
//
// In: layers of a search. Out: pixels. Holds: the search of the selection is asked for again three times a second at
// most, and only while its layer is shown. Not here: testing paths (`paths.js`).

import { matrix } from "./camera.js";
import { ask } from "./connection.js";
import { changed, listen, model } from "./model.js";
import { paintLayers } from "./painter.js";
import { projectedLayers } from "./relief.js";

/** Kinds of cells that say nothing about a search. */
const PLAIN = new Set(["free", "blocked", "padding"]);
/** Milliseconds from one question to the next. */
const EVERY = 330;

/** @type {PictureLayer[]} */
let layers = [];
/** @type {LegendLine[]} */
let lines = [];
let askedAt = 0;
let isUnderWay = false;
let isStale = true;

/** Begins to ask. */
export function startSearched() {
  for (const what of ["selection", "parts", "sought", "tick", "state", "frame"]) listen(what, () => (isStale = true));
  listen("selection", forget);
  setInterval(look, 110);
}

function forget() {
  if (layers.length === 0) return;
  [layers, lines] = [[], []];
  changed("overlay");
  changed("searched");
}

/** The selected character, while its search is to be shown. */
function wanted() {
  return model.selection?.kind === "character" && model.parts.has("searched") ? model.selection.name : null;
}

async function look() {
  const name = wanted();
  if (name === null) return forget();
  const now = performance.now();
  if (!isStale || isUnderWay || !model.isConnected || document.hidden || now - askedAt < EVERY) return;
  [isUnderWay, isStale, askedAt] = [true, false, now];
  try {
    const answer = await ask("path", { of: name });
    if (wanted() === name) {
      const were = lines.length;
      layers = answer.searched ?? [];
      lines = (answer.legend ?? []).filter(isOfSearch);
      changed("overlay");
      if (were !== lines.length) changed("searched");
    }
  } catch {
    forget();
  }
  isUnderWay = false;
}

/** Whether a line of the legend is about the search, and not about the ground or the ends, which are plain. @param {LegendLine} line */
export function isOfSearch({ text }) {
  return !/^(free|blocked|padding|start|goal|region|mark|route)$|door/.test(text);
}

/** What the colours of the search of the selection mean. */
export function searchedLegend() {
  return wanted() === null ? [] : lines;
}

/**
 * Draws the search of the selected character.
 * @param {CanvasRenderingContext2D} context
 */
export function drawSearched(context) {
  if (wanted() !== null) paintSearched(context, layers);
}

/**
 * Draws what a search looked at: the ground is on the stage already.
 * @param {CanvasRenderingContext2D} context
 * @param {PictureLayer[]} found
 */
export function paintSearched(context, found) {
  const ratio = window.devicePixelRatio || 1;
  const news = found.map((layer) => ({
    ...layer,
    shapes: layer.shapes.filter((shape) => !PLAIN.has(shape.key ?? "")),
  }));
  context.save();
  context.globalAlpha = 0.7;
  paintLayers(
    context,
    projectedLayers(news),
    matrix().map((part) => part * ratio),
    ratio,
  );
  context.restore();
}

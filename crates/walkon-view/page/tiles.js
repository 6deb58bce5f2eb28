// @ts-check
// Tiles of maps that are drawn with characters: where each lies, and a brush.
//
// In: the rows of the level, its layout. Out: the tile under a point, its outline. Holds: the first row lies at the
// smallest z; hexagons and diamonds are found by their nearest centre. Not here: saving what was painted (`editor.js`).

import { ask } from "./connection.js";
import { changed, listen, model } from "./model.js";

/**
 * @typedef {{rows: string[], at: string, wide: number, high: number, origin: Point, layout: string, isOdd: boolean, axis: string,
 *   legend: Record<string, Json>, layer: number, isFile?: boolean, tiled?: {ids: Map<string, number>, layers: string[]}}} Tiles
 * Of a map of Tiled each tile has a letter of its own, and `ids` its number there.
 */

/** The map of a level that is a file of zeros and ones, as it was read last. @type {{file: string, tiles: Tiles} | null} */
let grid = null;

/** The tile layer of a map of Tiled that is painted. */
let tiledLayer = 0;
/** The first of the letters that stand for tiles of Tiled: none that anybody writes. */
const FIRST_LETTER = 0xe000;

/** Begins to listen. */
export function startTiles() {
  listen("welcome", readGrid);
  listen("document", readGrid);
  listen("edited", (/** @type {{file: string}} */ news) => news.file === grid?.file && readGrid());
}

/** The file of the map, from the root of the project, where it is one of zeros and ones. */
function gridFile() {
  const navigation = model.document.value?.navigation;
  const name = typeof navigation === "string" ? navigation : navigation?.kind === "textGrid" ? navigation.file : null;
  if (typeof name !== "string" || !/\.txt$/i.test(name)) return null;
  const folder = model.document.file.split("/").slice(0, -1);
  return [...folder, name].join("/");
}

/** Whether the level is a map of Tiled, or names one. */
function isTiled() {
  const navigation = model.document.value?.navigation;
  const name = typeof navigation === "string" ? navigation : navigation?.kind === "tiled" ? "a.tmx" : model.document.file;
  return /\.tm[xj]$/i.test(name);
}

/** Paints another layer of a map of Tiled. @param {number} layer */
export function paintLayer(layer) {
  tiledLayer = layer;
  readGrid();
}

/**
 * The tiles of a layer of a map of Tiled, each tile as a letter.
 * @param {Json} map
 * @returns {Tiles}
 */
function tiledOf(map) {
  if (tiledLayer >= map.layers.length) tiledLayer = 0;
  /** @type {Map<number, string>} */
  const letters = new Map([[0, String.fromCharCode(FIRST_LETTER)]]);
  const letterOf = (/** @type {number} */ id) => {
    const known = letters.get(id) ?? String.fromCharCode(FIRST_LETTER + letters.size);
    letters.set(id, known);
    return known;
  };
  // Those of all layers can be painted on each.
  for (const layer of map.layers) for (const id of [...new Set(layer.cells)].sort((one, other) => Number(one) - Number(other))) letterOf(Number(id));
  /** @type {number[]} */
  const cells = map.layers[tiledLayer]?.cells ?? [];
  const rows = [];
  for (let at = 0; at < cells.length; at += map.columns) rows.push(cells.slice(at, at + map.columns).map(letterOf).join(""));
  const [wide, high] = model.welcome?.tileSize ?? [1, 1];
  const bounds = model.welcome?.bounds ?? [0, 0, 0, 0];
  const isAlongX = map.staggerAxis === "x";
  const layout = map.orientation === "hexagonal" ? (isAlongX ? "hexFlat" : "hexPointy") : map.orientation === "staggered" ? "staggered" : "square";
  return {
    rows,
    at: "",
    wide,
    high,
    origin: [bounds[0], bounds[1]],
    layout,
    isOdd: map.staggerIndex !== "even",
    axis: map.staggerAxis || "y",
    legend: {},
    layer: tiledLayer,
    tiled: {
      ids: new Map([...letters].map(([id, letter]) => [letter, id])),
      layers: map.layers.map((/** @type {Json} */ layer) => layer.name),
    },
  };
}

async function readGrid() {
  if (model.document.file && isTiled()) {
    try {
      const map = await ask("tiles");
      grid = { file: map.file, tiles: tiledOf(map) };
    } catch {
      grid = null;
    }
    changed("grid");
    return;
  }
  const file = gridFile();
  if (!file) {
    grid = null;
    return;
  }
  try {
    const { text } = await ask("source", { file });
    grid = { file, tiles: gridOf(text) };
  } catch {
    grid = null;
  }
  changed("grid");
}

/**
 * The tiles of a text grid: lines of a key and a number, then rows.
 * @param {string} text
 * @returns {Tiles}
 */
function gridOf(text) {
  const lines = text.split(/\r?\n/);
  /** @type {Record<string, number>} */
  const head = {};
  /** @type {string[]} */
  const rows = [];
  for (const line of lines) {
    const found = /^\s*([A-Za-z]\w*)\s+(\S+)\s*$/.exec(line);
    if (found) head[found[1]] = Number(found[2]);
    else if (/^[01]+\s*$/.test(line)) rows.push(line.trim());
  }
  const side = head.cellSize ?? 0.4;
  const origin = /** @type {Point} */ ([head.minX ?? 0, head.minZ ?? 0]);
  return { rows, at: "", wide: side, high: side, origin, layout: "square", isOdd: true, axis: "y", legend: {}, layer: 0, isFile: true };
}

/** The tiles of the layer that is shown, or null. @returns {Tiles | null} */
export function tilesOf() {
  const navigation = model.document.value?.navigation;
  if (grid) return grid.tiles;
  if (!navigation || typeof navigation !== "object") return null;
  const layer = model.layer;
  const inLayers = Array.isArray(navigation.layers);
  const rows = inLayers ? navigation.layers[layer]?.rows : navigation.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const isAscii = navigation.kind === "ascii";
  const origin = Array.isArray(navigation.origin) ? navigation.origin : [0, 0];
  return {
    rows,
    at: inLayers ? `/navigation/layers/${layer}/rows` : "/navigation/rows",
    wide: isAscii ? (navigation.cellSize ?? 0.4) : (navigation.tileWidth ?? 1),
    high: isAscii ? (navigation.cellSize ?? 0.4) : (navigation.tileHeight ?? navigation.tileWidth ?? 1),
    origin: [origin[0], origin[origin.length - 1]],
    layout: navigation.layout ?? "square",
    isOdd: (navigation.staggerIndex ?? "odd") === "odd",
    axis: navigation.staggerAxis ?? "y",
    legend: navigation.legend ?? {},
    layer,
  };
}

/**
 * The middle of a tile.
 * @param {Tiles} tiles
 * @param {number} column
 * @param {number} row
 * @returns {Point}
 */
export function middleOf(tiles, column, row) {
  const { wide, high, origin, layout, isOdd, axis } = tiles;
  const shifts = (/** @type {number} */ line) => ((line % 2 === 1) === isOdd ? 0.5 : 0);
  let [x, z] = [column + 0.5, row + 0.5];
  if (layout === "hexPointy") [x, z] = [column + 0.5 + shifts(row), row * 0.75 + 0.5];
  else if (layout === "hexFlat") [x, z] = [column * 0.75 + 0.5, row + 0.5 + shifts(column)];
  else if (layout === "staggered" && axis === "x") [x, z] = [column * 0.5 + 0.5, row + 0.5 + shifts(column)];
  else if (layout === "staggered") [x, z] = [column + 0.5 + shifts(row), row * 0.5 + 0.5];
  return [origin[0] + x * wide, origin[1] + z * high];
}

/**
 * The tile under a point, or null.
 * @param {Tiles} tiles
 * @param {Point} point
 * @returns {Point | null} column and row
 */
export function tileAt(tiles, point) {
  const { wide, high, rows } = tiles;
  /** @type {Point | null} */
  let best = null;
  let nearest = Infinity;
  const isPlain = /^square/.test(tiles.layout);
  const guessRow = (point[1] - tiles.origin[1]) / high;
  const [firstRow, lastRow] = isPlain
    ? [Math.floor(guessRow), Math.floor(guessRow)]
    : [Math.floor(guessRow) - 1, Math.ceil(guessRow * 2) + 2];
  for (let row = Math.max(0, firstRow); row <= Math.min(rows.length - 1, lastRow); row++) {
    const width = [...rows[row]].length;
    for (let column = 0; column < width; column++) {
      const [x, z] = middleOf(tiles, column, row);
      const [dx, dz] = [Math.abs(x - point[0]) / wide, Math.abs(z - point[1]) / high];
      const away = tiles.layout === "staggered" ? dx + dz : isPlain ? Math.max(dx, dz) : Math.hypot(dx, dz);
      if (away < nearest) [best, nearest] = [[column, row], away];
    }
  }
  return nearest <= (tiles.layout === "staggered" || isPlain ? 0.5 : 0.6) ? best : null;
}

/**
 * The corners of a tile.
 * @param {Tiles} tiles
 * @param {number} column
 * @param {number} row
 * @returns {Point[]}
 */
export function outlineOf(tiles, column, row) {
  const [x, z] = middleOf(tiles, column, row);
  const [half, deep] = [tiles.wide / 2, tiles.high / 2];
  if (tiles.layout === "hexPointy")
    return [
      [x, z - deep],
      [x + half, z - deep / 2],
      [x + half, z + deep / 2],
      [x, z + deep],
      [x - half, z + deep / 2],
      [x - half, z - deep / 2],
    ];
  if (tiles.layout === "hexFlat")
    return [
      [x - half, z],
      [x - half / 2, z - deep],
      [x + half / 2, z - deep],
      [x + half, z],
      [x + half / 2, z + deep],
      [x - half / 2, z + deep],
    ];
  if (tiles.layout === "staggered")
    return [
      [x, z - deep],
      [x + half, z],
      [x, z + deep],
      [x - half, z],
    ];
  return [
    [x - half, z - deep],
    [x + half, z - deep],
    [x + half, z + deep],
    [x - half, z + deep],
  ];
}

/**
 * The symbols that a brush can have, each with what it means.
 * @param {Tiles} tiles
 */
export function symbols(tiles) {
  if (tiles.tiled) return [...tiles.tiled.ids].map(([symbol, id]) => ({ symbol, text: id ? `tile ${id}` : "no tile" }));
  if (tiles.isFile)
    return [
      { symbol: "0", text: "blocked" },
      { symbol: "1", text: "ground" },
    ];
  /** @type {{symbol: string, text: string, mark?: string}[]} */
  const all = [
    { symbol: ".", text: "plain ground" },
    { symbol: "#", text: "blocked" },
  ];
  for (const [symbol, meaning] of Object.entries(tiles.legend)) {
    if (symbol === "." || symbol === "#") continue;
    const parts = [
      meaning.mark ? `mark ${meaning.mark}` : "",
      meaning.terrain,
      meaning.walkable === false ? "blocked" : "",
      meaning.cost ? `cost ${meaning.cost}` : "",
      meaning.area ? `area ${meaning.area}` : "",
      meaning.oneWay ? `one way: ${[meaning.oneWay].flat().join(", ")}` : "",
      ...(meaning.tags ?? []),
    ];
    all.push({ symbol, text: parts.filter(Boolean).join(", ") || symbol, mark: meaning.mark });
  }
  return all;
}

/**
 * The rows in which the one tile of a symbol lies elsewhere, as changes of the level: a mark is there once.
 * @param {Tiles} tiles
 * @param {string} symbol
 * @param {Point} to column and row
 * @returns {Change[]}
 */
export function symbolMoved(tiles, symbol, [column, row]) {
  /** @type {Map<number, string[]>} */
  const touched = new Map();
  const lettersOf = (/** @type {number} */ at) => {
    const letters = touched.get(at) ?? [...tiles.rows[at]];
    touched.set(at, letters);
    return letters;
  };
  tiles.rows.forEach((text, at) => {
    const found = [...text].indexOf(symbol);
    if (found >= 0) lettersOf(at)[found] = ".";
  });
  lettersOf(row)[column] = symbol;
  return [...touched].map(([at, letters]) => ({ at: `${tiles.at}/${at}`, set: letters.join("") }));
}

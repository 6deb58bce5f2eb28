// @ts-check
// Tiles of maps that are drawn with characters: where each lies, and a brush.
//
// In: the rows of the level, how the program says that they lie. Out: the tile under a point, its outline. Holds: the
// first row lies at the smallest z; a point that is on the map lies in the outline of its tile. Not here: saving what was
// painted (`editor.js`).

import { ask } from "./connection.js";
import { changed, listen, model } from "./model.js";

/**
 * @typedef {{layout: string, moved: string | null, wide: number, high: number, origin: Point}} Lattice
 * How tiles lie: those of every second row or column are moved by half a tile.
 * @typedef {{ids: Map<string, number>, texts: Map<number, string>, shown: Set<number>, layers: string[]}} TiledTiles
 * @typedef {Lattice & {rows: string[], at: string, legend: Record<string, Json>, layer: number, isFile?: boolean, isFlipped?: boolean,
 *   tiled?: TiledTiles}} Tiles
 * Of a map of Tiled each tile has a letter of its own, and `ids` its number there. Rows are those of the world; a map that is
 * flipped has them in its file the other way round.
 */

/** The map of a level that is a file of its own, as it was read last. @type {{file: string, tiles: Tiles, offset: Point} | null} */
let grid = null;

/** The tile layer of a map of Tiled that is painted. */
let tiledLayer = 0;
/** The first of the letters that stand for tiles of Tiled: none that anybody writes, and more than there are tiles. */
const FIRST_LETTER = 0xf0000;
/** As many tiles of Tiled are all shown; of more only those that the map has and those that mean something. */
const SHOWN_MAX = 120;
/** A stroke is looked at so often on the way over a tile. */
const STEPS_OF_A_TILE = 8;
/** Squares of a metre. @type {Lattice} */
const UNKNOWN = { layout: "square", moved: null, wide: 1, high: 1, origin: [0, 0] };

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

/** The letters of tiles of Tiled by their id: one that was given stays, so that a brush does. @type {Map<number, string>} */
const letters = new Map();

/** @param {number} id */
function letterOf(id) {
  const letter = letters.get(id) ?? String.fromCodePoint(FIRST_LETTER + letters.size);
  letters.set(id, letter);
  return letter;
}

/**
 * The tiles of a layer of a map of Tiled, each tile as a letter.
 * @param {Json} map
 * @returns {Tiles}
 */
function tiledOf(map) {
  if (tiledLayer >= map.layers.length) tiledLayer = 0;
  const shown = new Set([0]);
  // Those of all layers can be painted on each.
  for (const layer of map.layers) for (const id of layer.cells) shown.add(Number(id));
  /** @type {Map<number, string>} */
  const texts = new Map(map.tiles.map((/** @type {{id: number, text: string}} */ tile) => [tile.id, tile.text]));
  for (const [id, text] of texts) if (text || texts.size <= SHOWN_MAX) shown.add(id);
  const ids = [...new Set([...shown, ...texts.keys()])].sort((one, other) => one - other);
  const layer = map.layers[tiledLayer];
  /** @type {number[]} */
  const cells = layer?.cells ?? [];
  const rows = [];
  for (let at = 0; at < cells.length; at += map.columns) rows.push(cells.slice(at, at + map.columns).map(letterOf).join(""));
  const navigation = model.document.value?.navigation;
  const isFlipped = navigation?.kind === "tiled" && navigation.flip === true;
  if (isFlipped) rows.reverse();
  return {
    ...UNKNOWN,
    rows,
    at: "",
    legend: {},
    layer: tiledLayer,
    isFlipped,
    tiled: {
      ids: new Map(ids.map((id) => [letterOf(id), id])),
      texts,
      shown,
      layers: map.layers.map((/** @type {Json} */ layer) => layer.name),
    },
  };
}

async function readGrid() {
  if (model.document.file && isTiled()) {
    try {
      const map = await ask("tiles");
      const tiles = tiledOf(map);
      const [right, down] = map.layers[tiles.layer]?.offset ?? [0, 0];
      grid = { file: map.file, tiles, offset: [right, tiles.isFlipped ? -down : down] };
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
    grid = { file, tiles: gridOf(text), offset: [0, 0] };
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
  return { ...UNKNOWN, rows, at: "", wide: side, high: side, origin, legend: {}, layer: 0, isFile: true };
}

/** How the tiles of a map of tiles lie, as the program has them. @returns {Lattice | null} */
function latticeOf() {
  const tiling = model.welcome?.tiling;
  if (!tiling) return null;
  const { layout, moved, size, origin } = tiling;
  return { layout, moved, wide: size[0], high: size[1], origin };
}

/** The tiles of the layer that is shown, or null. @returns {Tiles | null} */
export function tilesOf() {
  const navigation = model.document.value?.navigation;
  const lattice = latticeOf();
  if (grid?.tiles.tiled) {
    if (!lattice) return null;
    const { wide, high, origin } = lattice;
    // A layer is painted where it is drawn.
    return { ...grid.tiles, ...lattice, origin: [origin[0] + grid.offset[0] * wide, origin[1] + grid.offset[1] * high] };
  }
  if (grid) return grid.tiles;
  if (!navigation || typeof navigation !== "object") return null;
  const layer = model.layer;
  const inLayers = Array.isArray(navigation.layers);
  const rows = inLayers ? navigation.layers[layer]?.rows : navigation.rows;
  if (!Array.isArray(rows) || rows.length === 0) return null;
  const legend = navigation.legend ?? {};
  if (navigation.kind !== "ascii") {
    return lattice && { ...lattice, rows, at: `/navigation/layers/${layer}/rows`, legend, layer };
  }
  const side = navigation.cellSize ?? 0.4;
  const [x, ...rest] = Array.isArray(navigation.origin) ? navigation.origin : [0, 0];
  const origin = /** @type {Point} */ ([x, rest[rest.length - 1]]);
  return { ...UNKNOWN, rows, at: "/navigation/rows", wide: side, high: side, origin, legend, layer };
}

/** From a row or a column to the next, in tiles. @param {string} layout @returns {Point} */
function pitchOf(layout) {
  if (layout === "hexPointy") return [1, 0.75];
  if (layout === "hexFlat") return [0.75, 1];
  if (layout === "staggeredRows") return [1, 0.5];
  if (layout === "staggeredColumns") return [0.5, 1];
  return [1, 1];
}

/**
 * The middle of a tile.
 * @param {Tiles} tiles
 * @param {number} column
 * @param {number} row
 * @returns {Point}
 */
export function middleOf({ wide, high, origin, layout, moved }, column, row) {
  const [across, down] = pitchOf(layout);
  const isMoved = (/** @type {number} */ line) => (line % 2 === 0) === (moved === "even");
  const [x, z] = [column * across + 0.5, row * down + 0.5];
  const right = down < 1 && isMoved(row) ? 0.5 : 0;
  const deeper = across < 1 && isMoved(column) ? 0.5 : 0;
  return [origin[0] + (x + right) * wide, origin[1] + (z + deeper) * high];
}

/**
 * How far a point is from the middle of a tile: 1 on its outline.
 * @param {string} layout
 * @param {number} x in widths of a tile
 * @param {number} z in heights of a tile
 */
function reach(layout, x, z) {
  if (layout === "hexPointy") return Math.max(2 * x, x + 2 * z);
  if (layout === "hexFlat") return Math.max(2 * z, z + 2 * x);
  return layout === "square" ? 2 * Math.max(x, z) : 2 * (x + z);
}

/**
 * The tile under a point, or null.
 * @param {Tiles} tiles
 * @param {Point} point
 * @returns {Point | null} column and row
 */
export function tileAt(tiles, point) {
  const { wide, high, rows, layout, origin } = tiles;
  const [across, down] = pitchOf(layout);
  const guess = [Math.floor((point[0] - origin[0]) / wide / across), Math.floor((point[1] - origin[1]) / high / down)];
  /** @type {Point | null} */
  let best = null;
  // A hair more than the outline, so that no point of the map lies between two tiles.
  let nearest = 1 + 1e-9;
  for (let row = Math.max(0, guess[1] - 1); row <= Math.min(rows.length - 1, guess[1] + 1); row++) {
    const width = [...rows[row]].length;
    for (let column = Math.max(0, guess[0] - 1); column <= Math.min(width - 1, guess[0] + 1); column++) {
      const [x, z] = middleOf(tiles, column, row);
      const away = reach(layout, Math.abs(x - point[0]) / wide, Math.abs(z - point[1]) / high);
      if (away < nearest) [best, nearest] = [[column, row], away];
    }
  }
  return best;
}

/**
 * The tiles that a stroke goes over, from one point to another.
 * @param {Tiles} tiles
 * @param {Point} from
 * @param {Point} to
 * @returns {Point[]}
 */
export function tilesBetween(tiles, from, to) {
  const steps = Math.ceil((Math.hypot(to[0] - from[0], to[1] - from[1]) * STEPS_OF_A_TILE) / Math.min(tiles.wide, tiles.high));
  const all = [];
  for (let step = 1; step <= Math.max(1, steps); step++) {
    const share = step / Math.max(1, steps);
    const tile = tileAt(tiles, [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]);
    if (tile) all.push(tile);
  }
  return all;
}

/**
 * Tiles as their file counts them.
 * @param {Tiles} tiles
 * @param {Point[]} cells
 * @returns {Point[]}
 */
export function cellsOf(tiles, cells) {
  return cells.map(([column, row]) => [column, tiles.isFlipped ? tiles.rows.length - 1 - row : row]);
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
  if (tiles.layout !== "square")
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
 * What a tile of Tiled is.
 * @param {number} id with the bits that say how it is turned
 * @param {Map<number, string>} texts
 */
function tiledText(id, texts) {
  const plain = id % 2 ** 28;
  const turned = plain === id ? "" : " (turned)";
  return [`tile ${plain}${turned}`, texts.get(plain)].filter(Boolean).join(": ");
}

/**
 * The symbols that a brush can have, each with what it means.
 * @param {Tiles} tiles
 */
export function symbols(tiles) {
  if (tiles.tiled) {
    const { ids, texts } = tiles.tiled;
    return [...ids].map(([symbol, id]) => ({ symbol, text: id ? tiledText(id, texts) : "no tile" }));
  }
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

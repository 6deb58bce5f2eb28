// @ts-check
// Tiles of maps that are drawn with characters: where each lies, and a brush.
//
// In: the rows of the level, its layout. Out: the tile under a point, its outline. Holds: the first row lies at the
// smallest z; hexagons and diamonds are found by their nearest centre. Not here: saving what was painted (`editor.js`).

import { model } from "./model.js";

/**
 * @typedef {{rows: string[], at: string, wide: number, high: number, origin: Point, layout: string, isOdd: boolean, axis: string,
 *   legend: Record<string, Json>, layer: number}} Tiles
 */

/** The tiles of the layer that is shown, or null. @returns {Tiles | null} */
export function tilesOf() {
  const navigation = model.document.value?.navigation;
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
  /** @type {{symbol: string, text: string}[]} */
  const all = [
    { symbol: ".", text: "plain ground" },
    { symbol: "#", text: "blocked" },
  ];
  for (const [symbol, meaning] of Object.entries(tiles.legend)) {
    if (symbol === "." || symbol === "#" || meaning?.mark) continue;
    const parts = [
      meaning.terrain,
      meaning.walkable === false ? "blocked" : "",
      meaning.cost ? `cost ${meaning.cost}` : "",
      meaning.area ? `area ${meaning.area}` : "",
      meaning.oneWay ? "one way" : "",
      ...(meaning.tags ?? []),
    ];
    all.push({ symbol, text: parts.filter(Boolean).join(", ") || symbol });
  }
  return all;
}

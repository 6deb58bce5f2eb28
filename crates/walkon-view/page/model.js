// @ts-check
// What the page knows of the level, and who wants to hear when it changes.
//
// In: what the program tells. Out: the last welcome, state, roster, pictures, frames, items; changes by name. Holds:
// nothing here draws or sends. Not here: the socket (`connection.js`), what is done with it (everything else).

/** @type {Map<string, Set<(detail: any) => void>>} */
const listeners = new Map();

/**
 * Calls `hear` whenever `what` changes.
 * @param {string} what
 * @param {(detail: any) => void} hear
 */
export function listen(what, hear) {
  const all = listeners.get(what) ?? new Set();
  listeners.set(what, all.add(hear));
}

/**
 * Says that `what` has changed.
 * @param {string} what
 * @param {any} [detail]
 */
export function changed(what, detail) {
  for (const hear of listeners.get(what) ?? []) {
    try {
      hear(detail);
    } catch (mistake) {
      console.error(mistake);
    }
  }
}

/** Everything that is known. */
export const model = {
  /** @type {Welcome | null} */
  welcome: null,
  /** @type {RunState} */
  state: {
    tick: 0,
    playing: false,
    speed: 1,
    kept: [0, 0],
    hash: "",
    isReproducible: true,
    ended: null,
    faults: 0,
    seed: 0,
    attends: false,
  },
  /** @type {Map<number, RosterRow>} */
  roster: new Map(),
  /** @type {Map<string, RosterRow>} */
  byName: new Map(),
  /** Those who are gone since, whom the past still shows. @type {Map<number, RosterRow>} */
  former: new Map(),
  /** As it lies in the plane. @type {Picture} */
  scene: { layers: [], labels: [], legend: [] },
  /** The box around everything in it that has a height. @type {[Place, Place] | null} */
  box: null,
  /** As it came: where heights are told, as from above. @type {Picture} */
  raw: { layers: [], labels: [], legend: [] },
  /** @type {{tick: number, layers: PictureLayer[], legend?: LegendLine[]}} */
  overlay: { tick: 0, layers: [] },
  /** @type {PictureLayer[]} */
  rawOverlay: [],
  /** @type {Frame | null} */
  frame: null,
  /** @type {Frame | null} */
  before: null,
  /** @type {Chosen | null} */
  selection: null,
  /** The tick of the past that is seen; null for the running level and its forecast. @type {number | null} */
  sought: null,
  /** The tick beyond the running level that is looked at in the forecast. @type {number | null} */
  ahead: null,
  /** Parts of pictures that are shown. @type {Set<string>} */
  parts: new Set(),
  layer: 0,
  /** How high what is shown may lie, metres. */
  ceiling: Infinity,
  follows: false,
  isConnected: false,
  /** The level as it stands in its file. @type {{file: string, text: string, value: Json, canUndo: string | boolean | null, canRedo: string | boolean | null}} */
  document: { file: "", text: "", value: null, canUndo: null, canRedo: null },
  /** @type {Diagnostic[]} */
  diagnostics: [],
  /** @type {Json} */
  schema: null,
};

/** The tick that is seen. */
export function seenTick() {
  return model.sought ?? model.frame?.tick ?? model.state.tick;
}

/** Whether the running level is seen, and neither its past nor its forecast. */
export function isLive() {
  return model.sought === null && model.ahead === null;
}

/** Ticks of a second. */
export function tickRate() {
  return model.welcome?.tickRate ?? 60;
}

/**
 * Seconds as people read them: 12.35 s, 2:05.3.
 * @param {number} tick
 * @param {number} [digits]
 */
export function clock(tick, digits = 2) {
  const seconds = tick / tickRate();
  if (seconds < 60) return `${seconds.toFixed(digits)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(Math.min(digits, 1)).padStart(digits ? 4 : 2, "0")}`;
}

/** Most of those who are gone that are remembered. */
const FORMER_MAX = 20000;

/** Somebody by number, also of the past. @param {number} key */
export function rowOf(key) {
  return model.roster.get(key) ?? model.former.get(key);
}

/** Somebody by name: of now, else who had it last. @param {string} name */
export function rowNamed(name) {
  const now = model.byName.get(name);
  if (now) return now;
  let last;
  for (const row of model.former.values()) if (row.name === name) last = row;
  return last;
}

/**
 * Takes rows of the roster in.
 * @param {{rows?: RosterRow[], gone?: number[], isWhole?: boolean, former?: RosterRow[]}} news
 */
export function takeRoster(news) {
  if (news.isWhole) {
    model.roster.clear();
    model.byName.clear();
    model.former = new Map((news.former ?? []).map((row) => [row.key, row]));
  }
  for (const key of news.gone ?? []) {
    const row = model.roster.get(key);
    if (row && model.byName.get(row.name)?.key === key) model.byName.delete(row.name);
    if (row) model.former.set(key, row);
    model.roster.delete(key);
  }
  for (const key of model.former.keys()) {
    if (model.former.size <= FORMER_MAX) break;
    model.former.delete(key);
  }
  for (const row of news.rows ?? []) {
    model.former.delete(row.key);
    model.roster.set(row.key, row);
    model.byName.set(row.name, row);
  }
  changed("roster");
}

/**
 * @param {Chosen | null} selection
 */
export function select(selection) {
  const now = model.selection;
  if (selection && selection.kind === "character" && selection.key === undefined) {
    selection = { ...selection, key: rowNamed(selection.name)?.key };
  }
  if (now?.kind === selection?.kind && now?.name === selection?.name) return;
  model.selection = selection;
  if (selection?.kind !== "character") model.follows = false;
  changed("selection");
}

/** The character that orders go to: the selected one, else the player. */
export function actor() {
  if (model.selection?.kind === "character") return model.selection.name;
  for (const row of model.roster.values()) if (row.isPlayer) return row.name;
  return null;
}

/**
 * Something that is kept from visit to visit, where the browser lets it.
 * @param {string} name
 * @param {any} fallback
 */
export function remembered(name, fallback) {
  try {
    const text = localStorage.getItem(`walkon.${name}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/**
 * @param {string} name
 * @param {any} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`walkon.${name}`, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing is no reason to stop.
  }
}

/**
 * Whether something lies above what is shown.
 * @param {number | undefined} y metres
 */
export function isAbove(y) {
  return y !== undefined && y > model.ceiling + 0.05;
}

// @ts-check
// The colours of characters: as pictures have them, or by name, tag or behaviour.
//
// In: the roster, a choice. Out: the colour of somebody, and what each colour means. Holds: groups keep their colours
// while people come and go, until the choice is another or the level begins again; the player has a colour of its own.
// Not here: colours in light and dark (`palette.js`).

import { changed, listen, model, remember, remembered } from "./model.js";

/** @typedef {"usual" | "name" | "tag" | "behaviour"} ColouredBy */

/** What colours may go by, with words for it. @type {[ColouredBy, string][]} */
export const WAYS = [
  ["usual", "as usual"],
  ["name", "name"],
  ["tag", "tag"],
  ["behaviour", "behaviour"],
];

const PEOPLE = [
  "#2c7dc4",
  "#d9822b",
  "#98469c",
  "#0f8761",
  "#cf4f3c",
  "#5d6b1f",
  "#6f4e37",
  "#334aa6",
  "#c3579c",
  "#313c4d",
];
const PLAYER = "#e25a8b";
/** Those who have no tag or no behaviour. */
const PLAIN = "#8a9099";
/** Most lines of a legend. */
const LINES = 12;

/** @type {ColouredBy} */
let by = remembered("colouredBy", "usual");

/** Groups in the order in which they were seen first. @type {Map<string, number>} */
const groups = new Map();

/** Begins to listen. */
export function startColours() {
  listen("welcome", () => groups.clear());
}

/** What colours go by. */
export function colouredBy() {
  return by;
}

/** @param {ColouredBy} way */
export function colourBy(way) {
  by = way;
  groups.clear();
  remember("colouredBy", way);
  changed("roster");
  changed("scene");
}

/** The first tag that is no name of somebody's own. @param {RosterRow} row */
function tagOf(row) {
  return row.tags.find((tag) => tag !== row.name && tag !== "player") ?? "";
}

/** @param {RosterRow} row */
function groupOf(row) {
  return by === "name" ? row.name : by === "tag" ? tagOf(row) : (row.behaviour ?? "");
}

/**
 * The colour of somebody, `#rrggbb`.
 * @param {RosterRow | undefined} row
 */
export function colourOf(row) {
  if (!row || by === "usual") return row?.colour ?? PEOPLE[0];
  if (row.isPlayer) return PLAYER;
  const group = groupOf(row);
  if (group === "") return PLAIN;
  let place = groups.get(group);
  if (place === undefined) groups.set(group, (place = groups.size));
  return PEOPLE[place % PEOPLE.length];
}

/**
 * What the colours of people mean, the largest groups first.
 * @returns {LegendLine[]}
 */
export function peopleLegend() {
  /** @type {Map<string, {count: number, row: RosterRow, words: Set<string>}>} */
  const found = new Map();
  for (const row of model.roster.values()) {
    const colour = colourOf(row);
    const name = row.isPlayer ? "player" : by === "usual" ? colour : groupOf(row);
    const entry = found.get(name) ?? { count: 0, row, words: new Set() };
    entry.count++;
    if (by === "usual") entry.words.add(tagOf(row));
    found.set(name, entry);
  }
  const words = (/** @type {string} */ name, /** @type {{count: number, row: RosterRow, words: Set<string>}} */ it) => {
    if (it.row.isPlayer) return it.count > 1 ? "players" : it.row.name === "player" ? "player" : `player: ${it.row.name}`;
    if (by !== "usual") return `${name || `without a ${by}`}${it.count > 1 ? `: ${it.count}` : ""}`;
    if (it.count === 1) return it.row.name;
    const [tag] = it.words;
    return it.words.size === 1 && tag ? `${tag}: ${it.count}` : `${it.count} characters`;
  };
  const lines = [...found].sort((one, two) => two[1].count - one[1].count);
  const shown = lines.slice(0, LINES).map(([name, it]) => ({
    swatch: /** @type {"dot"} */ ("dot"),
    fill: colourOf(it.row),
    text: words(name, it),
  }));
  if (lines.length > LINES)
    shown.push({ swatch: "dot", fill: PLAIN, text: `and ${lines.length - LINES} more` });
  return shown;
}

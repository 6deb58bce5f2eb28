// @ts-check
// The bar at the top: the run, the layers, the search field, the theme.
//
// In: the state of the run. Out: play, pause, step, speed, restart; what is shown. Holds: buttons look as the state is,
// not as it was asked to be. Not here: the past (`rewind.js`), finding things (`search.js`).

import { order } from "./connection.js";
import { WAYS, colourBy, colouredBy } from "./colours.js";
import { button, byId, fill, h, icon } from "./elements.js";
import { isLegendShown, toggleLegend } from "./legend.js";
import { changed, listen, model, remember, remembered, seenTick } from "./model.js";
import { askFor, openMenu } from "./menus.js";
import { isDark, switchTheme } from "./palette.js";
import { live, replaying, stepBack, stepOn, togglePlay } from "./rewind.js";
import { searchField } from "./search.js";
import { counters, fps } from "./stage.js";

/** Parts that change from tick to tick. */
const MOVING = new Set(["paths", "steering", "watches", "requests", "obstacles", "nudges", "replans"]);
const OFF_AT_FIRST = ["steering", "watches", "requests", "obstacles", "nudges", "replans", "searched"];
/** Parts that the page draws by itself. */
const OWN = ["characters", "names", "trail", "searched", "padding"];
/** More than so many are a crowd. */
const CROWD = 400;
/** What layers show, where their name does not say it. @type {Record<string, string>} */
const NOTES = {
  cells: "where one can walk, and at what cost",
  links: "ways between layers",
  trail: "where the selection went",
  searched: "what the search for the way of the selection looks at",
  padding: "the rim along walls where a body has no room",
  watches: "what is looked out for",
  paths: "where everybody is going",
  requests: "searches under way",
  obstacles: "who is planned around",
  steering: "velocities: wanted and real",
  nudges: "who is asked to step aside",
  replans: "who plans again",
};
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10, 25, 50, 100, "max"];

const play = button({ icon: "play", label: "Play", key: "Space", test: "play", class: "round", onclick: togglePlay });
const back = button({
  icon: "back",
  label: "One tick back",
  key: ",",
  test: "back",
  onclick: (event) => stepBack(event.shiftKey ? 10 : 1),
});
const step = button({
  icon: "step",
  label: "One tick on",
  key: ".",
  test: "step",
  onclick: (event) => stepOn(event.shiftKey ? 10 : 1),
});
const restart = button({
  icon: "restart",
  label: "From the start; with Shift with another seed",
  key: "Shift+R",
  test: "restart",
  onclick: (event) => startAgain(event.shiftKey),
});
const speed = /** @type {HTMLSelectElement} */ (
  h(
    "select",
    {
      class: "field",
      title: "Speed  ([ and ])",
      "aria-label": "Speed",
      "data-test": "speed",
      onchange: () => setSpeed(speed.value),
    },
    SPEEDS.map((each) => h("option", { value: each }, each === "max" ? "max" : `${each}×`)),
  )
);
const title = h("span", { class: "level" });
const numbers = h("span", { class: "soft small number numbers" });
const layersButton = button({
  icon: "layers",
  text: "Layers",
  label: "What is shown",
  test: "layers",
  onclick: () => openMenu(layerEntries, layersButton),
});
layersButton.id = "layers-button";
const themeButton = button({ icon: "moon", label: "Light or dark", key: "T", test: "theme", onclick: switchTheme });
const helpButton = button({ icon: "help", label: "Keys", key: "?", test: "help", onclick: () => changed("help") });

/** Puts the bar on the page. */
export function startTransport() {
  fill(
    byId("top"),
    h("div", { class: "row left" }, h("span", { class: "logo", "aria-hidden": "true" }), title),
    h("div", { class: "row centre", role: "group", "aria-label": "Run" }, restart, back, play, step, speed),
    h("div", { class: "row right" }, numbers, searchField(), layersButton, themeButton, helpButton),
  );
  listen("welcome", welcome);
  for (const what of ["state", "tick"]) listen(what, show);
  listen("theme", () => themeButton.replaceChildren(icon(isDark() ? "sun" : "moon")));
  setInterval(showNumbers, 500);
  show();
}

function welcome() {
  const it = model.welcome;
  if (!it) return;
  document.title = `${it.level} - walkon`;
  fill(title, h("strong", {}, it.level), h("span", { class: "soft small ellipsis" }, it.file));
  title.title = `${it.file}, seed ${it.seed}, walkon ${it.version}`;
  if (model.parts.size === 0) {
    const off = new Set(remembered("partsOff", OFF_AT_FIRST));
    model.parts = new Set(it.parts.filter((part) => !off.has(part)));
    for (const own of OWN) if (!off.has(own)) model.parts.add(own);
  }
}

function show() {
  const isPlaying = model.sought === null ? model.state.playing : replaying.is;
  play.replaceChildren(icon(isPlaying ? "pause" : "play"));
  play.title = `${isPlaying ? "Pause" : "Play"}  (Space)`;
  play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  play.setAttribute("aria-pressed", String(isPlaying));
  const now = String(model.state.speed);
  if (document.activeElement !== speed && speed.value !== now) {
    if (![...speed.options].some((option) => option.value === now))
      speed.append(h("option", { value: now }, `${now}×`));
    speed.value = now;
  }
}

function showNumbers() {
  const count = model.frame?.count ?? model.roster.size;
  const text = `${count} ${count === 1 ? "character" : "characters"}${model.state.ended ? ` · ended: ${model.state.ended}` : ""}`;
  if (numbers.textContent !== text) numbers.textContent = text;
  numbers.title = `${fps()} frames a second, ${counters.cost.toFixed(1)} ms each; hash ${model.state.hash} at tick ${model.state.tick}`;
  void seenTick;
}

/** @param {string} value */
function setSpeed(value) {
  order("speed", { times: value === "max" ? "max" : Number(value) });
  speed.blur();
}

/** The next speed of the list up or down, whatever the level goes at. @param {1 | -1} way */
export function changeSpeed(way) {
  const times = (/** @type {number | string} */ each) => (each === "max" ? Infinity : Number(each));
  const now = times(model.state.speed);
  const next =
    way > 0 ? SPEEDS.find((each) => times(each) > now) : SPEEDS.filter((each) => times(each) < now).pop();
  if (next !== undefined) order("speed", { times: next });
}

/** The largest seed that the program takes: larger numbers are not exact. */
const SEED_MAX = Number.MAX_SAFE_INTEGER;

/** Why a text is no seed; empty where it is one. @param {string} text */
function wrongSeed(text) {
  const isSeed = /^\d+$/.test(text.trim()) && Number(text) <= SEED_MAX;
  return isSeed ? "" : `A seed is a whole number from 0 to ${SEED_MAX}.`;
}

/** @param {boolean} withSeed */
export async function startAgain(withSeed) {
  if (!withSeed) {
    live();
    order("restart");
    return;
  }
  const values = await askFor(
    "Restart with another seed",
    [{ name: "seed", label: "Seed", value: String(Math.min(model.state.seed + 1, SEED_MAX)), wrong: wrongSeed }],
    "Restart",
  );
  if (!values) return;
  live();
  order("restart", { seed: Number(values.seed) });
}

/** @returns {import("./menus.js").Entry[]} */
function layerEntries() {
  const parts = model.welcome?.parts ?? [];
  const entry = (/** @type {string} */ part) => ({
    label: part,
    note: isLeftOut(part) ? "in a crowd only of who is selected" : NOTES[part],
    isChecked: model.parts.has(part),
    stays: true,
    test: `layer-${part}`,
    do: () => togglePart(part),
  });
  const still = parts.filter((part) => !MOVING.has(part) && !OWN.includes(part));
  return [
    { title: "The ground" },
    ...still.map(entry),
    entry("padding"),
    { title: "Everybody" },
    ...OWN.filter((part) => part !== "padding").map(entry),
    ...parts.filter((part) => MOVING.has(part)).map(entry),
    "line",
    { label: "All", do: () => setParts(parts.concat(OWN)) },
    { label: "Only the usual", do: () => setParts(parts.concat(OWN).filter((part) => !OFF_AT_FIRST.includes(part))) },
    { title: "Colours of people by" },
    ...WAYS.map(([way, words]) => ({
      label: words,
      isChecked: way === colouredBy(),
      stays: true,
      test: `colour-${way}`,
      do: () => colourBy(way),
    })),
    "line",
    { label: "What the colours mean", key: "M", isChecked: isLegendShown(), test: "legend-menu", do: toggleLegend },
  ];
}

/** Whether a part is not drawn: the ways of thousands would hide the level, so that only a selection shows them. @param {string} part */
function isLeftOut(part) {
  const isCrowd = model.roster.size > CROWD && model.selection?.kind !== "character";
  return isCrowd && MOVING.has(part) && part !== "watches";
}

/** @param {string} part */
function togglePart(part) {
  const next = new Set(model.parts);
  if (!next.delete(part)) next.add(part);
  setParts([...next]);
}

/** @param {string[]} parts */
function setParts(parts) {
  model.parts = new Set(parts);
  const all = (model.welcome?.parts ?? []).concat(OWN);
  remember(
    "partsOff",
    all.filter((part) => !model.parts.has(part)),
  );
  sendShow();
  changed("scene");
  changed("parts");
}

/** Says what pictures for this page hold. */
export function sendShow() {
  // The page draws characters and names by itself.
  const parts = [...model.parts].filter((part) => (model.welcome?.parts ?? []).includes(part) && !isLeftOut(part));
  return order("show", { parts, slant: model.welcome?.slants ? "space" : "top", layer: model.layer });
}

// @ts-check
// What the colours of the stage mean.
//
// In: the legend of the picture. Out: a card on the stage, shown and hidden. Holds: whether it is shown is kept from visit
// to visit. Not here: the layers themselves (`transport.js`).

import { WAYS, colourBy, colouredBy, peopleLegend } from "./colours.js";
import { button, byId, fill, h } from "./elements.js";
import { changed, listen, model, remember, remembered } from "./model.js";
import { ground, ink } from "./palette.js";
import { searchedLegend } from "./searched.js";

const card = byId("legend");

/** Begins to listen. */
export function startLegend() {
  card.hidden = !remembered("legend", false);
  for (const what of ["scene", "theme", "roster", "searched", "parts"]) listen(what, show);
  for (const what of ["parts", "welcome", "selection"]) listen(what, () => moving.clear());
  listen("overlay", takeMoving);
  show();
}

/** What the colours of moving layers mean, by their words: what is seldom there is told from its first time on. @type {Map<string, LegendLine>} */
const moving = new Map();

function takeMoving() {
  const news = (model.overlay.legend ?? []).filter((line) => !moving.has(line.text));
  for (const line of news) moving.set(line.text, line);
  if (news.length) show();
}

/** Whether it is shown. */
export function isLegendShown() {
  return !card.hidden;
}

/** Shows it, or hides it. */
export function toggleLegend() {
  card.hidden = !card.hidden;
  remember("legend", !card.hidden);
  show();
  changed("show");
}

/** What the rings and marks of characters mean, which are drawn by the page. */
const SIGNS = [
  { sign: "selected", text: "selected" },
  { sign: "held", text: "held by a scene" },
  { sign: "replanned", text: "asked for a new plan" },
  { sign: "waits", text: "waits for a path" },
  { sign: "off", text: "switched off after faults" },
];

function show() {
  if (card.hidden) return;
  const searched = searchedLegend();
  fill(
    card,
    h(
      "header",
      { class: "row" },
      h("strong", { class: "grow" }, "Colours"),
      button({ icon: "close", label: "Hide", key: "M", test: "hide-legend", onclick: toggleLegend }),
    ),
    h("ul", {}, (model.scene.legend ?? []).filter(isShown).map(legendRow)),
    moving.size || searched.length ? h("ul", { "data-test": "legend-moving" }, [...moving.values(), ...searched].map(legendRow)) : null,
    h("label", { class: "row soft small" }, "People by ", ways()),
    h("ul", { "data-test": "legend-people" }, peopleLegend().map(legendRow)),
    h(
      "ul",
      { class: "signs" },
      SIGNS.map(({ sign, text }) => h("li", { class: "legendrow" }, h("span", { class: `sign ${sign}` }), text)),
    ),
  );
}

/** @param {LegendLine} line */
function isShown(line) {
  return line.text !== "padding" || model.parts.has("padding");
}

/** What the colours of people go by, to be chosen. */
function ways() {
  const select = /** @type {HTMLSelectElement} */ (
    h(
      "select",
      {
        class: "field small",
        "data-test": "coloured-by",
        "aria-label": "What the colours of people go by",
        onchange: () => colourBy(/** @type {import("./colours.js").ColouredBy} */ (select.value)),
      },
      WAYS.map(([way, words]) => h("option", { value: way, selected: way === colouredBy() }, words)),
    )
  );
  select.value = colouredBy();
  return select;
}

/** @param {LegendLine} line */
export function legendRow(line) {
  const swatch = h("span", { class: `legend of-${line.swatch}` });
  if (line.fill) swatch.style.background = ground(line.fill);
  if (line.stroke) swatch.style.borderColor = ink(line.stroke);
  return h("li", { class: "legendrow" }, swatch, line.text);
}

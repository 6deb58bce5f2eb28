// @ts-check
// What the colours of the stage mean.
//
// In: the legend of the picture. Out: a card on the stage, shown and hidden. Holds: whether it is shown is kept from visit
// to visit. Not here: the layers themselves (`transport.js`).

import { button, byId, fill, h } from "./elements.js";
import { changed, listen, model, remember, remembered } from "./model.js";
import { ground, ink } from "./palette.js";

const card = byId("legend");

/** Begins to listen. */
export function startLegend() {
  card.hidden = !remembered("legend", false);
  for (const what of ["scene", "theme"]) listen(what, show);
  show();
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
  fill(
    card,
    h(
      "header",
      { class: "row" },
      h("strong", { class: "grow" }, "Colours"),
      button({ icon: "close", label: "Hide", key: "M", test: "hide-legend", onclick: toggleLegend }),
    ),
    h("ul", {}, (model.scene.legend ?? []).map(legendRow)),
    h(
      "ul",
      { class: "signs" },
      SIGNS.map(({ sign, text }) => h("li", { class: "legendrow" }, h("span", { class: `sign ${sign}` }), text)),
    ),
  );
}

/** @param {LegendLine} line */
export function legendRow(line) {
  const swatch = h("span", { class: `legend of-${line.swatch}` });
  if (line.fill) swatch.style.background = ground(line.fill);
  if (line.stroke) swatch.style.borderColor = ink(line.stroke);
  return h("li", { class: "legendrow" }, swatch, line.text);
}

// @ts-check
// Small bars on the stage: the tools, and how it is looked at.
//
// In: the tool in hand, the camera, the layers of the map. Out: buttons. Holds: what the level does not have (a slant,
// floors, a graph) has no button. Not here: what the buttons do.

import { fit, fromAbove, isTilted, orbit, pose, toggleTilt, zoom } from "./camera.js";
import { button, byId, compass, fill, h } from "./elements.js";
import { toggleAttendance } from "./film.js";
import { isLegendShown, toggleLegend } from "./legend.js";
import { changed, listen, model } from "./model.js";
import { toggleFollow } from "./keys.js";
import { takeTool, tool } from "./tools.js";
import { showTab } from "./tabs.js";
import { sendShow } from "./transport.js";

/** Puts the bars on the stage. */
export function startViewbar() {
  for (const what of ["tool", "attendance"]) listen(what, showTools);
  for (const what of ["welcome", "selection", "follow", "show"]) listen(what, showView);
  listen("pose", point);
  showTools();
  showView();
}

function showTools() {
  const one = (
    /** @type {string} */ name,
    /** @type {string} */ picture,
    /** @type {string} */ label,
    /** @type {string} */ key,
    /** @type {string} */ tab,
  ) =>
    button({
      icon: picture,
      label,
      key,
      test: `tool-${name}`,
      pressed: tool.now.name === name || (name === "edit" && tool.now.name.startsWith("edit")),
      onclick: () => {
        if (tab) showTab(tab);
        takeTool(name);
      },
    });
  fill(
    byId("tools"),
    one("select", "cursor", "Select", "V", ""),
    one("walk", "walk", "Walk: click where to", "W", ""),
    one("path", "path", "Path testing: click, click", "P", "paths"),
    one("edit", "edit", "Edit the level", "E", "edit"),
    button({
      icon: "speech",
      label: model.state.attends
        ? "You answer choices of scenes"
        : "Choices of scenes take their default; press to answer them",
      key: "A",
      test: "attend",
      pressed: model.state.attends,
      onclick: toggleAttendance,
    }),
  );
  const hint = byId("toolhint");
  hint.textContent = tool.now.hint ?? "";
  hint.hidden = hint.textContent === "";
}

function showView() {
  const it = model.welcome;
  const floors =
    it && it.layers > 1
      ? h(
          "div",
          { class: "floors", role: "group", "aria-label": "Layer of the map" },
          Array.from({ length: it.layers }, (_, at) =>
            h(
              "button",
              {
                type: "button",
                class: "button",
                "aria-pressed": String(model.layer === at),
                title: `Layer "${it.layerNames[at] ?? at}" of the map`,
                "data-test": `floor-${at}`,
                onclick: () => setLayer(at),
              },
              String(at),
            ),
          ),
        )
      : null;
  fill(
    byId("view"),
    floors,
    it?.slants ? ceiling(it.heights) : null,
    it?.slants
      ? button({
          icon: "slant",
          label: "From above or from the side",
          key: "O",
          test: "slant",
          pressed: isTilted(),
          onclick: toggleTilt,
        })
      : null,
    it?.slants ? compassButton() : null,
    button({
      icon: "palette",
      label: "What the colours mean",
      key: "M",
      test: "legend-view",
      pressed: isLegendShown(),
      onclick: toggleLegend,
    }),
    button({
      icon: "follow",
      label: "Follow the selection",
      key: "L",
      test: "follow-view",
      pressed: model.follows,
      onclick: toggleFollow,
    }),
    button({ icon: "fit", label: "The whole level", key: "F", test: "fit", onclick: fit }),
    button({ icon: "minus", label: "Further away", key: "-", test: "zoom-out", onclick: () => zoom(0.8) }),
    button({ icon: "plus", label: "Nearer", key: "+", test: "zoom-in", onclick: () => zoom(1.25) }),
  );
}

/** @param {number} at */
function setLayer(at) {
  model.layer = at;
  sendShow();
  changed("show");
}

/** A needle to the north: dragged, the level turns; pressed, north is up again. */
function compassButton() {
  const made = h(
    "button",
    {
      type: "button",
      class: "button bare compass",
      title: "Drag to look from elsewhere, as the right mouse button does on the stage; click: north up, from above  (N)",
      "aria-label": "Compass: north up, from above",
      "data-test": "compass",
    },
    compass(),
  );
  let moved = 0;
  made.addEventListener("pointerdown", (event) => {
    made.setPointerCapture(event.pointerId);
    moved = 0;
  });
  made.addEventListener("pointermove", (event) => {
    if (!made.hasPointerCapture(event.pointerId)) return;
    moved += Math.hypot(event.movementX, event.movementY);
    orbit(event.movementX, event.movementY);
  });
  made.addEventListener("click", () => moved < 4 && fromAbove());
  needle = made;
  point();
  return made;
}

/** @type {HTMLElement | null} */
let needle = null;

/** Turns the needle as the level is turned. */
function point() {
  const hand = needle?.querySelector("g");
  hand?.setAttribute("transform", `rotate(${((pose.turn * 180) / Math.PI).toFixed(1)} 8 8)`);
  needle?.parentElement?.querySelector('[data-test="slant"]')?.setAttribute("aria-pressed", String(isTilted()));
}

/** @param {number} high */
function ceilingText(high) {
  return model.ceiling >= high ? "all floors" : `up to ${model.ceiling.toFixed(1)} m`;
}

/**
 * How high what is shown may lie: floors above it are left out.
 * @param {[number, number]} heights
 */
function ceiling([low, high]) {
  const slider = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "range",
      class: "ceiling",
      min: String(low),
      max: String(high),
      step: "0.1",
      value: String(Math.min(model.ceiling, high)),
      title: "Show what lies no higher than this",
      "aria-label": "Height up to which things are shown, metres",
      "data-test": "ceiling",
    })
  );
  slider.addEventListener("input", () => {
    const at = Number(slider.value);
    model.ceiling = at >= high ? Infinity : at;
    words.textContent = ceilingText(high);
    changed("ceiling");
  });
  const words = h("span", { class: "soft small number ceilingtext" }, ceilingText(high));
  return h("label", { class: "row" }, slider, words);
}

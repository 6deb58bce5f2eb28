// @ts-check
// The list of what happened, up to the tick that is seen, newest first.
//
// In: items by lane. Out: a list with filters; clicks go to the tick, to the character, to the source. Holds: four
// hundred rows at most, made again five times a second at most. Not here: keeping the items (`happenings.js`).

import { h, morph } from "./elements.js";
import { LANES, lanes, newestItems, subjectOf } from "./happenings.js";
import { fileLink } from "./inspector.js";
import { clock, changed, listen, model, remember, remembered, seenTick, select } from "./model.js";
import { goTo } from "./rewind.js";
import { addTab, isShown } from "./tabs.js";

/** @type {Set<string>} */
const hidden = new Set(remembered("hiddenLanes", []));
let text = "";
let isOfSelection = false;
let isAsked = false;
/** Whether more is known than the list shows. */
let isBehind = false;

const chips = h("div", { class: "row wrap chips" });
const list = h("ul", { class: "list log", "data-test": "event-list" });
const root = h(
  "div",
  { class: "page" },
  h(
    "div",
    { class: "head" },
    h("input", {
      class: "field wide",
      type: "search",
      placeholder: "Filter",
      "aria-label": "Filter events",
      oninput: (/** @type {Event} */ event) => {
        text = /** @type {HTMLInputElement} */ (event.target).value.toLowerCase();
        show();
      },
    }),
    chips,
  ),
  list,
);

/** Begins to listen. */
export function startEvents() {
  addTab({ name: "events", label: "Events", root, show });
  for (const what of ["happenings", "tick", "sought", "selection"]) listen(what, ask);
  // What happened may be told before the tick in which it did is seen.
  listen("frame", () => isBehind && ask());
  list.addEventListener("click", click);
  showChips();
}

function showChips() {
  const chip = (/** @type {string} */ name, /** @type {boolean} */ isOn, /** @type {() => void} */ onclick) =>
    h(
      "button",
      {
        type: "button",
        class: `chip ${name}`,
        "aria-pressed": String(isOn),
        onclick: () => {
          onclick();
          showChips();
          show();
        },
      },
      name,
    );
  chips.replaceChildren(
    ...LANES.map((lane) =>
      chip(lane, !hidden.has(lane), () => {
        if (!hidden.delete(lane)) hidden.add(lane);
        remember("hiddenLanes", [...hidden]);
      }),
    ),
    chip("selection only", isOfSelection, () => (isOfSelection = !isOfSelection)),
  );
}

function ask() {
  if (isAsked || !isShown("events")) return;
  isAsked = true;
  setTimeout(() => {
    isAsked = false;
    show();
  }, 200);
}

function show() {
  if (!isShown("events")) return;
  const chosen = isOfSelection ? model.selection?.name : null;
  const until = seenTick();
  isBehind = [...lanes.values()].some((items) => items.length > 0 && items[items.length - 1].tick > until);
  const items = newestItems({
    until,
    most: 400,
    keeps: (item) =>
      !hidden.has(item.lane) &&
      (!text || item.text.toLowerCase().includes(text)) &&
      (!chosen || item.name === chosen || item.line?.character === chosen || item.text.includes(chosen)),
  });
  const made = h(
    "ul",
    {},
    items.length
      ? items.map(row)
      : h("li", { class: "soft pad" }, "Nothing yet. What happens appears here and on the timeline."),
  );
  morph(list, made);
}

/** @param {LaneItem} item */
function row(item) {
  return h(
    "li",
    { class: `logline lane-${item.lane} ${item.line?.level ?? ""}` },
    h(
      "button",
      { type: "button", class: "plain number when soft", title: "Go to this moment", "data-tick": item.tick },
      clock(item.tick),
    ),
    h("span", { class: "dot", title: item.lane }),
    words(item),
    typeof item.line?.file === "string" ? fileLink(item.line.file, item.line.line) : null,
  );
}

/** What happened, and whom or what it is of. @param {LaneItem} item */
function words(item) {
  const of = subjectOf(item);
  return of
    ? h(
        "button",
        {
          type: "button",
          class: "plain words grow",
          title: `Select ${of.kind} ${of.name}`,
          "data-kind": of.kind,
          "data-name": of.name,
        },
        item.text,
      )
    : h("span", { class: "grow" }, item.text);
}

/** @param {MouseEvent} event */
function click(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const source = target.closest("[data-file]");
  if (source instanceof HTMLElement) {
    changed("source", { file: source.dataset.file, line: Number(source.dataset.line) || undefined });
    return;
  }
  if (target.dataset.tick) {
    goTo(Number(target.dataset.tick));
    return;
  }
  const of = target.closest("[data-name]");
  if (of instanceof HTMLElement) select({ kind: of.dataset.kind ?? "", name: of.dataset.name ?? "" });
}

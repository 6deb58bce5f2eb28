// @ts-check
// The keyboard.
//
// In: keys that no field took. Out: what they stand for. Holds: the list that is shown is the list that is obeyed. Not
// here: keys inside fields, menus and the timeline.

import { fit, fromAbove, pan, pose, toggleTilt, turnTo, zoom } from "./camera.js";
import { focusConsole } from "./console.js";
import { debugKey } from "./debugger.js";
import { h } from "./elements.js";
import { answerNumber, goOn as goOnFilm, toggleAttendance } from "./film.js";
import { toggleFuture } from "./future.js";
import { toggleLegend } from "./legend.js";
import { changed, isLive, listen, model, select, tickRate } from "./model.js";
import { closeMenu } from "./menus.js";
import { switchTheme } from "./palette.js";
import { goOn, live, stepBack, stepOn, togglePlay } from "./rewind.js";
import { focusSearch } from "./search.js";
import { showTab, showTabNumber } from "./tabs.js";
import { takeTool, tool } from "./tools.js";
import { changeSpeed, startAgain } from "./transport.js";

/** @typedef {{keys: string, text: string, group: string, do?: (event: KeyboardEvent) => void}} Key */

/** What a key turns the level by. */
const STEP = Math.PI / 8;

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
/** What takes letters. */
const FIELDS = "input:not([type=checkbox],[type=radio],[type=range]),textarea,select,[contenteditable]";
/** The keys that other controls take themselves while they have the focus. @type {[string, string[]][]} */
const OWN_KEYS = [
  ["button,summary,[role=tab]", [" ", "Enter"]],
  ["a[href]", ["Enter"]],
  ["input[type=checkbox]", [" "]],
  ["input[type=radio]", [" ", ...ARROWS]],
  ["input[type=range]", [...ARROWS, "Home", "End", "PageUp", "PageDown"]],
  // Text that is scrolled.
  ["pre[tabindex]", [...ARROWS, "Home", "End", "PageUp", "PageDown"]],
];

/** @type {Key[]} */
const KEYS = [
  { group: "Run", keys: "Space", text: "play or pause", do: togglePlay },
  { group: "Run", keys: ".", text: "one tick on", do: () => stepOn(1) },
  { group: "Run", keys: ",", text: "one tick back", do: () => stepBack(1) },
  { group: "Run", keys: ">", text: "one second on", do: () => stepOn(tickRate()) },
  { group: "Run", keys: "<", text: "one second back", do: () => stepBack(tickRate()) },
  { group: "Run", keys: "[", text: "slower", do: () => changeSpeed(-1) },
  { group: "Run", keys: "]", text: "faster", do: () => changeSpeed(1) },
  { group: "Run", keys: "Shift+R", text: "from the start", do: () => startAgain(false) },
  { group: "Run", keys: "G", text: "go on from the past that is seen", do: goOn },
  { group: "Run", keys: "U", text: "the future, on or off", do: toggleFuture },
  { group: "Run", keys: "Enter", text: "the spoken line is over", do: goOnFilm },
  { group: "Run", keys: "A", text: "answer choices, or let them take their default", do: toggleAttendance },
  { group: "Run", keys: "Alt+1 ... 9", text: "answer a choice" },
  { group: "View", keys: "F", text: "the whole level", do: fit },
  { group: "View", keys: "L", text: "follow the selection", do: toggleFollow },
  { group: "View", keys: "+", text: "nearer", do: () => zoom(1.25) },
  { group: "View", keys: "-", text: "further away", do: () => zoom(0.8) },
  { group: "View", keys: "O", text: "from above or from the side", do: toggleTilt },
  { group: "View", keys: "J", text: "turn to the left", do: () => turnTo(pose.turn + STEP, pose.tilt) },
  { group: "View", keys: "K", text: "turn to the right", do: () => turnTo(pose.turn - STEP, pose.tilt) },
  { group: "View", keys: "N", text: "north up, from above", do: fromAbove },
  { group: "View", keys: "M", text: "what the colours mean", do: toggleLegend },
  { group: "View", keys: "T", text: "light or dark", do: switchTheme },
  { group: "View", keys: "Arrows", text: "move the view" },
  { group: "Tools", keys: "V", text: "select", do: () => takeTool("select") },
  { group: "Tools", keys: "W", text: "walk: click where to", do: () => takeTool("walk") },
  { group: "Tools", keys: "P", text: "path testing", do: () => (showTab("paths"), takeTool("path")) },
  { group: "Tools", keys: "E", text: "edit the level", do: () => (showTab("edit"), takeTool("edit")) },
  { group: "Tools", keys: "Del", text: "delete what is being edited" },
  { group: "Tools", keys: "Ctrl+Z", text: "undo an edit" },
  { group: "Tools", keys: "Ctrl+Shift+Z", text: "redo it" },
  { group: "Debug", keys: "F9", text: "a breakpoint at the marked line, or none" },
  { group: "Debug", keys: "F6", text: "stop where code is" },
  { group: "Debug", keys: "F5", text: "stopped: go on" },
  { group: "Debug", keys: "F10", text: "stopped: over this line" },
  { group: "Debug", keys: "F11", text: "stopped: into the next line that runs" },
  { group: "Debug", keys: "Shift+F11", text: "stopped: out of this call" },
  { group: "Find", keys: "/", text: "find by name", do: focusSearch },
  { group: "Find", keys: "1 ... 7", text: "a tab of the panel" },
  { group: "Find", keys: "C", text: "console", do: () => (showTab("console"), focusConsole()) },
  { group: "Find", keys: "Esc", text: "leave: menu, tool, past, selection" },
  { group: "Find", keys: "?", text: "this list", do: showHelp },
  { group: "Mouse", keys: "Drag", text: "move the view" },
  { group: "Mouse", keys: "Right drag", text: "look at floors from elsewhere" },
  { group: "Mouse", keys: "Wheel", text: "zoom" },
  { group: "Mouse", keys: "Click", text: "select" },
  { group: "Mouse", keys: "Double click", text: "follow a character" },
  { group: "Mouse", keys: "Shift+click", text: "walk there" },
  { group: "Mouse", keys: "Alt+drag", text: "put a character elsewhere" },
  { group: "Mouse", keys: "Right click", text: "what can be done here" },
];

/** Begins to listen. */
export function startKeys() {
  document.addEventListener("keydown", press);
  // A button that was clicked with a mouse gives the focus back, so that Space plays and does not press it again.
  document.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest(
      "#top button, #tools button, #view button, #timebar button",
    );
    if (event.detail > 0 && pressed instanceof HTMLElement) pressed.blur();
  });
  listen("help", showHelp);
}

/** @param {KeyboardEvent} event */
function press(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isField = target.matches(FIELDS);
  if (!document.querySelector("dialog[open]") && debugKey(event)) {
    event.preventDefault();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    focusSearch();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && !isField && /^[zy]$/i.test(event.key)) {
    event.preventDefault();
    changed(event.shiftKey || event.key.toLowerCase() === "y" ? "redo" : "undo");
    return;
  }
  if (event.key === "Escape") {
    escape(isField ? target : null);
    return;
  }
  if (isField || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (tool.now.key?.(event)) {
    event.preventDefault();
    return;
  }
  if (event.altKey) {
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    if (digit && answerNumber(Number(digit) - 1)) event.preventDefault();
    return;
  }
  if (OWN_KEYS.some(([what, own]) => own.includes(event.key) && target.matches(what))) return;
  if (move(event) || number(event)) {
    event.preventDefault();
    return;
  }
  const name =
    event.key === " "
      ? "Space"
      : event.shiftKey && /^[a-z]$/i.test(event.key)
        ? `Shift+${event.key.toUpperCase()}`
        : event.key.length === 1
          ? event.key.toUpperCase()
          : event.key;
  const found = KEYS.find((each) => each.keys === name || (name === "=" && each.keys === "+"));
  if (!found?.do) return;
  event.preventDefault();
  found.do(event);
}

/** @param {KeyboardEvent} event */
function move(event) {
  const by = event.shiftKey ? 200 : 60;
  if (event.key === "ArrowLeft") pan(by, 0);
  else if (event.key === "ArrowRight") pan(-by, 0);
  else if (event.key === "ArrowUp") pan(0, by);
  else if (event.key === "ArrowDown") pan(0, -by);
  else return false;
  return true;
}

/** @param {KeyboardEvent} event */
function number(event) {
  if (!/^[1-9]$/.test(event.key)) return false;
  showTabNumber(Number(event.key) - 1);
  return true;
}

/** Keeps the selection in the middle, or no longer. */
export function toggleFollow() {
  if (model.selection?.kind !== "character") {
    changed("notice", { text: "Select a character to follow it." });
    return;
  }
  model.follows = !model.follows;
  changed("follow");
  changed("camera", {});
}

/** @param {HTMLElement | null} field */
function escape(field) {
  if (field) field.blur();
  else if (closeMenu()) return;
  else if (tool.now.cancel?.()) return;
  else if (!isLive()) live();
  else if (tool.now.name !== "select") takeTool("select");
  else if (model.follows) toggleFollow();
  else select(null);
}

function showHelp() {
  if (document.querySelector("dialog[open]")) return;
  const groups = [...new Set(KEYS.map((each) => each.group))];
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "dialog help", "aria-label": "Keys", "data-test": "keys", tabindex: "-1" },
      h("h2", {}, "Keys and mouse"),
      h(
        "div",
        { class: "columns" },
        groups.map((group) =>
          h(
            "section",
            {},
            h("h3", {}, group),
            h(
              "dl",
              {},
              KEYS.filter((each) => each.group === group).map((each) => [
                h("dt", {}, h("kbd", {}, each.keys)),
                h("dd", {}, each.text),
              ]),
            ),
          ),
        ),
      ),
      h("form", { method: "dialog", class: "row end" }, h("button", { class: "button accent" }, "Close")),
    )
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  // The first thing to focus is the button at its end: a long list would begin there.
  dialog.focus();
  dialog.scrollTop = 0;
}

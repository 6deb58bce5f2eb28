// @ts-check
// Mouse, pen, fingers and wheel on the stage.
//
// In: pointer events. Out: touches for the tool in hand, pans and zooms for the camera. Holds: a press that moves less
// than four pixels is a click; two fingers pinch; the middle button pans whatever the tool. Not here: what clicks mean.

import { hasHeights, orbit, pan, toPlane, zoom } from "./camera.js";
import { changed, listen, model } from "./model.js";
import { stageBox, stageElement } from "./stage.js";
import { tool } from "./tools.js";

/** @typedef {import("./tools.js").Touch} Touch */

/** @type {Map<number, Point>} */
const fingers = new Map();
/** @type {"none" | "press" | "pan" | "tool" | "pinch"} */
let doing = "none";
/** @type {Point} */
let pressed = [0, 0];
let takes = false;
let spread = 0;

/**
 * @param {PointerEvent | MouseEvent} event
 * @returns {Touch}
 */
export function touchOf(event) {
  const box = stageBox();
  /** @type {Point} */
  const stage = [event.clientX - box.left, event.clientY - box.top];
  return { plane: toPlane(...stage), stage, event };
}

/** Begins to listen. */
export function startPointer() {
  const element = stageElement;
  element.addEventListener("pointerdown", press);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("dblclick", (event) => tool.now.double?.(touchOf(event)));
  element.addEventListener("wheel", turnWheel, { passive: false });
  element.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    // With the right button the menu comes when it is let go, unless it turned the level meanwhile.
    if (!turns) changed("context", touchOf(event));
  });
  element.addEventListener("pointerleave", () => changed("hoverEnd"));
  listen("tool", () => (element.style.cursor = tool.now.cursor));
}

/** @param {WheelEvent} event */
function turnWheel(event) {
  event.preventDefault();
  const { stage } = touchOf(event);
  const lines = event.deltaMode === 1 ? 16 : 1;
  // Trackpads send pinches as wheel events with Ctrl, and small steps.
  zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), ...stage);
}

/** The right button, and how far it was dragged. @type {{from: Point, isDragged: boolean} | null} */
let turns = null;

/** @param {PointerEvent} event */
function press(event) {
  if (event.button === 2) {
    stageElement.setPointerCapture(event.pointerId);
    turns = { from: [event.clientX, event.clientY], isDragged: false };
    return;
  }
  stageElement.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (fingers.size === 2) {
    doing = "pinch";
    spread = fingerSpread();
    return;
  }
  pressed = [event.clientX, event.clientY];
  doing = "press";
  takes = event.button === 0 && (tool.now.down?.(touchOf(event)) ?? false);
}

/** @param {PointerEvent} event */
function move(event) {
  if (turns) {
    turn(turns, event);
    return;
  }
  const last = fingers.get(event.pointerId);
  if (!last) {
    tool.now.hover?.(touchOf(event));
    return;
  }
  fingers.set(event.pointerId, [event.clientX, event.clientY]);
  if (doing === "pinch") {
    pinch(event);
    return;
  }
  if (doing === "press" && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) >= 4) {
    doing = takes ? "tool" : "pan";
    if (doing === "pan") {
      stageElement.style.cursor = "grabbing";
      model.follows = false;
      changed("follow");
      pan(event.clientX - pressed[0], event.clientY - pressed[1]);
      return;
    }
  }
  if (doing === "pan") pan(event.clientX - last[0], event.clientY - last[1]);
  if (doing === "tool") tool.now.move?.(touchOf(event));
}

/**
 * @param {{from: Point, isDragged: boolean}} drag
 * @param {PointerEvent} event
 */
function turn(drag, event) {
  const [right, down] = [event.clientX - drag.from[0], event.clientY - drag.from[1]];
  if (!drag.isDragged && Math.hypot(right, down) < 4) return;
  drag.isDragged = true;
  drag.from = [event.clientX, event.clientY];
  if (hasHeights()) orbit(right, down);
  else pan(right, down);
}

/** @param {PointerEvent} event */
function pinch(event) {
  const now = fingerSpread();
  const box = stageBox();
  const all = [...fingers.values()];
  const middle = [(all[0][0] + all[1][0]) / 2 - box.left, (all[0][1] + all[1][1]) / 2 - box.top];
  if (spread > 0) zoom(now / spread, middle[0], middle[1]);
  spread = now;
  event.preventDefault();
}

function fingerSpread() {
  const [one, two] = [...fingers.values()];
  return Math.hypot(one[0] - two[0], one[1] - two[1]);
}

/** @param {PointerEvent} event */
function release(event) {
  if (turns && event.button === 2) {
    const { isDragged } = turns;
    turns = null;
    if (!isDragged && event.type !== "pointercancel") changed("context", touchOf(event));
    return;
  }
  if (!fingers.delete(event.pointerId)) return;
  const was = doing;
  doing = fingers.size > 0 ? "pinch" : "none";
  stageElement.style.cursor = tool.now.cursor;
  if (event.type === "pointercancel") {
    tool.now.cancel?.();
    return;
  }
  if (was === "press") {
    if (takes) tool.now.up?.(touchOf(event));
    if (event.button === 0) tool.now.click?.(touchOf(event));
  } else if (was === "tool") {
    tool.now.up?.(touchOf(event));
  }
}

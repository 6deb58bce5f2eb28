// @ts-check
// The tool in hand: what clicks and drags on the stage do.
//
// In: the name of a tool. Out: the tool. Holds: one tool at a time; who makes a tool registers it. Not here: the
// pointer (`pointer.js`), the tools themselves (`hands.js`, `editor.js`, `paths.js`).

import { changed } from "./model.js";

/**
 * What a tool is told. Points lie in the plane of the picture, `stage` in pixels of the stage. What `down` returns true for is
 * dragged by the tool; else the stage is panned. `below` draws below everybody, in pixels of the canvas, `draw` above.
 * @typedef {{plane: Point, stage: Point, event: PointerEvent | MouseEvent}} Touch
 * @typedef {{
 *   name: string, label: string, cursor: string, hint?: string,
 *   down?: (touch: Touch) => boolean, move?: (touch: Touch) => void, up?: (touch: Touch) => void,
 *   click?: (touch: Touch) => void, hover?: (touch: Touch) => void, double?: (touch: Touch) => void,
 *   below?: (context: CanvasRenderingContext2D) => void, draw?: (context: CanvasRenderingContext2D) => void, cancel?: () => boolean, leave?: () => void,
 *   key?: (event: KeyboardEvent) => boolean,
 * }} Tool
 */

/** @type {Map<string, Tool>} */
const tools = new Map();

/** @type {{now: Tool}} */
export const tool = { now: { name: "none", label: "", cursor: "default" } };

/** @param {Tool} made */
export function registerTool(made) {
  tools.set(made.name, made);
}

/** @param {string} name */
export function takeTool(name) {
  const next = tools.get(name);
  if (!next || next === tool.now) return;
  tool.now.leave?.();
  tool.now = next;
  changed("tool");
}

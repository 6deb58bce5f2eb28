// @ts-check
// The hand and the walking stick: selecting, teleporting, walking, and the menu of a place.
//
// In: touches of the stage. Out: selections and inputs of the run. Holds: with Shift a click walks, with Alt a drag
// teleports; what happens in the past changes nothing. Not here: tools that change the level (`editor.js`), path
// queries (`paths.js`).

import { bodyAt } from "./bodies.js";
import { centre, groundOf, hasHeights, stageOf, toStage, turned } from "./camera.js";
import { order } from "./connection.js";
import { byId, fill, h } from "./elements.js";
import { bodyOf } from "./frames.js";
import { actor, changed, isAbove, isLive, listen, model, rowOf, select } from "./model.js";
import { askFor, openMenu } from "./menus.js";
import { inPolygon } from "./painter.js";
import { stageColours } from "./palette.js";
import { surfaceAt } from "./relief.js";
import { live } from "./rewind.js";
import { hover, redraw } from "./stage.js";
import { registerTool, takeTool, tool } from "./tools.js";

/** @typedef {import("./tools.js").Touch} Touch */

const tip = byId("tip");
const CHOOSABLE = ["door", "mark", "link", "region", "area"];

/** What is carried by Alt and a drag. @type {{key: number, name: string, at: Point} | null} */
let carried = null;
/** Where somebody was sent last. @type {{at: Point, since: number} | null} */
let sent = null;

/** Makes the tools. */
export function startHands() {
  const common = { down, move, up, hover: hoverOver, draw, double };
  registerTool({ name: "select", label: "Select", cursor: "default", click: clickSelect, cancel, ...common });
  registerTool({
    name: "walk",
    label: "Walk",
    cursor: "crosshair",
    hint: "Click the ground: the selected character, or the player, walks there.",
    click: (touch) => walkTo(touch),
    cancel,
    ...common,
  });
  listen("context", (/** @type {Touch} */ touch) =>
    openMenu(contextEntries(touch), { left: touch.event.clientX, top: touch.event.clientY }),
  );
  listen("hoverEnd", () => {
    hover.key = -1;
    resting = null;
    tip.hidden = true;
    redraw();
  });
  listen("frame", lookAgain);
  // What is under the pointer is another thing when the page has another layout, and of no interest to those who type.
  for (const what of ["keydown", "resize"]) window.addEventListener(what, () => ((resting = null), (tip.hidden = true)));
  takeTool("select");
}

function cancel() {
  const was = carried !== null;
  carried = null;
  return was;
}

/**
 * A place of the world below a point of the plane: what is seen there, else at the height of what is nearest.
 * @param {Point} plane
 * @returns {Place}
 */
export function groundAt(plane) {
  const place = surfaceAt(plane) ?? groundOf(plane, heightAt(plane));
  return /** @type {Place} */ (place.map((part) => Math.round(part * 1000) / 1000));
}

/** How far a point of the graph may be from where its height is asked for, metres. */
const NEAR = 1;
/** Points that are about as near as the nearest, metres. */
const NEIGHBOURS = 0.12;

/** Points of a graph, of the picture that they were read from. */
const known = { of: /** @type {Picture | null} */ (null), points: /** @type {Shape[]} */ ([]) };

/**
 * The height of the point of the graph that is seen near a point of the plane, or null.
 * @param {Point} plane
 */
function graphHeight([x, z]) {
  if (known.of !== model.scene) {
    known.of = model.scene;
    const all = model.scene.layers.flatMap((layer) => layer.shapes);
    known.points = all.filter((shape) => shape.key === "point" && shape.dot && shape.mid && !isAbove(shape.y));
  }
  const away = (/** @type {Shape} */ { dot }) => (dot ? Math.hypot(dot[0] - x, dot[1] - z) : Infinity);
  const least = known.points.reduce((nearest, point) => Math.min(nearest, away(point)), NEAR);
  if (least >= NEAR) return null;
  const near = turned()[2];
  const nearness = (/** @type {Place} */ mid) => near[0] * mid[0] + near[1] * mid[1] + near[2] * mid[2];
  // What is nearer to those who look hides what lies behind it.
  const about = known.points
    .filter((point) => away(point) < least + NEIGHBOURS)
    .map((point) => /** @type {Place} */ (point.mid));
  return about.reduce((best, mid) => (nearness(mid) > nearness(best) ? mid : best))[1];
}

/** @param {Point} plane */
function heightAt(plane) {
  const floor = model.welcome?.heights[0] ?? 0;
  if (!hasHeights()) return floor;
  return graphHeight(plane) ?? bodyOf(model.selection?.key)?.y ?? floor;
}

/**
 * @param {Shape} shape
 * @param {Point} point
 * @returns {boolean}
 */
export function contains(shape, [x, z]) {
  if (shape.circle) return Math.hypot(shape.circle[0] - x, shape.circle[1] - z) <= shape.circle[2];
  if (shape.blocks?.some(([left, top, right, bottom]) => x >= left && x <= right && z >= top && z <= bottom))
    return true;
  if (shape.facets?.some((facet) => inPolygon(facet, x, z))) return true;
  return shape.polygon ? inPolygon(shape.polygon, x, z) : false;
}

/**
 * The thing under a touch that has a name, without characters.
 * @param {Touch} touch
 * @returns {Shape | null}
 */
export function shapeAt(touch) {
  let best = null;
  let rank = CHOOSABLE.length;
  for (const layer of model.scene.layers) {
    for (const shape of layer.shapes) {
      const order_ = CHOOSABLE.indexOf(shape.kind);
      if (order_ < 0 || order_ > rank || !shape.name || !touches(shape, touch)) continue;
      [best, rank] = [shape, order_];
    }
  }
  return best;
}

/**
 * @param {Shape} shape
 * @param {Touch} touch
 */
function touches(shape, touch) {
  if (shape.dot) {
    const [left, top] = toStage(shape.dot[0], shape.dot[1]);
    return Math.hypot(left - touch.stage[0], top - touch.stage[1]) <= Math.max(8, shape.dot[2] + 3);
  }
  if (shape.line) {
    const near = shape.line.some(
      (point, at) =>
        at > 0 &&
        lineDistance(touch.stage, toStage(.../** @type {Point[]} */ (shape.line)[at - 1]), toStage(...point)) < 6,
    );
    if (near) return true;
  }
  return contains(shape, touch.plane);
}

/**
 * @param {Point} point
 * @param {Point} from
 * @param {Point} to
 */
export function lineDistance(point, from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = dx * dx + dy * dy;
  const share =
    long === 0 ? 0 : Math.max(0, Math.min(1, ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / long));
  return Math.hypot(from[0] + dx * share - point[0], from[1] + dy * share - point[1]);
}

/** @param {Touch} touch */
function down(touch) {
  const key = bodyAt(...touch.stage, 1);
  const row = rowOf(key);
  if (!touch.event.altKey || !row) return false;
  carried = { key, name: row.name, at: touch.plane };
  return true;
}

/** @param {Touch} touch */
function move(touch) {
  if (carried) carried.at = touch.plane;
  redraw();
}

/** @param {Touch} touch */
function up(touch) {
  const it = carried;
  carried = null;
  if (it && isNow()) order("input", { teleport: it.name, to: groundAt(touch.plane) });
  redraw();
}

function isNow() {
  if (isLive()) return true;
  changed("notice", { text: "This is not the running level.", action: "Live", onclick: live });
  return false;
}

/** @param {Touch} touch */
function clickSelect(touch) {
  if (touch.event.altKey) return;
  if (touch.event.shiftKey) {
    walkTo(touch);
    return;
  }
  const row = rowOf(bodyAt(...touch.stage, 1));
  if (row) {
    select({ kind: "character", name: row.name, key: row.key });
    return;
  }
  const shape = shapeAt(touch);
  select(shape?.name ? { kind: shape.kind, name: shape.name } : null);
}

/** @param {Touch} touch */
function double(touch) {
  if (tool.now.name !== "select" || bodyAt(...touch.stage, 1) < 0) return;
  model.follows = true;
  changed("follow");
  changed("camera", {});
}

/** @param {Touch} touch */
async function walkTo(touch) {
  if (!isNow()) return;
  const name = actor();
  if (!name) {
    changed("notice", { text: "Nobody is selected and there is no player: click a character first." });
    return;
  }
  const target = rowOf(bodyAt(...touch.stage, 1));
  const to = target && target.name !== name ? target.name : groundAt(touch.plane);
  if (await order("input", { walk: name, to })) {
    sent = { at: touch.plane, since: performance.now() };
    redraw();
  }
}

/** The last touch of a pointer that rests on the stage. @type {Touch | null} */
let resting = null;
let lookedAt = 0;

function lookAgain() {
  const now = performance.now();
  if (!resting || now - lookedAt < 200 || (tip.hidden === true && hover.key < 0 && model.roster.size > 2000)) return;
  hoverOver(resting);
}

/** @param {Touch} touch */
function hoverOver(touch) {
  resting = touch;
  lookedAt = performance.now();
  const key = bodyAt(...touch.stage, 1);
  if (key !== hover.key) {
    hover.key = key;
    redraw();
  }
  const row = rowOf(key);
  const shape = row ? null : shapeAt(touch);
  const text = row
    ? row.name
    : shape && (shape.kind !== "area" || shape.fill)
      ? shape.hint || shape.name || ""
      : "";
  const [x, y, z] = groundAt(touch.plane);
  tip.hidden = !text;
  byId("hint").textContent = model.welcome
    ? `${x.toFixed(2)}, ${(model.welcome.heights[1] ?? 0) > 0.01 ? `${y.toFixed(2)}, ` : ""}${z.toFixed(2)} m`
    : "";
  if (tip.hidden) return;
  const more = row
    ? [row.behaviour ? `does ${row.behaviour}` : "", row.tags.length ? `tagged ${row.tags.join(", ")}` : ""]
    : [];
  fill(
    tip,
    row ? h("strong", {}, text) : h("div", {}, text),
    h("div", { class: "soft small" }, more.filter(Boolean).join("; ")),
  );
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.min(touch.event.clientX + 14, window.innerWidth - box.width - 8)}px`;
  tip.style.top = `${Math.min(touch.event.clientY + 16, window.innerHeight - box.height - 8)}px`;
}

/** @param {CanvasRenderingContext2D} context */
function draw(context) {
  const colours = stageColours();
  if (carried) {
    const [left, top] = toStage(...carried.at);
    const body = bodyOf(carried.key);
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    if (body) context.moveTo(...stageOf(body.x, body.y, body.z));
    context.lineTo(left, top);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(left, top, 9, 0, Math.PI * 2);
    context.stroke();
  }
  if (!sent) return;
  const age = (performance.now() - sent.since) / 700;
  if (age >= 1) {
    sent = null;
    return;
  }
  const [left, top] = toStage(...sent.at);
  context.globalAlpha = 1 - age;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(left, top, 4 + age * 12, 0, Math.PI * 2);
  context.stroke();
  context.globalAlpha = 1;
  redraw();
}

/**
 * @param {Touch} touch
 * @returns {import("./menus.js").Entry[]}
 */
function contextEntries(touch) {
  const place = groundAt(touch.plane);
  const row = rowOf(bodyAt(...touch.stage, 1));
  const shape = row ? null : shapeAt(touch);
  const name = actor();
  /** @type {import("./menus.js").Entry[]} */
  const entries = [];
  const input = (/** @type {Json} */ fields) => isNow() && order("input", fields);
  if (row) {
    entries.push(
      { title: row.name },
      { label: "Select", do: () => select({ kind: "character", name: row.name, key: row.key }) },
      {
        label: "Follow with the camera",
        key: "L",
        do: () => (
          select({ kind: "character", name: row.name, key: row.key }),
          (model.follows = true),
          changed("follow"),
          changed("camera", {})
        ),
      },
      { label: "Stop its walk", do: () => input({ stop: row.name }) },
    );
    if (name && name !== row.name)
      entries.push({ label: `Send ${name} to it`, do: () => input({ walk: name, to: row.name }) });
    entries.push(
      { label: "Edit in the level", do: () => changed("edit", { kind: "character", name: row.name }) },
      { label: "Remove from the run", isDanger: true, do: () => input({ remove: row.name }) },
      "line",
    );
  } else if (shape?.name) {
    const it = { kind: shape.kind, name: shape.name };
    entries.push({ title: `${shape.kind} ${shape.name}` }, { label: "Inspect", do: () => select(it) });
    if (shape.kind === "door")
      for (const word of ["open", "close", "lock", "unlock"])
        entries.push({
          label: word[0].toUpperCase() + word.slice(1),
          test: `menu-${word}`,
          do: () => input({ door: it.name, order: word }),
        });
    if (shape.kind === "area")
      for (const available of [true, false])
        entries.push({
          label: available ? "Make available" : "Close off",
          do: () => input({ area: it.name, available }),
        });
    entries.push({ label: "Edit in the level", do: () => changed("edit", it) }, "line");
  }
  entries.push({ title: place.map((part) => part.toFixed(2)).join(", ") });
  if (name && name !== row?.name) {
    entries.push(
      { label: `${name} walks here`, key: "Shift+click", test: "menu-walk", do: () => isNow() && walkTo(touch) },
      {
        label: `Put ${name} here`,
        key: "Alt+drag",
        test: "menu-teleport",
        do: () => input({ teleport: name, to: place }),
      },
    );
  }
  entries.push(
    { label: "Somebody new here...", test: "menu-spawn", do: () => spawn(place) },
    { label: "Path from here", key: "P", do: () => changed("pathFrom", { plane: touch.plane, place }) },
    { label: "Look at this place", do: () => centre(touch.plane) },
    { label: "Copy the position", do: () => navigator.clipboard?.writeText(`[${place.join(", ")}]`) },
  );
  return entries;
}

/** @param {Place} at */
async function spawn(at) {
  if (!isNow()) return;
  let number = 1;
  while (model.byName.has(`somebody${number}`)) number++;
  const values = await askFor(
    "Somebody new",
    [
      { name: "name", label: "Name", value: `somebody${number}` },
      { name: "behaviour", label: "Behaviour", options: ["", ...(model.welcome?.behaviours ?? [])] },
      { name: "params", label: "Params", hint: '{"route": "rounds"}', wrong: wrongParams },
      { name: "tags", label: "Tags", hint: "guard, night" },
    ],
    "Spawn",
  );
  if (!values) return;
  const tags = values.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  await order("input", {
    spawn: values.name,
    at,
    ...(values.behaviour ? { behaviour: values.behaviour } : {}),
    ...(values.params.trim() ? { params: JSON.parse(values.params) } : {}),
    ...(tags.length ? { tags } : {}),
  });
}

/** Why a text is no params; empty where it is some, or none are named. @param {string} text */
function wrongParams(text) {
  try {
    const value = text.trim() ? JSON.parse(text) : {};
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return "";
  } catch {
    // It is no JSON.
  }
  return 'The params are a JSON object, such as {"route": "rounds"}.';
}

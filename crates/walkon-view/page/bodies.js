// @ts-check
// Characters on the stage.
//
// In: the last frames, the roster, the camera. Out: pixels. Holds: a few characters are drawn in full (disc, where it
// looks, name, what it does); many are stamped into the pixels of the stage, which costs a few milliseconds for ten
// thousand. Not here: the ground below them (`stage.js`).

import { camera, isTilted, matrix, pose, spaceMatrix } from "./camera.js";
import { HELD, IS_OFF, REPLANNED, WAITS, Body, readBody } from "./frames.js";
import { colourOf } from "./colours.js";
import { isAbove, model, rowOf } from "./model.js";
import { Words } from "./painter.js";
import { body as bodyColour, stageColours } from "./palette.js";
import { isHidden } from "./relief.js";

/** More than these are stamped. */
export const STAMPED_FROM = 700;
const NAMED_MAX = 160;
/** More than these have names only when they are looked at from near: pixels of a metre. */
const CROWD = 40;
const NEAR = 18;

const one = new Body();

/** Colours by key, as pixels and as text. @type {Map<number, {pixel: number, css: string, radius: number}>} */
const looks = new Map();

/** Forgets the colours, when roster or theme change. */
export function forgetLooks() {
  looks.clear();
}

/** @param {number} key */
function lookOf(key) {
  let look = looks.get(key);
  if (!look) {
    const row = rowOf(key);
    const [red, green, blue] = bodyColour(colourOf(row));
    look = {
      pixel: ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0,
      css: `rgb(${red},${green},${blue})`,
      radius: row?.radius ?? 0.35,
    };
    looks.set(key, look);
  }
  return look;
}

/** How much of each pixel a disc covers, by radius in half pixels. @type {Map<number, {reach: number, cover: Float32Array}>} */
const discs = new Map();

/** @param {number} radius pixels */
function discOf(radius) {
  const name = Math.max(2, Math.round(radius * 2));
  let disc = discs.get(name);
  if (!disc) {
    const exact = name / 2;
    const reach = Math.ceil(exact);
    const side = reach * 2 + 1;
    const cover = new Float32Array(side * side);
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        cover[(y + reach) * side + x + reach] = Math.min(1, Math.max(0, exact + 0.5 - Math.hypot(x, y)));
      }
    }
    disc = { reach, cover };
    discs.set(name, disc);
  }
  return disc;
}

/**
 * Stamps everybody into `pixels`, which are `wide` times `high`.
 * @param {Uint32Array} pixels
 * @param {number} wide
 * @param {number} high
 * @param {number} ratio
 * @param {number} share between the last two frames
 */
export function stampBodies(pixels, wide, high, ratio, share) {
  const frame = model.frame;
  if (!frame) return;
  const [across, along] = spaceMatrix(matrix().map((part) => part * ratio));
  const scale = camera.scale * ratio;
  const line = stageColours().line;
  const dark = Number.parseInt(line.slice(1), 16);
  const edge = ((255 << 24) | ((dark & 255) << 16) | (dark & 0xff00) | (dark >> 16)) >>> 0;
  for (let row = 0; row < frame.count; row++) {
    readBody(row, share, one);
    if (isAbove(one.y)) continue;
    const left = Math.round(across[0] * one.x + across[1] * one.y + across[2] * one.z + across[3]);
    const top = Math.round(along[0] * one.x + along[1] * one.y + along[2] * one.z + along[3]);
    if (left < -16 || top < -16 || left > wide + 16 || top > high + 16) continue;
    const look = lookOf(one.key);
    const radius = Math.min(12, Math.max(1.5, look.radius * scale));
    const colour = one.state & IS_OFF ? 0xff8a8a8a : look.pixel;
    stampDisc(pixels, wide, high, left, top, discOf(radius), colour);
    if (radius >= 3) {
      const nose = radius * 0.85;
      const [sin, cos] = [Math.sin(one.facing), Math.cos(one.facing)];
      const right = (across[0] * sin + across[2] * cos) / scale;
      const down = (along[0] * sin + along[2] * cos) / scale;
      stampDisc(pixels, wide, high, Math.round(left + right * nose), Math.round(top + down * nose), discOf(1), edge);
    }
  }
}

/**
 * @param {Uint32Array} pixels
 * @param {number} wide
 * @param {number} high
 * @param {number} left
 * @param {number} top
 * @param {{reach: number, cover: Float32Array}} disc
 * @param {number} colour
 */
function stampDisc(pixels, wide, high, left, top, disc, colour) {
  const { reach, cover } = disc;
  const side = reach * 2 + 1;
  const [red, green, blue] = [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255];
  const firstY = Math.max(-reach, -top);
  const lastY = Math.min(reach, high - 1 - top);
  const firstX = Math.max(-reach, -left);
  const lastX = Math.min(reach, wide - 1 - left);
  for (let y = firstY; y <= lastY; y++) {
    let at = (top + y) * wide + left + firstX;
    let mask = (y + reach) * side + firstX + reach;
    for (let x = firstX; x <= lastX; x++, at++, mask++) {
      const share = cover[mask];
      if (share >= 1) {
        pixels[at] = colour;
      } else if (share > 0) {
        const below = pixels[at];
        const rest = 1 - share;
        pixels[at] =
          (0xff000000 |
            ((blue * share + ((below >>> 16) & 255) * rest) << 16) |
            ((green * share + ((below >>> 8) & 255) * rest) << 8) |
            (red * share + (below & 255) * rest)) >>>
          0;
      }
    }
  }
}

/**
 * Draws everybody in full.
 * @param {CanvasRenderingContext2D} context
 * @param {number} ratio
 * @param {number} share
 * @param {{hovered: number, hasNames: boolean, taken: [number, number, number, number][]}} options
 */
export function drawBodies(context, ratio, share, options) {
  const frame = model.frame;
  if (!frame) return;
  const colours = stageColours();
  const [across, along] = spaceMatrix(matrix().map((part) => part * ratio));
  const scale = camera.scale * ratio;
  const isAside = isTilted();
  /** @type {{text: string, left: number, top: number, above: number, isSure: boolean}[]} */
  const names = [];
  for (let row = 0; row < frame.count; row++) {
    readBody(row, share, one);
    if (isAbove(one.y)) continue;
    const left = across[0] * one.x + across[1] * one.y + across[2] * one.z + across[3];
    const top = along[0] * one.x + along[1] * one.y + along[2] * one.z + along[3];
    if (left < -60 || top < -60 || left > camera.width * ratio + 60 || top > camera.height * ratio + 60) continue;
    const look = lookOf(one.key);
    const radius = Math.max(3.5 * ratio, look.radius * scale);
    const [sin, cos] = [Math.sin(one.facing), Math.cos(one.facing)];
    const right = (across[0] * sin + across[2] * cos) / scale;
    const down = (along[0] * sin + along[2] * cos) / scale;
    const isOther = (model.welcome?.layers ?? 1) > 1 && one.layer !== model.layer;
    // Beyond the running tick the forecast counts, and bodies step back.
    context.globalAlpha = isOther || model.ahead !== null ? 0.28 : 1;
    // Under a floor it is seen faintly, so that nobody is lost.
    if (isHidden([one.x, one.y + 0.05, one.z])) context.globalAlpha *= 0.45;
    if (isAside) drawFeet(context, { left, top, radius, lean: Math.sin(pose.tilt) });
    const long = Math.hypot(right, down) || 1;
    drawDisc(context, { left, top, radius, right: right / long, down: down / long, ratio, look, colours });
    drawState(context, { left, top, radius, ratio, state: one.state, colours });
    context.globalAlpha = 1;
    const who = rowOf(one.key);
    const isSure = one.key === model.selection?.key || one.key === options.hovered;
    if (who && (isSure || (options.hasNames && !isOther)))
      names.push({ text: who.name, left, top: top + radius + 3 * ratio, above: top - radius - 15 * ratio, isSure });
  }
  const words = new Words();
  words.taken = options.taken;
  // In a crowd that is far away, only names that are asked for.
  const isDense = names.length > CROWD && camera.scale < NEAR;
  names.sort((first, second) => Number(second.isSure) - Number(first.isSure));
  for (const name of names.slice(0, NAMED_MAX)) {
    if (isDense && !name.isSure) break;
    const look = { text: name.text, left: name.left, size: 11 * ratio, colour: colours.ink, isBold: name.isSure };
    if (!words.write(context, { ...look, top: name.top }))
      words.write(context, { ...look, top: name.above, isSure: name.isSure });
  }
}

/**
 * A shadow on the floor: where somebody stands is seen at any tilt.
 * @param {CanvasRenderingContext2D} context
 * @param {{left: number, top: number, radius: number, lean: number}} feet
 */
function drawFeet(context, { left, top, radius, lean }) {
  context.beginPath();
  context.ellipse(left, top, radius * 1.35, radius * 1.35 * lean, 0, 0, Math.PI * 2);
  context.fillStyle = "rgba(0,0,0,.22)";
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {{left: number, top: number, radius: number, right: number, down: number, ratio: number, look: {css: string},
 *   colours: ReturnType<typeof stageColours>}} disc
 */
function drawDisc(context, { left, top, radius, right, down, ratio, look, colours }) {
  context.beginPath();
  context.arc(left, top, radius, 0, Math.PI * 2);
  context.fillStyle = look.css;
  context.fill();
  context.lineWidth = 1.2 * ratio;
  context.strokeStyle = colours.line;
  context.stroke();
  // A beak, so that the direction reads at a glance and at small sizes.
  context.beginPath();
  const long = radius + Math.min(radius * 0.5, 5 * ratio);
  const wide = Math.min(radius * 0.6, 6 * ratio);
  const foot = Math.sqrt(radius * radius - wide * wide) - ratio;
  context.moveTo(left + right * long, top + down * long);
  context.lineTo(left + right * foot - down * wide, top + down * foot + right * wide);
  context.lineTo(left + right * foot + down * wide, top + down * foot - right * wide);
  context.closePath();
  context.fillStyle = colours.beak;
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {{left: number, top: number, radius: number, ratio: number, state: number,
 *   colours: ReturnType<typeof stageColours>}} sign
 */
function drawState(context, { left, top, radius, ratio, state, colours }) {
  if (state & IS_OFF) {
    const arm = radius * 0.55;
    context.strokeStyle = colours.warn;
    context.lineWidth = 2 * ratio;
    context.beginPath();
    context.moveTo(left - arm, top - arm);
    context.lineTo(left + arm, top + arm);
    context.moveTo(left + arm, top - arm);
    context.lineTo(left - arm, top + arm);
    context.stroke();
  }
  const ring = state & HELD ? "#a06ad8" : state & REPLANNED ? "#f0861f" : state & WAITS ? colours.soft : null;
  if (!ring) return;
  context.strokeStyle = ring;
  context.lineWidth = 1.5 * ratio;
  context.setLineDash(state & HELD ? [] : [3 * ratio, 2.5 * ratio]);
  context.beginPath();
  context.arc(left, top, radius + 3 * ratio, 0, Math.PI * 2);
  context.stroke();
  context.setLineDash([]);
}

/**
 * The character under a point of the stage, or -1.
 * @param {number} left
 * @param {number} top
 * @param {number} share
 * @returns {number} its key
 */
export function bodyAt(left, top, share) {
  const frame = model.frame;
  if (!frame) return -1;
  const [across, along] = spaceMatrix(matrix());
  let [best, nearest] = [-1, Infinity];
  for (let row = 0; row < frame.count; row++) {
    readBody(row, share, one);
    if (isAbove(one.y)) continue;
    const away = Math.hypot(
      across[0] * one.x + across[1] * one.y + across[2] * one.z + across[3] - left,
      along[0] * one.x + along[1] * one.y + along[2] * one.z + along[3] - top,
    );
    const reach = Math.max(5, lookOf(one.key).radius * camera.scale) + 3;
    if (away < reach && away < nearest) [best, nearest] = [one.key, away];
  }
  return best;
}

/** How many characters are on the stage. */
export function countVisible() {
  const frame = model.frame;
  if (!frame) return 0;
  const [across, along] = spaceMatrix(matrix());
  let count = 0;
  for (let row = 0; row < frame.count; row++) {
    readBody(row, 1, one);
    const left = across[0] * one.x + across[1] * one.y + across[2] * one.z + across[3];
    const top = along[0] * one.x + along[1] * one.y + along[2] * one.z + along[3];
    if (left > -20 && top > -20 && left < camera.width + 20 && top < camera.height + 20) count++;
  }
  return count;
}

// @ts-check
// Colours of the stage in light and in dark.
//
// In: colours of pictures and of the roster, made for light paper. Out: the same for the theme in force. Holds: in the
// dark, ground stays darker where it was darker, lines and words turn light; hues stay. Not here: colours of the page
// itself (`style.css`).

import { changed, remember, remembered } from "./model.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

/** `"light"`, `"dark"`, or `"auto"`: as the system has it. @type {string} */
let choice = remembered("theme", "auto");

/** Whether the page is dark. */
export function isDark() {
  return choice === "auto" ? dark.matches : choice === "dark";
}

/** Sets the theme on the page. */
export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  grounds.clear();
  inks.clear();
  pixels.clear();
  changed("theme");
}

/** Light becomes dark and dark becomes light. */
export function switchTheme() {
  choice = isDark() ? "light" : "dark";
  if ((choice === "dark") === dark.matches) choice = "auto";
  remember("theme", choice);
  applyTheme();
}

dark.addEventListener("change", applyTheme);

/** @type {Map<string, string>} */
const grounds = new Map();
/** @type {Map<string, string>} */
const inks = new Map();

/**
 * The colour of ground: cells, areas.
 * @param {string} hex
 */
export function ground(hex) {
  return mapped(grounds, hex, 0.42, (light) => 0.055 + light * 0.165);
}

/** Red, green, blue of grounds. @type {Map<string, number[]>} */
const pixels = new Map();

/**
 * The colour of ground as a pixel, in some light.
 * @param {string} hex
 * @param {number} light 0 to 1
 */
export function groundPixel(hex, light) {
  let parts = pixels.get(hex);
  if (!parts) {
    const brush = document.createElement("canvas").getContext("2d");
    if (!brush) return 0xff808080;
    brush.fillStyle = ground(hex);
    brush.fillRect(0, 0, 1, 1);
    parts = [...brush.getImageData(0, 0, 1, 1).data];
    pixels.set(hex, parts);
  }
  const [red, green, blue] = parts.map((part) => Math.round(part * light));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * The colour of what lies on it: lines, words, dots.
 * @param {string} hex
 */
export function ink(hex) {
  return mapped(inks, hex, 0.8, (light) => Math.max(0.55, Math.min(0.82, 0.86 - light * 0.55)));
}

/**
 * The colour of an inside: a thin veil is thinner in the dark, where light colours weigh more.
 * @param {string} hex
 */
export function tint(hex) {
  const opacity = hex.length >= 9 ? Number.parseInt(hex.slice(7, 9), 16) : 255;
  if (!isDark() || opacity > 100) return ink(hex);
  return ink(
    `${hex.slice(0, 7)}${Math.round(opacity * 0.55)
      .toString(16)
      .padStart(2, "0")}`,
  );
}

/**
 * @param {Map<string, string>} known
 * @param {string} hex
 * @param {number} colourful how much of its colour stays
 * @param {(lightness: number) => number} change
 */
function mapped(known, hex, colourful, change) {
  if (!isDark()) return hex;
  let found = known.get(hex);
  if (found === undefined) {
    const [hue, saturation, light, opacity] = hslOf(hex);
    found = `hsl(${hue.toFixed(1)} ${(saturation * colourful * 100).toFixed(1)}% ${(change(light) * 100).toFixed(1)}% / ${opacity.toFixed(3)})`;
    known.set(hex, found);
  }
  return found;
}

/**
 * Red, green, blue and opacity of `#rrggbb` or `#rrggbbaa`, 0 to 255.
 * @param {string} hex
 * @returns {[number, number, number, number]}
 */
export function rgbaOf(hex) {
  const number = Number.parseInt(hex.slice(1, 7), 16);
  if (!Number.isFinite(number)) return [120, 120, 120, 255];
  const opacity = hex.length >= 9 ? Number.parseInt(hex.slice(7, 9), 16) : 255;
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255, opacity];
}

/**
 * @param {string} hex
 * @returns {[number, number, number, number]} hue in degrees, the others 0 to 1
 */
function hslOf(hex) {
  const [red, green, blue, opacity] = rgbaOf(hex).map((part) => part / 255);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const light = (most + least) / 2;
  const span = most - least;
  if (span === 0) return [0, 0, light, opacity];
  const saturation = span / (1 - Math.abs(2 * light - 1));
  const turn =
    most === red ? ((green - blue) / span) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  return [(turn * 60 + 360) % 360, saturation, light, opacity];
}

/**
 * The colour of a body: bright enough for the dark.
 * @param {string} hex
 * @returns {[number, number, number]}
 */
export function body(hex) {
  const [red, green, blue] = rgbaOf(hex);
  if (!isDark()) return [red, green, blue];
  const lift = (/** @type {number} */ part) => Math.round(part + (255 - part) * 0.28);
  return [lift(red), lift(green), lift(blue)];
}

/** Colours of the stage that no picture gives. */
export function stageColours() {
  return isDark()
    ? {
        paper: "#15171a",
        ink: "#e6e8eb",
        soft: "#9aa1aa",
        halo: "rgba(16,18,20,.82)",
        line: "#0b0d0f",
        beak: "#dfe5ec",
        accent: "#6cb2ff",
        ghost: "#8b93a0",
        warn: "#ff8a7a",
      }
    : {
        paper: "#faf9f6",
        ink: "#2b2f36",
        soft: "#5d636d",
        halo: "rgba(255,255,255,.85)",
        line: "#142b42",
        beak: "#142b42",
        accent: "#0a66c2",
        ghost: "#6b7280",
        warn: "#c4321f",
      };
}

// @ts-check
// What scripts cost, as a colour.
//
// In: fuel a tick. Out: a dot that is warmer by each power of ten. Not here: asking for it (`search.js`, `inspector.js`).

import { h } from "./elements.js";

/** What a character's scripts cost, warmer by each power of ten. @param {number | null | undefined} fuel */
export function heat(fuel) {
  if (typeof fuel !== "number") return null;
  const warmth = Math.max(0, Math.min(1, Math.log10(1 + fuel) / 4));
  const title = `${fuel < 10 ? fuel.toFixed(1) : Math.round(fuel)} fuel a tick`;
  const background = `hsl(${Math.round(50 - 50 * warmth)} 90% 50% / ${(0.15 + 0.85 * warmth).toFixed(2)})`;
  return h("span", { class: "heat", title, style: { background } });
}

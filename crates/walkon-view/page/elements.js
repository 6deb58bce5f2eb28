// @ts-check
// Elements of the page, made by script.
//
// In: a tag, attributes, children. Out: elements, icons, in-place updates of lists. Holds: no HTML text is ever parsed,
// so nothing that a level says can become markup; no style attribute is written, which the page's policy forbids. Not
// here: what the elements mean.

/** @typedef {Node | string | number | null | undefined | false | void} One */
/** @typedef {One | One[] | One[][]} Child */

/**
 * Makes an element. `onclick` and the like take functions, `style` an object, `class` and everything else text; an attribute
 * of false or null is left out, one of true is written empty.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value") /** @type {any} */ (element).value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/**
 * @param {Element} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of /** @type {One[]} */ (children.flat(3))) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replaces what is in `parent`.
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/**
 * Makes `parent` look like `wanted` while it keeps the nodes it has, so that focus, selected text and scroll positions stay.
 * Handlers are not carried over: what is updated this way speaks through `data-` attributes and one handler on its root.
 * @param {Element} parent
 * @param {Element} wanted
 */
export function morph(parent, wanted) {
  const old = [...parent.childNodes];
  const next = [...wanted.childNodes];
  next.forEach((node, at) => {
    const have = old[at];
    if (!have) parent.append(node);
    else morphNode(have, node);
  });
  for (const extra of old.slice(next.length)) extra.remove();
}

/**
 * @param {ChildNode} have
 * @param {ChildNode} node
 */
function morphNode(have, node) {
  if (have.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
    if (have.nodeValue !== node.nodeValue) have.nodeValue = node.nodeValue;
    return;
  }
  if (!(have instanceof Element) || !(node instanceof Element) || have.tagName !== node.tagName) {
    have.replaceWith(node);
    return;
  }
  if (have.getAttribute("data-id") !== node.getAttribute("data-id")) {
    have.replaceWith(node);
    return;
  }
  for (const { name } of [...have.attributes]) {
    if (!node.hasAttribute(name) && !(name === "open" || name === "style")) have.removeAttribute(name);
  }
  for (const { name, value } of [...node.attributes]) {
    if (name !== "style" && name !== "open" && have.getAttribute(name) !== value) have.setAttribute(name, value);
  }
  if (node instanceof HTMLElement && have instanceof HTMLElement) {
    if (have.style.cssText !== node.style.cssText) have.style.cssText = node.style.cssText;
  }
  morph(have, node);
}

const SVG = "http://www.w3.org/2000/svg";

/** Outlines in a square of 16. @type {Record<string, string>} */
const ICONS = {
  play: "M5 3.2v9.6L12.8 8z",
  pause: "M5 3.5v9M11 3.5v9",
  step: "M4 3.5v9L10 8zM12.2 3.5v9",
  back: "M12 3.5v9L6 8zM3.8 3.5v9",
  restart: "M3.2 8a4.8 4.8 0 1 0 1.5-3.5M4.7 1.9v2.7h2.7",
  layers: "M8 2.2 2 5.4l6 3.2 6-3.2zM2 8.4l6 3.2 6-3.2M2 11.2l6 3.2 6-3.2",
  search: "M7 2.6a4.4 4.4 0 1 0 0 8.8 4.4 4.4 0 0 0 0-8.8zM10.2 10.2l3.4 3.4",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  follow: "M8 5.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2zM8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  palette: "M3 3h4v4H3zM3 9.5h4v3.5H3zM9.5 4.2h4M9.5 7h2.5M9.5 10.2h4M9.5 12.8h2.5",
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.5M8 11.9v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z",
  slant: "M2.5 11 8 13.8l5.5-2.8M2.5 7.6 8 10.4l5.5-2.8L8 4.8zM8 1.2v3.4",
  future: "M2 12c3-8 5.5 2 8-4M10 8h4M12 6l2 2-2 2",
  cursor: "M4 2.5 12.5 7 8.8 8.4 7.4 12.5z",
  walk: "M8.6 2.2a1 1 0 1 0 0 2 1 1 0 0 0 0-2zM8 5.6 6.4 9l2.2 1.8.4 3.2M6.4 9l-.6 2.2-1.9 2.6M8 5.6l2 2 2 .4M8 5.6 5.6 6.4 4.8 8.4",
  path: "M3.2 12.8c0-5 9.6-3.2 9.6-8M3.2 11.2a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zM12.8 1.8a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2z",
  polygon: "M3.5 12.5 2.5 5.5 8 2.5l5.5 4-2 6z",
  block: "M3 3h10v10H3zM3 8l5-5M3 13 13 3M8 13l5-5",
  region: "M2.5 4.5v-2h2M7 2.5h2M11.5 2.5h2v2M13.5 7v2M13.5 11.5v2h-2M9 13.5H7M4.5 13.5h-2v-2M2.5 9V7",
  round: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 8h5.5",
  mark: "M8 14s4.4-4.4 4.4-7.6a4.4 4.4 0 0 0-8.8 0C3.6 9.6 8 14 8 14zM8 5v2.8M6.6 6.4h2.8",
  route: "M3 12.5 6 5l4 6 3-7.5M3 12.5h.1M6 5h.1M10 11h.1M13 3.5h.1",
  person: "M8 2.2a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2zM3 14c.3-3 2.4-4.6 5-4.6s4.7 1.6 5 4.6",
  door: "M4 14V2.5h8V14M2.5 14h11M9.8 8.2v.6",
  brush: "M13.5 2.5 7 9M6 9.2c-1.8 0-2 1.6-2.3 2.6-.2.7-.8 1-1.4 1.1 2.4 1.2 5.4.6 5.4-2.1 0-.9-.8-1.6-1.7-1.6z",
  speech: "M2.5 3.5h11v7.5H8l-3 2.6V11H2.5zM5 6.2h6M5 8.3h4",
  undo: "M5.5 3 2.5 6l3 3M2.8 6h6.4a3.8 3.8 0 1 1 0 7.6H7",
  redo: "M10.5 3l3 3-3 3M13.2 6H6.8a3.8 3.8 0 1 0 0 7.6H9",
  bin: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",
  close: "M4 4l8 8M12 4l-8 8",
  edit: "M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.6 4.2l2.2 2.2",
  over: "M2.5 9a5.5 5.5 0 0 1 10.6-2M13.5 3.5v3.7H9.8M8 11.6a1 1 0 1 0 0 2 1 1 0 0 0 0-2z",
  into: "M8 2v7M5 6.4 8 9.4l3-3M8 11.6a1 1 0 1 0 0 2 1 1 0 0 0 0-2z",
  out: "M8 9.4v-7M5 5 8 2l3 3M8 11.6a1 1 0 1 0 0 2 1 1 0 0 0 0-2z",
  dots: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  down: "M4 6l4 4 4-4",
};

/**
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] ?? "");
  svg.append(path);
  return svg;
}

/** A needle whose dark end shows to the north; what turns is its group. */
export function compass() {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon icon-compass");
  svg.setAttribute("aria-hidden", "true");
  const hand = document.createElementNS(SVG, "g");
  for (const [name, d] of [
    ["ring", "M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2z"],
    ["north", "M8 2.6 10 8H6z"],
    ["south", "M8 13.4 10 8H6z"],
  ]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", name);
    (name === "ring" ? svg : hand).append(path);
  }
  svg.append(hand);
  return svg;
}

/**
 * A button with an icon. Its tooltip names it and its key.
 * @param {{icon?: string, text?: string, label: string, key?: string, test?: string, class?: string, pressed?: boolean,
 *   onclick?: (event: MouseEvent) => void}} spec
 * @returns {HTMLButtonElement}
 */
export function button(spec) {
  const made = h(
    "button",
    {
      type: "button",
      class: `button ${spec.text ? "" : "bare"} ${spec.class ?? ""}`.trim(),
      title: spec.key ? `${spec.label}  (${spec.key})` : spec.label,
      "aria-label": spec.label,
      "aria-pressed": spec.pressed === undefined ? null : String(spec.pressed),
      "aria-keyshortcuts": spec.key ?? null,
      "data-test": spec.test ?? null,
      onclick: spec.onclick,
    },
    spec.icon ? icon(spec.icon) : null,
    spec.text ? h("span", {}, spec.text) : null,
  );
  return /** @type {HTMLButtonElement} */ (made);
}

/**
 * The element with that id, which `index.html` has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element "${id}"`);
  return found;
}

/**
 * A number for people: at most `digits` decimals, no trailing zeros.
 * @param {number} value
 * @param {number} [digits]
 */
export function short(value, digits = 2) {
  if (!Number.isFinite(value)) return "-";
  return String(Number(value.toFixed(digits)));
}

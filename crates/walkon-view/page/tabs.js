// @ts-check
// The tabs of the panel on the right.
//
// In: pages with a name. Out: the one that is shown. Holds: only the page that is shown is kept up to date. Not here:
// what the pages hold.

import { byId, fill, h } from "./elements.js";
import { changed, remember, remembered } from "./model.js";

/**
 * @typedef {{name: string, label: string, root: HTMLElement, show?: () => void, hide?: () => void, tab?: HTMLElement,
 *   badge?: HTMLElement}} Tab
 */

/** @type {Tab[]} */
const tabs = [];
let current = "";

/** @param {Tab} tab */
export function addTab(tab) {
  tabs.push(tab);
  tab.root.id = `page-${tab.name}`;
  tab.root.setAttribute("role", "tabpanel");
  tab.root.setAttribute("data-test", tab.name === "inspect" ? "inspector" : tab.name);
  tab.root.hidden = true;
}

/** Puts the tabs on the page. */
export function startTabs() {
  const list = byId("tabs");
  tabs.forEach((tab, at) => {
    tab.badge = h("span", { class: "badge", hidden: true });
    tab.tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${tab.name}`,
        "aria-controls": tab.root.id,
        title: `${tab.label}  (${at + 1})`,
        "data-test": `tab-${tab.name}`,
        onclick: () => showTab(tab.name),
      },
      tab.label,
      tab.badge,
    );
    tab.root.setAttribute("aria-labelledby", `tab-${tab.name}`);
    list.append(tab.tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const at = tabs.findIndex((tab) => tab.name === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    showTab(next.name);
    next.tab?.focus();
    event.stopPropagation();
  });
  fill(
    byId("pages"),
    tabs.map((tab) => tab.root),
  );
  showTab(tabs.some((tab) => tab.name === remembered("tab", "inspect")) ? remembered("tab", "inspect") : "inspect");
  startGrip();
}

/** @param {string} name */
export function showTab(name) {
  if (name === current) return;
  const before = tabs.find((tab) => tab.name === current);
  current = name;
  remember("tab", name);
  for (const tab of tabs) {
    const isShown = tab.name === name;
    tab.root.hidden = !isShown;
    tab.tab?.setAttribute("aria-selected", String(isShown));
    tab.tab?.setAttribute("tabindex", isShown ? "0" : "-1");
    // A narrow panel has no room for all of them.
    if (isShown) tab.tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  before?.hide?.();
  tabs.find((tab) => tab.name === name)?.show?.();
  changed("tab", name);
}

/** @param {number} at */
export function showTabNumber(at) {
  if (tabs[at]) showTab(tabs[at].name);
}

/** @param {string} name */
export function isShown(name) {
  return current === name;
}

/**
 * A small number beside a tab's name; 0 for none.
 * @param {string} name
 * @param {number} count
 */
export function setBadge(name, count) {
  const badge = tabs.find((tab) => tab.name === name)?.badge;
  if (!badge) return;
  badge.hidden = count === 0;
  badge.textContent = count > 99 ? "99+" : String(count);
}

function startGrip() {
  const grip = byId("grip");
  const panel = byId("panel");
  const set = (/** @type {number} */ wide) => {
    const width = Math.round(Math.max(280, Math.min(window.innerWidth * 0.6, wide)));
    panel.style.width = `${width}px`;
    remember("panel", width);
  };
  set(remembered("panel", window.innerWidth > 1500 ? 470 : 424));
  grip.addEventListener("pointerdown", (event) => {
    grip.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ now) => set(window.innerWidth - now.clientX);
    grip.addEventListener("pointermove", move);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move), { once: true });
  });
  grip.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") set(panel.clientWidth + 20);
    else if (event.key === "ArrowRight") set(panel.clientWidth - 20);
    else return;
    event.stopPropagation();
  });
}

// @ts-check
// Short notices in a corner, and the banner of a lost connection.
//
// In: sentences. Out: notices that go by themselves, a banner that stays until the connection is back. Holds: the same
// sentence is shown once. Not here: faults of scripts and diagnostics (`problems.js`).

import { ask, everOpen, link, tryNow } from "./connection.js";
import { button, byId, fill, h } from "./elements.js";
import { listen, model } from "./model.js";

const corner = byId("notices");
const banner = byId("banner");

/**
 * @param {string} text
 * @param {{isMistake?: boolean, action?: string, onclick?: () => void, topic?: string}} [options] of a topic the last notice
 *   counts: those before it go
 */
export function notice(text, options = {}) {
  for (const child of [...corner.children]) {
    const isSame = child.getAttribute("data-id") === text;
    if (isSame || (options.topic && child.getAttribute("data-topic") === options.topic)) child.remove();
  }
  const card = h(
    "div",
    {
      class: options.isMistake ? "notice mistake" : "notice",
      role: options.isMistake ? "alert" : "status",
      "data-id": text,
      "data-topic": options.topic ?? null,
      "data-test": "notice",
    },
    h("span", { class: "grow" }, text),
    options.action
      ? h(
          "button",
          { type: "button", class: "button", onclick: () => (options.onclick?.(), card.remove()) },
          options.action,
        )
      : null,
    button({ icon: "close", label: "Close", onclick: () => card.remove() }),
  );
  corner.append(card);
  while (corner.children.length > 4) corner.firstElementChild?.remove();
  setTimeout(() => card.remove(), options.isMistake ? 9000 : 4500);
}

/** Begins to listen. */
export function startNotices() {
  listen("progress", showProgress);
  listen("answered", endProgress);
  listen("notice", (detail) => notice(detail.text, detail));
  listen("connection", showBanner);
  setInterval(() => {
    if (!link.isOpen) showBanner();
  }, 500);
  setTimeout(() => link.isOpen || showBanner(), 600);
}

/** @type {HTMLElement | null} */
let running = null;
let quiet = 0;

/** What cannot be called off: it has no moments at which it could end. */
const TO_THE_END = "the graph";

/** The command that a progress is of. @type {number | null} */
let commandUnderWay = null;

/** @param {number} command */
function endProgress(command) {
  if (command !== commandUnderWay) return;
  commandUnderWay = null;
  running?.remove();
}

/** @param {{command: number, of: string, done: number, all: number}} news */
function showProgress(news) {
  commandUnderWay = news.command;
  clearTimeout(quiet);
  running ??= h(
    "div",
    { class: "notice", role: "status", "data-test": "progress" },
    h("span", { class: "grow" }),
    h("progress", {}),
    h(
      "button",
      { type: "button", class: "button small", "data-test": "call-off", onclick: () => ask("cancel").catch(() => {}) },
      "Stop",
    ),
  );
  if (!running.isConnected) corner.append(running);
  const [words, bar, stop] = /** @type {HTMLElement[]} */ ([...running.children]);
  words.textContent = news.of;
  stop.hidden = news.of === TO_THE_END;
  bar.setAttribute("max", String(Math.max(1, news.all)));
  bar.setAttribute("value", String(news.done));
  quiet = window.setTimeout(() => running?.remove(), news.done >= news.all ? 400 : 5000);
}

/** @param {string} words */
function sentence(words) {
  return words[0].toUpperCase() + words.slice(1);
}

function showBanner() {
  banner.hidden = link.isOpen;
  document.body.classList.toggle("lost", !link.isOpen);
  if (link.isOpen) return;
  const seconds = Math.max(0, Math.ceil((link.retryAt - performance.now()) / 1000));
  const what = everOpen()
    ? `${link.reason ? `${sentence(link.reason)}.` : "The connection is lost."} What you see is the last that came.`
    : link.reason
      ? `${sentence(link.reason)}.`
    : `walkon does not answer at ${location.host}. Is it running, and is this the address that it printed last?`;
  fill(
    banner,
    h("span", { class: "pulse" }),
    h("span", {}, what),
    h("span", { class: "soft" }, seconds > 0 ? `Trying again in ${seconds} s` : "Trying again"),
    h("button", { type: "button", class: "button", onclick: tryNow, "data-test": "reconnect" }, "Try now"),
  );
  void model;
}

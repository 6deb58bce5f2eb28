// @ts-check
// Faults of scripts and what `check` finds, in one list.
//
// In: the faults of the running level, diagnostics of level and scripts, refused reloads. Out: a list with places; a
// click shows the source. Holds: a problem that is gone leaves the list; the tab carries the count. Not here: marks in
// the source (`source.js`).

import { ask } from "./connection.js";
import { h, icon, morph } from "./elements.js";
import { fileLink } from "./inspector.js";
import { changed, clock, listen, model } from "./model.js";
import { addTab, isShown, setBadge } from "./tabs.js";

const list = h("div", { class: "sections" });
const root = h(
  "div",
  { class: "page" },
  h(
    "div",
    { class: "head row" },
    h("span", { class: "grow soft" }, "Faults while running, and what check finds."),
    h("button", { type: "button", class: "button small", "data-test": "check", onclick: () => check() }, "Check again"),
  ),
  list,
);

export const problems = {
  /** @type {Json[]} */
  faults: [],
  /** A reload that was refused. @type {Json} */
  refused: null,
};

let faultsKnown = -1;
let isUnderWay = false;
/** When this page changed a text last: it needs no notice of its own doing. */
let ownAt = -Infinity;

/** Begins to listen. */
export function startProblems() {
  addTab({ name: "problems", label: "Problems", root, show: () => (askFaults(), check(), show()) });
  listen("state", () => {
    if (model.state.faults !== faultsKnown) askFaults();
  });
  // A run that began again runs with the texts of now.
  listen("forgotten", () => {
    problems.refused = null;
    show();
  });
  listen("diagnostics", show);
  listen("ownEdit", () => (ownAt = performance.now()));
  listen("problems", (/** @type {{diagnostics: Diagnostic[]}} */ news) => {
    model.diagnostics = news.diagnostics ?? [];
    if (!model.diagnostics.some((each) => each.severity === "error")) problems.refused = null;
    changed("diagnostics");
  });
  listen("reloaded", (/** @type {Json} */ message) => {
    problems.refused = message.ok ? null : message;
    const isOwn = performance.now() - ownAt < 2500;
    if (!message.ok || !isOwn) changed("notice", message.ok ? { text: message.text || "Reloaded", topic: "reload" } : refusal(message));
    check();
    faultsKnown = -1;
    askFaults();
    show();
  });
  root.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest("[data-file]");
    if (target instanceof HTMLElement)
      changed("source", { file: target.dataset.file, line: Number(target.dataset.line) || undefined });
  });
  show();
}

/** The notice of a refused reload. @param {Json} message */
function refusal(message) {
  const where = `${message.file ?? ""}${message.line ? `:${message.line}` : ""}`;
  const what = String(message.message ?? message.text ?? "the reload was refused");
  return {
    text: where && !what.startsWith(where) ? `${where}: ${what}` : what,
    isMistake: true,
    topic: "reload",
    action: message.file ? "Show" : undefined,
    onclick: () => changed("source", { file: message.file, line: message.line || undefined }),
  };
}

async function askFaults() {
  if (isUnderWay) return;
  isUnderWay = true;
  faultsKnown = model.state.faults;
  try {
    const answer = await ask("inspect", { kind: "level", name: model.welcome?.level ?? "" });
    problems.faults = answer.faults ?? [];
  } catch {
    // The next state asks again.
  }
  isUnderWay = false;
  show();
}

/** Asks for the diagnostics of level and scripts. */
export async function check() {
  try {
    const answer = await ask("check");
    model.diagnostics = answer.diagnostics ?? [];
    changed("diagnostics");
  } catch {
    // Without a connection there is nothing to check.
  }
}

function show() {
  const severe = model.diagnostics.filter((each) => each.severity === "error").length;
  const known = problems.refused && isAmong(problems.refused);
  setBadge("problems", problems.faults.length + model.diagnostics.length + (problems.refused && !known ? 1 : 0));
  root.classList.toggle("severe", severe + problems.faults.length > 0);
  if (!isShown("problems")) return;
  const refused = problems.refused;
  const made = h(
    "div",
    {},
    refused
      ? h(
          "section",
          { class: "section" },
          h("h2", {}, "The last reload was refused"),
          h("p", { class: "soft" }, "The level runs on with the texts of before."),
          known
            ? null
            : h(
                "ul",
                { class: "list" },
                entry({
                  severity: "error",
                  file: refused.file,
                  line: refused.line,
                  message: refused.message ?? refused.text,
                }),
              ),
        )
      : null,
    problems.faults.length
      ? h(
          "section",
          { class: "section" },
          h("h2", {}, "Faults"),
          h(
            "ul",
            { class: "list", "data-test": "faults" },
            problems.faults.map((fault) =>
              entry({
                severity: "error",
                file: fault.file,
                line: fault.line,
                message: fault.message,
                help: `${fault.owner ?? ""}${fault.count > 1 ? `, ${fault.count} times` : ""}${fault.lastTick !== undefined ? `, last at ${clock(fault.lastTick)}` : ""}`,
              }),
            ),
          ),
        )
      : null,
    model.diagnostics.length
      ? h(
          "section",
          { class: "section" },
          h("h2", {}, "Check"),
          h("ul", { class: "list", "data-test": "diagnostics" }, model.diagnostics.map(entry)),
        )
      : null,
    !refused && !problems.faults.length && !model.diagnostics.length
      ? h("p", { class: "soft pad", "data-test": "no-problems" }, "No problems.")
      : null,
  );
  morph(list, made);
}

/**
 * Whether `check` has found what a reload was refused for. A script has its folder before its name there.
 * @param {Json} refused
 */
function isAmong(refused) {
  return model.diagnostics.some(
    (each) => each.line === refused.line && refused.file && each.file?.endsWith(refused.file),
  );
}

/** @param {Diagnostic} diagnostic */
function entry(diagnostic) {
  return h(
    "li",
    { class: `problem ${diagnostic.severity}` },
    h(
      "div",
      { class: "row" },
      icon(diagnostic.severity === "error" ? "close" : "help"),
      h(
        "span",
        { class: "grow ellipsis soft small" },
        diagnostic.code ?? "",
        diagnostic.pointer ? ` ${diagnostic.pointer}` : "",
      ),
      fileLink(diagnostic.file, diagnostic.line),
    ),
    h("div", {}, diagnostic.message),
    diagnostic.help ? h("div", { class: "soft small" }, diagnostic.help) : null,
  );
}

// @ts-check
// Scripts and the level as text.
//
// In: a file and a line. Out: the text with numbers, lit words, problems and breakpoints at their lines; an edited script
// to be saved.
// Holds: what changed on disk is shown at once, and never overwrites what is being typed. Not here: editing the level
// by hand or form (`editor.js`).

import { ask, order } from "./connection.js";
import {
  aboutBreakpoint,
  breakpointAt,
  breakpointMenu,
  debuggerPane,
  debugging,
  kindOf,
  toggleBreakpoint,
} from "./debugger.js";
import { button, fill, h } from "./elements.js";
import { changed, listen, model } from "./model.js";
import { problems } from "./problems.js";
import { addTab, showTab } from "./tabs.js";

const files = /** @type {HTMLSelectElement} */ (
  h("select", {
    class: "field grow",
    "aria-label": "File",
    "data-test": "source-file",
    onchange: () => open(files.value),
  })
);
const tools = h("div", { class: "row" });
const text = h("pre", { class: "code source", tabindex: "0", "data-test": "source-text" });
const area = /** @type {HTMLTextAreaElement} */ (
  h("textarea", {
    class: "code source",
    spellcheck: "false",
    "aria-label": "Text of the script",
    "data-test": "source-edit",
  })
);
const root = h("div", { class: "page full" }, h("div", { class: "head row" }, files, tools), text, area, debuggerPane());

let file = "";
/** The name of the script, as its breakpoints have it; null of a file of the level. @type {string | null} */
let script = null;
/** @type {string | null} */
let body = null;
/** @type {number | undefined} */
let marked;
let isEditing = false;
let baseText = "";

/** Begins to listen. */
export function startSource() {
  addTab({ name: "source", label: "Source", root, show: () => (askFiles(), file || open(model.welcome?.file ?? "")) });
  listen("source", (/** @type {{file: string, line?: number}} */ wanted) => {
    showTab("source");
    open(wanted.file, wanted.line);
  });
  listen("script", (/** @type {{file: string, path?: string, text: string | null}} */ news) => {
    take(news.path === file ? file : news.file, news.text ?? "");
    if (news.text === null) askFiles();
  });
  listen("edited", (/** @type {{file: string, text: string}} */ news) => take(news.file, news.text));
  listen("diagnostics", () => show());
  listen("debug", () => show());
  listen("debugger", () => showTab("source"));
  listen("debuggerGrown", keepInView);
  listen("toggleBreakpoint", () => script && !isEditing && marked && toggleBreakpoint(script, marked));
  text.addEventListener("click", clickLine);
  text.addEventListener("contextmenu", clickLine);
  area.addEventListener("keydown", keys);
  area.addEventListener("input", showTools);
  area.hidden = true;
  showTools();
}

async function askFiles() {
  try {
    const answer = await ask("files");
    const group = (/** @type {string} */ label, /** @type {string[]} */ names) =>
      h(
        "optgroup",
        { label },
        names.map((name) => h("option", { value: name }, name)),
      );
    fill(files, group("level", answer.level ?? []), group("scripts", answer.scripts ?? []));
    files.value = file;
  } catch {
    // The list stays as it was.
  }
}

/**
 * @param {string} name
 * @param {number} [line]
 */
async function open(name, line) {
  if (isEditing && area.value !== baseText && name !== file) {
    changed("notice", { text: `${file} has changes that are not saved. Save or leave them first.`, isMistake: true });
    files.value = file;
    return;
  }
  if (name !== file || body === null) {
    const answer = await order("source", { file: name });
    if (!answer) return;
    file = answer.file ?? name;
    script = answer.script ?? null;
    body = answer.text ?? "";
    stopEditing();
  }
  marked = line;
  if (![...files.options].some((option) => option.value === file)) files.append(h("option", { value: file }, file));
  files.value = file;
  show();
  showTools();
  keepInView();
}

/** Scrolls to the marked line where it is not seen. */
function keepInView() {
  const wanted = text.querySelector(".marked");
  const [own, whole] = [wanted?.getBoundingClientRect(), text.getBoundingClientRect()];
  // From step to step the text stays where it is, as long as the line is seen.
  if (own && (own.top < whole.top + 20 || own.bottom > whole.bottom - 40)) wanted?.scrollIntoView({ block: "center" });
}

/**
 * @param {string} name
 * @param {string} news
 */
function take(name, news) {
  if (name !== file || news === body) return;
  body = news;
  if (isEditing && area.value !== baseText) {
    changed("notice", {
      text: `${name} was changed by somebody else while you edit it. Saving merges the two, or asks.`,
    });
    return;
  }
  if (isEditing) area.value = baseText = news;
  show();
}

function showTools() {
  const isScript = /\.luau?$/.test(file);
  fill(
    tools,
    isEditing
      ? [
          h(
            "button",
            {
              type: "button",
              class: "button accent",
              disabled: area.value === baseText,
              title: "Save  (Ctrl+S)",
              "data-test": "save",
              onclick: save,
            },
            "Save",
          ),
          h(
            "button",
            {
              type: "button",
              class: "button",
              title: "Leave the text as it is on disk",
              onclick: () => (stopEditing(), show(), showTools()),
            },
            "Leave",
          ),
        ]
      : isScript
        ? button({ icon: "edit", label: "Edit this script", test: "edit-script", onclick: startEditing })
        : null,
  );
}

function startEditing() {
  isEditing = true;
  area.value = baseText = body ?? "";
  area.hidden = false;
  text.hidden = true;
  showTools();
  area.focus();
  if (marked) {
    const at =
      baseText
        .split("\n")
        .slice(0, marked - 1)
        .join("\n").length + 1;
    area.setSelectionRange(at, at);
  }
}

function stopEditing() {
  isEditing = false;
  area.hidden = true;
  text.hidden = false;
}

async function save() {
  changed("ownEdit");
  const own = area.value;
  const answer = await order("write", { file, text: own, base: baseText });
  if (!answer || answer.conflicts?.length) return;
  const merged = Object.values(answer.files ?? {})[0] ?? own;
  // What was typed while it was saved stays.
  if (area.value === own) area.value = merged;
  body = baseText = merged;
  changed("notice", { text: merged === own ? `${file} is saved.` : `${file} is saved, with what somebody else has changed.` });
  showTools();
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    save();
  } else if (event.key === "Tab" && !event.shiftKey) {
    event.preventDefault();
    area.setRangeText("  ", area.selectionStart, area.selectionEnd, "end");
    showTools();
  } else if (event.key === "Escape") {
    if (area.value === baseText) {
      stopEditing();
      show();
      showTools();
    }
    area.blur();
  }
}

/** A click on the number of a line. @param {MouseEvent} event */
function clickLine(event) {
  const number = /** @type {Element} */ (event.target).closest(".lineno");
  if (!(number instanceof HTMLElement) || !script) return;
  event.preventDefault();
  const line = Number(number.dataset.line);
  if (event.type === "contextmenu") breakpointMenu(script, line, { left: event.clientX, top: event.clientY });
  else toggleBreakpoint(script, line);
}

function show() {
  if (body === null || isEditing) return;
  const stop = debugging.stop?.file && debugging.stop.file === script ? debugging.stop.line : 0;
  /** @type {Map<number, {severity: string, message: string}>} */
  const marks = new Map();
  const isHere = (/** @type {string | undefined} */ name) =>
    name !== undefined && (name === file || file.endsWith(`/${name}`) || name.endsWith(`/${file}`));
  for (const each of model.diagnostics) if (isHere(each.file) && each.line) marks.set(each.line, each);
  for (const fault of problems.faults)
    if (isHere(fault.file) && fault.line) marks.set(fault.line, { severity: "error", message: fault.message });
  if (problems.refused && isHere(problems.refused.file))
    marks.set(problems.refused.line, { severity: "error", message: problems.refused.message });
  const isLua = /\.luau?$/.test(file);
  let isInBlock = false;
  const made = body.split("\n").map((line, at) => {
    const mark = marks.get(at + 1);
    const words = isLua ? lit(line, isInBlock) : { nodes: [line], isInBlock: false };
    isInBlock = words.isInBlock;
    const breakpoint = script ? breakpointAt(script, at + 1) : undefined;
    return h(
      "div",
      {
        class: `codeline${marked === at + 1 ? " marked" : ""}${mark ? ` ${mark.severity}` : ""}${stop === at + 1 ? " halt" : ""}`,
        title: mark?.message ?? null,
      },
      h(
        "span",
        {
          class: `lineno${breakpoint ? ` stop ${kindOf(breakpoint)}` : ""}${script ? " settable" : ""}`,
          "data-line": String(at + 1),
          title: breakpoint ? aboutBreakpoint(breakpoint) || "A breakpoint" : null,
        },
        String(at + 1),
      ),
      h("span", { class: "words" }, words.nodes, mark ? h("span", { class: "remark" }, `  ${mark.message}`) : null),
    );
  });
  const top = text.scrollTop;
  fill(text, made);
  text.scrollTop = top;
}

const WORDS =
  /(--\[\[.*?\]\]|--\[\[.*$|--.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\[\[.*?\]\])|\b(and|break|continue|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|return|then|true|until|while|type|export)\b|\b(\d[\w.]*)|([A-Za-z_]\w*)(?=\s*[({"'])/g;

/**
 * @param {string} line
 * @param {boolean} isInBlock inside a long comment
 */
function lit(line, isInBlock) {
  /** @type {(Node | string)[]} */
  const nodes = [];
  let from = 0;
  if (isInBlock) {
    const end = line.indexOf("]]");
    if (end < 0) return { nodes: [h("span", { class: "comment" }, line)], isInBlock: true };
    nodes.push(h("span", { class: "comment" }, line.slice(0, end + 2)));
    from = end + 2;
  }
  WORDS.lastIndex = from;
  for (let found = WORDS.exec(line); found; found = WORDS.exec(line)) {
    if (found.index > from) nodes.push(line.slice(from, found.index));
    const kind = found[1] ? "comment" : found[2] ? "text" : found[3] ? "word" : found[4] ? "figure" : "call";
    nodes.push(h("span", { class: kind }, found[0]));
    from = found.index + found[0].length;
    if (found[1]?.startsWith("--[[") && !found[1].endsWith("]]")) return { nodes, isInBlock: true };
  }
  nodes.push(line.slice(from));
  return { nodes, isInBlock: false };
}

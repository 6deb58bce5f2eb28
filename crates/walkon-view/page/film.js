// @ts-check
// Scenes over the stage, like a film: names, spoken lines, choices, fades, camera.
//
// In: cues and what happened on the lane of scenes. Out: words over the stage, answers to choices. Holds: everything
// follows from the items up to the tick that is seen, so the past shows what was said then. Not here: the trace of it
// (`timeline.js`).

import { ask, order } from "./connection.js";
import { button, byId, fill, h } from "./elements.js";
import { firstAfter, laneOf } from "./happenings.js";
import { colourOf } from "./colours.js";
import { changed, listen, model, rowNamed, seenTick, select, tickRate } from "./model.js";

const root = byId("film");
const curtain = byId("curtain");

/** @type {LaneItem[]} */
let cues = [];
let shown = "";
/** Choices that were answered here, until the program says so. @type {Set<string>} */
const answered = new Set();

/** Begins to listen. */
export function startFilm() {
  listen("cue", takeCue);
  for (const what of ["happenings", "tick", "frame", "state"]) listen(what, show);
  listen("cut", () => {
    cues = [];
    answered.clear();
  });
  // A run that began again, or went back, does not know that somebody is here.
  for (const what of ["began", "cut"])
    listen(what, () => model.attends && ask("input", { attend: true }).catch(() => {}));
}

/** @param {Json} cue */
function takeCue(cue) {
  // As the trace has it: what was asked for in `e`, what kind of camera or cue in `kind`.
  cues.push({
    tick: cue.tick,
    lane: "scenes",
    kind: cue.kind,
    text: "",
    line: { ...cue, e: cue.kind, kind: cue.what },
  });
  if (cues.length > 400) cues.splice(0, 200);
  show();
}

/** The word of the trace for an item. @param {LaneItem} item */
function wordOf(item) {
  return String(item.line?.e ?? item.kind);
}

/** What is on at a tick. @param {number} tick */
function stateAt(tick) {
  const items = laneOf("scenes");
  /** @type {Map<string, {since: number}>} */
  const scenes = new Map();
  /** @type {Json} */
  let said = null;
  /** @type {Json} */
  let choice = null;
  /** @type {Json} */
  let fade = null;
  /** @type {Json} */
  let cameraWork = null;
  const until = firstAfter(items, tick);
  const known = new Set();
  const all = items.slice(Math.max(0, until - 400), until);
  for (const item of all) known.add(`${item.tick} ${wordOf(item)}`);
  const extra = cues.filter((cue) => cue.tick <= tick && !known.has(`${cue.tick} ${wordOf(cue)}`));
  const beats = extra.length ? all.concat(extra).sort((one, two) => one.tick - two.tick) : all;
  for (const beat of beats) {
    const { tick: at, line, name } = beat;
    const kind = wordOf(beat);
    const scene = line?.scene ?? line?.name ?? name ?? "";
    if (kind === "cinematicStarted") scenes.set(scene, { since: at });
    else if (kind === "cinematicEnded") {
      scenes.delete(scene);
      if (said?.scene === scene) said = null;
      if (choice?.scene === scene) choice = null;
      fade = null;
      cameraWork = null;
    } else if (kind === "said") {
      said = { ...line, at };
      choice = null;
    } else if (kind === "choice") {
      choice = { ...line, at };
      said = null;
    } else if (kind === "camera") {
      cameraWork = { kind: line?.kind ?? "moves", options: line?.options ?? {}, at };
    } else if (kind === "cue" || /^fade/i.test(kind)) {
      const word = kind === "cue" ? String(line?.kind ?? "") : kind;
      if (/^fade/i.test(word)) fade = { isOut: /out/i.test(word), seconds: line?.options?.seconds ?? 0.5, at };
    }
  }
  if (said && tick > said.at + (said.seconds ?? 3) * tickRate() + 6) said = null;
  if (cameraWork?.kind === "reset" || scenes.size === 0) cameraWork = null;
  // What took its default is shown for a moment.
  if (choice && (answered.has(`${choice.id} ${choice.at}`) || (choice.answer && tick > choice.at + 1.5 * tickRate())))
    choice = null;
  return { scenes, said, choice, fade, cameraWork };
}

function show() {
  if (laneOf("scenes").length === 0 && cues.length === 0 && shown === "") return;
  const tick = model.ahead ?? seenTick();
  const { scenes, said, choice, fade, cameraWork } = stateAt(tick);
  const dim = fade ? fadeShare(fade, tick) : 0;
  curtain.style.opacity = String(dim);
  const isPast = model.sought !== null;
  const looks = JSON.stringify([
    [...scenes.keys()],
    said?.at,
    said?.line,
    choice?.at,
    choice?.id,
    cameraWork?.kind,
    isPast,
  ]);
  if (looks === shown) return;
  shown = looks;
  fill(
    root,
    scenes.size > 0 &&
      h(
        "div",
        { class: "scenes" },
        [...scenes.keys()].map((name) => sceneChip(name, isPast)),
        cameraWork ? h("span", { class: "chip soft" }, cameraText(cameraWork)) : null,
      ),
    said || choice
      ? h("div", { class: "lines" }, said ? lineCard(said, isPast) : null, choice ? choiceCard(choice, isPast) : null)
      : null,
  );
}

/**
 * @param {{isOut: boolean, seconds: number, at: number}} fade
 * @param {number} tick
 */
function fadeShare(fade, tick) {
  const share = Math.min(1, (tick - fade.at) / tickRate() / Math.max(0.01, fade.seconds));
  return fade.isOut ? share : 1 - share;
}

/** @param {Json} work */
function cameraText(work) {
  const target = work.options?.to ?? work.options?.character ?? "";
  return `camera: ${work.kind}${target ? ` to ${typeof target === "string" ? target : (target.name ?? "")}` : ""}`;
}

/**
 * @param {string} name
 * @param {boolean} isPast
 */
function sceneChip(name, isPast) {
  return h(
    "span",
    { class: "chip scene", "data-test": "scene" },
    h("span", { class: "dot" }),
    h(
      "button",
      {
        type: "button",
        class: "plain",
        title: "Look into the scene",
        "data-test": `scene-${name}`,
        onclick: () => select({ kind: "scene", name }),
      },
      h("strong", {}, name),
    ),
    isPast
      ? null
      : h(
          "button",
          {
            type: "button",
            class: "plain",
            title: "Skip the scene",
            "data-test": "skip",
            onclick: () => order("input", { skip: name }),
          },
          "Skip",
        ),
  );
}

/**
 * @param {Json} said
 * @param {boolean} isPast
 */
function lineCard(said, isPast) {
  const vars = Object.entries(said.vars ?? {}).map(([name, value]) => `${name} ${value}`);
  const row = rowNamed(said.character);
  const colour = row ? colourOf(row) : null;
  return h(
    "div",
    { class: "line", role: "status", "data-test": "said" },
    h("span", { class: "who", style: colour ? { borderColor: colour } : {} }, said.character),
    h("span", { class: "words" }, said.line),
    vars.length ? h("span", { class: "soft small" }, vars.join(", ")) : null,
    isPast ? null : button({ icon: "step", label: "Go on", key: "Enter", test: "continue", onclick: () => goOn() }),
  );
}

/**
 * @param {Json} choice
 * @param {boolean} isPast
 */
function choiceCard(choice, isPast) {
  return h(
    "div",
    { class: "choice", role: "group", "aria-label": `Choice ${choice.id}`, "data-test": "choice" },
    h("span", { class: "soft small" }, choice.answer ? `${choice.id} takes its default` : choice.id),
    (choice.options ?? []).map((/** @type {string} */ option, /** @type {number} */ at) =>
      h(
        "button",
        {
          type: "button",
          class: choice.answer === option ? "button accent" : "button",
          disabled: isPast || Boolean(choice.answer),
          title: `Answer ${option}  (Alt+${at + 1})`,
          "data-test": `option-${option}`,
          onclick: () => answer(choice, option),
        },
        option,
      ),
    ),
  );
}

/**
 * @param {Json} choice
 * @param {string} option
 */
async function answer(choice, option) {
  try {
    await ask("input", { answer: choice.id, option });
    answered.add(`${choice.id} ${choice.at}`);
    show();
  } catch (mistake) {
    changed("notice", { text: /** @type {Error} */ (mistake).message, isMistake: true });
  }
}

/** Choices wait for somebody here, or take their default as in a run without anybody. */
export async function toggleAttendance() {
  model.attends = !model.attends;
  changed("attendance");
  if (!(await order("input", { attend: model.attends }))) model.attends = !model.attends;
  else
    changed("notice", {
      text: model.attends ? "Choices wait for your answer from now on." : "Choices take their default from now on.",
    });
  changed("attendance");
}

/** The line is over. @returns {boolean} whether there was one */
export function goOn() {
  const { said } = stateAt(seenTick());
  if (!said || model.sought !== null) return false;
  order("input", { continue: said.scene ?? null });
  return true;
}

/** @param {number} at @returns {boolean} */
export function answerNumber(at) {
  const { choice } = stateAt(seenTick());
  const option = choice?.options?.[at];
  if (option === undefined || model.sought !== null) return false;
  answer(choice, option);
  return true;
}

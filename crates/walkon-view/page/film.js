// @ts-check
// Scenes over the stage, like a film: names, spoken lines, choices, fades, camera.
//
// In: what happened on the lane of scenes, answers on the lane of inputs. Out: words over the stage, answers to choices.
// Holds: everything follows from the items up to the tick that is seen, so the past shows what was said then, and a run
// that begins again shows nothing of the one before. Not here: the trace of it (`timeline.js`).

import { ask, order } from "./connection.js";
import { button, byId, fill, h } from "./elements.js";
import { firstAfter, laneOf } from "./happenings.js";
import { colourOf } from "./colours.js";
import { changed, isLive, listen, model, rowNamed, seenTick, select, tickRate } from "./model.js";

const root = byId("film");
const curtain = byId("curtain");

let shown = "";
/** Choices that were answered here, until the level hears it. @type {Set<string>} */
const answered = new Set();
/** Whether choices wait for an answer: what holds for a run that begins again, too. */
let isAttended = false;
/** Orders to attend that are not answered yet. */
let attending = 0;

/** Begins to listen. */
export function startFilm() {
  for (const what of ["happenings", "tick", "frame", "state", "ahead"]) listen(what, show);
  listen("forgotten", () => {
    answered.clear();
    attendAgain();
  });
  listen("state", () => {
    if (attending === 0) isAttended = model.state.attends;
  });
}

/** A run that began again, or went back, does not know that somebody is here. */
async function attendAgain() {
  if (!isAttended || model.state.attends) return;
  attending++;
  await ask("input", { attend: true }).catch(() => {});
  attending--;
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
  for (const beat of items.slice(Math.max(0, until - 400), until)) {
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
  if (choice && (isAnswered(choice, tick) || (choice.answer && tick > choice.at + 1.5 * tickRate()))) choice = null;
  return { scenes, said, choice, fade, cameraWork };
}

/**
 * Whether a choice was answered up to a tick, by whomever.
 * @param {Json} choice
 * @param {number} tick
 */
function isAnswered(choice, tick) {
  if (answered.has(`${choice.id} ${choice.at}`)) return true;
  const inputs = laneOf("inputs");
  const since = inputs.slice(firstAfter(inputs, choice.at), firstAfter(inputs, tick));
  return since.some(
    ({ line }) => line?.kind === "answer" && line.id === choice.id && choice.options?.includes(line.option),
  );
}

function show() {
  if (laneOf("scenes").length === 0 && shown === "") return;
  const tick = model.ahead ?? seenTick();
  const { scenes, said, choice, fade, cameraWork } = stateAt(tick);
  const dim = fade ? fadeShare(fade, tick) : 0;
  curtain.style.opacity = String(dim);
  const isInert = !isLive();
  const looks = JSON.stringify([
    [...scenes.keys()],
    said?.at,
    said?.line,
    choice?.at,
    choice?.id,
    cameraWork?.kind,
    isInert,
  ]);
  if (looks === shown) return;
  shown = looks;
  fill(
    root,
    scenes.size > 0 &&
      h(
        "div",
        { class: "scenes" },
        [...scenes.keys()].map((name) => sceneChip(name, isInert)),
        cameraWork ? h("span", { class: "chip soft" }, cameraText(cameraWork)) : null,
      ),
    said || choice
      ? h("div", { class: "lines" }, said ? lineCard(said, isInert) : null, choice ? choiceCard(choice, isInert) : null)
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
 * @param {boolean} isInert
 */
function sceneChip(name, isInert) {
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
    isInert
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
 * @param {boolean} isInert
 */
function lineCard(said, isInert) {
  const vars = Object.entries(said.vars ?? {}).map(([name, value]) => `${name} ${value}`);
  const row = rowNamed(said.character);
  const colour = row ? colourOf(row) : null;
  return h(
    "div",
    { class: "line", role: "status", "data-test": "said" },
    h("span", { class: "who", style: colour ? { borderColor: colour } : {} }, said.character),
    h("span", { class: "words" }, said.line),
    vars.length ? h("span", { class: "soft small" }, vars.join(", ")) : null,
    isInert ? null : button({ icon: "step", label: "Go on", key: "Enter", test: "continue", onclick: () => goOn() }),
  );
}

/**
 * @param {Json} choice
 * @param {boolean} isInert
 */
function choiceCard(choice, isInert) {
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
          disabled: isInert || Boolean(choice.answer),
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
  const attend = !model.state.attends;
  if (!(await order("input", { attend }))) return;
  changed("notice", {
    text: attend ? "Choices wait for your answer from now on." : "Choices take their default from now on.",
  });
}

/** The line is over. @returns {boolean} whether there was one */
export function goOn() {
  const { said } = stateAt(seenTick());
  if (!said || !isLive()) return false;
  order("input", { continue: said.scene ?? null });
  return true;
}

/** @param {number} at @returns {boolean} */
export function answerNumber(at) {
  const { choice } = stateAt(seenTick());
  const option = choice?.options?.[at];
  if (option === undefined || !isLive()) return false;
  answer(choice, option);
  return true;
}

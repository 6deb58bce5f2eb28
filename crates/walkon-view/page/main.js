// @ts-check
// Where the page begins: everything is made, joined, and connected.
//
// In: what the program tells. Out: the model, changed. Holds: the order in which things are told about at a new
// connection. Not here: anything that is drawn.

import { camera, firstPose, fit, hasHeights, pose, stageOf } from "./camera.js";
import { ask, connect, isAnswered, link } from "./connection.js";
import { startConflicts } from "./conflicts.js";
import { startConsole } from "./console.js";
import { debugging, startDebugger } from "./debugger.js";
import { startEditor } from "./editor.js";
import { startEvents } from "./events.js";
import { startFilm } from "./film.js";
import { OF_THE_PAST, bodyOf, takeFrame } from "./frames.js";
import { forecastAgain, future, startFuture } from "./future.js";
import { startHands } from "./hands.js";
import { startGraphs } from "./graphs.js";
import { askHistory, startHappenings, takeItems } from "./happenings.js";
import { lastInspected, startInspector } from "./inspector.js";
import { startKeys } from "./keys.js";
import { startLegend } from "./legend.js";
import { changed, listen, model, rowNamed, rowOf, seenTick, takeRoster } from "./model.js";
import { startNotices } from "./notices.js";
import { applyTheme } from "./palette.js";
import { startPaths } from "./paths.js";
import { startPointer } from "./pointer.js";
import { check, startProblems } from "./problems.js";
import { startRelief, takeOverlay, takeScene } from "./relief.js";
import { seekAgain } from "./rewind.js";
import { startColours } from "./colours.js";
import { startSearched } from "./searched.js";
import { startSource } from "./source.js";
import { counters, fps, isDrawn, redraw, stageBox, startStage } from "./stage.js";
import { startTabs } from "./tabs.js";
import { tileAt, tilesOf } from "./tiles.js";
import { spotOfTick, startTimeline } from "./timeline.js";
import { sendShow, startTransport } from "./transport.js";
import { startTrails } from "./trails.js";
import { startViewbar } from "./viewbar.js";

let isFirst = true;

/** @param {Json} message */
function take(message) {
  switch (message.tell) {
    case "welcome":
      welcome(message);
      break;
    case "state":
      takeState(message);
      break;
    case "roster":
      takeRoster(message);
      break;
    case "scene":
      if (message.bounds && model.welcome) [model.welcome.bounds, model.welcome.tiling] = [message.bounds, message.tiling];
      takeScene(message.picture);
      break;
    case "overlay":
      takeOverlay(message);
      break;
    case "happened":
      takeItems(message.items.map((/** @type {Json} */ item) => ({ tick: message.tick, ...item })));
      break;
    case "log":
      changed("notice", { text: message.text });
      break;
    default:
      // `cue`, `edited`, `script`, `reloaded`, `forecast`, `expected`: the modules that deal with them listen by that name.
      changed(message.tell, message);
  }
}

/** @param {Welcome & {tell: string}} message */
function welcome(message) {
  model.welcome = message;
  const before = model.state;
  model.state = { ...before, ...message.state };
  // The run may have begun again, or gone back.
  forget();
  tellState(before);
  camera.isIsometric = message.projection === "isometric";
  if (model.layer >= message.layers) model.layer = 0;
  changed("welcome");
  if (isFirst) {
    firstPose();
    fit();
    // How high the scene is comes with the first picture that was asked for.
    sendShow().then(() => hasHeights() && camera.isFitted && fit());
  } else sendShow();
  isFirst = false;
  askHistory();
  check();
  ask("schema").then(
    (schema) => {
      model.schema = schema.schema ?? schema;
      changed("schema");
    },
    () => {},
  );
  sendSelection();
  seekAgain();
  if (future.isOn) forecastAgain();
}

/** @param {RunState} state */
function takeState(state) {
  const before = model.state;
  model.state = { ...before, ...state };
  if (model.state.tick < before.tick) forget();
  tellState(before);
}

/** What was known of the ticks after that of the running level is no longer so. */
function forget() {
  model.before = null;
  changed("forgotten", { after: model.state.tick });
}

/** @param {RunState} before */
function tellState(before) {
  if (model.state.attends !== before.attends) changed("attendance");
  changed("state");
}

function sendSelection() {
  const chosen = model.selection;
  const keys = chosen?.kind === "character" && chosen.key !== undefined ? [chosen.key] : [];
  ask("select", { keys }).catch(() => {});
}

/** @param {Frame} frame */
function arrive(frame) {
  takeFrame(frame);
  // States come less often than frames; the newest of both is where the level is.
  if ((frame.flags & OF_THE_PAST) === 0 && frame.tick > model.state.tick) {
    model.state.tick = frame.tick;
    model.state.kept = [model.state.kept[0], Math.max(model.state.kept[1], frame.tick)];
  }
  redraw();
  changed("frame");
}

let wasCrowd = false;
let hadSelection = false;

applyTheme();
startNotices();
startTransport();
startHappenings();
startInspector();
startEvents();
startProblems();
startDebugger();
startSource();
startEditor();
startGraphs();
startPaths();
startConsole();
startTabs();
startHands();
startRelief();
startStage();
startPointer();
startViewbar();
startLegend();
startFilm();
startFuture();
startConflicts();
startTrails();
startSearched();
startColours();
startTimeline();
startKeys();

listen("selection", () => {
  sendSelection();
  const has = model.selection?.kind === "character";
  if (has !== hadSelection && model.roster.size > 400) sendShow();
  hadSelection = has;
  if (future.isOn) changed("future");
});
listen("roster", () => {
  const isCrowd = model.roster.size > 400;
  if (isCrowd !== wasCrowd) sendShow();
  wasCrowd = isCrowd;
  const chosen = model.selection;
  if (chosen?.kind !== "character") return;
  // Of two of one name, in the past the one that was chosen, else the one that is there now.
  const isKept = model.sought !== null && chosen.key !== undefined && rowOf(chosen.key)?.name === chosen.name;
  if (!isKept) chosen.key = rowNamed(chosen.name)?.key;
});

connect({ onTell: take, onFrame: arrive, onTracks: (tracks) => changed("tracks", tracks) });

// What tests read.
window.walkon = {
  get frames() {
    return counters.frames;
  },
  fps,
  get cost() {
    return counters.cost;
  },
  get backdrops() {
    return { count: counters.backdrops, cost: counters.backdropCost };
  },
  get tick() {
    return seenTick();
  },
  get drawn() {
    return counters.drawn;
  },
  get selection() {
    return model.selection;
  },
  get characters() {
    return model.frame?.count ?? 0;
  },
  get state() {
    return model.state;
  },
  get sought() {
    return model.sought;
  },
  get isOpen() {
    return link.isOpen;
  },
  /** Whether the level is known and drawn, and nothing that was asked for may still change what is seen. */
  get isSettled() {
    return model.welcome !== null && isAnswered() && isDrawn();
  },
  get inspected() {
    return lastInspected();
  },
  /** Where a place of the world is in the window, pixels. @param {Place} place */
  spotOf([x, y, z]) {
    const [left, top] = stageOf(x, y, z);
    const box = stageBox();
    return { x: left + box.left, y: top + box.top };
  },
  /** The tile under a place of the ground, by column and row. @param {Point} place */
  tileAt(place) {
    const tiles = tilesOf();
    return tiles && tileAt(tiles, place);
  },
  /** Where somebody stands in the window, pixels. @param {string} name */
  placeOf(name) {
    const at = bodyOf(rowNamed(name)?.key);
    return at ? window.walkon.spotOf([at.x, at.y, at.z]) : null;
  },
  get future() {
    return {
      isOn: future.isOn,
      took: future.took,
      outlines: future.outlines,
      isTrial: future.isTrial,
      differences: future.differences,
      base: future.base,
      newest: future.newest,
    };
  },
  spotOfTick,
  debugging,
  model,
  camera,
  pose,
};

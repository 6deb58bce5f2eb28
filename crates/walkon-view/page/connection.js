// @ts-check
// The socket to the program.
//
// In: commands. Out: answers as promises; what the program tells, as calls of the handlers that were given. Holds: a
// frame is acknowledged as soon as it is decoded; a lost connection is tried again, at longer and longer intervals up
// to four seconds, and everything under way fails with a sentence. Not here: what the messages mean.

import { frameOf, tracksOf } from "./frames.js";
import { changed, model } from "./model.js";

/** @type {WebSocket | null} */
let socket = null;
let nextId = 1;
let tries = 0;
let timer = 0;
let wasOpen = false;

/** @type {Map<number, {resolve: (value: any) => void, reject: (mistake: Error) => void}>} */
const pending = new Map();

/** @type {{onTell: (message: Json) => void, onFrame: (frame: Frame) => void, onTracks: (tracks: Tracks) => void}} */
let handlers = { onTell() {}, onFrame() {}, onTracks() {} };

/** How it stands with the connection. */
export const link = {
  isOpen: false,
  wasOpen: false,
  retryAt: 0,
  /** Why the program ended it, where it said so. */
  reason: "",
};

/** Why a command was not done; of an edit also what would be wrong with the level. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {Diagnostic[]} diagnostics
   */
  constructor(message, diagnostics) {
    super(message);
    this.diagnostics = diagnostics;
  }
}

/**
 * Opens the socket and keeps it open.
 * @param {typeof handlers} given
 */
export function connect(given) {
  handlers = given;
  open();
}

/** Whether every command so far has been answered. */
export function isAnswered() {
  return pending.size === 0;
}

/** Tries at once instead of later. */
export function tryNow() {
  clearTimeout(timer);
  open();
}

function open() {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const opening = new WebSocket(`${scheme}://${location.host}/socket?token=${encodeURIComponent(token)}`);
  opening.binaryType = "arraybuffer";
  socket = opening;
  opening.onopen = () => {
    tries = 0;
    wasOpen = true;
    link.isOpen = link.wasOpen = model.isConnected = true;
    changed("connection");
  };
  opening.onmessage = (event) => take(event.data);
  opening.onclose = (event) => {
    if (socket !== opening) return;
    link.reason = event.reason;
    lose();
  };
}

function lose() {
  link.isOpen = model.isConnected = false;
  const wait = Math.min(4000, 250 * 2 ** tries++);
  link.retryAt = performance.now() + wait;
  timer = window.setTimeout(open, wait);
  for (const { reject } of pending.values()) reject(new Error("the connection was lost before the answer came"));
  pending.clear();
  changed("connection");
}

/** @param {string | ArrayBuffer} data */
function take(data) {
  if (typeof data !== "string") {
    takeBinary(data);
    return;
  }
  const message = JSON.parse(data);
  if (message.tell !== undefined) {
    handlers.onTell(message);
    return;
  }
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  changed("answered", message.id);
  if (message.error !== undefined) waiting?.reject(new Refused(message.error, message.diagnostics ?? []));
  else waiting?.resolve(message.ok ?? {});
}

/** @param {ArrayBuffer} buffer */
function takeBinary(buffer) {
  const kind = new Uint8Array(buffer, 0, 1)[0];
  if (kind === 1) {
    const frame = frameOf(buffer, performance.now());
    send({ do: "ack", frame: frame.number });
    handlers.onFrame(frame);
  } else if (kind === 2) {
    handlers.onTracks(tracksOf(buffer));
  }
}

/** @param {Json} message */
function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/**
 * Sends a command; the promise holds its answer.
 * @param {string} command
 * @param {Record<string, any>} [fields]
 * @returns {Promise<any>}
 */
export function ask(command, fields = {}) {
  if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error("there is no connection to walkon"));
  const id = nextId++;
  const answer = new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
  send({ id, do: command, ...fields });
  return answer;
}

/**
 * Sends a command whose failure is shown to the person who gave it.
 * @param {string} command
 * @param {Record<string, any>} [fields]
 * @returns {Promise<any>} null when it failed
 */
export async function order(command, fields = {}) {
  try {
    return await ask(command, fields);
  } catch (mistake) {
    const text = /** @type {Error} */ (mistake).message;
    changed("notice", { text, isMistake: !text.startsWith("this was called off") });
    return null;
  }
}

/** Whether there ever was a connection. */
export function everOpen() {
  return wasOpen;
}

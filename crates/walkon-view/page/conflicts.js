// @ts-check
// A file that was changed here and on disk at the same place: which of the two it is to be.
//
// In: `conflict` and `resolved` tells. Out: `resolve`. Holds: nothing is lost until somebody has chosen; the texts stand side by side,
// and what differs is lit. Not here: merging what does not touch (the program).

import { order } from "./connection.js";
import { h } from "./elements.js";
import { listen } from "./model.js";

/** Begins to listen. */
export function startConflicts() {
  listen("conflict", ask);
  // Another client has chosen, or the file says on disk what it says here.
  listen("resolved", (/** @type {{file: string}} */ { file }) => dialogOf(file)?.close());
}

/** @param {string} file */
function dialogOf(file) {
  return /** @type {HTMLDialogElement | null} */ (document.querySelector(`dialog[data-file="${CSS.escape(file)}"]`));
}

/** @param {{file: string, ours: string | null, theirs: string | null}} conflict */
function ask(conflict) {
  const { file } = conflict;
  dialogOf(file)?.remove();
  const dialog = /** @type {HTMLDialogElement} */ (
    h("dialog", {
      class: "dialog conflict",
      "aria-label": `Conflict in ${file}`,
      "data-file": file,
      "data-test": "conflict",
    })
  );
  const keep = (/** @type {"ours" | "theirs"} */ which) => async () => {
    if (await order("resolve", { file, keep: which })) dialog.close();
  };
  const [ours, theirs] = marked(conflict.ours ?? "", conflict.theirs ?? "");
  dialog.append(
    h("h2", {}, `${file} was changed here and on disk at the same place`),
    h("p", { class: "soft" }, "Nothing is lost yet. Which text shall it be?"),
    h(
      "div",
      { class: "sides" },
      h(
        "section",
        {},
        h("h3", {}, "From this page"),
        h("pre", { class: "code" }, ours),
        h(
          "button",
          { type: "button", class: "button", onclick: keep("ours"), "data-test": "keep-ours" },
          "Keep this one",
        ),
      ),
      h(
        "section",
        {},
        h("h3", {}, "From the disk"),
        h("pre", { class: "code" }, theirs),
        h(
          "button",
          { type: "button", class: "button", onclick: keep("theirs"), "data-test": "keep-theirs" },
          "Keep this one",
        ),
      ),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector(".differs")?.scrollIntoView({ block: "center" });
}

/**
 * The lines of two texts; those between what both begin and end with are lit.
 * @param {string} ours
 * @param {string} theirs
 */
function marked(ours, theirs) {
  const [one, two] = [ours.split("\n"), theirs.split("\n")];
  let head = 0;
  while (head < one.length && head < two.length && one[head] === two[head]) head++;
  let tail = 0;
  while (
    tail < one.length - head &&
    tail < two.length - head &&
    one[one.length - 1 - tail] === two[two.length - 1 - tail]
  )
    tail++;
  const lines = (/** @type {string[]} */ text) =>
    text.map((line, at) => h("div", { class: at >= head && at < text.length - tail ? "differs" : "" }, line || " "));
  return [lines(one), lines(two)];
}

// @ts-check
import { h } from "./elements.js";
import { addTab } from "./tabs.js";
export function startEditor() { addTab({ name: "edit", label: "Edit", root: h("div", {}) }); }

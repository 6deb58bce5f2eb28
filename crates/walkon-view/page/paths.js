// @ts-check
import { h } from "./elements.js";
import { addTab } from "./tabs.js";
export function startPaths() { addTab({ name: "paths", label: "Paths", root: h("div", {}) }); }

// Above the panels: what dragging does, search, colours with their legend, and how many rows are selected.

import { counted, drawn, element } from "./dom.js";
import { manner } from "./panel.js";

const MODES = [
  ["lasso", "Lasso", "Draw a line around points"],
  ["box", "Box", "Draw a box around points"],
  ["move", "Move", "Move the picture"],
];

export class Toolbar {
  constructor(canvas) {
    this.canvas = canvas;
    this.selection = canvas.selection;
    this.node = element("div", { class: "toolbar" });
    const line = element("div", { class: "line", parent: this.node });
    this.modes(line);
    this.search(line);
    this.colours(line);
    const below = element("div", { class: "line", parent: this.node });
    this.tally = element("p", { class: "tally", parent: below, role: "status" });
    const button = (text, click) => element("button", { type: "button", text, parent: below, click });
    this.buttons = [button("Clear", () => this.selection.clear()), button("Invert", () => this.selection.invert())];
    this.legend = element("div", { class: "legend", parent: below, role: "group", "aria-label": "Colours" });
    const changed = () => this.marked();
    this.selection.watchers.add(changed);
    this.stop = () => this.selection.watchers.delete(changed);
  }

  modes(parent) {
    const group = element("div", { class: "modes", role: "radiogroup", "aria-label": "Dragging", parent });
    const choose = (mode) => {
      this.canvas.mode = mode;
      for (const node of group.children) {
        const on = node.dataset.mode === mode;
        node.setAttribute("aria-checked", String(on));
        node.tabIndex = on ? 0 : -1;
      }
    };
    MODES.forEach(([mode, text, title], at) => {
      const node = element("button", { type: "button", role: "radio", text, title, parent: group, click: () => choose(mode) });
      node.dataset.mode = mode;
      node.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = (at + step + MODES.length) % MODES.length;
        choose(MODES[next][0]);
        group.children[next].focus();
      });
    });
    choose(this.canvas.mode ?? "lasso");
  }

  search(parent) {
    if (!this.canvas.searched) return;
    const form = element("form", { class: "search", parent, role: "search", submit: (event) => event.preventDefault() || this.find() });
    this.words = element("input", { type: "search", parent: form, placeholder: "Select sentences containing …", title: "Any part of a sentence. As a regular expression, \\bman\\b is a whole word.", "aria-label": "Select sentences that contain this text", spellcheck: "false" });
    const label = element("label", { parent: form, title: "Regular expression" });
    this.pattern = element("input", { type: "checkbox", parent: label });
    label.append(" regex");
    element("button", { type: "submit", text: "Select", parent: form });
  }

  // What a visitor has typed, for the toolbar after this one.
  state() {
    const { words, pattern } = this;
    return words && { text: words.value, regex: pattern.checked, focused: words.matches(":focus"), caret: [words.selectionStart, words.selectionEnd] };
  }

  resume({ text, regex, focused, caret }) {
    if (!this.words) return;
    this.words.value = text;
    this.pattern.checked = regex;
    if (!focused) return;
    this.words.focus({ preventScroll: true });
    this.words.setSelectionRange(...caret);
  }

  find() {
    const words = this.words.value;
    if (!words) return this.selection.clear();
    let matches;
    if (this.pattern.checked) {
      try {
        const pattern = new RegExp(words, "iu");
        matches = (text) => pattern.test(text);
      } catch (error) {
        this.message = `Not a regular expression: ${error.message}`;
        return this.marked();
      }
    } else {
      const wanted = words.toLowerCase();
      matches = (text) => text.toLowerCase().includes(wanted);
    }
    const { rows, column } = this.canvas.searched;
    const { n, columns } = this.canvas.payload.rows.get(rows);
    const text = columns.get(column);
    const hits = [];
    for (let row = 0; row < n; row++) if (matches(text.text(row))) hits.push(row);
    this.message = hits.length ? "" : `No text has “${words}”.`;
    this.selection.apply(rows, hits);
    this.message = "";
  }

  colours(parent) {
    const { colours } = this.canvas.payload;
    if (!colours.length) return;
    const label = element("label", { parent, class: "colour" });
    label.append("Colour ");
    const select = element("select", { parent: label, change: () => this.canvas.colourBy(select.value) });
    element("option", { value: "", text: "none", parent: select });
    for (const { name, label: text } of colours) element("option", { value: name, text, parent: select });
    select.value = this.canvas.colour;
  }

  marked() {
    const { selection } = this;
    const kinds = [...this.canvas.payload.rows.values()];
    const counts = kinds.map((kind) => counted(selection.count(kind.name), kind.words));
    const all = kinds.map((kind) => counted(kind.n, kind.words));
    this.tally.textContent = this.message || (selection.empty ? `${all.join(", ")}. Nothing is selected.` : `Selected: ${counts.join(", ")}`);
    this.node.dataset.kind = selection.kind;
    for (const button of this.buttons) button.disabled = selection.empty;
  }

  // The legend of the first kind of rows that has the colours. An entry selects its rows.
  recoloured() {
    this.legend.replaceChildren();
    for (const kind of this.canvas.payload.rows.values()) {
      const { legend } = this.canvas.colours(kind.name);
      if (!legend || (Array.isArray(legend) && !legend.length)) continue;
      if (Array.isArray(legend)) for (const entry of legend) this.entry(kind, entry);
      else this.scale(legend);
      return;
    }
  }

  entry(kind, { label, colour, count, labels }) {
    const button = element("button", {
      type: "button",
      class: "entry",
      parent: this.legend,
      title: `Select ${counted(count, kind.words)}`,
      click: (event) => {
        const column = kind.columns.get(this.canvas.colour);
        const wanted = new Set(labels);
        const rows = [];
        for (let row = 0; row < kind.n; row++) if (wanted.has(column.values[row])) rows.push(row);
        this.selection.apply(kind.name, rows, manner(event));
      },
    });
    element("span", { class: "swatch", parent: button, "aria-hidden": "true" }).style.background = colour;
    button.append(label);
  }

  scale({ low, high, palette }) {
    const width = 96;
    element("span", { text: low, parent: this.legend });
    const svg = drawn("svg", { viewBox: `0 0 ${width} 10`, width, height: 10, parent: this.legend, "aria-hidden": "true" });
    palette.forEach((colour, at) => drawn("rect", { x: (at * width) / palette.length, width: width / palette.length + 0.5, height: 10, fill: colour, parent: svg }));
    element("span", { text: high, parent: this.legend });
  }

  destroy() {
    this.stop();
  }
}

// What every panel is: a section with a heading, in a canvas with one selection.

import { element } from "./dom.js";
import { differing, underlined } from "./words.js";

export class Panel {
  constructor(canvas, spec) {
    this.canvas = canvas;
    this.spec = spec;
    this.selection = canvas.selection;
    this.rows = canvas.payload.rows.get(spec.rows);
    this.node = element("section", { class: `panel ${spec.kind}${spec.wide ? " wide" : ""}`, "aria-label": spec.full });
    this.head = element("header", { parent: this.node });
    const heading = element("div", { class: "heading", parent: this.head });
    element("h2", { parent: heading, text: spec.title, "aria-label": spec.full }); // in a list of headings two encoders would look alike
    if (spec.of) element("p", { class: "of", parent: heading, text: spec.of, title: spec.of });
    this.stop = [];
    const changed = () => this.marked();
    this.selection.watchers.add(changed);
    this.stop.push(() => this.selection.watchers.delete(changed));
  }

  // What the keys do, below what has the focus while one uses the keyboard; screen readers have it from its label.
  keysHelp(text) {
    element("p", { class: "note keys", parent: this.node, text, "aria-hidden": "true" });
  }

  column(name) {
    return this.rows.columns.get(name);
  }

  // Called when the selection has changed.
  marked() {}

  // Called when rows have other colours, or the theme has changed.
  recoloured() {}

  // Called when the width has changed.
  resized() {}

  // How a visitor has arranged it, for the panel that takes its place when more is known.
  state() {
    return null;
  }

  resume() {}

  destroy() {
    for (const stop of this.stop) stop();
    this.node.remove();
  }

  // A row in words: its columns that describe it.
  describe(row) {
    return this.rows.described.map((name) => {
      const column = this.column(name);
      return column.type === "text" ? column.text(row) : `${column.full}: ${column.text(row)}`;
    });
  }

  // The same as paragraphs; in two texts the words are underlined that the other one lacks.
  described(row) {
    const texts = this.rows.described.map((name) => this.column(name)).filter((column) => column.type === "text");
    const marks = texts.length === 2 ? differing(...texts.map((column) => column.text(row))) : [];
    return this.describe(row).map((text, at) => {
      const side = texts.indexOf(this.column(this.rows.described[at]));
      const line = element("p", { dir: "auto" });
      if (marks[side]) underlined(line, marks[side]);
      else line.textContent = text;
      return line;
    });
  }
}

// How a choice by mouse or key changes what is selected.
export const manner = (event) => {
  const more = event.shiftKey || event.ctrlKey || event.metaKey;
  if (event.altKey) return more ? "within" : "remove";
  return more ? "add" : "replace";
};

// The bars of a panel as a table: a row for each bar that has rows, and for each group; they are selected as bars are.

import { element } from "./dom.js";
import { manner } from "./panel.js";

const PAGE = 8;

export class BinTable {
  constructor(panel, parent) {
    this.panel = panel;
    const { spec, rows } = panel;
    const names = [...(panel.names ? [spec.xLabel] : []), "From", "To", capital(rows.words[1]), "Selected", ...(panel.behind ? [capital(spec.behind.label)] : [])];
    this.node = element("div", {
      class: "grid bins",
      parent,
      role: "grid",
      tabindex: 0,
      "aria-multiselectable": "true",
      "aria-label": `${spec.full}, as a table. Arrow keys go from row to row, Enter selects one or takes it out, with Shift the arrows select on the way, Escape selects nothing.`,
    });
    this.node.style.height = `${Math.max(240, spec.height)}px`;
    const track = names.map((name, at) => (at === 0 && panel.names ? "minmax(8rem, 1.6fr)" : "minmax(3.4rem, 1fr)"));
    this.node.style.setProperty("--columns", track.join(" "));
    this.node.style.setProperty("--least", "0");
    const top = element("div", { class: "row names", role: "row", parent: this.node });
    names.forEach((text, at) => element("div", { role: "columnheader", class: this.kind(at), text, parent: top }));
    this.body = element("div", { class: "body", role: "rowgroup", parent: this.node });
    this.lines = panel.lines();
    this.nodes = this.lines.map(({ cells, whole }, at) => {
      const node = element("div", { class: whole ? "row whole" : "row", role: "row", id: `bin-${spec.id}-${at}`, parent: this.body, click: (event) => this.click(event, at) });
      node.dataset.cells = cells.join(" ");
      return node;
    });
    this.node.addEventListener("keydown", (event) => this.key(event));
  }

  kind(at) {
    return at === 0 && this.panel.names ? "words" : "number";
  }

  marked() {
    this.lines.forEach(({ cells, texts }, at) => {
      const [all, some] = this.panel.counted(cells);
      const { behind } = this.panel;
      const counts = [all.toLocaleString("en"), some.toLocaleString("en"), ...(behind ? [behind[cells[0]].toFixed(1)] : [])];
      const node = this.nodes[at];
      node.replaceChildren(...[...texts, ...counts].map((text, column) => element("div", { role: "gridcell", class: this.kind(column), text })));
      node.setAttribute("aria-selected", String(all > 0 && some === all));
      node.classList.toggle("cursor", at === this.cursor);
    });
  }

  click(event, at) {
    this.cursor = at;
    const how = manner(event);
    const { cells } = this.lines[at];
    const [all, some] = this.panel.counted(cells);
    if (how === "add" && some === all) this.panel.choose(cells, "remove");
    else this.panel.choose(cells, how);
  }

  key(event) {
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -PAGE, PageDown: PAGE, Home: -Infinity, End: Infinity }[event.key];
    if (step && this.lines.length) {
      const before = this.cursor;
      this.cursor = Math.min(this.lines.length - 1, Math.max(0, before === undefined ? 0 : before + step));
      if (event.shiftKey) {
        const [from, to] = [Math.min(before ?? this.cursor, this.cursor), Math.max(before ?? this.cursor, this.cursor)];
        for (const { cells } of this.lines.slice(from, to + 1)) this.panel.choose(cells, "add");
      }
      this.node.setAttribute("aria-activedescendant", this.nodes[this.cursor].id);
      this.nodes[this.cursor].scrollIntoView({ block: "nearest" });
      this.marked();
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== undefined) this.panel.turn(this.lines[this.cursor].cells);
    else if (event.key === "Escape") this.panel.selection.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

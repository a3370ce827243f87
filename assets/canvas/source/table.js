// The rows as a table, sorted by any column, those first that are selected elsewhere; it holds only the rows in sight, so any number will do.

import { differing, underlined } from "./words.js";
import { element } from "./dom.js";
import { Panel, manner } from "./panel.js";

const ROW = 52;
const SPARE = 4;

// Of a column without texts, in rem: as wide as the longest word of its label, and a category as its longest name, over two lines.
const longest = (texts) => Math.max(...texts.map((text) => text.length));
const width = (column, at, columns) => {
  const words = 0.53 * longest(column.label.split(" ")) + 0.4;
  const values = column.type === "category" ? 0.5 * Math.min(16, longest(column.labels)) : 0;
  const alone = column.of && ![columns[at - 1], columns[at + 1]].some((next) => next?.of === column.of);
  return Number(Math.max(alone ? 8 : 3.2, words, values).toFixed(2)); // whose it is has room above it
};

export class Table extends Panel {
  constructor(canvas, spec) {
    super(canvas, spec);
    this.columns = spec.columns.map((name) => this.column(name));
    const column = this.column(spec.sort);
    this.sorted = { column, down: spec.down, size: column.diverging };
    this.only = false;
    this.build();
    const pointed = () => this.showPointed();
    this.selection.pointWatchers.add(pointed);
    this.stop.push(() => this.selection.pointWatchers.delete(pointed));
    this.sort();
  }

  build() {
    this.tally = element("span", { class: "tally", parent: this.head });
    const label = element("label", { class: "only", parent: this.head });
    this.box = element("input", { type: "checkbox", parent: label, change: () => this.showOnly(this.box.checked) });
    label.append(" selected only");
    const texts = this.columns.filter((column) => column.type === "text").length;
    const widths = this.columns.map((column, at) => (column.type === "text" ? 0 : width(column, at, this.columns)));
    const track = widths.map((rem) => (rem ? `${rem}rem` : "minmax(0, 1fr)")).join(" ");
    const others = widths.reduce((sum, rem) => sum + rem, 0);
    const least = `${texts * 10 + others + (this.columns.length - 1) * 0.9}rem`;
    this.grid = element("div", { class: "grid", parent: this.node, role: "grid", tabindex: 0, "aria-multiselectable": "true", "aria-label": `${this.spec.full}. Arrow keys go from row to row, Enter selects one or takes it out, with Shift the arrows select on the way, Escape selects nothing.` });
    this.grid.style.setProperty("--columns", track);
    this.grid.style.setProperty("--least", least);
    this.grid.style.height = `${this.spec.height}px`;
    this.top = element("div", { class: "row names", role: "row", parent: this.grid, "aria-rowindex": 1 });
    this.owners();
    this.names = this.columns.map((column) => {
      const cell = element("div", { role: "columnheader", parent: this.top, class: column.type });
      element("button", { type: "button", text: column.label, title: `Sort by ${column.full}`, "aria-label": column.full, parent: cell, click: () => this.sortBy(column) });
      return cell;
    });
    this.body = element("div", { class: "body", role: "rowgroup", parent: this.grid });
    this.grid.addEventListener("scroll", () => this.draw());
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("pointerover", (event) => this.point(event));
    this.body.addEventListener("pointerleave", () => this.selection.point(this.spec.rows, null));
  }

  // Above the names of columns that belong together, whose they are; each column's full name says it to screen readers.
  owners() {
    if (!this.columns.some(({ of }) => of)) return;
    for (let at = 0; at < this.columns.length; ) {
      const { of } = this.columns[at];
      let end = at + 1;
      while (end < this.columns.length && this.columns[end].of === of) end += 1;
      const node = element("div", { class: of ? "owner" : "", "aria-hidden": "true", parent: this.top, text: of ?? "", title: of ?? "" });
      node.style.gridColumn = `${at + 1} / ${end + 1}`;
      at = end;
    }
  }

  sortBy(column) {
    const same = this.sorted.column === column;
    this.sorted = { column, down: same ? !this.sorted.down : column.type === "number", size: column.diverging };
    this.sort();
  }

  // The order of all rows: by the column, and equal ones as they came.
  sort() {
    const { column, down, size } = this.sorted;
    const order = Array.from({ length: this.rows.n }, (_, row) => row);
    const sign = down ? -1 : 1;
    if (column.type === "number") {
      const keys = size ? column.values.map(Math.abs) : column.values;
      order.sort((one, other) => sign * (keys[one] - keys[other]) || one - other);
    } else {
      const keys = order.map((row) => column.text(row));
      const compare = new Intl.Collator("en").compare;
      order.sort((one, other) => sign * compare(keys[one], keys[other]) || one - other);
    }
    this.order = order;
    this.names.forEach((cell, at) => {
      const here = this.columns[at] === column;
      if (here) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    this.filter();
  }

  state() {
    const { column, down } = this.sorted;
    return { name: this.spec.columns[this.columns.indexOf(column)], down, only: this.only, top: this.grid.scrollTop };
  }

  resume({ name, down, only, top }) {
    const at = this.spec.columns.indexOf(name);
    if (at >= 0) this.sorted = { column: this.columns[at], down, size: this.columns[at].diverging };
    this.only = this.box.checked = only;
    this.sort();
    this.grid.scrollTop = top;
  }

  showOnly(only) {
    this.only = only;
    this.filter();
  }

  filter() {
    const mask = this.selection.mask(this.spec.rows);
    const chosen = this.selection.empty ? [] : this.order.filter((row) => mask[row]);
    this.shown = this.only ? chosen : [...chosen, ...this.order.filter((row) => !mask[row])];
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    this.body.style.height = `${this.shown.length * ROW}px`;
    this.draw();
  }

  marked() {
    const count = this.selection.count(this.spec.rows);
    this.node.dataset.selected = count;
    this.tally.textContent = `${count.toLocaleString("en")} of ${this.rows.n.toLocaleString("en")}`;
    if (this.choosing) this.draw(); // rows stay where they are while the reader goes through them
    else {
      this.grid.scrollTop = 0;
      this.filter();
    }
  }

  // Select here.
  choose(rows, how) {
    this.choosing = true;
    this.selection.apply(this.spec.rows, rows, how);
    this.choosing = false;
  }

  resized() {
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const mask = this.selection.mask(this.spec.rows);
    const first = Math.max(0, Math.floor(this.grid.scrollTop / ROW) - SPARE);
    const last = Math.min(this.shown.length, first + Math.ceil(this.grid.clientHeight / ROW) + 2 * SPARE);
    const rows = [];
    for (let at = first; at < last; at++) {
      const row = this.shown[at];
      const node = element("div", { class: "row", role: "row", id: `row-${this.spec.id}-${row}`, "aria-rowindex": at + 2, "aria-selected": mask[row] ? "true" : "false" });
      node.dataset.row = row;
      node.style.top = `${at * ROW}px`;
      if (row === this.cursor) node.classList.add("cursor");
      const texts = this.columns.filter((column) => column.type === "text").map((column) => column.text(row));
      const marks = texts.length === 2 ? differing(...texts) : null;
      let side = 0;
      for (const column of this.columns) {
        const cell = element("div", { role: "gridcell", class: column.type, parent: node });
        if (column.type !== "text") cell.textContent = column.text(row);
        else {
          const clamp = element("div", { class: "clamp", dir: "auto", parent: cell, title: texts[side] });
          if (marks) underlined(clamp, marks[side]);
          else clamp.textContent = texts[side];
          side += 1;
        }
      }
      rows.push(node);
    }
    this.body.replaceChildren(...rows);
    if (this.cursor === undefined) this.grid.removeAttribute("aria-activedescendant");
    else this.grid.setAttribute("aria-activedescendant", `row-${this.spec.id}-${this.cursor}`);
    this.showPointed();
  }

  showPointed() {
    const rows = new Set(this.selection.pointedRows(this.spec.rows).map(String));
    for (const node of this.body.children) node.classList.toggle("pointed", rows.has(node.dataset.row));
  }

  rowAt(event) {
    const node = event.target.closest(".row");
    return node ? Number(node.dataset.row) : -1;
  }

  point(event) {
    const row = this.rowAt(event);
    if (row >= 0) this.selection.point(this.spec.rows, row);
  }

  click(event) {
    const row = this.rowAt(event);
    if (row < 0) return;
    const how = manner(event);
    const alone = this.selection.count(this.spec.rows) === 1 && this.selection.mask(this.spec.rows)[row];
    this.cursor = row;
    if (how === "replace" && alone) this.selection.clear();
    else this.choose([row], how === "add" ? "toggle" : how);
  }

  key(event) {
    if (event.target !== this.grid) return;
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8, Home: -Infinity, End: Infinity }[event.key];
    if (step) {
      const before = this.cursor === undefined ? -1 : this.shown.indexOf(this.cursor);
      const at = Math.min(this.shown.length - 1, Math.max(0, before < 0 ? 0 : before + step));
      if (at >= 0) this.goTo(at, event.shiftKey ? before : -1);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== undefined) {
      this.choose([this.cursor], "toggle");
    } else if (event.key === "Escape") this.selection.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  goTo(at, from) {
    this.cursor = this.shown[at];
    if (from >= 0) this.choose(this.shown.slice(Math.min(at, from), Math.max(at, from) + 1), "add");
    const [top, height] = [at * ROW, this.grid.clientHeight - 2 * ROW];
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top > this.grid.scrollTop + height) this.grid.scrollTop = top - height;
    this.selection.point(this.spec.rows, this.cursor);
    this.draw();
  }
}

// A histogram of a column: all rows, and in front of them the selected ones. A brush over bars selects their rows.
// Bars are cells, numbered by group and bin; here there is one group, and buckets.js has several.

import { drawn, element } from "./dom.js";
import { BinTable } from "./bins.js";
import { Panel, manner } from "./panel.js";
import { SaveMenu, styled } from "./saving.js";
import { number } from "./payload.js";
import { range, ticks } from "./view.js";

const EVERY = [1, 2, 5, 10, 20, 50]; // bars from one label to the next
const MARGIN = { left: 50, right: 18, top: 8, bottom: 34 };

export class Histogram extends Panel {
  groups = 1;

  get help() {
    return "Left and right go from bar to bar, with Shift they select on the way. Enter selects the bar or takes it out, Escape selects nothing.";
  }

  // By how many groups and bins a key goes.
  get steps() {
    return { ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  }

  constructor(canvas, spec) {
    super(canvas, spec);
    this.values = this.column(spec.value).values;
    this.begin();
    this.count();
    const tools = element("div", { class: "zoom", parent: this.head });
    this.turner = element("button", { type: "button", class: "turner", text: "Table", "aria-label": `Table: ${spec.full}`, title: "Show the bars as a table", parent: tools, click: () => this.tabulate(!this.table) });
    this.saving = new SaveMenu(this, tools);
    this.stop.push(() => this.saving.destroy());
    this.plot = element("div", {
      class: "plot",
      parent: this.node,
      tabindex: 0,
      role: "application",
      "aria-label": `${spec.full}: ${this.all.length} bars. ${this.help}`,
    });
    this.plot.style.height = `${spec.height}px`;
    this.keysHelp(this.help);
    this.svg = drawn("svg", { class: "bars", parent: this.plot, "aria-hidden": "true" });
    this.live = element("div", { class: "unseen", parent: this.node, "aria-live": "polite" });
    if (spec.note) element("p", { class: "note", parent: this.node, text: spec.note });
    const on = (name, act) => this.plot.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.cancel());
    on("keydown", (event) => this.key(event));
    this.tabulate(canvas.tabulated.has(spec.full));
  }

  // Show the table in place of the bars, which stay laid out behind it, to be saved.
  tabulate(on) {
    const { canvas, spec, node } = this;
    canvas.tabulated[on ? "add" : "delete"](spec.full);
    this.turner.setAttribute("aria-pressed", String(on));
    node.classList.toggle("tabulated", on);
    this.table?.node.remove();
    this.table = on ? new BinTable(this) : null;
    if (!on) return;
    this.plot.after(this.table.node);
    if (this.some) this.table.marked();
  }

  // The rows of the table: rectangles of cells, and what each is.
  lines() {
    return Array.from(this.all, (count, cell) => ({ count, cells: [cell, cell], texts: [this.edge(cell), this.edge(cell + 1)] })).filter(({ count }) => count);
  }

  // How many rows lie between two cells, and how many of them are selected.
  counted(cells) {
    const [first, last, low, high] = this.rectangle(cells);
    let [all, some] = [0, 0];
    for (let group = first; group <= last; group++)
      for (let bin = low; bin <= high; bin++) {
        all += this.all[group * this.bins + bin];
        some += this.some[group * this.bins + bin];
      }
    return [all, some];
  }

  // Select what lies between two cells, or take it out if all of it is selected.
  turn(cells) {
    const [all, some] = this.counted(cells);
    this.choose(cells, all === some ? "remove" : "add");
  }

  // What a kind of histogram knows of its groups.
  begin() {}

  groupOf() {
    return 0;
  }

  // Bins of a round width, and the cell of each row.
  count() {
    const [low, high] = this.spec.limits ?? range(this.values);
    const { values } = ticks(low, high, this.spec.bins);
    const step = values.length > 1 ? values[1] - values[0] : high - low || 1;
    this.start = Math.floor(low / step + 1e-6) * step;
    this.step = step;
    this.bins = Math.max(1, Math.ceil((high - this.start) / step - 1e-6));
    this.cellOf = new Int32Array(this.values.length).fill(-1);
    this.all = new Uint32Array(this.groups * this.bins);
    for (let row = 0; row < this.values.length; row++) {
      const value = this.values[row];
      if (value !== value) continue;
      const cell = this.groupOf(row) * this.bins + this.binOf(value);
      this.cellOf[row] = cell;
      this.all[cell]++;
    }
    if (!this.spec.behind) return;
    const counts = new Uint32Array(this.bins);
    for (const value of this.spec.behind.values) counts[this.binOf(value)]++;
    const share = this.all.reduce((sum, count) => sum + count, 0) / Math.max(1, this.spec.behind.values.length);
    this.behind = Float64Array.from(counts, (count) => count * share);
  }

  binOf(value) {
    return Math.min(this.bins - 1, Math.max(0, Math.floor((value - this.start) / this.step + 1e-6)));
  }

  recoloured() {
    this.draw();
  }

  marked() {
    const mask = this.selection.mask(this.spec.rows);
    this.some = new Uint32Array(this.all.length);
    for (let row = 0; row < mask.length; row++) if (mask[row] && this.cellOf[row] >= 0) this.some[this.cellOf[row]]++;
    this.node.dataset.selected = this.selection.count(this.spec.rows);
    this.table?.marked();
    this.draw();
  }

  resized() {
    if (this.plot.clientWidth === this.width) return;
    this.width = this.plot.clientWidth;
    this.height = this.plot.clientHeight;
    this.draw();
  }

  draw() {
    if (!this.width || !this.some) return;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.replaceChildren();
    this.bars();
    const between = this.brush ?? (this.cursor === undefined ? null : [this.cursor, this.cursor]);
    if (between) drawn("rect", { class: "brush", ...this.around(this.rectangle(between)), parent: this.svg });
  }

  bars() {
    const { svg, width, height, bins } = this;
    const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
    const most = Math.max(...this.all, ...(this.behind ?? []), 1);
    const tall = (count) => ((bottom - MARGIN.top) * count) / most;
    const { values } = ticks(0, most, 3);
    for (const value of values.filter(Number.isInteger)) {
      drawn("line", { x1: MARGIN.left, x2: right, y1: bottom - tall(value), y2: bottom - tall(value), parent: svg });
      drawn("text", { x: MARGIN.left - 5, y: bottom - tall(value) + 4, "text-anchor": "end", text: Math.abs(value).toLocaleString("en"), parent: svg });
    }
    const bar = (right - MARGIN.left) / bins;
    const gap = bar > 4 ? 1 : 0;
    for (let bin = 0; bin < bins; bin++) {
      const box = (count) => ({ x: MARGIN.left + bin * bar, width: bar - gap, y: bottom - tall(count), height: tall(count), parent: svg });
      drawn("rect", { class: this.selection.empty ? "all" : "all faint", ...box(this.all[bin]) });
      if (!this.selection.empty) drawn("rect", { class: "some", ...box(this.some[bin]) });
    }
    if (this.behind) {
      const corners = [...this.behind].flatMap((count, bin) => [0, 1].map((end) => `${(MARGIN.left + (bin + end) * bar).toFixed(1)} ${(bottom - tall(count)).toFixed(1)}`));
      drawn("path", { class: "behind", d: `M${corners.join("L")}`, parent: svg });
    }
    const every = EVERY.find((count) => count * bar >= 56) ?? bins;
    const from = Math.round(this.start / this.step);
    for (let bin = (every - (from % every)) % every; bin <= bins; bin += every) {
      drawn("text", { x: MARGIN.left + bin * bar, y: bottom + 14, "text-anchor": "middle", text: this.edge(bin), parent: svg });
    }
    drawn("text", { class: "label", x: (MARGIN.left + right) / 2, y: height - 3, "text-anchor": "middle", text: this.spec.xLabel, parent: svg });
  }

  // Where a bin begins, in words.
  edge(bin) {
    return number(this.start + bin * this.step, Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9)));
  }

  // The box around a rectangle of cells.
  around([, , first, last]) {
    const bar = (this.width - MARGIN.left - MARGIN.right) / this.bins;
    return { x: MARGIN.left + first * bar, width: (last - first + 1) * bar, y: MARGIN.top, height: this.height - MARGIN.bottom - MARGIN.top };
  }

  // The bar of all rows in a group, or above or below it.
  cellAt([left]) {
    const bin = Math.floor(((left - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right)) * this.bins);
    return Math.min(this.bins - 1, Math.max(0, bin));
  }

  // First and last group, first and last bin of what lies between two cells.
  rectangle(cells) {
    const groups = cells.map((cell) => Math.floor(cell / this.bins));
    const bins = cells.map((cell) => cell % this.bins);
    return [Math.min(...groups), Math.max(...groups), Math.min(...bins), Math.max(...bins)];
  }

  picture(parent) {
    parent.append(styled(this.svg));
  }

  notes() {
    return [this.spec.note].filter(Boolean);
  }

  numbers() {
    const { start, step, bins, names } = this;
    const edge = (bin) => Number((start + bin * step).toPrecision(6));
    const behind = this.behind ? [this.spec.behind.label] : [];
    const rows = Array.from(this.all, (count, cell) => {
      const bin = cell % bins;
      const group = names ? [names[Math.floor(cell / bins)]] : [];
      return [...group, edge(bin), edge(bin + 1), count, this.some[cell], ...(this.behind ? [this.behind[bin]] : [])];
    });
    return [[...(names ? [this.spec.xLabel] : []), "from", "to", "rows", "selected", ...behind], ...rows];
  }

  where(event) {
    const box = this.plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button) return;
    this.plot.setPointerCapture(event.pointerId);
    this.brush = [0, 1].map(() => this.cellAt(this.where(event)));
    this.draw();
  }

  drag(event) {
    if (!this.brush) return;
    this.brush[1] = this.cellAt(this.where(event));
    this.draw();
  }

  release(event) {
    if (!this.brush) return;
    const brush = this.brush;
    this.cancel();
    this.choose(brush, manner(event));
  }

  cancel() {
    this.brush = null;
    this.draw();
  }

  // Select the rows of what lies between two cells.
  choose(cells, how) {
    const [first, last, low, high] = this.rectangle(cells);
    const rows = [];
    for (let row = 0; row < this.cellOf.length; row++) {
      const cell = this.cellOf[row];
      if (cell < 0) continue;
      const [group, bin] = [Math.floor(cell / this.bins), cell % this.bins];
      if (group >= first && group <= last && bin >= low && bin <= high) rows.push(row);
    }
    this.selection.apply(this.spec.rows, rows, how);
  }

  key(event) {
    const step = this.steps[event.key];
    if (step) {
      const before = this.cursor;
      this.cursor = before === undefined ? this.first(step) : this.beside(before, step);
      if (event.shiftKey) this.choose([before ?? this.cursor, this.cursor], "add");
      this.live.textContent = this.told(this.cursor);
      this.draw();
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== undefined) {
      this.turn(this.entered(event));
    } else if (event.key === "Escape") this.selection.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Where the keyboard begins, and where it goes from a cell.
  first([, bins]) {
    return bins < 0 ? this.bins - 1 : 0;
  }

  beside(cell, [groups, bins]) {
    const within = (value, count) => Math.min(count - 1, Math.max(0, value));
    return within(Math.floor(cell / this.bins) + groups, this.groups) * this.bins + within((cell % this.bins) + bins, this.bins);
  }

  entered() {
    return [this.cursor, this.cursor];
  }

  told(cell) {
    return `From ${this.edge(cell % this.bins)}: ${this.all[cell]}, ${this.some[cell]} of them selected`;
  }
}

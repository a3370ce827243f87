// A histogram of a column: all rows, and in front of them the selected ones. A brush over bars selects their rows.

import { drawn, element } from "./dom.js";
import { Panel, manner } from "./panel.js";
import { SaveMenu, styled } from "./saving.js";
import { ticks } from "./view.js";

const MARGIN = { left: 50, right: 10, top: 8, bottom: 34 };
const HELP = "Left and right go from bar to bar, with Shift they select on the way. Enter selects the bar or takes it out, Escape selects nothing.";

export class Histogram extends Panel {
  constructor(canvas, spec) {
    super(canvas, spec);
    this.values = this.column(spec.value).values;
    this.count();
    this.saving = new SaveMenu(this, element("div", { class: "zoom", parent: this.head }));
    this.stop.push(() => this.saving.destroy());
    this.plot = element("div", {
      class: "plot",
      parent: this.node,
      tabindex: 0,
      role: "application",
      "aria-label": `${spec.title}: ${this.bins} bars. ${HELP}`,
    });
    this.plot.style.height = `${spec.height}px`;
    this.svg = drawn("svg", { class: "bars", parent: this.plot, "aria-hidden": "true" });
    this.live = element("div", { class: "unseen", parent: this.node, "aria-live": "polite" });
    const on = (name, act) => this.plot.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.cancel());
    on("keydown", (event) => this.key(event));
  }

  // Bins of a round width, and the bin of each row.
  count() {
    const [low, high] = this.column(this.spec.value).range;
    const { values } = ticks(low, high, this.spec.bins);
    const step = values.length > 1 ? values[1] - values[0] : high - low || 1;
    this.start = Math.floor(low / step + 1e-6) * step;
    this.step = step;
    this.bins = Math.max(1, Math.floor((high - this.start) / step + 1e-6) + 1);
    this.binOf = new Int32Array(this.values.length).fill(-1);
    this.all = new Uint32Array(this.bins);
    for (let row = 0; row < this.values.length; row++) {
      const value = this.values[row];
      if (value !== value) continue;
      const bin = Math.min(this.bins - 1, Math.floor((value - this.start) / step + 1e-6));
      this.binOf[row] = bin;
      this.all[bin]++;
    }
  }

  recoloured() {
    this.draw();
  }

  marked() {
    const mask = this.selection.mask(this.spec.rows);
    this.some = new Uint32Array(this.bins);
    for (let row = 0; row < mask.length; row++) if (mask[row] && this.binOf[row] >= 0) this.some[this.binOf[row]]++;
    this.node.dataset.selected = this.selection.count(this.spec.rows);
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
    const { svg, width, height, bins } = this;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
    const most = Math.max(...this.all, 1);
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
    const every = Math.max(1, Math.ceil(56 / bar));
    const digits = Math.max(0, -Math.floor(Math.log10(this.step) + 1e-9));
    for (let bin = 0; bin <= bins; bin += every) {
      const text = (this.start + bin * this.step).toFixed(digits).replace(/^-(?=0(\.0+)?$)/, "").replace("-", "−");
      drawn("text", { x: MARGIN.left + bin * bar, y: bottom + 14, "text-anchor": "middle", text, parent: svg });
    }
    drawn("text", { class: "label", x: (MARGIN.left + right) / 2, y: height - 3, "text-anchor": "middle", text: this.spec.xLabel, parent: svg });
    const between = this.brush ?? (this.cursor === undefined ? null : [this.cursor, this.cursor]);
    if (between) {
      const [first, last] = [Math.min(...between), Math.max(...between)];
      drawn("rect", { class: "brush", x: MARGIN.left + first * bar, width: (last - first + 1) * bar, y: MARGIN.top, height: bottom - MARGIN.top, parent: svg });
    }
  }

  picture(parent) {
    parent.append(styled(this.svg));
  }

  notes() {
    return [];
  }

  numbers() {
    const { start, step } = this;
    const edge = (bin) => Number((start + bin * step).toPrecision(6));
    return [["from", "to", "rows", "selected"], ...Array.from(this.all, (count, bin) => [edge(bin), edge(bin + 1), count, this.some[bin]])];
  }

  binAt(event) {
    const across = event.clientX - this.plot.getBoundingClientRect().left - MARGIN.left;
    return Math.min(this.bins - 1, Math.max(0, Math.floor((across / (this.width - MARGIN.left - MARGIN.right)) * this.bins)));
  }

  press(event) {
    if (event.button) return;
    this.plot.setPointerCapture(event.pointerId);
    this.brush = [this.binAt(event), this.binAt(event)];
    this.draw();
  }

  drag(event) {
    if (!this.brush) return;
    this.brush[1] = this.binAt(event);
    this.draw();
  }

  release(event) {
    if (!this.brush) return;
    const brush = this.brush;
    this.cancel();
    this.choose(Math.min(...brush), Math.max(...brush), manner(event));
  }

  cancel() {
    this.brush = null;
    this.draw();
  }

  choose(first, last, how) {
    const rows = [];
    for (let row = 0; row < this.binOf.length; row++) if (this.binOf[row] >= first && this.binOf[row] <= last) rows.push(row);
    this.selection.apply(this.spec.rows, rows, how);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const before = this.cursor ?? (step > 0 ? -1 : this.bins);
      this.cursor = Math.min(this.bins - 1, Math.max(0, before + step));
      if (event.shiftKey) this.choose(Math.min(this.cursor, before < 0 ? 0 : before), Math.max(this.cursor, Math.min(before, this.bins - 1)), "add");
      const low = (this.start + this.cursor * this.step).toPrecision(3);
      this.live.textContent = `From ${Number(low)}: ${this.all[this.cursor]}, ${this.some[this.cursor]} of them selected`;
      this.draw();
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor !== undefined) {
      const whole = this.some[this.cursor] === this.all[this.cursor];
      this.choose(this.cursor, this.cursor, whole ? "remove" : "add");
    } else if (event.key === "Escape") this.selection.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// Histograms of a column in each group of another one, on their sides and beside each other, with quartiles.
// A bar's length is its share of its group. A brush over bars selects their rows, one over a group's name all of the group.

import { drawn } from "./dom.js";
import { Histogram } from "./histogram.js";
import { ticks } from "./view.js";

const MARGIN = { left: 46, right: 8, top: 8, bottom: 40 };
const ROOM = 0.9; // of a group's width that its longest bar may take up

export class Buckets extends Histogram {
  get help() {
    return (
      "Up and down go from bar to bar, left and right from group to group, with Shift they select on the way. " +
      "Enter selects the bar or takes it out, Space the whole group, Escape selects nothing."
    );
  }

  get steps() {
    return { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  }

  begin() {
    const column = this.column(this.spec.group);
    this.codes = column.values;
    this.names = column.labels;
    this.groups = this.names.length;
  }

  lines() {
    const quarters = (group) => this.quartiles[group].map((value) => value.toFixed(2).replace("-", "−")).join(", ");
    return this.names.flatMap((name, group) => {
      const [first, last] = [group * this.bins, (group + 1) * this.bins - 1];
      if (!this.sizes[group]) return [];
      const whole = { cells: [first, last], texts: [`${name}, all: quartiles ${quarters(group)}`, "", ""], whole: true };
      const bars = super.lines().filter(({ cells: [cell] }) => cell >= first && cell <= last);
      return [whole, ...bars.map((bar) => ({ ...bar, texts: [name, this.edge(bar.cells[0] % this.bins), this.edge((bar.cells[0] % this.bins) + 1)] }))];
    });
  }

  groupOf(row) {
    return this.codes[row];
  }

  count() {
    super.count();
    const inside = this.names.map(() => []);
    for (let row = 0; row < this.values.length; row++) if (this.cellOf[row] >= 0) inside[this.codes[row]].push(this.values[row]);
    this.sizes = inside.map(({ length }) => length);
    this.quartiles = inside.map((values) => {
      values.sort((one, other) => one - other);
      return [0.25, 0.5, 0.75].map((share) => between(values, share));
    });
  }

  get box() {
    const { width, height } = this;
    const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
    return { right, bottom, room: (right - MARGIN.left) / this.groups, bar: (bottom - MARGIN.top) / this.bins };
  }

  bars() {
    const { svg, bins, height, spec } = this;
    const { right, bottom, room, bar } = this.box;
    const y = (value) => bottom - ((value - this.start) / this.step) * bar;
    const marks = ticks(this.start, this.start + bins * this.step, height / 60);
    for (const value of marks.values) {
      drawn("line", { x1: MARGIN.left, x2: right, y1: y(value), y2: y(value), parent: svg });
      drawn("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end", text: value.toFixed(marks.digits).replace("-", "−"), parent: svg });
    }
    const share = (count, group) => count / Math.max(1, this.sizes[group]);
    const most = this.all.reduce((most, count, cell) => Math.max(most, share(count, Math.floor(cell / bins))), 1e-9);
    const long = (count, group) => (ROOM * room * share(count, group)) / most;
    const gap = bar > 4 ? 1 : 0;
    this.names.forEach((name, group) => {
      const left = MARGIN.left + group * room;
      for (let bin = 0; bin < bins; bin++) {
        const cell = group * bins + bin;
        const at = (count) => ({ x: left, width: long(count, group), y: bottom - (bin + 1) * bar, height: bar - gap, parent: svg });
        if (this.all[cell]) drawn("rect", { class: this.selection.empty ? "all" : "all faint", ...at(this.all[cell]) });
        if (this.some[cell] && !this.selection.empty) drawn("rect", { class: "some", ...at(this.some[cell]) });
      }
      drawn("line", { class: "wall", x1: left, x2: left, y1: MARGIN.top, y2: bottom, parent: svg });
      if (this.sizes[group]) this.quarters(this.quartiles[group].map(y), left, room);
      drawn("text", { x: left + room / 2, y: bottom + 16, "text-anchor": "middle", text: name, parent: svg });
    });
    drawn("text", { class: "label", x: (MARGIN.left + right) / 2, y: height - 3, "text-anchor": "middle", text: spec.xLabel, parent: svg });
    const middle = (MARGIN.top + bottom) / 2;
    drawn("text", { class: "label", x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})`, text: spec.yLabel, parent: svg });
  }

  // A bar over the middle half, and a line at the median.
  quarters([low, median, high], left, room) {
    drawn("line", { class: "half", x1: left + 3, x2: left + 3, y1: low, y2: high, parent: this.svg });
    drawn("line", { class: "median", x1: left, x2: left + 0.3 * room, y1: median, y2: median, parent: this.svg });
  }

  around([first, last, low, high]) {
    const { bottom, room, bar } = this.box;
    return { x: MARGIN.left + first * room, width: (last - first + 1) * room, y: bottom - (high + 1) * bar, height: (high - low + 1) * bar };
  }

  cellAt([left, top]) {
    const { bottom, room, bar } = this.box;
    const within = (value, count) => Math.min(count - 1, Math.max(0, Math.floor(value)));
    return within((left - MARGIN.left) / room, this.groups) * this.bins + within((bottom - top) / bar, this.bins);
  }

  // Below the bars stand the names of whole groups.
  press(event) {
    super.press(event);
    this.whole = this.where(event)[1] > this.box.bottom;
    if (this.whole) this.drag(event);
  }

  drag(event) {
    super.drag(event);
    if (!this.brush || !this.whole) return;
    const [first, last] = this.rectangle(this.brush);
    this.brush = [first * this.bins, last * this.bins + this.bins - 1];
    this.draw();
  }

  first() {
    return this.fullest(0);
  }

  beside(cell, step) {
    const next = super.beside(cell, step);
    const group = Math.floor(next / this.bins);
    return step[0] && group !== Math.floor(cell / this.bins) && !this.all[next] ? this.fullest(group) : next;
  }

  // The fullest bar of a group.
  fullest(group) {
    const counts = this.all.subarray(group * this.bins, (group + 1) * this.bins);
    return group * this.bins + counts.indexOf(Math.max(...counts));
  }

  entered(event) {
    if (event.key !== " ") return super.entered(event);
    const group = Math.floor(this.cursor / this.bins);
    return [group * this.bins, (group + 1) * this.bins - 1];
  }

  told(cell) {
    return `${this.spec.xLabel} ${this.names[Math.floor(cell / this.bins)]}. ${super.told(cell)}`;
  }
}

// The value below which a share of sorted values lies, on straight lines between them.
function between(sorted, share) {
  if (!sorted.length) return 0;
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + ((sorted[low + 1] ?? sorted[low]) - sorted[low]) * (at - low);
}

// How many points fall into each hexagon, counted anew at each zoom: for scatter plots in which points would hide each other.
// The hexagons move with the points. Marked points fill their share of a hexagon's area from its middle.

import { sequential } from "../colours.js";
import { drawn } from "../dom.js";

const [LEAST, MOST] = [8, 16];
const FEW_VALUES = 60;
const CORNERS = Array.from({ length: 6 }, (_, corner) => [Math.sin((corner * Math.PI) / 3), Math.cos((corner * Math.PI) / 3)]);

export class HexagonPainter {
  constructor({ look, counted }) {
    this.node = document.createElement("canvas");
    this.node.className = "points";
    this.node.dataset.painter = "hexagons";
    this.look = look;
    this.counted = counted; // called with the most points of a hexagon in sight
    this.marked = 0;
  }

  get coloured() {
    return Boolean(this.diverging);
  }

  points(xs, ys) {
    Object.assign(this, { xs, ys, bins: null, between: spacing(xs) });
  }

  moved() {
    this.bins = null;
  }

  // With `diverging`, hexagons have the mean colour of their points, otherwise that of their number.
  colours(codes, palette, diverging) {
    Object.assign(this, { codes, palette, diverging, ramp: sequential(this.look) });
    this.redraw();
  }

  selected(mask, count) {
    Object.assign(this, { mask, marked: count });
    this.redraw();
  }

  place(placing, width, height) {
    const { scale } = placing;
    if (this.placing && (scale.x !== this.placing.scale.x || scale.y !== this.placing.scale.y)) this.bins = null;
    Object.assign(this, { placing, width, height });
    this.redraw();
  }

  redraw() {
    if (!this.placing || this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  bin() {
    const { xs, ys, placing } = this;
    // Wide enough that values which are rounded leave no hexagon empty between them.
    this.radius = Math.min(MOST, Math.max(LEAST, (1.5 * this.between * placing.scale.x) / Math.sqrt(3)));
    const [wide, tall] = this.sides();
    const numbers = new Map();
    const bins = [];
    this.binOf = new Uint32Array(xs.length);
    for (let at = 0; at < xs.length; at++) {
      const [column, row] = cell(xs[at] * placing.scale.x, ys[at] * placing.scale.y, wide, tall);
      const key = row * 0x100000 + column;
      let number = numbers.get(key);
      if (number === undefined) {
        numbers.set(key, (number = bins.length));
        bins.push({ x: (column + (row & 1) / 2) * wide, y: row * tall, count: 0 });
      }
      bins[number].count++;
      this.binOf[at] = number;
    }
    Object.assign(this, { bins, numbers });
  }

  draw() {
    const dots = window.devicePixelRatio;
    this.node.width = this.width * dots;
    this.node.height = this.height * dots;
    const context = this.node.getContext("2d");
    context.scale(dots, dots);
    const most = this.each((corners, colour, alpha) => {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.beginPath();
      for (const [x, y] of corners) context.lineTo(x, y);
      context.fill();
    });
    this.counted(most, Boolean(this.diverging));
  }

  picture(parent) {
    this.each((corners, fill, alpha) => {
      const d = `M${corners.map((corner) => corner.map((part) => part.toFixed(1)).join(" ")).join("L")}Z`;
      drawn("path", { d, fill, "fill-opacity": alpha.toFixed(3), parent });
    });
  }

  // Calls `fill` with corners, colour and opacity of each hexagon in sight; the most points that one of them has.
  each(fill) {
    if (!this.bins) this.bin();
    const { bins, binOf, codes, mask, marked, palette, ramp, diverging, radius } = this;
    const { shift } = this.placing;
    const some = new Uint32Array(bins.length);
    if (marked) for (let at = 0; at < binOf.length; at++) some[binOf[at]] += mask[at];
    const sums = new Float64Array(diverging ? bins.length : 0);
    if (diverging) for (let at = 0; at < binOf.length; at++) sums[binOf[at]] += codes[at];
    const inSight = ({ x, y }) => x + shift.x > -radius && x + shift.x < this.width + radius && y + shift.y > -radius && y + shift.y < this.height + radius;
    const most = bins.reduce((most, bin) => (inSight(bin) ? Math.max(most, bin.count) : most), 1);
    const strength = (count) => (most > 1 ? Math.log(count) / Math.log(most) : 1);
    const around = (x, y, size) => CORNERS.map(([across, up]) => [x + across * size, y + up * size]);
    bins.forEach((bin, number) => {
      if (!inSight(bin)) return;
      const { count } = bin;
      const [left, top] = [bin.x + shift.x, bin.y + shift.y];
      const colour = diverging ? palette[Math.round(sums[number] / count)] : ramp[Math.round(strength(count) * (ramp.length - 1))];
      const alpha = diverging ? 0.45 + 0.55 * strength(count) : 1;
      fill(around(left, top, radius * 0.95), colour, marked ? alpha * 0.3 : alpha);
      if (some[number]) fill(around(left, top, radius * 0.95 * Math.max(0.3, Math.sqrt(some[number] / count))), this.look.series[1], 1);
    });
    return most;
  }

  sides() {
    return [this.radius * Math.sqrt(3), this.radius * 1.5];
  }

  // The points in the hexagon at a pixel.
  at([left, top]) {
    if (!this.bins) return [];
    const { shift } = this.placing;
    const [column, row] = cell(left - shift.x, top - shift.y, ...this.sides());
    const number = this.numbers.get(row * 0x100000 + column);
    const points = [];
    if (number !== undefined) for (let at = 0; at < this.binOf.length; at++) if (this.binOf[at] === number) points.push(at);
    return points;
  }

  destroy() {
    cancelAnimationFrame(this.waiting);
    this.node.remove();
  }
}

// The hexagon of a point: those of odd rows are half a hexagon further right.
function cell(x, y, wide, tall) {
  const up = y / tall;
  let row = Math.round(up);
  const across = x / wide - (row & 1) / 2;
  let column = Math.round(across);
  const beside = up - row;
  if (Math.abs(beside) * 3 > 1) {
    const aside = across - column;
    const [other, above] = [column + (across < column ? -1 : 1) / 2, row + (up < row ? -1 : 1)];
    if (aside ** 2 + beside ** 2 > (across - other) ** 2 + (up - above) ** 2) {
      column = other + (row & 1 ? 1 : -1) / 2;
      row = above;
    }
  }
  return [column, row];
}

// How far apart the values are if they are few, otherwise 0.
function spacing(values) {
  const known = new Set();
  for (let at = 0; at < values.length && known.size <= FEW_VALUES; at++) known.add(values[at]);
  if (known.size < 2 || known.size > FEW_VALUES) return 0;
  return (Math.max(...known) - Math.min(...known)) / (known.size - 1);
}

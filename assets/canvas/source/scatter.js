// A scatter plot: points by one of three painters, and on top of them axes, lasso, cursor and tooltip.

import { counted, drawn, element } from "./dom.js";
import { inside, nearest, nextTowards } from "./geometry.js";
import { Marginals } from "./marginals.js";
import { DensityPainter } from "./painters/density.js";
import { HexagonPainter } from "./painters/hexagons.js";
import { SvgPainter } from "./painters/svg.js";
import { WebglPainter, hasWebgl } from "./painters/webgl.js";
import { OUTLINE_HELP, Outline } from "./outline.js";
import { Panel, manner } from "./panel.js";
import { SaveMenu, styled } from "./saving.js";
import { Slider } from "./slider.js";
import { normalised, placed, range, ticks } from "./view.js";

const REACH = 12;
const STEP = 0.15;
const MARGINAL = 34;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const HELP =
  "Arrow keys go from point to point, with Shift they select on the way. Enter selects the point or takes it out. " +
  `Plus and minus zoom, 0 shows all, Escape selects nothing. ${OUTLINE_HELP}`;

function painterFor(count, look, { hexagons }, counted) {
  if (hexagons && count > hexagons) return new HexagonPainter({ look, counted });
  if (count <= SvgPainter.most) return new SvgPainter();
  return count <= WebglPainter.most && hasWebgl() ? new WebglPainter({ look }) : new DensityPainter({ look });
}

export class Scatter extends Panel {
  constructor(canvas, spec) {
    super(canvas, spec);
    this.view = canvas.view(spec.group || `own ${canvas.panels.length}`);
    this.collect();
    this.build();
    const moved = () => this.placePoints();
    this.view.watchers.add(moved);
    const pointed = () => this.showPointed();
    this.selection.pointWatchers.add(pointed);
    this.stop.push(
      () => this.view.watchers.delete(moved),
      () => this.selection.pointWatchers.delete(pointed),
      () => this.painter.destroy(),
      () => this.slider?.destroy(),
      () => this.saving.destroy(),
    );
  }

  // The points: rows that have all coordinates, scaled to -1..1, at each stop of the slider.
  collect() {
    const stops = this.spec.stops.length ? this.spec.stops : [this.spec];
    const columns = stops.flatMap(({ x, y }) => [this.column(x).values, this.column(y).values]);
    const rows = [];
    for (let row = 0; row < this.rows.n; row++) if (columns.every((values) => values[row] === values[row])) rows.push(row);
    this.rowOf = Uint32Array.from(rows);
    const taken = columns.map((values) => Float32Array.from(this.rowOf, (row) => values[row]));
    const [across, up] = [0, 1].map((axis) => taken.filter((_, at) => at % 2 === axis));
    const widest = (columns) => columns.map(range).reduce(([low, high], [least, most]) => [Math.min(low, least), Math.max(high, most)]);
    let [[left, right], [bottom, top]] = [widest(across), widest(up)];
    const corners = this.spec.within ? [0, 1].map((end) => this.spec.within.map((limits) => limits[end])) : [];
    for (const [across, up] of [...corners, ...stops.flatMap(({ marks }) => marks.map((mark) => [mark.x, mark.y]))]) {
      [left, right] = [Math.min(left, across), Math.max(right, across)];
      [bottom, top] = [Math.min(bottom, up), Math.max(top, up)];
    }
    if (this.spec.equal) {
      const half = Math.max(right - left, top - bottom) / 2;
      [left, right] = [(left + right) / 2 - half, (left + right) / 2 + half];
      [bottom, top] = [(bottom + top) / 2 - half, (bottom + top) / 2 + half];
    }
    const pad = 1.06;
    const wider = (low, high) => [(low + high) / 2 - ((high - low) / 2) * pad, (low + high) / 2 + ((high - low) / 2) * pad];
    const scaled = (columns, low, high) => columns.map((values) => normalised(values, ...wider(low, high)));
    const [xs, ys] = [scaled(across, left, right), scaled(up, bottom, top)];
    this.stops = stops.map(({ marks }, at) => ({ xs: xs[at].scaled, ys: ys[at].scaled, marks }));
    this.x = { ...xs[0], scaled: xs[0].scaled.slice() };
    this.y = { ...ys[0], scaled: ys[0].scaled.slice() };
    this.marks = stops[0].marks;
    this.along = 0;
  }

  // Take the points to where the slider stands: on straight lines from one stop to the next.
  follow() {
    const { stops } = this;
    const along = Math.min(this.view.along, stops.length - 1);
    if (along === this.along) return;
    this.along = along;
    const from = Math.min(Math.floor(along), stops.length - 2);
    const [one, other, share] = [stops[from], stops[from + 1], along - from];
    const between = (start, end) => start + (end - start) * share;
    for (let at = 0; at < this.rowOf.length; at++) {
      this.x.scaled[at] = between(one.xs[at], other.xs[at]);
      this.y.scaled[at] = between(one.ys[at], other.ys[at]);
    }
    this.marks = one.marks.map((mark, at) => ({ ...mark, x: between(mark.x, other.marks[at].x), y: between(mark.y, other.marks[at].y) }));
    this.painter.moved();
    this.slider?.follow();
  }

  build() {
    const { spec } = this;
    const tools = element("div", { class: "zoom", parent: this.head });
    const button = (text, label, click) => element("button", { type: "button", text, "aria-label": `${label}: ${spec.full}`, title: label, click, parent: tools });
    button("+", "Zoom in", () => this.zoom(1.5));
    button("−", "Zoom out", () => this.zoom(1 / 1.5));
    button("⤢", "Show all", () => this.view.home());
    this.saving = new SaveMenu(this, tools);
    this.plot = element("div", {
      class: "plot",
      parent: this.node,
      tabindex: 0,
      role: "application",
      "aria-label": `${spec.full}: ${this.rowOf.length.toLocaleString("en")} points. ${HELP}`,
    });
    this.plot.style.height = `${spec.height}px`;
    this.keysHelp(HELP);
    this.axes = drawn("svg", { class: "axes", parent: this.plot, "aria-hidden": "true" });
    this.painter = painterFor(this.rowOf.length, this.canvas.look, spec, (most, diverging) => this.counted(most, diverging));
    this.painter.points(this.x.scaled, this.y.scaled);
    this.painter.node.setAttribute("aria-hidden", "true");
    this.plot.append(this.painter.node);
    this.over = drawn("svg", { class: "over", parent: this.plot, "aria-hidden": "true" });
    this.rings = drawn("g", { parent: this.over });
    this.outline = drawn("path", { class: "lasso", parent: this.over });
    this.tooltip = element("div", { class: "tooltip", parent: this.plot, hidden: true });
    this.live = element("div", { class: "unseen", parent: this.node, "aria-live": "polite" });
    if (this.painter.at) this.shades = element("p", { class: "note shades", parent: this.node });
    if (spec.marginals) this.marginals = new Marginals(this);
    if (this.stops.length > 1) this.slider = new Slider(this, this.node);
    if (spec.note) element("p", { class: "note", parent: this.node, text: spec.note });
    this.listen();
  }

  listen() {
    const on = (name, act, options) => this.plot.addEventListener(name, act, options);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.dragged || this.leave());
    on("keydown", (event) => this.key(event));
    on("blur", () => {
      this.keyed?.end();
      this.leave();
    });
    on("wheel", (event) => this.wheel(event), { passive: false });
  }

  recoloured() {
    const { codes, palette, legend } = this.canvas.colours(this.spec.rows);
    this.painter.look = this.canvas.look;
    this.painter.colours(Uint8Array.from(this.rowOf, (row) => codes[row]), palette, Boolean(legend.diverging));
  }

  // What the shades of hexagons mean.
  counted(most, diverging) {
    const words = counted(most, this.rows.words);
    this.shades.textContent = diverging
      ? `A hexagon has the mean colour of its ${this.rows.words[1]}, and is fainter with fewer; the fullest has ${words}.`
      : `A hexagon is ${this.canvas.look.dark ? "brighter" : "darker"} with more ${this.rows.words[1]}; the fullest has ${words}.`;
  }

  marked() {
    const mask = this.selection.mask(this.spec.rows);
    const own = Uint8Array.from(this.rowOf, (row) => mask[row]);
    this.node.dataset.selected = this.selection.count(this.spec.rows);
    this.painter.selected(own, this.selection.empty ? 0 : 1);
    this.own = own;
    if (this.placing) this.marginals?.draw();
  }

  resized() {
    const width = this.plot.clientWidth;
    if (!width || (width === this.width && this.placing)) return;
    this.width = width;
    this.height = this.plot.clientHeight;
    this.placePoints();
  }

  placePoints() {
    if (!this.width) return;
    const { spec, width, height } = this;
    const beside = spec.marginals ? MARGINAL : 0;
    const margin = spec.equal ? { left: 8, right: 8, top: 8, bottom: 8 } : { left: 46, right: 10 + beside, top: 8 + beside, bottom: 36 };
    this.margin = margin;
    this.follow();
    this.placing = placed(this.view, { width, height, margin, equal: spec.equal });
    this.painter.place(this.placing, width, height);
    for (const svg of [this.axes, this.over]) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawAxes(margin);
    this.marginals?.draw();
    this.showPointed();
  }

  drawAxes(margin) {
    const { axes, spec, width, height } = this;
    axes.replaceChildren();
    const [right, bottom] = [width - margin.right, height - margin.bottom];
    if (!spec.equal) {
      const across = ticks(this.dataX(margin.left), this.dataX(right), width / 90);
      for (const value of across.values) {
        const x = this.pixelX(value);
        drawn("line", { x1: x, x2: x, y1: margin.top, y2: bottom, parent: axes });
        drawn("text", { x, y: bottom + 15, "text-anchor": "middle", text: shown(value, across.digits), parent: axes });
      }
      const up = ticks(this.dataY(bottom), this.dataY(margin.top), height / 60);
      for (const value of up.values) {
        const y = this.pixelY(value);
        drawn("line", { x1: margin.left, x2: right, y1: y, y2: y, parent: axes });
        drawn("text", { x: margin.left - 6, y: y + 4, "text-anchor": "end", text: shown(value, up.digits), parent: axes });
      }
      drawn("text", { class: "label", x: (margin.left + right) / 2, y: height - 3, "text-anchor": "middle", text: spec.xLabel, parent: axes });
      const middle = (margin.top + bottom) / 2;
      drawn("text", { class: "label", x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})`, text: spec.yLabel, parent: axes });
    }
    for (const mark of this.marks) {
      const [x, y] = [this.pixelX(mark.x), this.pixelY(mark.y)];
      if (mark.from) drawn("line", { class: "arrow", x1: this.pixelX(mark.from[0]), y1: this.pixelY(mark.from[1]), x2: x, y2: y, parent: axes });
      else drawn("path", { class: "cross", d: `M${x - 7} ${y}h14M${x} ${y - 7}v14`, parent: axes });
      drawn("text", { class: "label", x: Math.min(x + 8, width - 60), y: y - 8, text: mark.label, parent: axes });
    }
  }

  pixelX = (value) => ((value - this.x.middle) / this.x.half) * this.placing.scale.x + this.placing.shift.x;
  pixelY = (value) => ((value - this.y.middle) / this.y.half) * this.placing.scale.y + this.placing.shift.y;
  dataX = (pixel) => ((pixel - this.placing.shift.x) / this.placing.scale.x) * this.x.half + this.x.middle;
  dataY = (pixel) => ((pixel - this.placing.shift.y) / this.placing.scale.y) * this.y.half + this.y.middle;

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const { scale, shift } = this.placing;
    this.view.zoomAt((x - shift.x) / scale.x, (y - shift.y) / scale.y, factor);
  }

  wheel(event) {
    if (!event.ctrlKey && this.node.getRootNode().activeElement !== this.plot) return; // the page scrolls
    event.preventDefault();
    const [x, y] = this.at(event);
    this.zoom(2 ** (-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), x, y);
  }

  at(event) {
    const box = this.plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button > 1) return;
    this.keyed?.end();
    this.plot.setPointerCapture(event.pointerId);
    const mode = event.button === 1 ? "move" : this.canvas.mode;
    this.dragged = { mode, path: [this.at(event)], moved: false };
    if (event.button === 1) event.preventDefault();
  }

  drag(event) {
    const point = this.at(event);
    if (!this.dragged) {
      const many = this.painter.at?.(point) ?? [];
      if (many.length > 1) {
        this.selection.point(this.spec.rows, null);
        return this.tellMany(many, point);
      }
      const at = nearest(this.x.scaled, this.y.scaled, this.placing, point, REACH);
      this.selection.point(this.spec.rows, at < 0 ? null : this.rowOf[at]);
      this.tell(at, point);
      return;
    }
    const { path, mode } = this.dragged;
    const last = path.at(-1);
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) < 3) return;
    this.dragged.moved = true;
    this.tooltip.hidden = true;
    if (mode === "move") {
      const { scale } = this.placing;
      this.view.moveBy((last[0] - point[0]) / scale.x, (last[1] - point[1]) / scale.y);
      path[0] = point;
      path.length = 1;
      return;
    }
    path.push(point);
    this.outline.setAttribute("d", `M${shape(mode, path).map((corner) => corner.map((part) => part.toFixed(1)).join(" ")).join("L")}Z`);
  }

  release(event) {
    const { dragged } = this;
    this.cancel();
    if (!dragged) return;
    const many = dragged.moved ? [] : (this.painter.at?.(this.at(event)) ?? []);
    if (many.length > 1) {
      const rows = many.map((at) => this.rowOf[at]);
      const whole = rows.every((row) => this.selection.mask(this.spec.rows)[row]);
      this.selection.apply(this.spec.rows, rows, manner(event) === "add" && whole ? "remove" : manner(event));
    } else if (!dragged.moved) {
      const at = nearest(this.x.scaled, this.y.scaled, this.placing, this.at(event), REACH);
      if (at >= 0) this.selection.apply(this.spec.rows, [this.rowOf[at]], manner(event) === "add" ? "toggle" : manner(event));
    } else if (dragged.mode !== "move") {
      const points = inside(this.x.scaled, this.y.scaled, this.placing, shape(dragged.mode, dragged.path));
      this.selection.apply(this.spec.rows, points.map((at) => this.rowOf[at]), manner(event));
    }
  }

  cancel() {
    this.dragged = null;
    this.outline.removeAttribute("d");
  }

  leave() {
    this.tooltip.hidden = true;
    this.selection.point(this.spec.rows, null);
  }

  key(event) {
    const direction = ARROWS[event.key];
    if (this.keyed?.key(event)) this.tooltip.hidden = true;
    else if (direction) {
      const at = nextTowards(this.x.scaled, this.y.scaled, this.placing, this.cursor ?? -1, direction, this.width, this.height);
      if (at >= 0) this.goTo(at, event.shiftKey);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.cursor >= 0) this.selection.apply(this.spec.rows, [this.rowOf[this.cursor]], "toggle");
    } else if (event.key === "Escape") {
      if (this.dragged) this.cancel();
      else this.selection.clear();
    } else if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.view.home();
    else if (event.key.toLowerCase() === "l" && !event.ctrlKey && !event.metaKey) this.begin();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Begin an outline at the cursor, or in the middle.
  begin() {
    this.keyed?.end();
    const at = this.cursor >= 0 ? this.pixelOf(this.cursor) : [this.width / 2, this.height / 2];
    this.leave();
    this.keyed = new Outline(this, at);
  }

  goTo(at, selecting) {
    if (selecting) {
      const rows = [this.cursor, at].filter((point) => point >= 0).map((point) => this.rowOf[point]);
      this.selection.apply(this.spec.rows, rows, "add");
    }
    this.cursor = at;
    const [x, y] = this.pixelOf(at);
    const off = (pixel, size) => (pixel < 0 ? pixel - size * STEP : pixel > size ? pixel - size * (1 - STEP) : 0);
    const { scale } = this.placing;
    if (off(x, this.width) || off(y, this.height)) this.view.moveBy(off(x, this.width) / scale.x, off(y, this.height) / scale.y);
    this.selection.point(this.spec.rows, this.rowOf[at]);
    this.tell(at, this.pixelOf(at));
    this.live.textContent = this.describe(this.rowOf[at]).join(". ");
  }

  pixelOf(at) {
    const { scale, shift } = this.placing;
    return [this.x.scaled[at] * scale.x + shift.x, this.y.scaled[at] * scale.y + shift.y];
  }

  // The words of a point, beside it.
  tell(at, [x, y]) {
    this.tooltip.hidden = at < 0;
    if (at >= 0) this.show(this.described(this.rowOf[at]), [x, y]);
  }

  // How many points a hexagon has, beside it.
  tellMany(points, place) {
    const marked = points.filter((at) => this.own[at]).length;
    const all = counted(points.length, this.rows.words);
    const words = [marked ? `${all}, ${marked.toLocaleString("en")} selected` : all, "Click to select them."];
    this.show(words.map((text) => element("p", { text })), place);
  }

  show(nodes, [x, y]) {
    this.tooltip.hidden = false;
    this.tooltip.replaceChildren(...nodes);
    this.tooltip.style.left = `${Math.max(4, Math.min(x + 12, this.width - this.tooltip.offsetWidth - 4))}px`;
    const below = y + 14;
    const fits = below + this.tooltip.offsetHeight < this.height + 40;
    this.tooltip.style.top = `${fits ? below : y - this.tooltip.offsetHeight - 10}px`;
  }

  // Rings around the points of the row that is pointed at in any panel.
  showPointed() {
    this.rings.replaceChildren();
    if (!this.placing) return;
    for (const row of this.selection.pointedRows(this.spec.rows)) {
      const at = this.pointOf(row);
      if (at < 0) continue;
      const [cx, cy] = this.pixelOf(at);
      drawn("circle", { class: "ring", cx, cy, r: 8, parent: this.rings });
    }
  }

  // For a file: what is drawn, and the words below it.
  picture(parent) {
    parent.append(styled(this.axes));
    if (this.marginals) parent.append(styled(this.marginals.layer));
    this.painter.picture(drawn("g", { parent }));
    const edge = this.canvas.look.ink;
    drawn("rect", { width: "100%", height: "100%", fill: "none", stroke: edge, "stroke-opacity": 0.16, parent });
  }

  notes() {
    return [this.spec.note, this.shades?.textContent].filter(Boolean);
  }

  get coloured() {
    return this.painter.coloured;
  }

  shapes() {
    return this.painter.at ? 0 : this.rowOf.length;
  }

  // The points as rows of a table: what each is, where it lies, its colour, and whether it is selected.
  numbers() {
    const { spec, canvas } = this;
    const stop = spec.stops[Math.round(this.along)] ?? spec;
    const names = [...new Set([...this.rows.described, stop.x, stop.y, canvas.colour])].filter((name) => this.column(name));
    const columns = names.map((name) => this.column(name));
    const mask = this.selection.mask(spec.rows);
    const values = (row) => columns.map((column) => (column.type === "number" ? column.values[row] : column.text(row)));
    return [["row", ...columns.map(({ label }) => label), "selected"], ...Array.from(this.rowOf, (row) => [row, ...values(row), mask[row]])];
  }

  pointOf(row) {
    if (this.rowOf.length === this.rows.n) return row;
    let [low, high] = [0, this.rowOf.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.rowOf[middle] === row) return middle;
      if (this.rowOf[middle] < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

const shown = (value, digits) => (Math.abs(value) < 1e-9 ? 0 : value).toFixed(digits).replace("-", "−");

function shape(mode, path) {
  if (mode !== "box") return path;
  const [[left, top], [right, bottom]] = [path[0], path.at(-1)];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

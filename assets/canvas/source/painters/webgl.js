// Points by regl-scatterplot, which draws all panels with one renderer. Moving, choosing and keys are ours: it only draws.

import createScatterplot, { createRenderer } from "regl-scatterplot";

import { drawn } from "../dom.js";
import { points } from "../saving.js";

const NEEDED = ["OES_texture_float", "OES_element_index_uint", "WEBGL_color_buffer_float", "EXT_float_blend"];

let renderer = null;
let plots = 0;
let supported = null;

export function hasWebgl() {
  if (supported === null) {
    try {
      const context = document.createElement("canvas").getContext("webgl");
      supported = NEEDED.every((extension) => context?.getExtension(extension));
      context?.getExtension("WEBGL_lose_context")?.loseContext();
    } catch {
      supported = false;
    }
  }
  return supported;
}

// The renderer is as large as the largest panel, and not as the window: each frame clears and copies all of it.
function fit(width, height) {
  const [across, down] = [renderer.canvas.width, renderer.canvas.height].map((pixels) => pixels / window.devicePixelRatio);
  if (width <= across && height <= down) return;
  const even = (pixels) => 2 * Math.ceil(pixels / 2);
  renderer.resize(even(Math.max(width, across)), even(Math.max(height, down)));
  renderer.refresh();
}

export class WebglPainter {
  static most = 200_000;
  coloured = true;

  constructor({ look }) {
    renderer ??= createRenderer({ canvas: document.createElement("canvas") });
    plots += 1;
    this.node = document.createElement("canvas");
    this.node.className = "points";
    this.node.dataset.painter = "webgl";
    this.aside = document.createElement("div"); // the library puts buttons of its own there; they are never shown
    this.look = look;
    this.drawing = Promise.resolve();
  }

  get size() {
    return this.xs.length > 50_000 ? 2 : this.xs.length > 10_000 ? 3 : 4.5;
  }

  start(width, height) {
    const many = this.xs.length > 10_000;
    this.plot = createScatterplot({
      renderer,
      canvas: this.node,
      width,
      height,
      aspectRatio: width / height,
      cameraIsFixed: true,
      actionKeyMap: {},
      deselectOnEscape: false,
      deselectOnDblClick: false,
      lassoInitiatorParentElement: this.aside,
      lassoLongPressIndicatorParentElement: this.aside,
      backgroundColor: this.look.paper,
      pointScaleMode: "constant",
      pointSize: this.size,
      pointSizeSelected: many ? 0 : 1,
      pointOutlineWidth: many ? 0 : 1.5,
      opacity: this.xs.length > 50_000 ? 0.5 : 0.75,
      opacityInactiveMax: 0.18,
      opacityInactiveScale: 1,
      spatialIndexUseWorker: false,
    });
  }

  points(xs, ys) {
    Object.assign(this, { xs, ys, drawn: false });
  }

  colours(codes, palette) {
    Object.assign(this, { codes, palette, drawn: false });
    if (this.plot) this.draw();
  }

  draw() {
    this.drawn = true;
    const { xs, ys, codes, palette } = this;
    const colours = palette.length > 1 ? palette : [palette[0], palette[0]];
    this.later(async () => {
      this.plot.set({ colorBy: "valueA", pointColor: colours, pointColorActive: colours, pointColorHover: colours });
      await this.plot.draw({ x: xs, y: ys, z: Float32Array.from(codes) }, { zDataType: "categorical" });
      this.mark();
    });
  }

  // Other coordinates of the same points. The search index of the library is not used, so the old one will do.
  moved() {
    if (!this.plot || !this.drawn || this.moving) return;
    this.moving = true;
    this.later(async () => {
      this.moving = false;
      const { xs, ys, codes } = this;
      const points = { x: xs, y: ys, z: Float32Array.from(codes) };
      await this.plot.draw(points, { zDataType: "categorical", preventFilterReset: true, spatialIndex: this.plot.get("spatialIndex") });
    });
  }

  selected(mask, count) {
    const rows = [];
    if (count) for (let at = 0; at < mask.length; at++) if (mask[at]) rows.push(at);
    this.rows = rows;
    if (this.plot) this.later(() => this.mark());
  }

  mark() {
    if (this.rows?.length) this.plot.select(this.rows, { preventEvent: true });
    else this.plot.deselect({ preventEvent: true });
  }

  place({ scale, shift }, width, height) {
    fit(width, height);
    if (!this.plot) this.start(width, height);
    else if (width !== this.width || height !== this.height) this.plot.set({ width, height, aspectRatio: width / height });
    Object.assign(this, { width, height, placing: { scale, shift } });
    if (!this.drawn) this.draw();
    const aspect = width / height;
    const [sx, sy] = [(2 * scale.x) / width, (-2 * scale.y) / height];
    const [tx, ty] = [((2 * shift.x) / width - 1) * aspect, 1 - (2 * shift.y) / height];
    this.plot.set({ cameraView: new Float32Array([sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, 1, 0, tx, ty, 0, 1]) });
  }

  // In order, because drawing is asynchronous.
  later(step) {
    this.drawing = this.drawing.then(() => (this.gone ? null : step())).catch((error) => console.error(error));
  }

  // In a file the points are shapes. Those that are marked lie above the others.
  picture(parent) {
    const { xs, ys, codes, palette, placing, rows } = this;
    const marked = new Uint8Array(xs.length);
    for (const at of rows ?? []) marked[at] = 1;
    const colours = (at) => palette[codes[at]];
    const [whole, faint] = [xs.length > 50_000 ? 0.5 : 0.75, 0.18];
    const radius = this.size / 2;
    const group = () => drawn("g", { parent });
    if (!rows?.length) return points(group(), { xs, ys, placing, colours, radius, opacity: () => whole });
    const of = (values, side) => values.filter((_, at) => marked[at] === side);
    for (const side of [0, 1]) {
      const numbers = of(Uint32Array.from(xs.keys()), side);
      points(group(), { xs: of(xs, side), ys: of(ys, side), placing, colours: (at) => colours(numbers[at]), radius, opacity: () => (side ? whole : faint) });
    }
  }

  destroy() {
    this.gone = true;
    this.plot?.destroy();
    this.node.remove();
    plots -= 1;
    if (plots === 0) {
      renderer.destroy();
      renderer = null;
    }
  }
}

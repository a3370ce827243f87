// How many points fall into each small square, counted anew at each zoom: for very many points, and without WebGL.

import { rgb } from "../colours.js";
import { raster } from "../saving.js";

const CELL = 2;

export class DensityPainter {
  coloured = false;

  constructor({ look }) {
    this.node = document.createElement("canvas");
    this.node.className = "points";
    this.node.dataset.painter = "density";
    this.look = look;
    this.count = 0;
  }

  points(xs, ys) {
    Object.assign(this, { xs, ys });
  }

  moved() {}

  colours() {
    this.redraw();
  }

  selected(mask, count) {
    this.mask = mask;
    this.count = count;
    this.redraw();
  }

  place(placing, width, height) {
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

  draw() {
    const { xs, ys, mask, look } = this;
    const { scale, shift } = this.placing;
    const columns = Math.ceil(this.width / CELL);
    const rows = Math.ceil(this.height / CELL);
    const all = new Uint32Array(columns * rows);
    const marked = this.count ? new Uint32Array(columns * rows) : null;
    const [ax, bx, ay, by] = [scale.x / CELL, shift.x / CELL, scale.y / CELL, shift.y / CELL];
    let most = 1;
    for (let at = 0; at < xs.length; at++) {
      const x = xs[at] * ax + bx;
      const y = ys[at] * ay + by;
      if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
      const cell = (y | 0) * columns + (x | 0);
      const here = ++all[cell];
      if (here > most) most = here;
      if (marked && mask[at]) marked[cell]++;
    }
    this.node.width = columns;
    this.node.height = rows;
    const context = this.node.getContext("2d");
    const picture = context.createImageData(columns, rows);
    const [plain, accent] = [rgb(look.series[0]), rgb(look.series[1])];
    const strength = 1 / Math.log1p(most);
    for (let cell = 0; cell < all.length; cell++) {
      if (!all[cell]) continue;
      const within = marked ? marked[cell] : 0;
      const colour = within ? accent : plain;
      const shade = 0.28 + 0.72 * Math.log1p(within || all[cell]) * strength;
      const at = cell * 4;
      picture.data[at] = colour[0];
      picture.data[at + 1] = colour[1];
      picture.data[at + 2] = colour[2];
      picture.data[at + 3] = 255 * (marked && !within ? shade * 0.35 : shade);
    }
    context.putImageData(picture, 0, 0);
  }

  picture(parent) {
    raster(parent, this.node, this.width, this.height);
  }

  destroy() {
    cancelAnimationFrame(this.waiting);
    this.node.remove();
  }
}

// Along two sides of a scatter plot: how many of its points in sight are where, and how many of the selected ones.

import { drawn } from "./dom.js";

const BAR = 7;
const DEEP = 30;

export class Marginals {
  constructor(panel) {
    this.panel = panel;
    this.layer = drawn("svg", { class: "marginals", "aria-hidden": "true" });
    panel.plot.prepend(this.layer);
  }

  draw() {
    const { x, y, placing, margin, width, height, own, selection } = this.panel;
    this.layer.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.layer.replaceChildren();
    const [right, bottom] = [width - margin.right, height - margin.bottom];
    const inside = (pixels, low, high) => pixels >= low && pixels < high;
    const [across, up] = [Math.max(1, Math.round((right - margin.left) / BAR)), Math.max(1, Math.round((bottom - margin.top) / BAR))];
    const [columns, rows] = [new Bins(across), new Bins(up)];
    for (let at = 0; at < x.scaled.length; at++) {
      const left = x.scaled[at] * placing.scale.x + placing.shift.x;
      const top = y.scaled[at] * placing.scale.y + placing.shift.y;
      if (!inside(left, margin.left, right) || !inside(top, margin.top, bottom)) continue;
      const marked = own?.[at] ?? 0;
      columns.add(Math.floor(((left - margin.left) / (right - margin.left)) * across), marked);
      rows.add(Math.floor(((top - margin.top) / (bottom - margin.top)) * up), marked);
    }
    const [wide, tall] = [(right - margin.left) / across, (bottom - margin.top) / up];
    const none = selection.empty;
    columns.bars(none, (bin, size, shown) => drawn("rect", { class: shown, x: margin.left + bin * wide, width: wide - 1, y: margin.top - 2 - size * DEEP, height: size * DEEP, parent: this.layer }));
    rows.bars(none, (bin, size, shown) => drawn("rect", { class: shown, x: right + 2, width: size * DEEP, y: margin.top + bin * tall, height: tall - 1, parent: this.layer }));
  }
}

class Bins {
  constructor(count) {
    this.all = new Uint32Array(count);
    this.some = new Uint32Array(count);
  }

  add(bin, marked) {
    this.all[bin]++;
    this.some[bin] += marked;
  }

  // Bars of all, and in front of them those of the selected ones.
  bars(none, draw) {
    const most = Math.max(1, ...this.all);
    this.all.forEach((count, bin) => {
      if (count) draw(bin, count / most, none ? "all" : "all faint");
      if (this.some[bin]) draw(bin, this.some[bin] / most, "some");
    });
  }
}

// Where a panel looks: a centre and a zoom in coordinates in which all its points lie between -1 and 1.
// Panels of one group share a view, so they move together, whatever the scales of their data.

const FARTHEST = 0.5;
const NEAREST = 2000;

export class View {
  constructor() {
    this.watchers = new Set();
    this.along = 0; // where the slider of its panels stands
    this.home();
  }

  home() {
    this.x = 0;
    this.y = 0;
    this.zoom = 1;
    this.changed();
  }

  changed() {
    for (const watcher of this.watchers) watcher();
  }

  goAlong(place) {
    this.along = place;
    this.changed();
  }

  // Move so that the point (x, y) stays where it is while everything grows by a factor.
  zoomAt(x, y, factor) {
    const zoom = Math.min(NEAREST, Math.max(FARTHEST, this.zoom * factor));
    const ratio = this.zoom / zoom;
    this.x = x + (this.x - x) * ratio;
    this.y = y + (this.y - y) * ratio;
    this.zoom = zoom;
    this.changed();
  }

  moveBy(x, y) {
    this.x = Math.min(2, Math.max(-2, this.x + x));
    this.y = Math.min(2, Math.max(-2, this.y + y));
    this.changed();
  }
}

// From coordinates between -1 and 1 to pixels: x * scale.x + shift.x, and y likewise, downwards.
export function placed(view, { width, height, margin, equal }) {
  const across = (width - margin.left - margin.right) / 2;
  const down = (height - margin.top - margin.bottom) / 2;
  const half = Math.min(across, down);
  const scale = { x: (equal ? half : across) * view.zoom, y: -(equal ? half : down) * view.zoom };
  const shift = { x: margin.left + across - view.x * scale.x, y: margin.top + down - view.y * scale.y };
  return { scale, shift };
}

// The values of a column as coordinates between -1 and 1, and how to get back.
export function normalised(values, low, high) {
  const middle = (low + high) / 2;
  const half = (high - low) / 2 || 1;
  const scaled = new Float32Array(values.length);
  for (let row = 0; row < values.length; row++) scaled[row] = (values[row] - middle) / half;
  return { scaled, middle, half };
}

export function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (let row = 0; row < values.length; row++) {
    if (values[row] < low) low = values[row];
    if (values[row] > high) high = values[row];
  }
  return low <= high ? [low, high] : [0, 1];
}

// Round values between two limits, about as many as wanted.
export function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((part) => part * power).find((size) => size >= rough);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const values = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) values.push(tick);
  return { values, digits };
}

// Below a scatter plot: a slider that takes its points from one encoder's picture to the next one's.

import { element } from "./dom.js";

const SECONDS_A_STOP = 1.4;

export class Slider {
  constructor(panel, parent) {
    this.view = panel.view;
    const { stops, full: title } = panel.spec;
    this.labels = stops.map(({ label }) => label);
    this.last = stops.length - 1;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.node = element("div", { class: "morph", parent, role: "group", "aria-label": `${title}, from ${this.labels.join(" to ")}` });
    this.input = element("input", {
      type: "range",
      min: 0,
      max: this.last,
      step: 0.01,
      parent: this.node,
      "aria-label": `${title}: from ${this.labels.join(" to ")}`,
      input: () => this.go(Number(this.input.value)),
    });
    const ends = element("div", { class: "ends", parent: this.node });
    this.buttons = this.labels.map((label, at) =>
      element("button", { type: "button", text: label, title: `Move the points to where they are for ${label}`, parent: ends, click: () => this.glide(at) }),
    );
    this.follow();
  }

  go(place) {
    cancelAnimationFrame(this.frame);
    this.view.goAlong(place);
  }

  // Evenly to a stop; at once for readers who want no motion.
  glide(stop) {
    cancelAnimationFrame(this.frame);
    const from = this.view.along;
    const milliseconds = Math.abs(stop - from) * SECONDS_A_STOP * 1000;
    if (this.still.matches || !milliseconds) return this.view.goAlong(stop);
    const began = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - began) / milliseconds));
      const eased = share * share * (3 - 2 * share);
      this.view.goAlong(from + (stop - from) * eased);
      if (share < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  // Show where the points are.
  follow() {
    const along = Math.min(this.view.along, this.last);
    const near = Math.round(along);
    const there = Math.abs(along - near) < 0.005;
    const from = Math.min(Math.floor(along), this.last - 1);
    const share = Math.round((along - from) * 100);
    this.input.value = along;
    this.input.setAttribute("aria-valuetext", there ? this.labels[near] : `${share} % of the way from ${this.labels[from]} to ${this.labels[from + 1]}`);
    this.buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(there && at === near)));
  }

  destroy() {
    cancelAnimationFrame(this.frame);
  }
}

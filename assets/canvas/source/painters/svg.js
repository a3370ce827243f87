// Points as circles: sharp at any size, without WebGL; for a few thousand at most.

import { styled } from "../saving.js";

const NS = "http://www.w3.org/2000/svg";

export class SvgPainter {
  static most = 2000;
  coloured = true; // the legend is that of its points

  constructor() {
    this.node = document.createElementNS(NS, "svg");
    this.node.setAttribute("class", "points");
    this.node.dataset.painter = "svg";
    this.behind = this.node.appendChild(document.createElementNS(NS, "g"));
    this.front = this.node.appendChild(document.createElementNS(NS, "g"));
    this.circles = [];
  }

  points(xs, ys) {
    Object.assign(this, { xs, ys });
    this.behind.replaceChildren();
    this.front.replaceChildren();
    this.radius = xs.length > 800 ? 2.6 : 3.4;
    this.circles = Array.from(xs, () => {
      const circle = document.createElementNS(NS, "circle");
      circle.setAttribute("r", this.radius);
      return this.behind.appendChild(circle);
    });
  }

  // The points have other coordinates, and are placed next.
  moved() {}

  colours(codes, palette) {
    this.circles.forEach((circle, at) => circle.setAttribute("fill", palette[codes[at]]));
  }

  selected(mask, count) {
    this.node.classList.toggle("some", count > 0);
    this.circles.forEach((circle, at) => {
      const side = mask[at] ? this.front : this.behind;
      if (circle.parentNode === side) return;
      side.append(circle);
      circle.setAttribute("r", this.radius + (mask[at] ? 1 : 0));
    });
  }

  place({ scale, shift }, width, height) {
    this.node.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (let at = 0; at < this.circles.length; at++) {
      this.circles[at].setAttribute("cx", (this.xs[at] * scale.x + shift.x).toFixed(1));
      this.circles[at].setAttribute("cy", (this.ys[at] * scale.y + shift.y).toFixed(1));
    }
  }

  picture(parent) {
    parent.append(styled(this.node));
  }

  destroy() {
    this.node.remove();
  }
}

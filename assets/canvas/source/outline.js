// An outline drawn by keys: arrows move a crosshair, Space sets a corner where it is, Enter selects what lies inside.

import { counted, drawn } from "./dom.js";
import { inside } from "./geometry.js";
import { manner } from "./panel.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const [FAR, NEAR] = [0.05, 0.01]; // of the plot's size

export const OUTLINE_HELP =
  "L begins an outline: then arrows move a crosshair, with Shift by less, Space sets a corner, Backspace takes it back, Enter selects what lies inside, Escape drops it.";

export class Outline {
  constructor(scatter, [x, y]) {
    this.scatter = scatter;
    this.spot = [x, y];
    this.corners = [];
    this.node = drawn("path", { class: "crosshair", parent: scatter.over });
    this.draw();
    scatter.live.textContent = "An outline begins. Arrows move the crosshair, Space sets a corner, Enter selects what lies inside, Escape drops it.";
  }

  get box() {
    return this.scatter.canvas.mode === "box";
  }

  // The corners set so far, and the crosshair as the next one; as a box, those opposite.
  shape(corners) {
    if (!this.box || corners.length < 2) return corners;
    const [[left, top], [right, bottom]] = [corners[0], corners.at(-1)];
    return [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
  }

  key(event) {
    const { scatter } = this;
    const arrow = ARROWS[event.key];
    if (arrow) {
      const share = event.shiftKey ? NEAR : FAR;
      this.spot = [scatter.width, scatter.height].map((size, axis) => Math.min(size, Math.max(0, this.spot[axis] + arrow[axis] * share * size)));
      this.tell("");
    } else if (event.key === " ") {
      this.corners.push(this.spot);
      this.tell(`Corner ${this.corners.length}. `);
    } else if (event.key === "Backspace") {
      this.corners.pop();
      this.tell(`${counted(this.corners.length, ["corner", "corners"])}. `);
    } else if (event.key === "Enter") return this.close(event);
    else if (event.key === "Escape") {
      this.end();
      scatter.live.textContent = "The outline is dropped.";
    } else return false;
    return true;
  }

  within(corners) {
    const { scatter } = this;
    return corners.length < 3 ? [] : inside(scatter.x.scaled, scatter.y.scaled, scatter.placing, corners);
  }

  close(event) {
    const { scatter } = this;
    const last = this.corners.at(-1);
    const there = last && last.every((part, axis) => part === this.spot[axis]);
    const corners = this.shape(there ? this.corners : [...this.corners, this.spot]);
    if (corners.length < 3) {
      scatter.live.textContent = this.box ? "A box has two corners: set one, and go to the one opposite." : "An outline has three corners or more.";
      return true;
    }
    this.end();
    const rows = this.within(corners).map((at) => scatter.rowOf[at]);
    scatter.selection.apply(scatter.spec.rows, rows, manner(event));
    scatter.live.textContent = `${counted(rows.length, scatter.rows.words)} inside.`;
    return true;
  }

  // Where the crosshair is, and how many points an outline closed here would have.
  tell(first) {
    this.draw();
    const { scatter } = this;
    const [x, y] = this.spot;
    const { spec } = scatter;
    const where = spec.equal
      ? `${Math.round((100 * x) / scatter.width)} % from the left, ${Math.round((100 * y) / scatter.height)} % from the top`
      : `${spec.xLabel} ${scatter.dataX(x).toFixed(2)}, ${spec.yLabel} ${scatter.dataY(y).toFixed(2)}`;
    const corners = this.shape([...this.corners, this.spot]);
    const count = corners.length > 2 ? `. ${counted(this.within(corners).length, scatter.rows.words)} inside` : "";
    scatter.live.textContent = `${first}${where}${count}`;
  }

  draw() {
    const { scatter } = this;
    const [x, y] = this.spot;
    this.node.setAttribute("d", `M${x - 11} ${y}h22M${x} ${y - 11}v22${this.corners.map(([left, top]) => `M${left - 3} ${top - 3}h6v6h-6z`).join("")}`);
    const corners = this.shape([...this.corners, this.spot]);
    scatter.outline.setAttribute("d", this.corners.length ? `M${corners.map((corner) => corner.map((part) => part.toFixed(1)).join(" ")).join("L")}Z` : "");
  }

  end() {
    this.node.remove();
    this.scatter.outline.removeAttribute("d");
    this.scatter.keyed = null;
  }
}

// The whole: panels in a grid, one selection, one toolbar.

import { Buckets } from "./buckets.js";
import { coloured, theme } from "./colours.js";
import { element } from "./dom.js";
import { Histogram } from "./histogram.js";
import { headerOf, unpack } from "./payload.js";
import { Scatter } from "./scatter.js";
import { Selection } from "./selection.js";
import { Table } from "./table.js";
import { Toolbar } from "./toolbar.js";
import { View } from "./view.js";

const KINDS = { scatter: Scatter, histogram: Histogram, buckets: Buckets, table: Table };
const QUIET_MS = 250;
const TRIES = 3;
const unheard = new Map(); // by identity, selections of canvases that went before Python heard of them

export class Canvas {
  constructor(parent) {
    this.node = element("div", { class: "canvas", parent });
    this.calls = 0; // how often Streamlit has called
    this.sent = 0; // how often Python was told of a selection that it has not drawn
    this.tabulated = new Set(); // full titles of the panels that are shown as tables
    this.node.addEventListener("keydown", (event) => event.key === "Tab" || event.stopPropagation()); // the app has keys of its own
    this.probe = element("span", { class: "probe", parent: this.node, "aria-hidden": "true" });
    this.probe.addEventListener("transitionend", () => this.restyled());
    this.sizes = new ResizeObserver(() => this.panels?.forEach((panel) => panel.resized()));
    this.sizes.observe(this.node);
  }

  // Called at every rerun of the page; only other content builds the panels anew.
  update(data, send) {
    this.send = send;
    const header = headerOf(data);
    if (header.stamp !== this.stamp) this.build(unpack(data));
    if (!this.begun) this.resume(header);
    this.begun = true;
    this.acknowledge(header.before);
    if (header.selected && header.selected.stamp !== this.given) {
      this.given = header.selected.stamp;
      this.selection.decode(header.selected);
      this.tell(false);
    }
  }

  // The selection of the canvas before this one.
  resume(header) {
    const left = unheard.get(header.identity);
    const before = left ?? header.before;
    if (before?.identity !== header.identity) return;
    this.selection.decode(before);
    this.given = before.given;
    if (left) this.tell(false);
    unheard.delete(header.identity);
  }

  // Python says which selection it has drawn. One that was told to a fragment of the page that is gone is told again.
  acknowledge(before) {
    const now = this.written();
    if (before && Object.keys(now).every((name) => now[name] === before[name])) {
      clearTimeout(this.waiting);
      this.waiting = this.sent = 0;
    } else if (this.sent && this.sent < TRIES && !this.waiting) this.tell(false);
  }

  build(payload) {
    const before = this.payload;
    const untold = this.waiting;
    const kept = before && before.identity === payload.identity ? this.selection.encode() : null;
    const views = kept ? this.views : new Map();
    const typed = kept && this.toolbar.state();
    const arranged = new Map(kept ? this.panels.map((panel) => [panel.spec.full, panel.state()]) : []);
    this.clear();
    Object.assign(this, { payload, stamp: payload.stamp, views });
    this.selection = new Selection(payload.rows, payload.ends);
    const known = payload.colours.some(({ name }) => name === this.colour);
    if (!known || !kept) this.colour = payload.colour;
    this.searched = payload.searched;
    this.look = theme(this.node);
    this.palettes = new Map();
    this.toolbar = new Toolbar(this);
    this.grid = element("div", { class: "panels" });
    this.grid.style.setProperty("--across", payload.across);
    this.grid.dataset.across = payload.across;
    this.node.append(this.toolbar.node, this.grid);
    this.panels = [];
    payload.panels.forEach((spec, id) => {
      const panel = new KINDS[spec.kind](this, { ...spec, id });
      this.panels.push(panel);
      this.grid.append(panel.node);
    });
    this.selection.watchers.add(({ quietly }) => this.tell(quietly));
    this.recolour();
    if (kept) this.selection.decode(kept);
    else this.selection.set(this.selection.kind, this.selection.mask(this.selection.kind), { quietly: true });
    if (kept && untold) this.tell(false);
    if (typed) this.toolbar.resume(typed);
    for (const panel of this.panels) if (arranged.get(panel.spec.full)) panel.resume(arranged.get(panel.spec.full));
    this.panels.forEach((panel) => panel.resized());
  }

  view(group) {
    if (!this.views.has(group)) this.views.set(group, new View());
    return this.views.get(group);
  }

  // Codes, palette and legend of the rows of a kind; without the column, one colour.
  colours(kind) {
    if (!this.palettes.has(kind)) {
      const rows = this.payload.rows.get(kind);
      this.palettes.set(kind, coloured(rows.columns.get(this.colour), rows.n, this.look));
    }
    return this.palettes.get(kind);
  }

  colourBy(name) {
    this.colour = name;
    this.recolour();
  }

  recolour() {
    this.palettes.clear();
    this.toolbar.recoloured();
    for (const panel of this.panels) panel.recoloured();
  }

  restyled() {
    const look = theme(this.node);
    if (look.paper === this.look?.paper) return;
    this.look = look;
    this.recolour();
  }

  // Python hears of a selection once it has been left alone for a moment.
  tell(quietly) {
    clearTimeout(this.waiting);
    const now = () => {
      this.waiting = 0;
      this.sent += 1;
      this.send(this.written());
    };
    this.waiting = quietly ? 0 : setTimeout(now, QUIET_MS);
  }

  written() {
    return { identity: this.payload.identity, given: this.given ?? "", ...this.selection.encode() };
  }

  clear() {
    clearTimeout(this.waiting);
    this.toolbar?.destroy();
    this.panels?.forEach((panel) => panel.destroy());
    this.toolbar?.node.remove();
    this.grid?.remove();
  }

  destroy() {
    if (this.waiting) unheard.set(this.payload.identity, this.written());
    this.sizes.disconnect();
    this.clear();
    this.node.remove();
  }
}

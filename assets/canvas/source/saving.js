// A panel as a file: one SVG that needs no style sheet, a PNG drawn from it, and its numbers as CSV or Parquet.

import { counted, drawn, element } from "./dom.js";

export const MOST_SHAPES = 20_000; // points of one file, each a circle; more are one picture in it
export const SHARP = 2; // pixels of a PNG for one on the screen
const STYLE = { fill: "fill-opacity", stroke: "stroke-opacity" };
const KEPT = { text: ["font-size", "font-weight"], other: ["stroke-width", "stroke-dasharray"] };
const [EDGE, LINE, SIZE] = [12, 17, 12.5];

// A colour as the browser computes it, which may be `color(srgb …)`, in the form that every program reads, and its opacity.
export function plain(computed) {
  if (computed === "none") return { colour: "none", alpha: 1 };
  const numbers = computed.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? [0, 0, 0];
  const most = computed.startsWith("color(") ? 1 : 255;
  const parts = numbers.slice(0, 3).map((part) => Math.round((255 * part) / most).toString(16).padStart(2, "0"));
  return { colour: `#${parts.join("")}`, alpha: numbers[3] ?? 1 };
}

// A copy of drawn elements with their styles written into them.
export function styled(node) {
  const copy = node.cloneNode(false);
  for (const name of ["class", "style", "aria-hidden", "data-painter"]) copy.removeAttribute(name);
  if (node.tagName !== "svg" && node.tagName !== "g") {
    const style = getComputedStyle(node);
    for (const [name, opacity] of Object.entries(STYLE)) {
      const { colour, alpha } = plain(style.getPropertyValue(name));
      const whole = alpha * Number(style.getPropertyValue(opacity));
      copy.setAttribute(name, colour);
      if (colour !== "none" && whole < 1) copy.setAttribute(opacity, Number(whole.toFixed(3)));
    }
    for (const name of ["opacity", ...(KEPT[node.tagName] ?? KEPT.other)]) {
      const value = style.getPropertyValue(name).replace(/px$/, "");
      if (value && value !== "none" && value !== "1") copy.setAttribute(name, value);
    }
  }
  for (const child of node.childNodes) copy.append(child.nodeType === Node.ELEMENT_NODE ? styled(child) : child.cloneNode());
  return copy;
}

// The panel as it is seen: its title, what is drawn, its notes and the legend.
export function picture(panel) {
  const { width, height, canvas } = panel;
  const { look } = canvas;
  const ink = { "font-size": SIZE, fill: look.ink };
  const svg = drawn("svg", { xmlns: "http://www.w3.org/2000/svg", "font-family": "Source Sans, Source Sans Pro, Helvetica, Arial, sans-serif" });
  drawn("title", { text: panel.spec.full, parent: svg });
  drawn("desc", { text: `${panel.spec.full}. ${canvas.toolbar.tally.textContent} ${panel.notes().join(" ")}`.trim(), parent: svg });
  const paper = drawn("rect", { width: "100%", height: "100%", fill: look.paper, parent: svg });
  const room = width + 2 * EDGE;
  let top = EDGE;
  const write = (text, more = {}) => {
    for (const line of broken(text, width, more["font-weight"])) {
      drawn("text", { ...ink, ...more, x: EDGE, y: top + SIZE, text: line, parent: svg });
      top += LINE;
    }
  };
  write(panel.spec.full, { "font-weight": 600 });
  const plot = drawn("svg", { x: EDGE, y: top + 4, width, height, viewBox: `0 0 ${width} ${height}`, overflow: "hidden", parent: svg });
  panel.picture(plot);
  top += height + 12;
  for (const note of panel.notes()) write(note);
  if (panel.coloured) top = legend(svg, canvas.colours(panel.spec.rows).legend, { ink, top, room });
  const size = { width: room, height: Math.ceil(top + EDGE / 2) };
  for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value);
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  paper.setAttribute("height", size.height);
  return { svg, ...size };
}

// What the colours mean; where the next line would begin.
const legend = (parent, meaning, place) => (Array.isArray(meaning) ? entries : scale)(parent, meaning, place);

function scale(parent, { low, high, palette }, { ink, top }) {
  const from = EDGE + measured(low) + 6;
  drawn("text", { ...ink, x: EDGE, y: top + SIZE, text: low, parent });
  palette.forEach((colour, at) => drawn("rect", { x: from + at * 3, y: top + 3, width: 3.5, height: 10, fill: colour, parent }));
  drawn("text", { ...ink, x: from + 3 * palette.length + 7, y: top + SIZE, text: high, parent });
  return top + LINE;
}

function entries(parent, labels, { ink, top, room }) {
  if (!labels.length) return top;
  let left = EDGE;
  for (const { label, colour } of labels) {
    const wide = measured(label) + 30;
    if (left > EDGE && left + wide > room) [left, top] = [EDGE, top + LINE];
    drawn("circle", { cx: left + 5, cy: top + SIZE - 4, r: 5, fill: colour, parent });
    drawn("text", { ...ink, x: left + 14, y: top + SIZE, text: label, parent });
    left += wide;
  }
  return top + LINE;
}

const measure = document.createElement("canvas").getContext("2d");
function measured(text, weight = 400) {
  measure.font = `${weight} ${SIZE}px "Source Sans", "Source Sans Pro", Helvetica, Arial, sans-serif`;
  return measure.measureText(text).width;
}

// A text in lines that are no wider than `width`.
function broken(text, width, weight) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && measured(longer, weight) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

// Points as circles, or as one picture of them where they are very many.
export function points(parent, { xs, ys, placing, colours, radius, opacity }) {
  const { scale, shift } = placing;
  const [wide, tall] = ["width", "height"].map((name) => Number(parent.ownerSVGElement.getAttribute(name)));
  const spots = [];
  for (let at = 0; at < xs.length; at++) {
    const [x, y] = [xs[at] * scale.x + shift.x, ys[at] * scale.y + shift.y];
    if (x > -radius && y > -radius && x < wide + radius && y < tall + radius) spots.push([at, x, y]);
  }
  if (spots.length <= MOST_SHAPES) {
    for (const [at, x, y] of spots) drawn("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, fill: colours(at), "fill-opacity": opacity(at), parent });
    return;
  }
  const canvas = element("canvas", { width: wide * SHARP, height: tall * SHARP });
  const context = canvas.getContext("2d");
  context.scale(SHARP, SHARP);
  for (const [at, x, y] of spots) {
    context.globalAlpha = opacity(at);
    context.fillStyle = colours(at);
    context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
  }
  raster(parent, canvas, wide, tall);
}

export const raster = (parent, canvas, width, height) =>
  drawn("image", { width, height, href: canvas.toDataURL("image/png"), style: "image-rendering: pixelated", parent });

async function png({ svg, width, height }) {
  const address = URL.createObjectURL(new Blob([written(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = element("canvas", { width: width * SHARP, height: height * SHARP });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

const written = (svg) => new XMLSerializer().serializeToString(svg);

// What writes tables as files; see tables.js.
const tables = async () => globalThis.workbenchTables ?? (await import(new URL("tables.js", document.baseURI).href), globalThis.workbenchTables);

const digits = (value) => (typeof value === "number" && Number.isFinite(value) ? Number(value.toPrecision(7)) : value); // what 32 bits hold

export function handOut(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Opened by its button: what a panel can be saved as.
export class SaveMenu {
  constructor(panel, parent) {
    this.panel = panel;
    this.node = element("details", { class: "save", parent, toggle: () => this.tell() });
    element("summary", { text: "Save", "aria-label": `Save: ${panel.spec.full}`, title: "Save this picture or its data", parent: this.node });
    const menu = element("div", { class: "menu", parent: this.node });
    this.note = element("p", { class: "note", role: "status", parent: menu });
    const stem = panel.spec.full.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "picture";
    const button = (text, content) =>
      element("button", {
        type: "button",
        text,
        parent: menu,
        click: async () => {
          const blob = await Promise.resolve().then(content).catch(() => null);
          if (blob) return handOut(blob, `${stem}.${text.toLowerCase()}`);
          this.note.hidden = false;
          this.note.textContent = "Not saved. Is the app still running?";
        },
      });
    button("SVG", () => new Blob([written(picture(panel).svg)], { type: "image/svg+xml" }));
    button("PNG", () => png(picture(panel)));
    for (const kind of ["CSV", "Parquet"]) button(kind, async () => (await tables())[kind](panel.numbers().map((row) => row.map(digits))));
    this.node.addEventListener("focusout", (event) => this.node.contains(event.relatedTarget) || (event.relatedTarget && this.close()));
    this.node.addEventListener("keydown", (event) => event.key === "Escape" && this.close(true));
    this.elsewhere = (event) => event.composedPath().includes(this.node) || this.close();
    document.addEventListener("pointerdown", this.elsewhere);
  }

  tell() {
    const { panel } = this;
    if (!this.node.open) return;
    const many = panel.shapes?.() > MOST_SHAPES;
    this.note.hidden = !many;
    this.note.textContent = many ? `These are more than ${counted(MOST_SHAPES, ["point", "points"])}: in the SVG, too, they are pixels.` : "";
  }

  close(back = false) {
    this.node.open = false;
    if (back) this.node.querySelector("summary").focus();
  }

  destroy() {
    document.removeEventListener("pointerdown", this.elsewhere);
  }
}

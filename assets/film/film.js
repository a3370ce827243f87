/* The film of a training: five figures and one slider. Page and exported file run this same script; it needs nothing else.
   `data` is made by workbench/film/document.py. Between two frames, which are measured, everything moves in straight lines. */

const TEXT = 12.5; // pixels, in figures
const SECONDS_A_FRAME = 0.8; // at single speed, within these bounds for the whole film
const SHORTEST = 5, LONGEST = 14;
const SPEEDS = [0.5, 1, 2, 4];
const COLOURS = ["ink", "paper", "quiet", "line", "accent", "before", "after", "same", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
const BINS = 5; // of gold scores, whose mean cosines are a line
const TAIL = 0.45; // of a frame, behind a point that moves

// Elements. Texts become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";
function fillIn(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const html = (tag, attributes = {}, ...children) => fillIn(document.createElement(tag), attributes, children);
const icon = (path) => fillIn(document.createElementNS(SVG, "svg"), { viewBox: "0 0 24 24", "aria-hidden": "true" },
  [fillIn(document.createElementNS(SVG, "path"), { d: path }, [])]);
const PLAY = "M7 4v16l13-8z", PAUSE = "M6 4h4v16H6zM14 4h4v16h-4z", BACK = "M18 5v14l-9-7zM6 5h2.4v14H6z", FORWARD = "M6 5v14l9-7zM15.6 5H18v14h-2.4z", SAVE = "M11 3h2v9h4l-5 6-5-6h4zM4 19h16v2H4z";

// Numbers and words

const minus = (words) => words.replace("-", "−");
const two = (value) => minus(value.toFixed(2)).replace(/^−(0\.00)$/, "$1");
const tick = (value) => minus(String(value));
const score = (value) => minus((100 * value).toFixed(1));
const count = (value) => value.toLocaleString("en");
const known = (value) => value !== null && value !== undefined;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const MEASURES = [
  ["spearman", "Spearman", score, "× 100"], ["mean_cosine", "mean cosine", two, ""], ["alignment", "alignment", two, ""],
  ["uniformity", "uniformity", two, ""], ["effective_rank", "effective rank", (value) => value.toFixed(0), "directions"],
];

/* Base64 of 16-bit integers, one row a frame. */
function unpack(packed, frames, unit) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0)), each = bytes.length / 2 / frames;
  const view = new DataView(bytes.buffer);
  return Array.from({ length: frames }, (_, frame) => Float32Array.from({ length: each }, (_, at) => view.getInt16(2 * (frame * each + at), true) / unit));
}
const extent = (rows) => {
  let low = Infinity, high = -Infinity;
  for (const row of rows) for (const value of row) { if (value < low) low = value; if (value > high) high = value; }
  return [low, high];
};
const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from || 1)) * (high - low);
/* Three to five round values from low to high. */
function rounds(low, high) {
  const rough = (high - low) / 3.5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const by = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough), first = Math.ceil(low / by - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / by + 1e-9) - first + 1) }, (_, at) => Number(((first + at) * by).toPrecision(12)));
}

/* What a figure draws with when it becomes a file: as much of a canvas's context as figures use, written as SVG. */
class SvgInk {
  constructor(parent) {
    Object.assign(this, { parent, path: [], dash: [], moves: [], at: [1, 0, 0, 0], globalAlpha: 1 }); // at: cosine, sine, x, y
  }

  add(tag, attributes, text) { this.parent.append(fillIn(document.createElementNS(SVG, tag), attributes, text === undefined ? [] : [text])); }
  place(x, y) { const [cos, sin, left, top] = this.at; return [left + x * cos - y * sin, top + x * sin + y * cos].map((value) => Number(value.toFixed(2))); }
  clearRect() {}
  save() { this.moves.push(this.at); }
  restore() { this.at = this.moves.pop(); }
  translate(x, y) { this.at = [...this.at.slice(0, 2), ...this.place(x, y)]; }
  rotate(turn) { const [cos, sin, ...rest] = this.at, [c, s] = [Math.cos(turn), Math.sin(turn)]; this.at = [cos * c - sin * s, sin * c + cos * s, ...rest]; }
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${this.place(x, y).join(" ")}`); }
  lineTo(x, y) { this.path.push(`${this.path.length ? "L" : "M"}${this.place(x, y).join(" ")}`); }
  arc(x, y, radius) { // whole circles only
    const r = Number(radius.toFixed(2)), [left, right] = [this.place(x - radius, y), this.place(x + radius, y)].map((spot) => spot.join(" "));
    this.path.push(`M${right}A${r} ${r} 0 1 1 ${left}A${r} ${r} 0 1 1 ${right}`);
  }
  setLineDash(dash) { this.dash = dash; }
  stroke() {
    this.add("path", { d: this.path.join(""), fill: "none", stroke: this.strokeStyle, "stroke-opacity": this.globalAlpha, "stroke-width": this.lineWidth,
      "stroke-dasharray": this.dash.length ? this.dash.join(" ") : null, "stroke-linecap": "round", "stroke-linejoin": "round" });
  }
  fill() { this.add("path", { d: this.path.join(""), fill: this.fillStyle, "fill-opacity": this.globalAlpha }); }
  write(words, x, y, paint) {
    const [left, top] = this.place(x, y), down = { top: 0.8, middle: 0.34, bottom: -0.2 }[this.textBaseline] ?? 0;
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    this.add("text", { x: left, y: top + down * TEXT, "text-anchor": anchor, "font-size": TEXT, "font-weight": this.font.startsWith("600") ? 600 : null, ...paint }, words);
  }
  fillText(words, x, y) { this.write(words, x, y, { fill: this.fillStyle }); }
  strokeText(words, x, y) { this.write(words, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": "round" }); }
}

const SHARP = 2; // pixels of a PNG for one on the screen
const written = (svg) => new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
async function pixels(svg) {
  const address = URL.createObjectURL(written(svg)), image = new Image(), canvas = html("canvas");
  try {
    image.src = address;
    await image.decode();
    [canvas.width, canvas.height] = ["width", "height"].map((side) => SHARP * Number(svg.getAttribute(side)));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
/* What writes tables as CSV and Parquet, from assets/canvas/source/tables.js: a file has it inside, the page loads it. */
const TABLES = ["CSV", "Parquet"];
const tables = async () => globalThis.workbenchTables ?? (await import(new URL("tables.js", document.baseURI).href), globalThis.workbenchTables);
const exact = (value) => (known(value) ? Number(value.toFixed(5)) : null); // of what is sent as 16-bit integers
/* Hands out what `make` makes, or says in `told` that it could not; whether it could. */
async function handOut(make, name, told) {
  const blob = await Promise.resolve().then(make).catch(() => null);
  told.textContent = blob ? "" : "Not saved. Is the app still running?";
  if (!blob) return false;
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return true;
}

/* One figure: a caption, a canvas, and what it says now. */
class Panel {
  constructor(film, id, title, draw) {
    this.film = film;
    this.id = id;
    this.drawing = draw;
    this.now = html("span", { class: "now" });
    this.canvas = html("canvas", { role: "img" });
    this.title = title;
    this.told = html("p", { role: "status" });
    const { told } = this, save = html("details", { class: "save", ontoggle: () => { told.textContent = ""; } }, html("summary", { "aria-label": `Save: ${title}`, title: "Save this picture or its data" }, icon(SAVE)), html("div", { class: "menu" },
      [["SVG", () => written(this.picture())], ["PNG", () => pixels(this.picture())], ...TABLES.map((kind) => [kind, async () => (await tables())[kind](film.rowsOf(id))])]
        .map(([kind, make]) => html("button", { type: "button", class: "word", onclick: async () => {
          film.stop();
          const name = `${film.data.run}-${id}-step-${film.data.steps[film.frame]}.${kind.toLowerCase()}`;
          if (!(await handOut(make, name, told))) return;
          save.open = false;
          save.firstChild.focus();
        } }, kind)), told));
    save.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !save.contains(relatedTarget)) save.open = false; });
    save.addEventListener("keydown", (event) => { if (event.key === "Escape" && save.open) { save.open = false; save.firstChild.focus(); } });
    this.node = html("figure", { class: `panel ${id}` }, html("figcaption", {}, html("b", {}, title), this.now, save), html("div", { class: "box" }, this.canvas));
  }

  /* What is drawn now, as an SVG that needs no style sheet: with its title, its step, and what the colours mean. */
  picture() {
    const { film, width } = this, { data } = film, edge = 12, top = 30;
    const groups = ["plane", "gold"].includes(this.id) && data.groups.length > 1 ? data.groups : [];
    const make = (tag, attributes, ...children) => fillIn(document.createElementNS(SVG, tag), attributes, children);
    const inner = make("svg", { x: edge, y: top, width, height: this.height, viewBox: `0 0 ${width} ${this.height}` });
    const shown = this.ink;
    this.ink = new SvgInk(inner);
    this.draw();
    this.ink = shown;
    this.draw();
    const legend = make("g", {});
    this.ink.font = `${TEXT}px "Source Sans", "Source Sans Pro", system-ui, sans-serif`;
    let [left, down] = [edge, top + this.height + 18];
    groups.forEach((name, group) => {
      const wide = this.ink.measureText(name || "(none)").width + 30;
      if (left > edge && left + wide > width + edge) [left, down] = [edge, down + 18];
      legend.append(make("circle", { cx: left + 5, cy: down - 4, r: 5, fill: film.colours[`s${group}`] }), make("text", { x: left + 14, y: down, "font-size": TEXT, fill: film.colours.ink }, name || "(none)"));
      left += wide;
    });
    const height = Math.ceil(groups.length ? down + edge : top + this.height + edge / 2);
    const now = this.id === "curves" ? "" : `step ${count(Math.round(film.now))}`, words = [now, this.now.textContent].filter(Boolean).join(", ");
    return make("svg", { xmlns: SVG, width: width + 2 * edge, height, viewBox: `0 0 ${width + 2 * edge} ${height}`, "font-family": "Source Sans, Source Sans Pro, Helvetica, Arial, sans-serif" },
      make("title", {}, `${this.title}: ${words}`), make("desc", {}, `${this.canvas.getAttribute("aria-label")} ${data.headline}`), make("rect", { width: "100%", height, fill: film.colours.paper }),
      make("text", { x: edge, y: 20, "font-size": TEXT, "font-weight": 600, fill: film.colours.ink }, this.title),
      make("text", { x: width + edge, y: 20, "font-size": TEXT, "text-anchor": "end", fill: film.colours.quiet }, words), inner, legend);
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement, dense = Math.min(3, devicePixelRatio || 1);
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * dense);
    this.canvas.height = Math.round(height * dense);
    this.ink = this.canvas.getContext("2d");
    this.ink.setTransform(dense, 0, 0, dense, 0, 0);
  }

  draw() {
    if (!this.width || !this.height) return;
    this.ink.clearRect(0, 0, this.width, this.height);
    this.ink.lineJoin = this.ink.lineCap = "round";
    this.ink.globalAlpha = 1;
    this.ink.font = `${TEXT}px "Source Sans", "Source Sans Pro", system-ui, sans-serif`;
    this.drawing(this);
  }

  text(words, x, y, { colour = "quiet", align = "left", base = "alphabetic", strong = false, halo = true } = {}) {
    const { ink, film } = this;
    ink.textAlign = align;
    ink.textBaseline = base;
    ink.font = `${strong ? "600 " : ""}${TEXT}px "Source Sans", "Source Sans Pro", system-ui, sans-serif`;
    if (halo) {
      ink.lineWidth = 4;
      ink.strokeStyle = film.colours.paper;
      ink.strokeText(words, x, y);
    }
    ink.fillStyle = film.colours[colour];
    ink.fillText(words, x, y);
  }

  line(points, colour, { width = 1, dash = [], alpha = 1 } = {}) {
    const { ink, film } = this;
    ink.globalAlpha = alpha;
    ink.strokeStyle = film.colours[colour];
    ink.lineWidth = width;
    ink.setLineDash(dash);
    ink.beginPath();
    points.forEach(([x, y], at) => (at ? ink.lineTo(x, y) : ink.moveTo(x, y)));
    ink.stroke();
    ink.setLineDash([]);
    ink.globalAlpha = 1;
  }

  dot(x, y, radius, colour, { hollow = false } = {}) {
    const { ink, film } = this;
    ink.beginPath();
    ink.arc(x, y, radius, 0, 2 * Math.PI);
    ink.fillStyle = hollow ? film.colours.paper : film.colours[colour];
    ink.fill();
    ink.lineWidth = hollow ? 2 : 1.5;
    ink.strokeStyle = hollow ? film.colours[colour] : film.colours.paper;
    ink.stroke();
  }

  /* A grid with its numbers; returns where values go. */
  frame({ x: [left, right], y: [low, high], xs = rounds(left, right), ys = rounds(low, high), xTitle, yTitle, xWords = tick, yWords = tick, log = false }) {
    const inner = { left: 38, right: this.width - 8, top: 2.1 * TEXT, bottom: this.height - 2.9 * TEXT };
    const place = log ? Math.log : (value) => value;
    const x = (value) => scale(place(left), place(right), inner.left, inner.right)(place(value));
    const y = (value) => scale(place(low), place(high), inner.bottom, inner.top)(place(value));
    for (const value of ys) {
      this.line([[inner.left, y(value)], [inner.right, y(value)]], "line");
      this.text(yWords(value), inner.left - 6, y(value), { align: "right", base: "middle" });
    }
    for (const value of xs) this.text(xWords(value), x(value), inner.bottom + 5, { align: "center", base: "top" });
    this.text(xTitle, (inner.left + inner.right) / 2, this.height - 1, { align: "center", base: "bottom" });
    this.text(yTitle, 0, 1, { base: "top" });
    return { x, y, ...inner };
  }
}

class Film {
  constructor(root, data, send) {
    this.root = root;
    this.send = send;
    this.data = data;
    this.frames = data.steps.length;
    this.last = this.frames - 1;
    this.at = 0;
    this.speed = 1;
    this.playing = false;
    this.pair = null;
    this.pinned = false;
    this.cosines = unpack(data.cosines, this.frames, 30000);
    this.planes = data.planes.map((plane) => ({ ...plane, points: unpack(plane.points, this.frames, 15000) }));
    for (const plane of this.planes) plane.reach = this.reach(plane);
    this.plane = this.planes[0];
    this.seconds = Math.min(LONGEST, Math.max(SHORTEST, this.last * SECONDS_A_FRAME));
    this.bins = this.byGold();
    this.ofSentence = new Map();
    data.pairs.first.forEach((row, pair) => { for (const end of [row, data.pairs.second[pair]]) if (!this.ofSentence.has(end)) this.ofSentence.set(end, pair); });
    root.classList.add("film");
    this.build();
    this.watch();
    this.show();
  }

  close() {
    this.stop();
    this.sizes.disconnect();
    this.sight.disconnect();
    this.themes.forEach(([query, listen]) => query.removeEventListener("change", listen));
  }

  /* What is drawn of a plane in all frames: the same square of it. */
  reach({ id, points }) {
    const [xs, ys] = [0, 1].map((axis) => extent(points.map((row) => row.filter((_, at) => at % 2 === axis))));
    if (id === "cone") { xs[0] = Math.min(xs[0], -0.06); xs[1] = Math.max(xs[1], 0.06); }
    return { xs, ys };
  }

  /* For each frame the mean cosine of the pairs in each fifth of the gold scale; null where there are none. */
  byGold() {
    const { pairs, scale: [low, high] } = this.data;
    const bin = pairs.gold.map((gold) => Math.min(BINS - 1, Math.floor((BINS * (gold - low)) / (high - low))));
    return this.cosines.map((row) => {
      const sums = new Array(BINS).fill(0), counts = new Array(BINS).fill(0);
      row.forEach((value, pair) => { sums[bin[pair]] += value; counts[bin[pair]] += 1; });
      return sums.map((sum, at) => (counts[at] ? sum / counts[at] : null));
    });
  }

  /* A film of the same training with more frames: whoever was at its end sees the new end, everyone else what they saw. */
  goOn(before) {
    this.sight.disconnect();
    this.speed = before.speed;
    this.root.querySelector(".speed select").value = this.speed;
    const plane = this.planes.findIndex(({ id }) => id === before.plane.id);
    if (plane > 0) this.root.querySelectorAll(".choice input")[plane].click();
    this.details.open = before.details.open;
    if (before.pinned) this.choose(before.pair, true);
    this.at = before.at >= before.last && !before.playing ? this.last : this.whenOf(before.now);
    this.show();
    if (before.playing) this.play();
  }

  build() {
    const { data } = this, paired = data.pairs.gold.length > 0;
    const button = (label, path, act, more = {}) => html("button", { type: "button", "aria-label": label, title: label, onclick: act, ...more }, icon(path));
    this.playButton = button("Play", PLAY, () => this.toggle(), { class: "play" });
    this.slider = html("input", { type: "range", min: 0, max: this.last, step: 1, value: 0, "aria-label": "Step of the training",
      oninput: () => { this.stop(); this.seek(Number(this.slider.value)); } });
    const ticks = html("div", { class: "ticks", "aria-hidden": "true" }, data.steps.map((_, at) => html("i", { style: `left:${(100 * at) / this.last}%` })));
    this.where = html("output", { class: "where" });
    const speeds = html("label", { class: "speed" }, html("span", {}, "Speed"), html("select", { onchange: (event) => { this.speed = Number(event.target.value); } },
      SPEEDS.map((value) => html("option", { value, selected: value === 1 }, `${value}×`))));
    this.controls = html("div", { class: "controls", role: "group", "aria-label": "Film" },
      button("One frame back", BACK, () => this.step(-1)), this.playButton, button("One frame forward", FORWARD, () => this.step(1)),
      this.where, html("div", { class: "track" }, ticks, this.slider), speeds);
    this.numbers = html("dl", { class: "big" });
    const views = html("div", { class: "choice", role: "radiogroup", "aria-label": "Plane" }, this.planes.map((plane, at) =>
      html("label", {}, html("input", { type: "radio", name: `plane-${data.run}`, checked: at === 0, onchange: () => { this.plane = plane; this.show(); } }), plane.label)));
    this.panels = [
      new Panel(this, "plane", "The sentences", (panel) => this.drawPlane(panel)),
      paired && new Panel(this, "gold", "Gold scores and cosines", (panel) => this.drawGold(panel)),
      data.numbers.alignment.some(known) && new Panel(this, "path", "Alignment and uniformity", (panel) => this.drawPath(panel)),
      new Panel(this, "spectrum", "Spectrum", (panel) => this.drawSpectrum(panel)),
      new Panel(this, "curves", "Curves", (panel) => this.drawCurves(panel)),
    ].filter(Boolean);
    const [plane, ...others] = this.panels;
    this.note = html("p", { class: "quiet" });
    plane.node.append(views, this.note, data.groups.length > 1 ? html("ul", { class: "legend" }, data.groups.map((name, at) =>
      html("li", { class: `g${at}` }, html("i", {}), name || "(none)"))) : null);
    this.follow = paired ? html("select", { onchange: (event) => this.choose(event.target.value === "" ? null : Number(event.target.value), true) },
      html("option", { value: "" }, "none"), this.order().map((pair) => html("option", { value: pair }, this.pairWords(pair)))) : null;
    this.about = html("div", { class: "pair", hidden: !paired });
    this.rows = html("tbody", {});
    const told = html("span", { role: "status" });
    this.details = html("details", { ontoggle: () => { told.textContent = ""; this.table(); } }, html("summary", {}, "As a table"),
      html("p", { class: "files" }, "Save the table as", TABLES.map((kind) => html("button", { type: "button", class: "word", "aria-label": `Save the table as ${kind}`,
        onclick: () => handOut(async () => (await tables())[kind](this.frameRows()), `${data.run}-film.${kind.toLowerCase()}`, told) }, kind)), told),
      html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of the film" }, html("table", {}, html("thead", {}, html("tr", {},
        ["step", "loss", ...MEASURES.map(([, name, , unit]) => `${name} ${unit}`.trim())].map((name) => html("th", { scope: "col" }, name)))), this.rows)));
    this.root.replaceChildren(html("p", { class: "headline" }, data.headline), this.numbers,
      html("div", { class: `stage ${others.length < 4 ? "few" : ""}` }, plane.node, others.map(({ node }) => node)), this.controls,
      this.follow ? html("label", { class: "follow" }, html("span", {}, "Follow a pair"), this.follow) : null, this.about,
      html("p", { class: "quiet source" }, data.source), this.details);
    this.swatches = html("div", { class: "swatches", "aria-hidden": "true" }, COLOURS.map((name) => html("i", { class: `c-${name}` })));
    this.root.append(this.swatches);
    this.pointing(plane, (x, y) => this.nearest(x, y));
    const gold = this.panels.find(({ id }) => id === "gold");
    if (gold) this.pointing(gold, (x, y) => this.nearestPair(x, y));
    const curves = this.panels.find(({ id }) => id === "curves");
    curves.canvas.addEventListener("pointerdown", (event) => { this.stop(); curves.canvas.setPointerCapture(event.pointerId); this.drag(event, curves); });
    curves.canvas.addEventListener("pointermove", (event) => { if (event.buttons) this.drag(event, curves); });
    curves.canvas.addEventListener("pointerup", () => this.seek(Math.round(this.at))); // what is looked at was measured
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  watch() {
    this.sizes = new ResizeObserver(() => { this.panels.forEach((panel) => panel.fit()); this.paint(); this.draw(); });
    this.panels.forEach(({ canvas }) => this.sizes.observe(canvas.parentElement));
    this.sight = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      this.sight.disconnect();
      if (!still()) this.play();
    }, { threshold: 0.3 });
    this.sight.observe(this.root);
    this.themes = ["(prefers-color-scheme: dark)"].map((query) => [matchMedia(query), () => { this.paint(); this.draw(); }]);
    this.themes.forEach(([query, listen]) => query.addEventListener("change", listen));
  }

  /* The colours of the theme: a canvas cannot read those of a style sheet. */
  paint() {
    this.colours = Object.fromEntries([...this.swatches.children].map((node, at) => [COLOURS[at], getComputedStyle(node).color]));
  }

  // Time

  play() {
    if (this.playing) return;
    if (this.at >= this.last) this.at = 0;
    this.playing = true;
    this.pressed(true);
    let before = performance.now(), hold = 0;
    const tick = (now) => {
      if (!this.playing) return;
      if (!this.root.isConnected) return this.stop();
      const passed = Math.min(0.1, (now - before) / 1000);
      before = now;
      const moved = (passed * this.speed * this.last) / this.seconds;
      if (still()) { hold += moved; if (hold >= 1) { hold = 0; this.at = Math.min(this.last, Math.floor(this.at) + 1); } }
      else this.at = Math.min(this.last, this.at + moved);
      this.show();
      if (this.at >= this.last) this.stop();
      else this.running = requestAnimationFrame(tick);
    };
    this.running = requestAnimationFrame(tick);
  }

  stop() {
    cancelAnimationFrame(this.running);
    if (!this.playing) return;
    this.playing = false;
    this.pressed(false);
    this.at = Math.round(this.at);
    this.show();
  }

  pressed(on) {
    const label = on ? "Pause" : "Play";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
    this.playButton.replaceChildren(icon(on ? PAUSE : PLAY));
    this.root.classList.toggle("playing", on);
  }

  toggle() {
    this.sight.disconnect();
    if (this.playing) this.stop();
    else this.play();
  }

  step(by) {
    this.stop();
    this.seek(Math.round(this.at) + by);
  }

  seek(at) {
    this.sight.disconnect();
    this.at = Math.min(this.last, Math.max(0, at));
    this.show();
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const path = event.composedPath()[0], typed = path.matches?.("select, input, button, summary");
    if (event.key === " " && !path.matches?.("select, button, summary")) { event.preventDefault(); this.toggle(); }
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !typed) { event.preventDefault(); this.step(by); }
  }

  /* The step of the training that `at` stands for, and the other way round. */
  get now() { return this.mix(this.data.steps); }
  whenOf(step) {
    const { steps } = this.data;
    const next = steps.findIndex((other) => other >= step);
    return next <= 0 ? (next < 0 ? this.last : 0) : next - 1 + (step - steps[next - 1]) / (steps[next] - steps[next - 1]);
  }
  mix(values, at = this.at) {
    const low = Math.min(this.last, Math.floor(at)), high = Math.min(this.last, low + 1), share = at - low;
    if (!known(values[low]) || !known(values[high])) return known(values[low]) ? values[low] : null;
    return values[low] + (values[high] - values[low]) * share;
  }
  /* Two numbers of a row of each frame, as they are at `at`. */
  mixRows(rows, at = this.at) {
    const low = Math.min(this.last, Math.max(0, Math.floor(at))), share = Math.max(0, at) - low;
    if (!share) return rows[low];
    const [from, to] = [rows[low], rows[low + 1]], mixed = new Float32Array(from.length);
    for (let item = 0; item < from.length; item += 1) mixed[item] = from[item] + (to[item] - from[item]) * share;
    return mixed;
  }

  // What is shown

  show() {
    const { data } = this, frame = Math.round(this.at), step = Math.round(this.now);
    this.slider.value = frame;
    const words = `step ${count(data.steps[frame])} of ${count(data.steps[this.last])}`;
    if (this.slider.getAttribute("aria-valuetext") !== words) this.slider.setAttribute("aria-valuetext", words);
    this.slider.style.setProperty("--done", `calc(10px + (100% - 20px) * ${this.at / this.last})`);
    this.where.textContent = `Step ${count(step)}`;
    const shown = MEASURES.filter(([name]) => data.numbers[name].some(known));
    if (!this.numbers.children.length) {
      this.numbers.append(...shown.map(([, name, , unit]) => html("div", {}, html("dt", {}, name, unit ? html("small", {}, ` ${unit}`) : null), html("dd", {}))));
    }
    shown.forEach(([name, , form], number) => {
      const value = this.mix(data.numbers[name]);
      this.numbers.children[number].lastChild.textContent = known(value) ? form(value) : "–";
    });
    const share = this.mix(this.plane.share);
    this.note.textContent = `${this.plane.note} At this step ${(100 * share).toFixed(0)}\u00a0% of ${this.plane.of} is in the plane.`;
    if (this.frame !== frame || this.drawnPlane !== this.plane) { this.frame = frame; this.drawnPlane = this.plane; this.label(); this.forget(); }
    this.tell();
    if (!this.playing && this.colours) this.paint(); // the reader may have changed the theme
    this.draw();
    this.mark();
  }

  draw() {
    if (!this.colours) return;
    this.panels.forEach((panel) => panel.draw());
  }

  /* What a figure shows, for those who do not see it. */
  label() {
    const { data, frame } = this, value = (name, form) => (known(data.numbers[name][frame]) ? form(data.numbers[name][frame]) : "unknown");
    const at = `Step ${count(data.steps[frame])}`;
    const words = {
      plane: `${at}: ${count(data.texts.length)} sentences as points. Mean cosine ${value("mean_cosine", two)}.`,
      gold: `${at}: cosines of ${count(data.pairs.gold.length)} pairs against their gold scores. Spearman ${value("spearman", score)}.`,
      path: `${at}: alignment ${value("alignment", two)}, uniformity ${value("uniformity", two)}.`,
      spectrum: `${at}: effective rank ${value("effective_rank", (rank) => rank.toFixed(0))}.`,
      curves: `${at}: loss ${value("loss", (loss) => loss.toFixed(3))}, Spearman ${value("spearman", score)}, mean cosine ${value("mean_cosine", two)}.`,
    };
    this.panels.forEach(({ id, canvas }) => canvas.setAttribute("aria-label", words[id]));
  }

  table() {
    if (this.rows.children.length || !this.details.open) return;
    const { steps, numbers } = this.data;
    this.rows.append(...steps.map((step, at) => html("tr", { "data-frame": at }, html("th", { scope: "row" }, count(step)),
      html("td", {}, known(numbers.loss[at]) ? numbers.loss[at].toFixed(3) : "–"),
      MEASURES.map(([name, , form]) => html("td", {}, known(numbers[name][at]) ? form(numbers[name][at]) : "–")))));
    this.mark();
  }

  mark() {
    if (!this.details.open) return;
    [...this.rows.children].forEach((row, at) => row.toggleAttribute("data-now", at === this.frame));
  }

  /* That a figure could not be saved: said until it is another one. */
  forget() {
    this.panels.forEach(({ told }) => { told.textContent = ""; });
  }

  // Numbers, as files have them

  frameRows() {
    const { steps, numbers } = this.data, names = ["loss", ...MEASURES.map(([name]) => name)];
    return [["step", "loss", ...MEASURES.map(([, name]) => name)], ...steps.map((step, at) => [step, ...names.map((name) => numbers[name][at])])];
  }

  /* What a figure draws at the frame that is shown, the names of its columns first. */
  rowsOf(id) {
    const { data, frame, plane } = this, { pairs, texts, groups, steps, numbers } = data, grouped = groups.length > 1;
    const group = (at) => (grouped ? [groups[at]] : []), groupName = grouped ? ["group"] : [];
    const rows = {
      plane: () => [["text", ...groupName, "x", "y"], ...texts.map((text, row) => [text, ...group(data.group[row]), ...[0, 1].map((axis) => exact(plane.points[frame][2 * row + axis]))])],
      gold: () => [["A", "B", ...groupName, "gold score", "cosine"], ...pairs.gold.map((gold, pair) =>
        [texts[pairs.first[pair]], texts[pairs.second[pair]], ...group(pairs.group[pair]), gold, exact(this.cosines[frame][pair])])],
      path: () => [["step", "uniformity", "alignment"], ...steps.map((step, at) => [step, numbers.uniformity[at], numbers.alignment[at]])],
      spectrum: () => [["direction", ...[...new Set([steps[0], steps[frame]])].map((step) => `strength at step ${step}`)],
        ...data.spectrum[0].map((_, at) => [at + 1, ...[...new Set([0, frame])].map((now) => data.spectrum[now][at])])],
      curves: () => [["curve", "step", "value"], ...this.curves().flatMap(({ name, x, values }) => values.map((value, at) => [name, x[at], value]).filter(([, , value]) => known(value)))],
    };
    return rows[id]();
  }

  /* The curves: those of the run, and two of the measures of each frame. */
  curves() {
    const { curves, steps, numbers } = this.data;
    return [
      ...curves.map((curve) => ({ name: curve.name, x: curve.steps, values: curve.values, form: (value) => value.toPrecision(2) })),
      { name: "Spearman", x: steps, values: numbers.spearman, form: score, dots: true },
      { name: "mean cosine", x: steps, values: numbers.mean_cosine, form: two, dots: true },
    ].filter(({ values }) => values.filter(known).length > 1);
  }

  drawPlane(panel) {
    const { plane } = this, { xs, ys } = plane.reach, cone = plane.id === "cone", pad = 14;
    const by = Math.min((panel.width - 2 * pad) / (xs[1] - xs[0] || 1), (panel.height - 2 * pad) / (ys[1] - ys[0] || 1));
    const x = (value) => panel.width / 2 + (value - (xs[0] + xs[1]) / 2) * by, y = (value) => panel.height / 2 - (value - (ys[0] + ys[1]) / 2) * by;
    const points = this.mixRows(plane.points), rows = points.length / 2, { ink } = panel, { data } = this;
    panel.places = { x, y, points };
    const size = Math.max(1.7, Math.min(3.4, (panel.width / 480) * (40 / Math.sqrt(rows)) * 2.4));
    if (cone) {
      ink.beginPath();
      ink.arc(x(0), y(0), by, 0, 2 * Math.PI);
      ink.strokeStyle = this.colours.line;
      ink.lineWidth = 1.5;
      ink.stroke();
      ink.globalAlpha = Math.min(0.3, 60 / rows);
      ink.lineWidth = 1;
      ink.strokeStyle = this.colours.quiet;
      ink.beginPath();
      for (let row = 0; row < rows; row += 1) { ink.moveTo(x(0), y(0)); ink.lineTo(x(points[2 * row]), y(points[2 * row + 1])); }
      ink.stroke();
      ink.globalAlpha = 1;
    }
    // Pairs that mean the same are joined.
    ink.strokeStyle = this.colours.quiet;
    ink.globalAlpha = 0.3;
    ink.lineWidth = 1;
    ink.beginPath();
    data.pairs.first.forEach((first, pair) => {
      if (!data.pairs.alike[pair]) return;
      const second = data.pairs.second[pair];
      ink.moveTo(x(points[2 * first]), y(points[2 * first + 1]));
      ink.lineTo(x(points[2 * second]), y(points[2 * second + 1]));
    });
    ink.stroke();
    if (this.playing && !still()) {
      const before = this.mixRows(plane.points, this.at - TAIL);
      data.groups.forEach((_, group) => {
        ink.strokeStyle = this.colours[`s${group}`];
        ink.globalAlpha = 0.28;
        ink.lineWidth = size;
        ink.beginPath();
        for (let row = 0; row < rows; row += 1) {
          if (data.group[row] !== group) continue;
          ink.moveTo(x(before[2 * row]), y(before[2 * row + 1]));
          ink.lineTo(x(points[2 * row]), y(points[2 * row + 1]));
        }
        ink.stroke();
      });
    }
    data.groups.forEach((_, group) => {
      ink.fillStyle = this.colours[`s${group}`];
      ink.globalAlpha = 0.72;
      ink.beginPath();
      for (let row = 0; row < rows; row += 1) {
        if (data.group[row] !== group) continue;
        const [left, top] = [x(points[2 * row]), y(points[2 * row + 1])];
        ink.moveTo(left + size, top);
        ink.arc(left, top, size, 0, 2 * Math.PI);
      }
      ink.fill();
    });
    ink.globalAlpha = 1;
    if (cone) this.drawMean(panel, points, x, y);
    if (this.pair !== null) this.drawPair(panel, x, y);
    const mean = this.mix(data.numbers.mean_cosine);
    panel.now.textContent = known(mean) ? `mean cosine ${two(mean)}` : "";
  }

  drawMean(panel, points, x, y) {
    let [across, up] = [0, 0];
    for (let at = 0; at < points.length; at += 2) { across += points[at]; up += points[at + 1]; }
    const [tipX, tipY] = [x((2 * across) / points.length), y((2 * up) / points.length)], { ink } = panel;
    panel.line([[x(0) - 7, y(0)], [x(0) + 7, y(0)]], "ink", { width: 1.5 });
    panel.line([[x(0), y(0) - 7], [x(0), y(0) + 7]], "ink", { width: 1.5 });
    const long = Math.hypot(tipX - x(0), tipY - y(0)), turn = Math.atan2(tipY - y(0), tipX - x(0));
    if (long < 6) return;
    ink.save();
    ink.translate(x(0), y(0));
    ink.rotate(turn);
    const head = Math.min(12, long * 0.8);
    panel.line([[0, 0], [long - head, 0]], "ink", { width: 3 });
    ink.fillStyle = this.colours.ink;
    ink.beginPath();
    ink.moveTo(long, 0);
    ink.lineTo(long - head, -head / 2);
    ink.lineTo(long - head, head / 2);
    ink.fill();
    ink.restore();
    panel.text("mean", (x(0) + tipX) / 2, (y(0) + tipY) / 2 - 8, { align: "center", colour: "ink", strong: true });
  }

  drawPair(panel, x, y) {
    const { pairs } = this.data, ends = [pairs.first[this.pair], pairs.second[this.pair]], { points } = panel.places;
    ends.forEach((row) => {
      const way = Array.from({ length: Math.floor(this.at) + 1 }, (_, frame) => this.plane.points[frame]).map((frame) => [x(frame[2 * row]), y(frame[2 * row + 1])]);
      panel.line([...way, [x(points[2 * row]), y(points[2 * row + 1])]], "accent", { width: 1.5, alpha: 0.7 });
    });
    const spots = ends.map((row) => [x(points[2 * row]), y(points[2 * row + 1])]);
    panel.line(spots, "accent", { width: 2, dash: [4, 4] });
    spots.forEach(([left, top], at) => {
      panel.dot(left, top, 6, "accent");
      panel.text("AB"[at], left + 9, top - 7, { colour: "ink", strong: true });
    });
  }

  drawGold(panel) {
    const { data } = this, [low, high] = data.scale, { ink } = panel, cosines = this.mixRows(this.cosines);
    this.lowest ??= Math.floor(10 * Math.min(0, extent(this.cosines)[0])) / 10;
    const at = panel.frame({ x: [low - (high - low) * 0.02, high + (high - low) * 0.02], xs: rounds(low, high), y: [this.lowest, 1.02], ys: rounds(this.lowest, 1),
      xTitle: "gold score", yTitle: "cosine" });
    panel.places = { ...at, cosines };
    const size = Math.max(1.5, Math.min(3, 36 / Math.sqrt(cosines.length)));
    data.groups.forEach((_, group) => {
      ink.fillStyle = this.colours[`s${group}`];
      ink.globalAlpha = 0.55;
      ink.beginPath();
      cosines.forEach((value, pair) => {
        if (data.pairs.group[pair] !== group) return;
        const [left, top] = [at.x(data.pairs.gold[pair]), at.y(value)];
        ink.moveTo(left + size, top);
        ink.arc(left, top, size, 0, 2 * Math.PI);
      });
      ink.fill();
    });
    ink.globalAlpha = 1;
    const middles = Array.from({ length: BINS }, (_, bin) => low + ((bin + 0.5) * (high - low)) / BINS);
    const ridge = (values) => middles.map((gold, bin) => [at.x(gold), values[bin]]).filter(([, value]) => known(value)).map(([left, value]) => [left, at.y(value)]);
    const first = ridge(this.bins[0]), now = ridge(middles.map((_, bin) => this.mix(this.bins.map((values) => values[bin]))));
    if (this.at > 0) panel.line(first, "ink", { width: 1.5, dash: [2, 4], alpha: 0.75 });
    panel.line(now, "paper", { width: 5 });
    panel.line(now, "ink", { width: 2.5 });
    now.forEach(([left, top]) => panel.dot(left, top, 4, "ink"));
    if (this.at > 0.2 && first.length) panel.text("step 0", first[0][0] - 4, first[0][1] - 7, { colour: "quiet" });
    if (this.pair !== null) panel.dot(at.x(data.pairs.gold[this.pair]), at.y(cosines[this.pair]), 6, "accent");
    const rho = this.mix(data.numbers.spearman);
    panel.now.textContent = known(rho) ? `Spearman ${score(rho)}` : "";
  }

  drawPath(panel) {
    const { alignment, uniformity } = this.data.numbers;
    const spots = uniformity.map((value, frame) => [value, alignment[frame]]).filter((spot) => spot.every(known));
    const wide = (values) => { const [low, high] = extent([values]), pad = (high - low) * 0.12 || 0.05; return [low - pad, high + pad]; };
    const at = panel.frame({ x: wide(spots.map(([value]) => value)), y: wide(spots.map(([, value]) => value)),
      xTitle: "uniformity (lower: more evenly spread)", yTitle: "alignment (lower: partners closer)" });
    const place = ([x, y]) => [at.x(x), at.y(y)], seen = spots.slice(0, Math.floor(this.at) + 1);
    const now = [this.mix(uniformity), this.mix(alignment)];
    panel.line(spots.map(place), "quiet", { width: 1.5, alpha: 0.5, dash: [2, 4] });
    if (now.every(known)) {
      panel.line([...seen, now].map(place), "after", { width: 3 });
      seen.forEach((spot) => panel.dot(...place(spot), 3.2, "after"));
      panel.dot(...place(spots[0]), 4.5, "before", { hollow: true });
      panel.dot(...place(now), 7, "after");
      panel.now.textContent = `${two(now[1])}, ${two(now[0])}`;
    }
    const [left, top] = place(spots[0]);
    const right = left > panel.width / 2;
    panel.text("step 0", left + (right ? 6 : -6), top + 8, { align: right ? "right" : "left", base: "top" });
  }

  drawSpectrum(panel) {
    const { spectrum } = this.data, directions = spectrum[0].length, low = Math.max(1e-4, Math.min(...spectrum.map((values) => values.at(-1) || 1)));
    const floor = low * 0.8, tens = [1, 0.1, 0.01, 0.001, 0.0001].filter((value) => value >= floor);
    const at = panel.frame({ x: [1, directions], xs: [1, 10, 100].filter((value) => value <= directions), y: [floor, 1.15], ys: [...tens, ...(tens.length < 3 ? [0.5, 0.2, 0.05, 0.02].filter((value) => value >= floor) : [])],
      xTitle: "direction, strongest first", yTitle: "strength relative to the first", log: true });
    const line = (values) => Array.from(values, (value, direction) => [at.x(direction + 1), at.y(Math.max(value, floor))]);
    const now = line(this.mixRows(spectrum)), { ink } = panel;
    ink.globalAlpha = 0.16;
    ink.fillStyle = this.colours.after;
    ink.beginPath();
    [[at.left, at.bottom], ...now, [at.right, at.bottom]].forEach(([x, y], point) => (point ? ink.lineTo(x, y) : ink.moveTo(x, y)));
    ink.fill();
    ink.globalAlpha = 1;
    panel.line(line(spectrum[0]), "before", { width: 2, dash: [5, 4] });
    panel.line(now, "after", { width: 2.5 });
    const middle = Math.min(directions, 3) - 1;
    panel.text("step 0", at.x(middle + 1) - 6, at.y(Math.max(floor, spectrum[0][middle])) + 16, { colour: "before", align: "right" });
    const rank = this.mix(this.data.numbers.effective_rank);
    panel.now.textContent = known(rank) ? `effective rank ${rank.toFixed(0)}` : "";
  }

  drawCurves(panel) {
    const { steps } = this.data, last = steps[this.last] || 1, rows = this.curves();
    const left = 4, right = panel.width - 8, bottom = panel.height - 2.9 * TEXT, each = bottom / rows.length;
    const x = scale(steps[0], last, left, right), now = this.now;
    panel.places = { x, left, right };
    rows.forEach(({ name, x: xs, values, form, dots }, number) => {
      const spots = values.map((value, at) => [xs[at], value]).filter(([, value]) => known(value)), [low, high] = extent([spots.map(([, value]) => value)]);
      const y = scale(low, high, (number + 1) * each - 6, number * each + 1.7 * TEXT), place = ([step, value]) => [x(step), y(value)];
      const after = spots.findIndex(([step]) => step > now), before = after < 0 ? spots : spots.slice(0, after);
      const edge = after > 0 ? [now, spots[after - 1][1] + ((spots[after][1] - spots[after - 1][1]) * (now - spots[after - 1][0])) / (spots[after][0] - spots[after - 1][0])] : null;
      const colour = ["quiet", "after", "before"][Math.min(2, number + 3 - rows.length)];
      panel.line([[left, (number + 1) * each], [right, (number + 1) * each]], "line");
      panel.line(spots.map(place), colour, { width: 1.5, alpha: 0.35 });
      if (before.length) panel.line([...before, ...(edge ? [edge] : [])].map(place), colour, { width: 2.5 });
      if (dots) before.forEach((spot) => panel.dot(...place(spot), 3, colour));
      const value = edge ? edge[1] : before.length ? before.at(-1)[1] : spots[0][1];
      if (edge || before.length) panel.dot(...place(edge ?? before.at(-1)), 5, colour);
      panel.text(`${name} ${form(value)}`, left + 4, number * each + 4, { base: "top", colour: "ink", strong: true });
    });
    panel.line([[x(now), 0], [x(now), bottom]], "accent", { width: 1.5, dash: [4, 4] });
    for (const value of rounds(steps[0], last)) panel.text(count(value), Math.min(right, Math.max(left, x(value))), bottom + 5, { align: value === steps[0] ? "left" : value === last ? "right" : "center", base: "top" });
    panel.text("step", (left + right) / 2, panel.height - 1, { align: "center", base: "bottom" });
    panel.now.textContent = `step ${count(Math.round(now))}`;
  }

  // Pairs

  order() {
    const { gold } = this.data.pairs;
    return gold.map((_, pair) => pair).sort((one, other) => gold[other] - gold[one]);
  }

  pairWords(pair) {
    const { pairs, texts } = this.data, short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
    return `${pairs.gold[pair].toFixed(1)}: ${short(texts[pairs.first[pair]])} / ${short(texts[pairs.second[pair]])}`;
  }

  choose(pair, pinned = false) {
    if (this.pinned && !pinned) return;
    this.pinned = pinned && pair !== null;
    if (this.pair === pair) return;
    this.pair = pair;
    this.forget();
    if (this.follow) this.follow.value = this.pinned ? pair : "";
    this.tell();
    this.draw();
  }

  tell() {
    if (!this.data.pairs.gold.length) return;
    if (this.pair === null) {
      if (this.told !== null) this.about.replaceChildren(html("p", { class: "quiet" }, "Point at a sentence or a pair to see which it is; click to follow it through the film."));
      this.told = null;
      return;
    }
    const { pairs, texts } = this.data, cosine = two(this.mixRows(this.cosines)[this.pair]);
    if (this.told !== this.pair) {
      this.cosine = html("b", {});
      this.about.replaceChildren(html("p", {}, html("b", {}, "A "), html("span", { dir: "auto" }, texts[pairs.first[this.pair]])), html("p", {}, html("b", {}, "B "), html("span", { dir: "auto" }, texts[pairs.second[this.pair]])),
        html("p", { class: "quiet" }, `gold ${pairs.gold[this.pair].toFixed(1)}, cosine `, this.cosine));
      this.told = this.pair;
    }
    this.cosine.textContent = cosine;
  }

  pointing(panel, find) {
    const at = (event) => { const box = panel.canvas.getBoundingClientRect(); return find(event.clientX - box.left, event.clientY - box.top); };
    panel.canvas.addEventListener("pointermove", (event) => { const pair = at(event); panel.canvas.style.cursor = pair === null ? "" : "pointer"; this.choose(pair); });
    panel.canvas.addEventListener("pointerleave", () => this.choose(null));
    panel.canvas.addEventListener("click", (event) => this.choose(at(event), true));
  }

  nearest(left, top) {
    const panel = this.panels[0];
    if (!panel.places) return null;
    const { x, y, points } = panel.places;
    let [found, near] = [null, 12];
    for (let row = 0; row < points.length / 2; row += 1) {
      const away = Math.hypot(x(points[2 * row]) - left, y(points[2 * row + 1]) - top);
      if (away < near && this.ofSentence.has(row)) [found, near] = [this.ofSentence.get(row), away];
    }
    return found;
  }

  nearestPair(left, top) {
    const { x, y, cosines } = this.panels.find(({ id }) => id === "gold").places;
    let [found, near] = [null, 12];
    cosines.forEach((value, pair) => {
      const away = Math.hypot(x(this.data.pairs.gold[pair]) - left, y(value) - top);
      if (away < near) [found, near] = [pair, away];
    });
    return found;
  }

  drag(event, panel) {
    const { left, right } = panel.places, { steps } = this.data, from = event.clientX - panel.canvas.getBoundingClientRect().left;
    const step = scale(left, right, steps[0], steps[this.last])(Math.min(right, Math.max(left, from)));
    this.seek(this.whenOf(step));
  }
}

export function mount(root, data, send = () => {}) {
  if (root.film?.data.stamp === data.stamp) {
    root.film.show();
    return root.film;
  }
  const before = root.film?.data.run === data.run ? root.film : null, focused = before && root.getRootNode().activeElement;
  const place = focused && root.contains(focused) ? focused.getAttribute("aria-label") : null;
  root.film?.close();
  root.film = new Film(root, data, send);
  if (before) root.film.goOn(before);
  if (place) root.querySelector(`[aria-label="${CSS.escape(place)}"]`)?.focus();
  return root.film;
}

/* How Streamlit mounts it. */
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector("#film");
  mount(root, data);
  const call = (root.calls = (root.calls ?? 0) + 1);
  return () => {
    if (call !== root.calls) return; // a call that a rerun overtook is ended after the next one, to which the film belongs
    root.film?.close();
    root.film = undefined;
  };
}

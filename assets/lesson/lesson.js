/* The lesson: predict, reveal, one knob. Page and exported file run this same script; it needs nothing else.
   `data`: words (steps.toml), numbers (numbers.json), step; on the page also page: true, live
   (numbers computed there, by step), pending (the steps that are being computed), film (whether a run has one) and run (the one started here).
   `send(name, value)` tells the page of a step, of "compute", "train" and "film", and of a "run" to open. */

const SVG = "http://www.w3.org/2000/svg";
const LOWEST = -0.5; // where histograms of cosines begin, in bins of 0.01
const RATE = 0.2; // of a step along the gradient, as in workbench/lesson/forces.py

// Elements. Texts become text nodes, never markup.

function fillIn(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const html = (tag, attributes = {}, ...children) => fillIn(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fillIn(document.createElementNS(SVG, tag), attributes, children);
const text = (x, y, words, attributes = {}) => svg("text", { x, y, ...attributes }, words);

// Words and numbers, as in workbench/lesson/words.py

function written(value, spec) {
  if (typeof value === "string") return value;
  if (spec === "%") return `${(100 * value).toFixed(0)}\u00a0%`;
  if (spec === "score") return (100 * value).toFixed(1);
  const shown = spec ? value.toFixed(Number(spec.slice(1, -1))) : value.toLocaleString("en");
  return Number(shown.replaceAll(",", "")) === 0 ? shown.replace("-", "") : shown.replace("-", "−");
}
const fill = (words, facts) => words.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, spec) => written(facts[name], spec ?? ""));
const SIGNS = {
  "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "==": (a, b) => a === b,
};
function holds(when, facts) {
  return when === "" || when.split(" and ").every((part) => {
    const [left, sign, right] = part.split(" ");
    return SIGNS[sign](facts[left], right in facts ? facts[right] : Number(right));
  });
}
const said = (variants, facts) => fill(typeof variants === "string" ? variants : variants.find(({ when }) => holds(when, facts)).text, facts);
const two = (value) => written(value, ".2f");
const score = (value) => written(value, "score");
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Drawing. Every figure returns its nodes, what it says in a sentence, its numbers as a table, and what it draws besides.

/* The frames of a film: the steps of a training, or two encoders of which none was trained from the other. */
const namesOf = (frames, { steps }) => (steps ? frames.map(({ step }) => String(step)) : ["before", "after"]);

const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from)) * (high - low);

function canvas(size, label, height = size.height) {
  return svg("svg", { viewBox: `0 0 ${size.width} ${height}`, width: size.width, height, role: "img", "aria-label": label,
    style: `font-size:${size.font}px` });
}

function legend(items) {
  return html("ul", { class: "legend" }, items.map(({ name, kind }) => html("li", { class: kind }, html("i", {}), name)));
}

function coarse(counts) {
  return Array.from({ length: counts.length / 2 }, (_, at) => counts[2 * at] + counts[2 * at + 1]);
}

/* The title of an axis on as many lines as it takes, and how high an axis is with it. */
const wide = (words, { font }) => 0.58 * font * words.length;
function broken(title, size) {
  const lines = [""];
  const most = wide(title, size) > size.width ? Math.max(0.6 * wide(title, size), size.width * 0.6) : Infinity; // two lines of about one length
  for (const word of title.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && wide(longer, size) > Math.min(most, size.width)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
const foot = (size, title) => 2.9 * size.font + 8 + 1.2 * size.font * (broken(title, size).length - 1);
function named(size, centre, bottom, title) {
  return svg("g", {}, broken(title, size).map((words, line) => {
    const half = wide(words, size) / 2, middle = Math.max(half, Math.min(centre, size.width - half)); // whole, if not in the middle
    return text(middle, bottom + 10 + (2.2 + 1.2 * line) * size.font, words, { "text-anchor": "middle", class: "quiet" });
  }));
}

function axis(frame, size, x, ticks, bottom, title) {
  for (const tick of ticks) {
    frame.append(svg("line", { x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 5, class: "axis" }),
      text(x(tick), bottom + 6 + size.font, String(tick).replace("-", "−"), { "text-anchor": "middle" }));
  }
  frame.append(svg("line", { x1: x(ticks[0]), x2: x(ticks.at(-1)), y1: bottom, y2: bottom, class: "axis" }),
    named(size, (x(ticks[0]) + x(ticks.at(-1))) / 2, bottom, title));
}

/* Hills of cosines; `mark` is a threshold. */
function hills(size, series, label, { mark, title = "cosine" } = {}) {
  const frame = canvas(size, label), bottom = size.height - foot(size, title);
  const bins = series.map(({ counts }) => coarse(counts)), top = Math.max(...bins.flat());
  const x = scale(LOWEST, 1, 8, size.width - 14), y = scale(0, top, bottom, size.font + 8);
  bins.forEach((counts, number) => {
    let path = `M${x(LOWEST)},${bottom}`;
    counts.forEach((count, at) => {
      path += `L${x(LOWEST + at * 0.02).toFixed(1)},${y(count).toFixed(1)}L${x(LOWEST + (at + 1) * 0.02).toFixed(1)},${y(count).toFixed(1)}`;
    });
    frame.append(svg("path", { d: `${path}L${x(1)},${bottom}Z`, class: `hill ${series[number].kind}` }));
  });
  axis(frame, size, x, [-0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1], bottom, title);
  if (mark !== undefined) {
    frame.append(svg("line", { x1: x(mark), x2: x(mark), y1: 4, y2: bottom, class: "mark" }),
      text(x(mark) + (mark > 0.7 ? -6 : 6), 4 + size.font, two(mark), { "text-anchor": mark > 0.7 ? "end" : "start", class: "strong" }));
  }
  return frame;
}

/* Arrows from the origin, in the plane of the mean and of what differs most besides; `named` is what the mean is called. */
function fan(size, points, label, { shift = 0, length, kind, named }) {
  const frame = canvas(size, label), reach = Math.min(size.width, size.height) / 2.05, middle = { x: size.width / 2, y: size.height / 2 };
  const x = (value) => middle.x + value * reach, y = (value) => middle.y - value * reach;
  frame.append(svg("circle", { cx: middle.x, cy: middle.y, r: reach, class: "rim" }));
  const rays = svg("g", { class: `rays ${kind}` }), dots = svg("g", { class: `dots ${kind}` });
  for (const [along, across] of points) {
    rays.append(svg("line", { x1: middle.x, y1: middle.y, x2: x(along - shift).toFixed(1), y2: y(across).toFixed(1) }));
    dots.append(svg("circle", { cx: x(along - shift).toFixed(1), cy: y(across).toFixed(1), r: size.font / 5 }));
  }
  frame.append(rays, dots, svg("path", { d: `M${middle.x - 7},${middle.y}h14M${middle.x},${middle.y - 7}v14`, class: "cross" }));
  const mean = length - shift;
  if (mean > 0.03) {
    const tip = x(mean);
    frame.append(svg("line", { x1: middle.x, y1: middle.y, x2: tip - 8, y2: middle.y, class: "mean" }),
      svg("path", { d: `M${tip},${middle.y}l-14,-7v14Z`, class: "tip" }),
      text(x(mean / 2), middle.y - 9, named, { "text-anchor": "middle", class: "strong halo" }));
  } else frame.append(text(middle.x + 10, middle.y - 9, "mean 0", { class: "strong halo" }));
  return frame;
}

/* Three to five round values from low to high. */
function rounds(low, high) {
  const rough = (high - low) / 3, power = 10 ** Math.floor(Math.log10(rough));
  const by = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough), first = Math.ceil(low / by - 1e-9);
  return Array.from({ length: Math.floor(high / by + 1e-9) - first + 1 }, (_, at) => (first + at) * by);
}

/* Lines over a few places, which are numbers if they are `measured`; `at` is the one in question. */
function lines(size, names, series, label, { at, title, up, measured = false, shown = score, height = size.height, zero = false }) {
  const frame = canvas(size, label, height), bottom = height - foot(size, title), left = 3.2 * size.font;
  const all = series.flatMap(({ values }) => values), low = zero ? Math.min(0, ...all) : Math.min(...all), high = Math.max(...all);
  const pad = (high - low) * 0.12 || 0.05, edge = 1.2 * size.font;
  const places = names.map((name, number) => (measured ? Number(name) : number));
  const along = scale(places[0], Math.max(places.at(-1), places[0] + 1), left + edge, size.width - edge), x = (number) => along(places[number]);
  const y = scale(low - (zero ? 0 : pad), high + pad, bottom, 2.2 * size.font);
  for (const value of rounds(low - (zero ? 0 : pad), high + pad)) {
    frame.append(svg("line", { x1: left, x2: size.width, y1: y(value), y2: y(value), class: "rule" }),
      text(left - 6, y(value) + size.font / 3, shown(value).replace(/\.0$/, ""), { "text-anchor": "end", class: "quiet" }));
  }
  const marks = measured ? rounds(places[0], places.at(-1)).map((value) => [along(value), String(value)]) : names.map((name, number) => [x(number), name]);
  const written = [], room = (one, other) => size.font * (0.8 + 0.28 * (one.length + other.length));
  for (const [place, name] of [...(at === undefined ? [] : [[x(at), names[at]]]), ...marks]) {
    if (written.some(([other, words]) => Math.abs(place - other) < room(name, words))) continue;
    frame.append(text(place, bottom + 6 + size.font, name, { "text-anchor": "middle", class: at !== undefined && !written.length ? "strong" : "" }));
    written.push([place, name]);
  }
  frame.append(text(0, size.font, up, { class: "strong" }),
    named(size, (left + size.width) / 2, bottom, title));
  if (at !== undefined) frame.append(svg("line", { x1: x(at), x2: x(at), y1: 1.6 * size.font, y2: bottom, class: "mark" }));
  for (const { values, kind } of series) {
    frame.append(svg("polyline", { points: values.map((value, number) => `${x(number)},${y(value)}`).join(" "), class: `path ${kind}` }));
    values.forEach((value, number) => frame.append(svg("circle", { cx: x(number), cy: y(value), r: number === at ? 6 : 3.5, class: `dot ${kind}` })));
  }
  // The numbers of the point in question: the upper one above its line, the lower one below, but not upon the axis.
  const labelled = at === undefined ? [] : series.filter(({ values }) => at < values.length).sort((a, b) => b.values[at] - a.values[at]);
  const right = at < names.length / 2, lowest = bottom - 4, last = labelled.length - 1;
  labelled.forEach(({ values, kind }, number) => {
    const under = Math.min(y(labelled[last].values[at]) + size.font + 6, lowest), over = y(values[at]) - 8;
    frame.append(text(x(at) + (right ? 10 : -10), number ? under : last ? Math.min(over, under - size.font - 2) : over, shown(values[at]),
      { "text-anchor": right ? "start" : "end", class: `strong halo ${kind}` }));
  });
  return frame;
}

/* A table as it is read: `head` has the columns, each a name and how its numbers are written; files have the numbers themselves. */
function table({ head, rows }) {
  const shown = (cell, at) => (typeof cell === "number" ? (head[at][1] ?? String)(cell) : cell ?? "–");
  return html("table", {}, html("thead", {}, html("tr", {}, head.map(([name]) => html("th", { scope: "col" }, name)))),
    html("tbody", {}, rows.map((row) => html("tr", {}, row.map((cell, at) => html(at ? "td" : "th", { scope: at ? null : "row", dir: "auto", class: typeof cell === "number" && "number" }, shown(cell, at)))))));
}
/* The bars of hills as a table, and points of a plane. */
const barsOf = (series) => ({ name: "bars", head: [["from"], ["to"], ...series.map(({ name }) => [name])],
  rows: coarse(series[0].counts).map((_, at) => [LOWEST + at * 0.02, LOWEST + (at + 1) * 0.02].map((edge) => Number(edge.toFixed(2))).concat(series.map(({ counts }) => counts[2 * at] + counts[2 * at + 1]))) });
const pointsOf = (head, rows) => ({ name: "points", head: head.map((name) => [name]), rows });

/* The figure as one SVG that needs no stylesheet: what is drawn, with its colours, and the words around it. */
const INKS = ["stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "paint-order", "stroke-linejoin"];
const MARGIN = 12;
const shades = new Map();
function painted(name, colour, share = 1) { // as #rrggbb and an opacity: other programs know no other colours
  if (colour === "none") return { [name]: colour };
  if (!shades.has(colour)) {
    const ink = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = ink.getImageData(0, 0, 1, 1).data;
    shades.set(colour, [`#${[red, green, blue].map((one) => one.toString(16).padStart(2, "0")).join("")}`, alpha / 255]);
  }
  const [shade, alpha] = shades.get(colour);
  return { [name]: shade, [`${name}-opacity`]: (share * alpha).toFixed(3) };
}
function inked(frame, left, top) {
  const copy = frame.cloneNode(true), own = [frame, ...frame.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  own.forEach((node, at) => {
    const style = getComputedStyle(node);
    for (const name of ["class", "style"]) copies[at].removeAttribute(name);
    fillIn(copies[at], Object.fromEntries(INKS.map((name) => [name, style.getPropertyValue(name)])), []);
    for (const name of ["fill", "stroke"]) fillIn(copies[at], painted(name, style.getPropertyValue(name), Number(style.getPropertyValue(`${name}-opacity`))), []);
  });
  const { x, y, width, height } = frame.getBoundingClientRect();
  return fillIn(copy, { x: x - left, y: y - top, width, height }, []);
}
function picture(figure) {
  const drawn = [...figure.children].filter(({ localName }) => localName !== "details"), box = figure.getBoundingClientRect();
  const left = box.left - MARGIN, top = box.top - MARGIN, width = figure.clientWidth + 2 * MARGIN;
  const height = Math.ceil(Math.max(...drawn.map((node) => node.getBoundingClientRect().bottom)) - top + MARGIN);
  const paper = html("i", { style: "background: var(--paper)" });
  figure.append(paper);
  const whole = svg("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": getComputedStyle(figure).fontFamily },
    svg("rect", { width, height, ...painted("fill", getComputedStyle(paper).backgroundColor) }));
  paper.remove();
  for (const node of drawn) {
    for (const frame of [node, ...node.querySelectorAll("svg")].filter(({ localName }) => localName === "svg")) whole.append(inked(frame, left, top));
    for (const key of node.querySelectorAll("i")) {
      const { x, y, width, height } = key.getBoundingClientRect(), style = getComputedStyle(key);
      whole.append(svg("rect", { x: x - left + 1, y: y - top + 1, width: Math.max(0, width - 2), height: Math.max(0, height - 2), ...painted("fill", style.backgroundColor),
        ...painted("stroke", style.borderTopColor), "stroke-width": style.borderTopWidth, "stroke-dasharray": style.borderTopStyle === "dashed" ? "4 3" : null }));
    }
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const words = texts.currentNode, parent = words.parentElement, range = document.createRange();
      if (parent.closest("svg, button, select") || !words.data.trim()) continue;
      range.selectNodeContents(words);
      const { x, y, height } = range.getBoundingClientRect(), style = getComputedStyle(parent);
      whole.append(text(x - left, y - top + 0.76 * height, words.data, { ...painted("fill", style.color), "font-size": style.fontSize, "font-weight": style.fontWeight }));
    }
  }
  return whole;
}
const drawing = (figure) => new Blob([new XMLSerializer().serializeToString(picture(figure))], { type: "image/svg+xml" });
async function pixels(figure) {
  const address = URL.createObjectURL(drawing(figure)), image = new Image();
  try {
    image.src = address;
    await image.decode();
    const sheet = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    return await new Promise((resolve) => sheet.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
const PICTURES = { SVG: drawing, PNG: pixels };

/* What writes tables as CSV and Parquet, from assets/canvas/source/tables.js: a file has it inside, the page loads it. */
const TABLES = ["CSV", "Parquet"];
const tables = async () => globalThis.workbenchTables ?? (await import(new URL("tables.js", document.baseURI).href), globalThis.workbenchTables);

const above = (counts, limit) =>
  counts.slice(Math.round((limit - LOWEST) * 100)).reduce((sum, count) => sum + count, 0) / counts.reduce((sum, count) => sum + count, 0);
const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.095 ? 1 : 0)}\u00a0%`;

function ranks(values) {
  const order = values.map((value, at) => [value, at]).sort((a, b) => a[0] - b[0]), found = new Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end < order.length && order[end][0] === order[start][0]) end += 1;
    for (let at = start; at < end; at += 1) found[order[at][1]] = (start + end + 1) / 2;
    start = end;
  }
  return found;
}
function spearman(first, second) {
  const a = ranks(first), b = ranks(second), middle = (a.length + 1) / 2;
  let both = 0, left = 0, right = 0;
  a.forEach((rank, at) => { both += (rank - middle) * (b[at] - middle); left += (rank - middle) ** 2; right += (b[at] - middle) ** 2; });
  return both / Math.sqrt(left * right);
}

// Two forces: Wang and Isola 2020, powers 2 and t = 2; the same steps as in workbench/lesson/forces.py.

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
const unit = (row) => { const length = Math.sqrt(dot(row, row)); return row.map((value) => value / length); };
function apart(rows) {
  const slopes = rows.map((row) => row.map(() => 0));
  let total = 0;
  for (let i = 0; i < rows.length; i += 1) {
    for (let j = 0; j < i; j += 1) {
      const difference = rows[i].map((value, at) => value - rows[j][at]), kernel = Math.exp(-2 * dot(difference, difference));
      total += kernel;
      difference.forEach((value, at) => { slopes[i][at] -= kernel * value; slopes[j][at] += kernel * value; });
    }
  }
  return { value: Math.log(total / (rows.length * (rows.length - 1) / 2)), slopes: slopes.map((row) => row.map((value) => 2 * value / total)) };
}
function forces(a, b) {
  const left = apart(a), right = apart(b);
  const alignment = a.reduce((sum, row, at) => sum + row.reduce((inner, value, d) => inner + (value - b[at][d]) ** 2, 0), 0) / a.length;
  return { alignment, uniformity: (left.value + right.value) / 2, left: left.slopes, right: right.slopes };
}
function moved(a, b, pull, push) {
  const { left, right } = forces(a, b);
  const along = (rows, others, slopes) => rows.map((row, i) => {
    const slope = row.map((value, d) => pull * 2 * (value - others[i][d]) / rows.length + push * slopes[i][d]), tangent = dot(slope, row);
    return unit(row.map((value, d) => value - RATE * (slope[d] - tangent * value)));
  });
  return [along(a, b, left), along(b, a, right)];
}

const MOST_STEPS = 400;

/* Pairs of points on a circle or a sphere, which is seen a little from the side. */
function rounded(size, space, label) {
  const frame = canvas(size, label), middle = { x: size.width / 2, y: size.height / 2 }, reach = Math.min(middle.x, middle.y) - 16, pairs = svg("g", {});
  frame.append(svg("circle", { cx: middle.x, cy: middle.y, r: reach, class: "rim" }),
    ...(space === "sphere" ? [svg("ellipse", { cx: middle.x, cy: middle.y, rx: reach, ry: reach / 3, class: "rim" })] : []), pairs);
  const turn = (row) => (row.length === 2 ? [...row, 1] : [row[0] * 0.86 + row[2] * 0.5, row[1], row[2] * 0.86 - row[0] * 0.5]);
  const show = (a, b) => pairs.replaceChildren(...a.map((row, at) => {
    const [first, second] = [turn(row), turn(b[at])], near = (point) => (row.length === 2 ? 1 : 0.35 + 0.65 * (point[2] + 1) / 2);
    const to = (point) => ({ cx: (middle.x + point[0] * reach).toFixed(1), cy: (middle.y - point[1] * reach).toFixed(1) });
    const [p, q] = [to(first), to(second)];
    return svg("g", {}, svg("line", { x1: p.cx, y1: p.cy, x2: q.cx, y2: q.cy, class: "bond" }),
      svg("circle", { ...p, r: size.font / 1.9, class: "dot before", opacity: near(first) }), svg("rect", { x: q.cx - size.font / 3.2, y: q.cy - size.font / 3.2, width: size.font / 1.6, height: size.font / 1.6, class: "dot after", opacity: near(second) }));
  }));
  return { frame, show };
}

// The steps: their knobs, and their figure for a state of these.

/* What both encoders are called: of two of which none was trained from the other, nothing is said of a training. */
const TRAINED = [["before", "before training"], ["after", "after training"]], OTHERS = [["before", "encoder before"], ["after", "encoder after"]];
const sidesOf = ({ facts }) => (facts.steps ? TRAINED : OTHERS);
const keysOf = (numbers) => legend(sidesOf(numbers).map(([kind, name]) => ({ kind, name })));
const side = (numbers) => ({ name: "side", kind: "choice", label: "Encoder", options: sidesOf(numbers) });
const both = ({ facts }, before, after, and = " and ") =>
  (facts.steps ? `${before} before training${and}${after} after` : `${before} with the encoder before${and}${after} with the one after`);

const FIGURES = {
  strangers: {
    knobs: (numbers) => [{ name: "limit", kind: "range", label: "Threshold", low: -0.2, high: 1, by: 0.01, start: 0.8, shown: two }, side(numbers)],
    draw(size, { shared, ...sides }, { limit, side: which }) {
      const { random, same, examples } = sides[which], wrong = above(random, limit), right = above(same, limit);
      const says = `At ${two(limit)}, ${percent(right)} of the pairs that mean the same are above the threshold, and ${percent(wrong)} of the unrelated ones.`;
      return {
        nodes: [
          legend([{ name: "unrelated sentences", kind: "random" }, { name: "sentences that mean the same", kind: "same" }]),
          big([["unrelated, yet above", percent(wrong)], ["same meaning, and above", percent(right)]]),
          hills({ ...size, height: size.height * 0.74 }, [{ counts: random, kind: "random" }, { counts: same, kind: "same" }], says, { mark: limit }),
          html("p", { class: "example" }, "Unrelated, cosine ", html("b", {}, two(examples[0])), ": ",
            html("q", { dir: "auto" }, shared.examples[0][0]), " ", html("q", { dir: "auto" }, shared.examples[0][1])),
        ],
        says, head: [["cosine", two], ["first"], ["second"]], rows: shared.examples.map(([a, b], at) => [examples[at], a, b]),
        drawn: barsOf([{ name: "unrelated sentences", counts: random }, { name: "sentences that mean the same", counts: same }]),
      };
    },
  },
  ranking: {
    knobs: (numbers) => [{ name: "squeeze", kind: "range", label: "Pressed towards 1", low: 0, high: 0.95, by: 0.05, start: 0.9, shown: (v) => `${(1 / (1 - v)).toFixed(1)} times` }, side(numbers)],
    draw(size, { shared, ...sides }, { squeeze, side: which }) {
      const cosines = sides[which].cosines.map((value) => 1 - (1 - value) * (1 - squeeze)), rho = spearman(cosines, shared.gold);
      const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
      const says = `Spearman ${score(rho)}, mean cosine of the pairs ${two(mean)}.`;
      const title = "score by two readers (5: same meaning); upwards: cosine";
      const frame = canvas(size, says), bottom = size.height - foot(size, title), left = 3 * size.font;
      const x = scale(0, 5, left, size.width - 14), y = scale(Math.min(0, ...sides[which].cosines), 1, bottom, 10);
      for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
        frame.append(svg("line", { x1: left, x2: size.width, y1: y(tick), y2: y(tick), class: "rule" }),
          text(left - 6, y(tick) + size.font / 3, String(tick), { "text-anchor": "end", class: "quiet" }));
      }
      const dots = svg("g", { class: `dots ${which}` });
      cosines.forEach((value, at) => dots.append(svg("circle", { cx: x(shared.gold[at]).toFixed(1), cy: y(value).toFixed(1), r: size.font / 7 })));
      frame.append(dots);
      axis(frame, size, x, [0, 1, 2, 3, 4, 5], bottom, title);
      return { nodes: [big([["Spearman", score(rho)], ["mean cosine of the pairs", two(mean)]]), frame], says,
        head: [["times pressed"], ["Spearman", score]], rows: [1, 2, 10, 20].map((times) => [times, spearman(sides[which].cosines.map((cosine) => 1 - (1 - cosine) / times), shared.gold)]),
        drawn: pointsOf(["score by two readers", "cosine"], cosines.map((value, at) => [shared.gold[at], value])) };
    },
  },
  mean: {
    knobs: ({ shared, facts }) => [{ name: "share", kind: "range", label: "Mean subtracted", low: 0, high: shared.shares.length - 1, by: 1, start: 0,
      shown: (at) => percent(shared.shares[at]) }, side({ facts })],
    draw(size, { shared, ...sides }, { share, side: which }) {
      const { points, length, mean_cosine } = sides[which], shift = shared.shares[share] * length;
      const says = `With ${percent(shared.shares[share])} of the mean subtracted, the mean cosine is ${two(mean_cosine[share])}.`;
      return { nodes: [big([["mean cosine", two(mean_cosine[share])]]), fan(size, points, says, { shift, length, kind: which, named: `mean ${two(length - shift)}` }),
        html("p", { class: "quiet" }, "Seen in two of many directions, so arrows look shorter than they are.")],
        says, head: [["share subtracted", percent], ["mean cosine", two]], rows: shared.shares.map((value, at) => [value, mean_cosine[at]]),
        drawn: pointsOf(["along the mean", "across"], points.map(([along, across]) => [along - shift, across])) };
    },
  },
  centring: {
    knobs: ({ shared }) => [{ name: "at", kind: "range", label: "Removed", low: 0, high: shared.removed.length - 1, by: 1, start: 1,
      shown: (at) => removal(shared.removed[at]) }],
    draw(size, { shared, before, after, facts }, { at }) {
      const gone = removal(shared.removed[at]);
      const says = `${gone[0].toUpperCase()}${gone.slice(1)} removed: Spearman ${both({ facts }, score(before.spearman[at]), score(after.spearman[at]), ", ")}.`;
      return { nodes: [keysOf({ facts }),
        lines(size, shared.removed.map((k) => (k < 0 ? "nothing" : k === 0 ? "mean" : `+${k}`)), [{ values: before.spearman, kind: "before" }, { values: after.spearman, kind: "after" }], says,
          { at, up: "Spearman", title: "removed: the mean, then so many main directions" })], says,
        head: [["removed"], ...sidesOf({ facts }).map(([, name]) => [name, score])], rows: shared.removed.map((k, row) => [removal(k), before.spearman[row], after.spearman[row]]) };
    },
  },
  layers: {
    // Each encoder has as many layers as it has: the knob goes to the last of the deeper one.
    knobs: ({ before, after }) => [{ name: "layer", kind: "range", label: "Layer", low: 0, high: Math.max(before.mean_cosine.length, after.mean_cosine.length) - 1, by: 1, start: before.mean_cosine.indexOf(Math.max(...before.mean_cosine)), shown: (at) => (at ? String(at) : "0: the words alone") }],
    draw(size, { before, after, facts }, { layer }) {
      const there = sidesOf({ facts }).map(([kind, name]) => ({ kind, name, ...{ before, after }[kind] })).filter(({ mean_cosine }) => layer < mean_cosine.length);
      const missing = there.length < 2 && (there[0].kind === "before" ? ["after", after] : ["before", before]);
      const where = layer ? `After layer ${layer}` : "Before any layer";
      const says = missing ? `${where} the mean cosine is ${two(there[0].mean_cosine[layer])} with the encoder ${there[0].kind}; the one ${missing[0]} has ${missing[1].mean_cosine.length - 1} layers.`
        : `${where} the mean cosine is ${both({ facts }, two(before.mean_cosine[layer]), two(after.mean_cosine[layer]))}.`;
      const deeper = before.mean_cosine.length < after.mean_cosine.length ? after : before;
      const names = deeper.mean_cosine.map((_, at) => (at ? String(at) : "words")), half = { ...size, height: size.height * 0.46 };
      return { nodes: [keysOf({ facts }),
        lines(half, names, [{ values: before.mean_cosine, kind: "before" }, { values: after.mean_cosine, kind: "after" }], says, { at: layer, up: "mean cosine", title: "layer", shown: two, zero: true }),
        hills(half, there.map(({ kind, random }) => ({ kind, counts: random[layer] })), `Cosines of random sentences, ${layer ? `after layer ${layer}` : "before any layer"}.`, { title: `cosines of random sentences, ${layer ? `layer ${layer}` : "before any layer"}` })],
        says, head: [["layer", (at) => names[at]], ["mean cosine before", two], ["mean cosine after", two], ["Spearman before", score], ["Spearman after", score]],
        rows: names.map((_, at) => [at, ...[before.mean_cosine, after.mean_cosine, before.spearman, after.spearman].map((values) => values[at] ?? null)]),
        drawn: barsOf(there.map(({ name, random }) => ({ name, counts: random[layer] }))) };
    },
  },
  frequency: {
    knobs: ({ shared, facts }) => [{ name: "at", kind: "range", label: "Left out", low: 0, high: shared.left_out.length - 1, by: 1, start: shared.left_out.indexOf(facts.best_out),
      shown: (at) => `${shared.left_out[at]} most frequent` }],
    draw(size, { shared, before, after, facts }, { at }) {
      const out = shared.left_out[at], says = `With the ${out} most frequent word pieces left out, Spearman is ${both({ facts }, score(before.spearman[at]), score(after.spearman[at]))}.`;
      const longest = Math.max(...before.bins.map(({ norm }) => norm));
      return { nodes: [keysOf({ facts }),
        lines({ ...size, height: size.height * 0.58 }, shared.left_out.map(String), [{ values: before.spearman, kind: "before" }, { values: after.spearman, kind: "after" }], says, { at, up: "Spearman", title: "most frequent word pieces left out" }),
        html("div", { class: "bars" }, html("p", { class: "quiet" }, "Mean length of word embeddings, by rank of frequency"), before.bins.map(({ first, last, norm, words }) =>
          html("div", { class: "bar" }, html("span", { class: "name" }, `${(first + 1).toLocaleString("en")}–${(last + 1).toLocaleString("en")}: `, html("em", {}, words.slice(0, 2).join(", "))),
            html("span", { class: "track" }, html("span", { class: "before", style: `width:${(100 * norm / longest).toFixed(1)}%` })), html("b", {}, two(norm)))))],
        says, head: [["left out"], ["Spearman before", score], ["Spearman after", score]], rows: shared.left_out.map((k, row) => [k, before.spearman[row], after.spearman[row]]),
        drawn: { name: "bars", head: [["from rank"], ["to rank"], ["mean length"], ["such as"]], rows: before.bins.map(({ first, last, norm, words }) => [first + 1, last + 1, norm, words.join(", ")]) } };
    },
  },
  balance: {
    knobs: () => [
      { name: "pull", kind: "range", label: "Alignment", low: 0, high: 2, by: 0.1, start: 1, shown: (v) => Number(v).toFixed(1) },
      { name: "push", kind: "range", label: "Uniformity", low: 0, high: 2, by: 0.1, start: 0, shown: (v) => Number(v).toFixed(1) },
      { name: "space", kind: "choice", label: "Space", options: [["circle", "circle"], ["sphere", "sphere"]] },
    ],
    moving: true,
    /* On paper nothing moves: where it starts, and where alignment alone and both forces lead. */
    draw(size, { shared, facts }) {
      const small = { ...size, width: Math.floor((size.width - 24) / 3), height: Math.floor((size.width - 24) / 3) };
      const shown = [["at the start", 0, 0, "start"], ["alignment alone", 1, 0, "pulled"], ["both forces", 1, 1, "both"]].map(([name, pull, push, fact]) => {
        const label = `${name}: alignment ${two(facts[`${fact}_alignment`])}, uniformity ${two(facts[`${fact}_uniformity`])}`, board = rounded(small, "circle", `${label}.`);
        let { a, b } = shared.circle;
        for (let step = 0; (pull || push) && step < MOST_STEPS; step += 1) [a, b] = moved(a, b, pull, push);
        board.show(a, b);
        return html("div", {}, board.frame, html("p", { class: "quiet" }, label));
      });
      return { nodes: [legend([{ name: "first view", kind: "before" }, { name: "second view", kind: "after" }]), html("div", { class: "three" }, shown)] };
    },
  },
  dropout: {
    knobs: ({ shared, facts }) => [{ name: "at", kind: "range", label: "Dropout", low: 0, high: shared.rates.length - 1, by: 1, start: shared.rates.indexOf(0.1), shown: (at) => percent(shared.rates[at]) }, side({ facts })],
    draw(size, { shared, ...sides }, { at, side: which }) {
      const { same, other, same_mean, other_mean, nearest } = sides[which];
      const says = `At a rate of ${percent(shared.rates[at])}, two views of a sentence have a mean cosine of ${two(same_mean[at])}, views of different sentences ${two(other_mean[at])}; ${percent(nearest[at])} find their partner.`;
      return { nodes: [legend([{ name: "views of different sentences", kind: "random" }, { name: "two views of one sentence", kind: "same" }]),
        big([["two views", two(same_mean[at])], ["different sentences", two(other_mean[at])], ["find their partner", percent(nearest[at])]]),
        hills({ ...size, height: size.height * 0.8 }, [{ counts: other[at], kind: "random" }, { counts: same[at], kind: "same" }], says)],
        says, head: [["rate", percent], ["two views", two], ["different sentences", two], ["find their partner", percent]],
        rows: shared.rates.map((rate, row) => [rate, same_mean[row], other_mean[row], nearest[row]]),
        drawn: barsOf([{ name: "views of different sentences", counts: other[at] }, { name: "two views of one sentence", counts: same[at] }]) };
    },
  },
  temperature: {
    knobs: ({ shared, facts }) => [
      { name: "at", kind: "range", label: "Temperature", low: 0, high: TEMPERATURES.length - 1, by: 1, start: TEMPERATURES.indexOf(0.05), shown: (at) => String(TEMPERATURES[at]) },
      { name: "row", kind: "select", label: "Sentence", options: shared.text.map((words, at) => [at, words]), start: 0 }, side({ facts }),
    ],
    draw(size, { shared, ...sides }, { at, row, side: which }) {
      const number = Number(row), cosines = sides[which].cosines[number], candidates = [...shared.positive, ...shared.negative];
      const logits = cosines.map((cosine, to) => (to === number ? -Infinity : cosine / TEMPERATURES[at])), top = Math.max(...logits);
      const raw = logits.map((logit) => Math.exp(logit - top)), total = raw.reduce((sum, value) => sum + value, 0);
      const order = raw.map((value, to) => [value / total, to]).filter(([, to]) => to !== number).sort((a, b) => b[0] - a[0]);
      const own = number + shared.text.length, says = `At temperature ${TEMPERATURES[at]} the most similar negative gets ${percent(order[0][0])} of the push.`;
      const most = size.height < 330 ? 4 : 6, shown = order.slice(0, most), rest = order.slice(most).reduce((sum, [share]) => sum + share, 0);
      const bar = (share, words, cosine, hard) => html("li", { class: hard ? "hard" : "" }, html("span", { class: "words", dir: "auto" }, words),
        html("span", { class: "track" }, html("span", { class: which, style: `width:${(100 * share).toFixed(2)}%` })), html("b", {}, percent(share)), html("span", { class: "quiet" }, cosine));
      return { nodes: [html("p", { class: "anchor", dir: "auto" }, shared.text[number]),
        html("p", { class: "quiet" }, "is pushed away from, by share of the push (and cosine):"),
        html("ol", { class: "push" }, shown.map(([share, to]) => bar(share, candidates[to], two(cosines[to]), to === own)), bar(rest, `the other ${order.length - most}`, "", false)),
        html("p", { class: "quiet" }, "▲ its own contradiction")],
        says, head: [["negative"], ["share", percent], ["cosine", two]], rows: order.map(([share, to]) => [candidates[to], share, cosines[to]]) };
    },
  },
  film: {
    knobs: ({ frames, facts }) => [{ name: "at", kind: "range", label: facts.steps ? "Step" : "Encoder", low: 0, high: frames.length - 1, by: 1, start: 0, shown: (at) => namesOf(frames, facts)[at], play: true }],
    draw(size, { frames, facts }, { at }) {
      const names = namesOf(frames, facts), by = facts.steps ? "step" : "encoder", measured = facts.steps > 0; // an encoder is at no step of another
      const now = frames[at], says = `${measured ? "Step " : ""}${names[at]}: mean cosine ${two(now.mean_cosine)}, Spearman ${score(now.spearman)}.`;
      const kind = at ? "after" : "before", length = now.points.reduce((sum, [along]) => sum + along, 0) / now.points.length;
      const small = { ...size, width: size.wide ? size.width * 0.4 : size.width, height: size.wide ? size.height * 0.49 : size.height * 0.4 };
      return { nodes: [html("div", { class: size.wide ? "beside" : "" }, fan({ ...size, width: size.wide ? size.width * 0.58 : size.width }, now.points, says, { length, kind, named: "mean" }),
        html("div", {}, lines(small, names, [{ values: frames.map((frame) => frame.mean_cosine), kind: "cosine" }], `Mean cosine by ${by}.`, { at, measured, up: "mean cosine", title: by, shown: two, zero: true }),
          lines(small, names, [{ values: frames.map((frame) => frame.spearman), kind: "spearman" }], `Spearman by ${by}.`, { at, measured, up: "Spearman", title: by }))),
        html("p", { class: "quiet" }, `${measured ? "Throughout in two directions of step 0" : "Each encoder in two directions of its own"}: its mean, and what differs most besides.`)],
        says, head: [[by], ["mean cosine", two], ["Spearman", score]], rows: frames.map((frame, number) => [measured ? frame.step : names[number], frame.mean_cosine, frame.spearman]),
        drawn: pointsOf(["along the mean", "across"], now.points) };
    },
  },
  augmentations: {
    knobs: ({ shared, facts }) => [{ name: "at", kind: "select", label: "Change", options: shared.methods.map(({ title }, at) => [at, title]),
      start: Math.max(0, shared.methods.findIndex(({ title }) => title === facts.altering_title)) }, side({ facts })],
    draw(size, { shared, ...sides }, { at, side: which }) {
      const number = Number(at), method = shared.methods[number], { cosine, example } = sides[which];
      const says = `${method.title}: mean cosine ${two(cosine[number])} of ${method.changed} sentences with what it made of them.`;
      const rows = ["preserving", "possible", "meaning_alteration"], frame = canvas({ ...size, height: size.height * 0.5 }, says);
      const title = "mean cosine of sentence and changed one", height = size.height * 0.5, bottom = height - foot(size, title), left = 11 * size.font;
      const low = Math.floor(10 * Math.min(...cosine)) / 10, x = scale(low, 1, left, size.width - 14);
      rows.forEach((kind, row) => {
        const y = 14 + (row + 0.5) * (bottom - 20) / 3;
        frame.append(text(left - 10, y + size.font / 3, CLASSES[kind], { "text-anchor": "end" }), svg("line", { x1: left, x2: size.width - 14, y1: y, y2: y, class: "rule" }));
        shared.methods.forEach((other, to) => {
          if (other.class === kind) frame.append(svg(kind === "meaning_alteration" ? "rect" : "circle", { cx: x(cosine[to]), cy: y, r: 6, x: x(cosine[to]) - 5.5, y: y - 5.5, width: 11, height: 11, class: `change ${kind} ${to === number ? "chosen" : ""}` }));
        });
      });
      const ticks = Array.from({ length: Math.round((1 - low) * 10) + 1 }, (_, tick) => Number((low + tick / 10).toFixed(1)));
      axis(frame, size, x, ticks, bottom, title);
      frame.append(...frame.querySelectorAll(".chosen"));
      return { nodes: [html("dl", { class: "change" }, html("dt", {}, "Sentence"), html("dd", { dir: "auto" }, method.example[0]), html("dt", {}, "Changed"), html("dd", { dir: "auto" }, method.example[1]),
        html("dt", {}, "Cosine"), html("dd", {}, html("b", {}, two(example[number])), `; mean of ${method.changed} sentences: `, html("b", {}, two(cosine[number])), ` (${CLASSES[method.class]})`)), frame],
        says, head: [["change"], ["meaning"], ...sidesOf(sides).map(([, name]) => [sides.facts.steps ? `cosine ${name}` : `cosine, ${name}`, two])],
        rows: shared.methods.map((other, to) => [other.title, CLASSES[other.class], sides.before.cosine[to], sides.after.cosine[to]]) };
    },
  },
};
const TEMPERATURES = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.5, 1];
const CLASSES = { preserving: "keeps the meaning", possible: "may change it", meaning_alteration: "alters it" };
const removal = (number) => (number < 0 ? "nothing" : number === 0 ? "the mean" : `the mean and ${number} direction${number > 1 ? "s" : ""}`);
/* Where a click on Save is answered; new where something else would be saved. */
const answer = () => html("span", { role: "status" });
const big = (items) => html("dl", { class: "big" }, items.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value))));

// Predictions and knobs are kept for this tab, by step and numbers: another page, a reload or Back does not lose them.

const KEPT = "workbench-lesson";
function recalled() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    return Object.fromEntries(Object.entries(kept ?? {}).filter(([, state]) => state?.knobs));
  } catch { return {}; } // some browsers refuse to keep anything of a file
}
function remember(states) {
  try { sessionStorage.setItem(KEPT, JSON.stringify(states)); } catch { /* then until the page is left */ }
}
/* Whether a knob can be set to a value; other numbers may have fewer frames or layers. */
const settable = (knob, value) => (knob.kind === "range" ? typeof value === "number" && value >= knob.low && value <= knob.high
  : knob.options.some(([option]) => String(option) === String(value)));

/* Whether an element has a use of its own for Page Down. */
const takesPages = (node) => node instanceof Element && (node.matches("select, textarea, input:not([type=radio])")
  || (node.scrollHeight > node.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(node).overflowY)));

// The lesson itself

class Lesson {
  constructor(root, data, send) {
    Object.assign(this, { root, data, send, states: recalled(), shipped: {}, notes: false, sent: [] });
    this.root.classList.add("lesson");
    this.root.setAttribute("lang", "en");
    this.carry();
    this.build();
    new ResizeObserver(() => this.redraw()).observe(this.root);
    addEventListener("keydown", this.onkey = (event) => this.key(event));
    document.addEventListener("fullscreenchange", this.onscreen = () => { if (!document.fullscreenElement && this.entered) this.project(false); });
    this.go(data.step, { quiet: true });
  }

  close() {
    removeEventListener("keydown", this.onkey);
    document.removeEventListener("fullscreenchange", this.onscreen);
    cancelAnimationFrame(this.running);
    clearInterval(this.playing);
  }

  get steps() { return this.data.words.steps; }
  get index() { return Math.max(0, this.steps.findIndex(({ id }) => id === this.current)); }
  get step() { return this.steps[this.index]; }
  get live() { return this.shipped[this.current] ? null : this.data.live?.[this.current]; }
  get state() { return (this.states[this.keyOf(this.step)] ??= { choice: null, knobs: {} }); }

  /* A prediction is about the numbers that are shown: other encoders ask for another one. Two forces know no encoder. */
  keyOf({ id }) {
    const live = this.shipped[id] ? null : this.data.live?.[id];
    return id === "balance" ? id : live ? JSON.stringify([id, live.before, live.after]) : `${id} ${this.data.numbers.made.written}`;
  }

  /* Who has a step computed below its finding has predicted already; who then takes other encoders has not. */
  carry() {
    for (const id of Object.keys(this.data.live ?? {})) {
      const shipped = this.states[`${id} ${this.data.numbers.made.written}`], { before, after } = this.data.live[id];
      const first = !Object.keys(this.states).some((key) => key.startsWith(`["${id}",`));
      if (first && shipped) this.states[JSON.stringify([id, before, after])] = structuredClone(shipped);
    }
  }

  chosen(step) {
    const choice = this.states[this.keyOf(step)]?.choice;
    return Number.isInteger(choice) && step.options[choice] ? choice : null;
  }
  get numbers() { return this.live?.numbers ?? this.data.numbers.steps[this.current]; }

  /* Told by the page: another step was asked for, or numbers have been computed. */
  update(data) {
    const shown = ({ live, pending }) => JSON.stringify([live?.[this.current], pending?.includes(this.current)]);
    const offered = ({ film, run }) => JSON.stringify([film, run]), offers = offered(this.data);
    const before = shown(this.data), other = data.step !== this.data.step, echo = this.sent.indexOf(data.step);
    this.data = data;
    this.carry();
    if (echo >= 0) this.sent.splice(0, echo + 1); // what was sent comes back, perhaps after the reader has gone on
    if (echo < 0 && other) this.go(data.step, { quiet: true });
    else if (shown(data) !== before) { this.shipped[this.current] = false; this.show(); }
    else if (this.controls && data.page && offered(data) !== offers) this.offer();
  }

  build() {
    const button = (label, act, more = {}) => html("button", { type: "button", onclick: act, ...more }, label);
    this.nav = html("ol", {}, this.steps.map((step, at) => html("li", {}, button(step.aside ? "?" : String(this.number(at)), () => this.go(step.id), { title: step.title, "aria-label": `${step.aside ? "Question" : `Step ${this.number(at)}`}: ${step.title}` }))));
    this.projector = button("Projector", () => this.project(!this.root.classList.contains("projector")), { class: "projecting", "aria-pressed": "false" });
    this.main = html("div", { class: "step" });
    this.back = button("← Back", () => this.go(this.steps[this.index - 1].id));
    this.next = button("Next →", () => this.go(this.steps[this.index + 1].id), { class: "primary" });
    this.where = html("span", { class: "quiet where" });
    this.root.replaceChildren(
      html("header", {}, html("nav", { "aria-label": "Steps" }, this.nav),
        html("div", { class: "tools" }, this.projector, button("Teacher's notes", (event) => { this.notes = !this.notes; event.currentTarget.setAttribute("aria-pressed", this.notes); this.showNotes(); }, { "aria-pressed": "false" }),
          button("Handout", () => this.print()), button("Reset this step", () => { this.states[this.keyOf(this.step)] = { choice: null, knobs: {} }; this.show(); }))),
      this.main, html("footer", {}, this.back, this.where, this.next), (this.aside = html("aside", { "aria-label": "Teacher's notes", hidden: true })));
    // The file has it in its page, for the browser's own menu; the step that is asked for comes first.
    if (!this.data.page) setTimeout(() => this.root.append((this.sheet = this.handout())));
  }

  number(at) { return this.steps.slice(0, at + 1).filter((step) => !step.aside).length; }

  go(id, { quiet = false } = {}) {
    cancelAnimationFrame(this.running);
    clearInterval(this.playing);
    this.current = this.steps.some((step) => step.id === id) ? id : this.steps[0].id;
    if (!quiet) { if (this.data.page) this.sent.push(this.current); this.send("step", this.current); }
    this.show();
    if (!quiet) this.title.focus({ preventScroll: false });
  }

  show() {
    const { step, numbers } = this, facts = numbers.facts, at = this.index;
    [...this.nav.children].forEach((item, number) => {
      item.firstChild.toggleAttribute("aria-current", number === at);
      if (number === at) item.firstChild.setAttribute("aria-current", "step");
      item.classList.toggle("done", this.chosen(this.steps[number]) !== null);
    });
    this.back.disabled = at === 0;
    this.next.disabled = at === this.steps.length - 1;
    const minutes = (steps) => steps.reduce((sum, { minutes: each }) => sum + each, 0);
    this.where.textContent = `${step.minutes} min · ${minutes(this.steps.slice(0, at))} of ${minutes(this.steps)} min so far`;
    this.title = html("h2", { tabindex: "-1" }, step.title);
    const choice = this.chosen(step), answered = choice !== null;
    remember(this.states);
    const options = html("div", { class: "options", role: "group", "aria-label": "Your prediction" }, step.options.map((option, number) => {
      const right = holds(option.when, facts), picked = choice === number, mark = answered && right ? "✓ " : picked ? "✗ " : "";
      return html("button", { type: "button", class: answered ? (right ? "right" : picked ? "wrong" : "other") : "", "aria-pressed": String(picked), onclick: () => this.choose(number) },
        html("span", { class: "mark" }, mark), fill(option.text, facts));
    }));
    this.finding = html("div", { class: "finding", role: "status" });
    this.words = html("div", { class: "words" }, html("p", { class: "kicker" }, step.aside ? "A question students ask" : `Step ${this.number(at)} of ${this.steps.filter(({ aside }) => !aside).length}`),
      this.title, html("p", { class: "question" }, said(step.question, facts)), options, this.finding);
    this.figure = html("div", { class: "figure" });
    this.source = html("p", { class: "source quiet" });
    this.picture = html("div", { class: "picture" }, this.figure);
    this.main.replaceChildren(this.words, this.picture);
    this.controls = null;
    this.told = answer();
    if (answered) this.reveal();
    else this.figure.append(html("p", { class: "wait" }, html("span", { "aria-hidden": "true" }, "?"), "Predict first: choose an answer."));
    this.showNotes();
  }

  choose(number) {
    this.state.choice = number;
    this.show();
    this.words.querySelectorAll(".options button")[number].focus();
  }

  reveal() {
    const { step, numbers, state } = this, facts = numbers.facts;
    const right = holds(step.options[state.choice].when, facts), definition = FIGURES[step.id];
    const knobs = definition.knobs(numbers);
    for (const knob of knobs) {
      if (knob.kind === "range" && state.knobs[knob.name] > knob.high) state.knobs[knob.name] = knob.high;
      if (!settable(knob, state.knobs[knob.name])) state.knobs[knob.name] = knob.start ?? knob.options[0][0];
    }
    this.controls = html("div", { class: "knobs" }, html("p", { class: "ask" }, said(step.knob, facts)), knobs.map((knob) => this.knob(knob)));
    this.finding.append(html("p", {}, html("strong", {}, right ? "Right. " : "Not quite. "), said(step.findings, facts)));
    this.picture.append(this.controls, this.source);
    if (this.data.page) {
      this.acts = html("div", { class: "acts" });
      this.words.append(this.acts);
      this.offer();
    }
    const { made } = this.data.numbers;
    this.source.textContent = step.id === "balance" ? "Computed by this browser: gradient descent on both terms, from the same start."
      : this.live ? `Computed here. Before: ${this.live.before}. After: ${this.live.after}.` : `Shipped numbers: ${made.before}, before and after ${made.after}.`;
    this.redraw();
  }

  /* What the page can do for a step once it has been answered. */
  offer() {
    const { step } = this, { pending, film, run, live } = this.data, act = (label, name) => html("button", { type: "button", class: "small", onclick: () => this.send(name, step.id) }, label);
    const turn = () => { const { choice } = this.state; this.shipped[step.id] = !this.shipped[step.id]; this.state.choice ??= choice; this.show(); };
    const inside = (event) => { if (event.ctrlKey || event.metaKey || event.shiftKey) return; event.preventDefault(); this.send("run", run.id); }; // in a new tab as any link
    const held = this.acts.contains(this.root.getRootNode().activeElement);
    this.acts.replaceChildren(...[
      step.id in this.data.numbers.steps && step.id !== "balance" && act(pending.includes(step.id) ? "Computing …" : "Compute it here", "compute"),
      step.id === "film" && (!run || run.over) && act("Train it here, now", "train"),
      step.id === "film" && film && act("Watch the film of your newest run", "film"),
      live?.[step.id] && html("button", { type: "button", class: "small", onclick: turn }, this.shipped[step.id] ? "Show what was computed here" : "Show the shipped numbers"),
      step.id === "film" && run && html("p", { role: "status" }, run.over ? "The training has ended: " : "The training has been started: ",
        html("a", { href: `runs?run=${encodeURIComponent(run.id)}`, onclick: inside }, run.name), run.over ? "." : ". Go on with the lesson, and come back here for its film."),
    ].filter(Boolean));
    if (held) (this.acts.querySelector("a") ?? this.acts.querySelector("button"))?.focus(); // the button that was pressed may be gone
  }

  knob(knob) {
    const { state } = this, set = (value) => { state.knobs[knob.name] = value; remember(this.states); this.told = answer(); this.redraw(); };
    if (knob.kind === "choice") {
      return html("div", { class: "choice", role: "radiogroup", "aria-label": knob.label }, knob.options.map(([value, label]) => html("label", {}, html("input", { type: "radio", name: `lesson-${knob.name}`, value, checked: state.knobs[knob.name] === value, onchange: () => set(value) }), label)));
    }
    if (knob.kind === "select") {
      return html("label", { class: "pick" }, knob.label, html("select", { onchange: (event) => set(event.target.value) }, knob.options.map(([value, label]) => html("option", { value, selected: String(state.knobs[knob.name]) === String(value) }, label))));
    }
    const shown = html("b", { class: "value" }, knob.shown(state.knobs[knob.name]));
    const input = html("input", { type: "range", min: knob.low, max: knob.high, step: knob.by, value: state.knobs[knob.name], "aria-valuetext": knob.shown(state.knobs[knob.name]),
      // Whoever drags it on a projector goes on with a presenter, whose keys a slider would take.
      onpointerup: () => { if (this.root.classList.contains("projector")) input.blur(); },
      oninput: (event) => { const value = Number(event.target.value); shown.textContent = knob.shown(value); input.setAttribute("aria-valuetext", knob.shown(value)); set(value); } });
    const move = (value) => { input.value = value; input.dispatchEvent(new Event("input")); };
    const play = knob.play ? html("button", { type: "button", class: "small", onclick: (event) => this.play(event.currentTarget, knob, move) }, "▶ Play") : null;
    return html("div", { class: "range" }, html("label", {}, html("span", {}, knob.label, " ", shown), input), play);
  }

  play(button, knob, move) {
    const stop = () => { clearInterval(this.playing); this.playing = 0; button.textContent = "▶ Play"; };
    if (this.playing) return stop();
    if (Number(this.state.knobs[knob.name]) === knob.high) move(knob.low);
    button.textContent = "■ Stop";
    this.playing = setInterval(() => {
      const next = Number(this.state.knobs[knob.name]) + 1;
      if (next > knob.high || !button.isConnected) return stop();
      move(next);
    }, still() ? 1200 : 600);
  }

  size() {
    const projector = this.root.classList.contains("projector"), width = Math.max(260, Math.floor(this.figure.clientWidth));
    const font = projector ? 0.92 * parseFloat(getComputedStyle(this.root).fontSize) : 13;
    // A small screen scrolls: there the figure is as high as what is drawn in it, which would grow with each drawing.
    const scrolls = projector && getComputedStyle(this.root).overflowY === "auto";
    const room = projector && !scrolls ? Math.max(240, this.figure.clientHeight - 6 * font) : scrolls ? Math.max(240, innerHeight * 0.6) : Math.min(430, Math.max(300, width * 0.68));
    return { width, height: Math.floor(room), font, wide: width > 520, scrolls };
  }

  redraw() {
    if (!this.controls || !this.figure.isConnected) return;
    if (FIGURES[this.current].moving) return this.move();
    const drawn = (size) => FIGURES[this.current].draw(size, this.numbers, this.state.knobs);
    const size = this.size(), { nodes, says, ...numbers } = drawn(size);
    if (this.root.classList.contains("projector")) return size.scrolls ? this.figure.replaceChildren(...nodes) : this.fit(size, nodes, drawn);
    const open = this.figure.querySelector("details")?.open ?? false;
    this.figure.replaceChildren(...nodes, html("details", { open }, html("summary", {}, "As a table or a file"), this.files(() => numbers), html("p", {}, says), html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of the figure" }, table(numbers))));
  }

  /* Buttons for the picture, for the table below them, and for what else is drawn; `numbers` tells what that is now. */
  files(numbers) {
    const { told } = this; // a figure that is drawn again, as when its room changes, does not take the answer of a click with it
    const kinds = (what, made, part = "") => html("span", {}, `The ${what} as`, Object.entries(made).map(([kind, make]) => html("button", { type: "button", class: "small", "aria-label": `Save the ${what} as ${kind}`, onclick: async () => {
      const blob = await Promise.resolve().then(make).catch(() => null);
      told.textContent = blob ? "" : "Not saved. Is the app still running?";
      if (!blob) return;
      const link = html("a", { href: URL.createObjectURL(blob), download: `lesson-${this.current}${part}.${kind.toLowerCase()}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } }, kind)));
    const written = (of) => Object.fromEntries(TABLES.map((kind) => [kind, async () => { const { head, rows } = of(); return (await tables())[kind]([head.map(([name]) => name), ...rows]); }]));
    const { drawn } = numbers(), pictures = Object.fromEntries(Object.entries(PICTURES).map(([kind, make]) => [kind, () => make(this.figure)]));
    return html("p", { class: "files" }, kinds("figure", pictures), kinds("table", written(numbers)), drawn ? kinds(drawn.name, written(() => numbers().drawn), `-${drawn.name}`) : null, told);
  }

  /* On a projector a figure is as high as there is room. */
  fit(size, nodes, drawn) {
    this.figure.replaceChildren(...nodes);
    const heights = [...this.figure.querySelectorAll(":scope > svg, :scope > .beside")].map((node) => node.getBoundingClientRect().height);
    const gaps = 8 * (nodes.length - 1), filled = [...this.figure.children].reduce((sum, node) => sum + node.getBoundingClientRect().height, gaps);
    const share = heights.reduce((sum, height) => sum + height, 0) / size.height, spare = this.figure.clientHeight - filled - 12;
    if (share && Math.abs(spare) > 4) this.figure.replaceChildren(...drawn({ ...size, height: Math.max(160, Math.floor(size.height + spare / share)) }).nodes);
  }

  /* Points on a circle or a sphere follow the two forces. */
  move() {
    cancelAnimationFrame(this.running);
    const { shared, facts } = this.numbers, { pull, push, space } = this.state.knobs;
    let [a, b] = [shared[space].a, shared[space].b], count = 0;
    const { frame, show } = rounded(this.size(), space, "");
    const status = html("div", {}), tableOf = html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of the figure" });
    const open = this.figure.querySelector("details")?.open ?? false;
    const start = forces(a, b);
    const numbers = () => {
      const now = forces(a, b), axes = ["x", "y", "z"].slice(0, a[0].length);
      return { head: [["points"], ["alignment", two], ["uniformity", two]], rows: [["start", start.alignment, start.uniformity], [`step ${count}`, now.alignment, now.uniformity]],
        drawn: pointsOf([1, 2].flatMap((view) => axes.map((axis) => `${axis} of view ${view}`)), a.map((row, at) => [...row, ...b[at]])) };
    };
    this.figure.replaceChildren(status, frame, html("details", { open }, html("summary", {}, "As a table or a file"), this.files(numbers), tableOf));
    const draw = () => {
      const { alignment, uniformity } = forces(a, b);
      status.replaceChildren(legend([{ name: "first view", kind: "before" }, { name: "second view", kind: "after" }]), big([["alignment", two(alignment)], ["uniformity", two(uniformity)], ["step", String(count)]]));
      frame.setAttribute("aria-label", `After ${count} steps with weights ${pull} and ${push}: alignment ${two(alignment)}, uniformity ${two(uniformity)}.`);
      tableOf.replaceChildren(table(numbers()));
      show(a, b);
    };
    const advance = (steps) => { for (let each = 0; each < steps && count < MOST_STEPS; each += 1, count += 1) [a, b] = moved(a, b, pull, push); };
    if (still()) { advance(MOST_STEPS); draw(); return; }
    const tick = () => { draw(); if (count < MOST_STEPS && (pull || push)) { advance(4); this.running = requestAnimationFrame(tick); } };
    tick();
  }

  showNotes() {
    this.aside.hidden = !this.notes;
    this.aside.replaceChildren(html("h3", {}, `Teacher's notes, ${this.step.minutes} minutes`), this.live ? html("p", { class: "quiet" }, "These notes are about the shipped numbers. What the figure shows now was computed here, and may differ.") : "", html("p", {}, this.step.notes));
  }

  project(on) {
    this.root.classList.toggle("projector", on);
    this.projector.setAttribute("aria-pressed", String(on));
    this.projector.textContent = on ? "Leave projector" : "Projector";
    if (on) this.root.requestFullscreen?.().then(() => { this.entered = true; }, () => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    if (!on) this.entered = false;
    this.redraw();
  }

  key(event) {
    if (!this.root.classList.contains("projector")) return; // elsewhere these keys are the page's
    if (event.key === "Escape") return this.project(false);
    const pages = { PageDown: 1, PageUp: -1 }[event.key], to = this.steps[this.index + (pages ?? 0)];
    const path = event.composedPath(), inside = path.slice(0, Math.max(0, path.indexOf(this.root)));
    if (pages && to && !inside.some(takesPages)) { event.preventDefault(); this.go(to.id); }
  }

  /* Questions first, then what was found, with its figure. */
  handout() {
    const { steps } = this, sheet = html("section", { class: "handout", "aria-label": "Handout" }, html("h1", {}, this.data.words.title), html("p", {}, "Name: ______________________"));
    steps.forEach((step, at) => {
      const { facts } = this.data.numbers.steps[step.id];
      sheet.append(html("article", {}, html("h2", {}, `${step.aside ? "Question" : this.number(at)}. ${step.title}`), html("p", {}, said(step.question, facts)),
        html("ul", { class: "boxes" }, step.options.map((option) => html("li", {}, `☐ ${fill(option.text, facts)}`)))));
    });
    sheet.append(html("h1", { class: "answers" }, "What we saw"));
    steps.forEach((step, at) => {
      const numbers = this.data.numbers.steps[step.id], { facts } = numbers, definition = FIGURES[step.id];
      const knobs = Object.fromEntries(definition.knobs(numbers).map((knob) => [knob.name, knob.start ?? knob.options[0][0]]));
      const { nodes } = definition.draw({ width: 560, height: 250, font: 12, wide: true }, numbers, knobs);
      sheet.append(html("article", {}, html("h2", {}, `${step.aside ? "Question" : this.number(at)}. ${step.title}`), html("p", {}, said(step.findings, facts)), html("div", { class: "picture" }, nodes)));
    });
    return sheet;
  }

  print() {
    if (this.sheet) return print();
    const frame = html("iframe", { title: "Handout", style: "position:fixed;width:0;height:0;border:0" });
    document.body.append(frame);
    const inside = frame.contentDocument, style = inside.createElement("style");
    style.textContent = this.data.css;
    inside.head.append(style);
    const body = html("div", { class: "lesson paper" }, this.handout());
    inside.body.append(inside.importNode(body, true));
    frame.contentWindow.addEventListener("afterprint", () => frame.remove());
    frame.contentWindow.print();
  }
}

export function mount(root, data, send) {
  if (root.lesson) root.lesson.update(data);
  else root.lesson = new Lesson(root, data, send);
  root.lesson.send = send;
  return root.lesson;
}

/* How Streamlit mounts it. */
export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector("#lesson");
  mount(root, data, (name, value) => (name === "step" ? setStateValue("step", value) : setTriggerValue(name, value)));
  const call = (root.calls = (root.calls ?? 0) + 1);
  return () => {
    if (call !== root.calls) return; // a call that a rerun overtook is ended after the next one, to which the lesson belongs
    root.lesson?.close();
    root.lesson = undefined;
  };
}

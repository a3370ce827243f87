// Colours of rows by a column: a code for each row, the palette that the codes name, and a legend.

const STEPS = 32;
const VIRIDIS = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];
const MOST_LABELS = 7;

export function theme(element) {
  const style = getComputedStyle(element);
  const value = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  const paper = value("--st-background-color", "#FCFAF5");
  return {
    paper,
    ink: value("--st-text-color", "#1A2230"),
    series: value("--st-chart-categorical-colors", "#0072B2,#D55E00,#009E73,#C976A5,#C38340,#309ACE,#685B00,#000000").split(","),
    dark: luminance(paper) < 0.4,
  };
}

export function rgb(colour) {
  const hex = colour.trim().replace("#", "");
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

const luminance = (colour) => {
  const [red, green, blue] = rgb(colour);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
};

const mixed = (first, second, share) => {
  const [one, other] = [rgb(first), rgb(second)];
  return `#${one.map((part, at) => Math.round(part + (other[at] - part) * share).toString(16).padStart(2, "0")).join("")}`;
};

function ramp(stops) {
  const last = stops.length - 1;
  return Array.from({ length: STEPS }, (_, step) => {
    const along = (step / (STEPS - 1)) * last;
    const at = Math.min(last - 1, Math.floor(along));
    return mixed(stops[at], stops[at + 1], along - at);
  });
}

// Colours of numbers from few to many: many stand out, whatever the paper.
export const sequential = (look) => ramp(look.dark ? VIRIDIS.slice(1) : VIRIDIS.slice(0, 5).reverse());

// { codes, palette, legend }; a legend entry has a label, a colour, and the codes that it stands for.
export function coloured(column, n, look) {
  if (!column) return { codes: new Uint8Array(n), palette: [look.series[0]], legend: [] };
  if (column.type === "category") return byCategory(column, n, look);
  const { values } = column;
  let [low, high] = column.range;
  const stops = column.diverging
    ? [look.series[0], look.dark ? "#5b6472" : "#c9c2b4", look.series[1]]
    : look.dark
      ? VIRIDIS.slice(1)
      : VIRIDIS.slice(0, 5);
  if (column.diverging) [low, high] = [-Math.max(-low, high), Math.max(-low, high)];
  const codes = new Uint8Array(n);
  const scale = (STEPS - 1) / (high - low || 1);
  for (let row = 0; row < n; row++) {
    const value = values[row];
    codes[row] = value === value ? Math.min(STEPS - 1, Math.max(0, Math.round((value - low) * scale))) : 0;
  }
  const palette = ramp(stops);
  const legend = { low: column.format(low), high: column.format(high), palette, diverging: column.diverging };
  return { codes, palette, legend };
}

function byCategory(column, n, look) {
  const counts = new Uint32Array(column.labels.length);
  for (let row = 0; row < n; row++) counts[column.values[row]]++;
  const known = [...counts.keys()].filter((label) => counts[label]);
  const order = column.ordered ? known : known.sort((one, other) => counts[other] - counts[one]);
  const quiet = (label) => Boolean(column.quiet) && column.labels[label] === column.quiet;
  const loud = order.filter((label) => !quiet(label));
  const shown = loud.length > MOST_LABELS + 1 ? loud.slice(0, MOST_LABELS) : loud;
  const rest = look.dark ? "#7d8593" : "#8a8a8a";
  const codeOf = new Uint8Array(column.labels.length).fill(shown.length);
  shown.forEach((label, code) => (codeOf[label] = code));
  const codes = new Uint8Array(n);
  for (let row = 0; row < n; row++) codes[row] = codeOf[column.values[row]];
  const series = (number) => look.series[number % look.series.length];
  const colourOf = (label, code) => series(column.ordered ? label : code);
  const palette = [...shown.map(colourOf), rest];
  const legend = shown.map((label, code) => ({ label: column.labels[label] || "(none)", colour: palette[code], count: counts[label], labels: [label] }));
  if (shown.length < order.length) {
    const others = [...loud.slice(shown.length), ...order.filter(quiet)];
    const count = others.reduce((sum, label) => sum + counts[label], 0);
    const label = others.length === 1 ? column.labels[others[0]] || "(none)" : `${others.length} others`;
    legend.push({ label, colour: rest, count, labels: others });
  }
  return { codes, palette, legend };
}

// What Python packed: four bytes with the length of a JSON header, the header, then buffers at multiples of eight bytes.
// workbench/ui/canvas/scene.py writes it.

import { range } from "./view.js";

export function unpack(data) {
  const bytes = data.slice(); // a copy starts at 0, so that typed arrays can lie on it
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const start = Math.ceil((4 + length) / 8) * 8;
  const array = (Kind, { at, length }) => new Kind(bytes.buffer, start + at, length);
  const rows = new Map();
  for (const kind of header.rows) {
    const columns = new Map();
    for (const column of kind.columns) columns.set(column.name, { ...reader(column, array), full: full(column.label, column.of) });
    rows.set(kind.name, { ...kind, columns });
  }
  const ends = header.ends && { ...header.ends, rows: array(Uint32Array, header.ends.rows) };
  if (ends) {
    for (const { name, label, end, column } of ends.texts) {
      const source = rows.get(ends.to).columns.get(column);
      const text = (row) => source.text(ends.rows[row * ends.count + end]);
      rows.get(ends.of).columns.set(name, { name, label, full: label, of: "", type: "text", text, borrowed: true });
    }
  }
  for (const panel of header.panels) {
    panel.full = full(panel.title, panel.of);
    if (panel.behind) panel.behind.values = array(Float32Array, panel.behind.values);
  }
  return { ...header, rows, ends };
}

// A label together with whose it is.
const full = (label, of) => (of ? `${label}: ${of}` : label);

export const headerOf = (data) => {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
};

function reader(column, array) {
  if (column.type === "number") {
    const values = array(Float32Array, column.values);
    const format = (value) => number(value, column.digits);
    return { ...column, values, format, range: range(values), text: (row) => format(values[row]) };
  }
  if (column.type === "category") {
    const values = array(Uint16Array, column.values);
    return { ...column, values, text: (row) => column.labels[values[row]] ?? "" };
  }
  const offsets = array(Uint32Array, column.offsets);
  const content = array(Uint8Array, column.content);
  const decoder = new TextDecoder();
  const known = new Map();
  const text = (row) => {
    if (!known.has(row)) known.set(row, decoder.decode(content.subarray(offsets[row], offsets[row + 1])));
    return known.get(row);
  };
  return { ...column, text };
}

export function number(value, digits) {
  if (!Number.isFinite(value)) return "–";
  const shown = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return shown.replace(/^-(?=0(\.0+)?$)/, "").replace("-", "−");
}

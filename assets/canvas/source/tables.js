// Tables as files, for whatever draws figures in the browser: linked views, the lesson, films. A page loads this when a table is
// first saved; an exported file has it inside. A table is its rows, the names of its columns first; what is missing is null.

import { parquetWriteBuffer } from "hyparquet-writer";

const FORMULA = /^[=+\-@\t\n＝＋－＠]/; // as in workbench/core/spreadsheet.py
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const missing = (value) => value === null || value === undefined || (typeof value === "number" && !Number.isFinite(value));

// A cell in which no text is a formula to a spreadsheet.
function cell(value) {
  if (missing(value)) return "";
  if (typeof value === "number") return String(value);
  const text = value.replace(/\r\n?/g, "\n"), safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// Readers want the names of columns apart.
const apart = ([head, ...rows]) => [head.map((name, at) => (head.indexOf(name) < at ? `${name} (${at + 1})` : name)), ...rows];

// The columns as Parquet has them: whole numbers, numbers, or texts; a number among texts is written as in the CSV.
function columns([head, ...rows]) {
  return head.map((name, at) => {
    const data = rows.map((row) => (missing(row[at]) ? null : row[at])), known = data.filter((value) => value !== null);
    if (known.some((value) => typeof value === "string")) return { name, type: "STRING", data: data.map((value) => (value === null ? null : String(value))) };
    const whole = known.length === data.length && known.every((value) => value === (value | 0));
    return { name, type: whole ? "INT32" : "DOUBLE", data };
  });
}

globalThis.workbenchTables = {
  CSV: (rows) => new Blob([`${apart(rows).map((row) => row.map(cell).join(",")).join("\n")}\n`], { type: "text/csv" }),
  Parquet: (rows) => new Blob([parquetWriteBuffer({ columnData: columns(apart(rows)) })], { type: "application/vnd.apache.parquet" }),
};

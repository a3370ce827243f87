// The one selection of all panels: rows of one kind, and the rows of the other kind that they belong to.

export class Selection {
  constructor(rows, ends) {
    this.rows = rows;
    this.ends = ends;
    this.masks = new Map([...rows].map(([name, { n }]) => [name, new Uint8Array(n)]));
    this.counts = new Map([...rows.keys()].map((name) => [name, 0]));
    this.kind = rows.keys().next().value; // the kind in which the selection was made
    this.pointed = null; // { kind, row } below the mouse or the keyboard's cursor
    this.watchers = new Set();
    this.pointWatchers = new Set();
  }

  get empty() {
    return this.counts.get(this.kind) === 0;
  }

  mask(kind) {
    return this.masks.get(kind);
  }

  count(kind) {
    return this.counts.get(kind);
  }

  // how: replace, add, remove, toggle or within (those of them that are selected stay); rows: an array of row numbers.
  apply(kind, rows, how = "replace") {
    const before = this.masks.get(kind);
    const mask = how === "replace" || how === "within" ? new Uint8Array(this.rows.get(kind).n) : this.masks.get(kind).slice();
    for (const row of rows) mask[row] = how === "within" ? before[row] : how === "remove" ? 0 : how === "toggle" ? 1 - mask[row] : 1;
    this.set(kind, mask);
  }

  invert() {
    this.set(
      this.kind,
      this.masks.get(this.kind).map((on) => 1 - on),
    );
  }

  clear() {
    this.set(this.kind, new Uint8Array(this.rows.get(this.kind).n));
  }

  set(kind, mask, { quietly = false } = {}) {
    this.kind = kind;
    this.masks.set(kind, mask);
    if (this.ends && kind === this.ends.of) this.masks.set(this.ends.to, this.endsOf(mask));
    if (this.ends && kind === this.ends.to) this.masks.set(this.ends.of, this.having(mask));
    for (const [name, marked] of this.masks) {
      let count = 0;
      for (let row = 0; row < marked.length; row++) count += marked[row];
      this.counts.set(name, count);
    }
    for (const watcher of this.watchers) watcher({ quietly });
  }

  endsOf(mask) {
    const { to, rows, count } = this.ends;
    const marked = new Uint8Array(this.rows.get(to).n);
    for (let at = 0; at < rows.length; at++) if (mask[(at / count) | 0]) marked[rows[at]] = 1;
    return marked;
  }

  having(mask) {
    const { of, rows, count } = this.ends;
    const marked = new Uint8Array(this.rows.get(of).n);
    for (let at = 0; at < rows.length; at++) if (mask[rows[at]]) marked[(at / count) | 0] = 1;
    return marked;
  }

  point(kind, row) {
    if (this.pointed?.kind === kind && this.pointed?.row === row) return;
    this.pointed = row === null ? null : { kind, row };
    for (const watcher of this.pointWatchers) watcher();
  }

  // The rows of a kind that are pointed at, directly or as an end.
  pointedRows(kind) {
    if (!this.pointed) return [];
    if (this.pointed.kind === kind) return [this.pointed.row];
    const { ends } = this;
    if (ends && this.pointed.kind === ends.of && kind === ends.to) {
      const start = this.pointed.row * ends.count;
      return [...ends.rows.subarray(start, start + ends.count)];
    }
    return [];
  }

  // One bit a row, in base64: what Python is sent, however many rows are selected.
  encode() {
    const mask = this.masks.get(this.kind);
    const bytes = new Uint8Array(Math.ceil(mask.length / 8));
    for (let row = 0; row < mask.length; row++) if (mask[row]) bytes[row >> 3] |= 1 << (row & 7);
    let text = "";
    for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
    return { rows: this.kind, bits: btoa(text) };
  }

  decode({ rows, bits }) {
    if (!this.masks.has(rows)) return;
    const text = atob(bits);
    const mask = new Uint8Array(this.rows.get(rows).n);
    for (let row = 0; row < mask.length; row++) mask[row] = (text.charCodeAt(row >> 3) >> (row & 7)) & 1;
    this.set(rows, mask, { quietly: true });
  }
}

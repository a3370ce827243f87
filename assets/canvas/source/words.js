// Two texts by words: what each has that the other lacks, in order (the longest common subsequence is what they share).

import { element } from "./dom.js";

const MOST = 120;

export function differing(first, second) {
  const [one, other] = [pieces(first), pieces(second)];
  const keys = [one.map(key), other.map(key)];
  if (one.length > MOST || other.length > MOST) return [joined(one, null), joined(other, null)];
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let a = one.length - 1; a >= 0; a--) {
    for (let b = other.length - 1; b >= 0; b--) {
      lengths[a][b] = keys[0][a] === keys[1][b] ? lengths[a + 1][b + 1] + 1 : Math.max(lengths[a + 1][b], lengths[a][b + 1]);
    }
  }
  const differs = [new Uint8Array(one.length).fill(1), new Uint8Array(other.length).fill(1)];
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    if (keys[0][a] === keys[1][b]) differs[0][a++] = differs[1][b++] = 0;
    else if (lengths[a + 1][b] >= lengths[a][b + 1]) a++;
    else b++;
  }
  return [joined(one, differs[0]), joined(other, differs[1])];
}

const pieces = (text) => text.match(/\S+\s*/gu) ?? [];
const key = (piece) => piece.trim().toLowerCase().replace(/[.,;:!?]+$/u, "");

function joined(parts, differs) {
  const found = [];
  parts.forEach((part, at) => {
    const other = Boolean(differs?.[at]);
    const word = part.trimEnd();
    found.push({ text: word, differs: other });
    if (word.length < part.length) found.push({ text: part.slice(word.length), differs: false });
  });
  return found;
}

// Words, with those underlined that the other text lacks.
export function underlined(parent, parts) {
  for (const { text, differs } of parts) {
    if (differs) element("u", { text, parent });
    else parent.append(text);
  }
}

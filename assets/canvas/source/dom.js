// Elements of HTML and SVG, with text that is never read as markup.

const NS = "http://www.w3.org/2000/svg";

export function element(tag, { text, parent, ...attributes } = {}) {
  return filled(document.createElement(tag), text, parent, attributes);
}

export function drawn(tag, { text, parent, ...attributes } = {}) {
  return filled(document.createElementNS(NS, tag), text, parent, attributes);
}

function filled(node, text, parent, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.setAttribute("class", value);
    else if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  if (text !== undefined) node.textContent = text;
  parent?.append(node);
  return node;
}

export const counted = (count, [singular, plural]) => `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;

// Draws the figures of a report in the reader's theme, and in the light one on paper.
const figures = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const paper = matchMedia("print");
const NARROW = 600, LETTERS = 17, LINE = 42, PRINTED = 660;
const config = { displaylogo: false, responsive: true, scrollZoom: false, modeBarButtons: [["toImage"]] };

// Long names beside an axis, in a legend and above a panel are broken at spaces where the figure is narrow. They are escaped, and
// stay so.
function broken(text, letters = LETTERS) {
  const lines = [""];
  for (const word of String(text).split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length + 1 > letters) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.slice(0, 3).join("<br>");
}

function layoutOf(figure, width) {
  const layout = structuredClone(figure.layout);
  layout.autosize = true;
  delete layout.width;
  if (paper.matches) layout.width = PRINTED;
  if (width < NARROW) {
    for (const name of Object.keys(layout).filter((key) => key.startsWith("yaxis"))) {
      const axis = layout[name];
      if (!axis.ticktext) continue;
      axis.ticktext = axis.ticktext.map(broken);
      axis.tickfont = { ...axis.tickfont, size: 11 };
      const tallest = Math.max(...axis.ticktext.map((text) => text.split("<br>").length));
      layout.height += axis.ticktext.length * Math.max(0, 15 * tallest - 26);
    }
    layout.margin = { ...layout.margin, l: 48, r: 12 };
    for (const note of layout.annotations ?? []) note.text = fitting(note.text);
  }
  if (paper.matches) layout.paper_bgcolor = layout.plot_bgcolor = "#FFFFFF";
  return layout;
}

function fitting(text) {
  return text && text.length > LINE && !/[<&]/.test(text) ? broken(text, LINE) : text;
}

function dataOf(figure, width) {
  const data = structuredClone(figure.data);
  if (width < NARROW) for (const trace of data) if (trace.name) trace.name = fitting(trace.name);
  return data;
}

function draw() {
  for (const node of document.querySelectorAll("[data-figure]")) {
    const figure = figures[node.dataset.figure][dark.matches && !paper.matches ? "dark" : "light"];
    node.replaceChildren();
    Plotly.newPlot(node, dataOf(figure, node.clientWidth), layoutOf(figure, node.clientWidth), config)
      .then(() => { node.dataset.drawn = "true"; });
  }
}

draw();
dark.addEventListener("change", draw);
paper.addEventListener("change", draw);
let narrow = innerWidth < NARROW;
addEventListener("resize", () => { if ((innerWidth < NARROW) !== narrow) { narrow = !narrow; draw(); } });

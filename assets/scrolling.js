/* What scrolls can be scrolled with the keys, an open tab is in sight, and what a page says by itself is heard.

A box of code or a wide table scrolls inside the page, and the keys reach it only if it takes the focus. It does so only while
its content is larger than it is: on a wide screen most of these boxes would be stops of the Tab key for nothing.

A table that is wider than its place is marked, so that a shadow at its edge says that there is more.

On a narrow screen a row of tabs scrolls as well, and one that a link or Back has opened may lie beyond its edge.

Screen readers tell a change only where a region for it was there before; Streamlit puts new elements in the place of old ones.
So there is one such region, beside all that Streamlit draws, and each new sentence about the same thing goes there once. */
(() => {
  const BOXES = "pre, .sheet, .katex-display, .st-key-scan-plane, .st-key-scan-plane-inside";
  const INSIDE = "a[href], button, input, select, textarea, [tabindex='0']";
  const moves = (box) => {
    const { overflowX, overflowY } = getComputedStyle(box);
    const may = (overflow) => overflow === "auto" || overflow === "scroll";
    return (may(overflowX) && box.scrollWidth > box.clientWidth) || (may(overflowY) && box.scrollHeight > box.clientHeight);
  };
  const seen = new WeakMap();
  const showTab = (row) => {
    const tab = row.querySelector("[role=tab][aria-selected=true]");
    if (!tab || seen.get(row) === tab) return;
    seen.set(row, tab);
    const outer = row.getBoundingClientRect(), inner = tab.getBoundingClientRect();
    if (inner.left < outer.left || inner.right > outer.right) {
      row.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
    }
  };
  const heard = new Map();
  const region = document.createElement("div");
  region.setAttribute("role", "status");
  region.className = "heard";
  const tell = () => {
    if (!region.isConnected) document.body.append(region);
    const fresh = [];
    for (const { dataset } of document.querySelectorAll("[data-says]")) {
      if (heard.get(dataset.about) !== dataset.says) fresh.push(dataset.says);
      heard.set(dataset.about, dataset.says);
    }
    if (fresh.length) region.textContent = fresh.join(" ");
  };
  const mark = () => {
    due = 0;
    tell();
    document.querySelectorAll("[role=tablist]").forEach(showTab);
    for (const box of document.querySelectorAll(BOXES)) {
      if (box.matches(".sheet")) box.toggleAttribute("data-wider", box.scrollWidth > box.clientWidth + 1);
      const needed = moves(box) && !box.querySelector(INSIDE);
      if (needed && !box.hasAttribute("tabindex")) {
        box.setAttribute("tabindex", "0");
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", `${box.matches("pre") ? "Code" : box.querySelector("table") ? "Table" : "Box"}, scrolls`);
        box.dataset.scrolls = "";
      } else if (!needed && "scrolls" in box.dataset) {
        for (const name of ["tabindex", "role", "aria-label", "data-scrolls"]) box.removeAttribute(name);
      }
    }
  };
  let due = 0;
  const soon = () => { due ||= window.setTimeout(mark, 200); };
  new MutationObserver(soon).observe(document, { childList: true, subtree: true, characterData: true });
  for (const kind of ["resize", "toggle", "transitionend", "load"]) window.addEventListener(kind, soon, true);
})();

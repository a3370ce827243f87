/* What scrolls can be scrolled with the keys, and an open tab is in sight.

A box of code or a wide table scrolls inside the page, and the keys reach it only if it takes the focus. It does so only while
its content is larger than it is: on a wide screen most of these boxes would be stops of the Tab key for nothing.

A table that is wider than its place is marked, so that a shadow at its edge says that there is more.

On a narrow screen a row of tabs scrolls as well, and one that a link or Back has opened may lie beyond its edge. */
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
  const mark = () => {
    due = 0;
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

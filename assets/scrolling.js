/* What scrolls can be scrolled with the keys.

A box of code or a wide table scrolls inside the page, and the keys reach it only if it takes the focus. It does so only while
its content is larger than it is: on a wide screen most of these boxes would be stops of the Tab key for nothing. */
(() => {
  const BOXES = "pre, .sheet, .katex-display, .st-key-scan-plane, .st-key-scan-plane-inside";
  const INSIDE = "a[href], button, input, select, textarea, [tabindex='0']";
  const moves = (box) => {
    const { overflowX, overflowY } = getComputedStyle(box);
    const may = (overflow) => overflow === "auto" || overflow === "scroll";
    return (may(overflowX) && box.scrollWidth > box.clientWidth) || (may(overflowY) && box.scrollHeight > box.clientHeight);
  };
  const mark = () => {
    due = 0;
    for (const box of document.querySelectorAll(BOXES)) {
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

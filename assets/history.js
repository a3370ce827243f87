/* One step of the browser's Back per action of the reader.

Streamlit adds an entry to the browser's history for every parameter that a page writes. So opening a page whose choices are
written into its address added several, the first of them before the address named the page: Back showed one page with the
parameters of another. Here the first entry after a click or key is added, and later ones replace it. */
(() => {
  let acted = false;
  for (const kind of ["click", "keydown", "pointerdown"]) window.addEventListener(kind, () => { acted = true; }, true);
  const push = window.history.pushState.bind(window.history);
  window.history.pushState = (...entry) => {
    if (acted) push(...entry);
    else window.history.replaceState(...entry);
    acted = false;
  };
})();

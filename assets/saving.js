/* A figure as a file: the buttons of its menu click Plotly's own one.

Plotly's function is inside Streamlit's bundle, and out of reach but for the button that it puts above each figure. That button
is hidden (theme.css), because its mode bar covers what is drawn and saves one format only. */
(() => {
  const SHARP = 2; // pixels of a PNG for one on the screen
  document.addEventListener("click", (event) => {
    const asked = event.target instanceof Element && event.target.closest("button[data-figure]");
    if (!asked) return;
    const plot = document.querySelector(`.${CSS.escape(asked.dataset.figure)} .js-plotly-plot`);
    const button = plot?.querySelector(".modebar-btn");
    if (!button) return;
    const { format, name: filename } = asked.dataset;
    plot._context.toImageButtonOptions = { format, filename, scale: format === "png" ? SHARP : 1 };
    button.click();
  });

  // Streamlit disables a button while its file is made, and the browser forgets then where the keys were.
  const watched = new WeakSet();
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element && target.closest("[data-testid=stDownloadButton] button");
    if (!button || watched.has(button)) return;
    watched.add(button);
    new MutationObserver(() => {
      if (!button.disabled && document.activeElement === document.body) button.focus({ preventScroll: true });
    }).observe(button, { attributes: true, attributeFilter: ["disabled"] });
  });
})();

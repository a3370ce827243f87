/* A table whose rows choose is drawn before what listens to them (assets/choosing.js) is loaded: a click meanwhile waits for it. */
document.addEventListener("click", ({ target }) => {
  const row = target instanceof Element && !target.closest("a, .term") ? target.closest("tr[data-chooses]") : null;
  window.pressedAhead = row && getSelection().isCollapsed ? { ...row.dataset, at: performance.now() } : undefined;
}, true);

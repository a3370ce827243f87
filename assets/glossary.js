/* The meaning of a word, in a box beside it, while the mouse is on it or it has the focus. Escape closes the box. */
(() => {
  let box = null;
  let word = null;
  const hide = () => {
    box?.remove();
    word?.removeAttribute("aria-describedby");
    box = word = null;
  };
  const place = () => {
    if (!word) return;
    if (!word.isConnected) return hide();
    const at = word.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
    box.style.top = `${at.bottom + height + 8 < window.innerHeight ? at.bottom : at.top - height}px`;
  };
  const show = (term) => {
    if (term === word) return;
    hide();
    word = term;
    box = document.createElement("div");
    box.className = "meaning";
    box.id = "meaning";
    box.setAttribute("role", "tooltip");
    box.textContent = term.dataset.means;
    (document.querySelector("[data-testid=stApp]") ?? document.body).append(box);
    place();
    term.setAttribute("aria-describedby", box.id);
  };
  const near = (event) => event.target instanceof Element ? event.target.closest(".term, .meaning") : null;
  for (const kind of ["mouseover", "focusin", "click"]) {
    window.addEventListener(kind, (event) => {
      const found = near(event);
      if (found?.matches(".term")) show(found);
      else if (!found && !(kind === "mouseover" && word === document.activeElement)) hide();
    }, true);
  }
  window.addEventListener("focusout", (event) => { if (event.target === word) hide(); }, true);
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); }, true);
  for (const kind of ["scroll", "resize"]) window.addEventListener(kind, place, true);
})();

/* The meaning of a word, in a box beside it, while the mouse is on it or it has the focus. Escape closes the box. */
(() => {
  let box = null;
  let word = null;
  const hide = () => {
    box?.remove();
    word?.removeAttribute("aria-describedby");
    box = word = null;
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
    const at = term.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
    box.style.top = `${at.bottom + height + 8 < window.innerHeight ? at.bottom + 4 : Math.max(8, at.top - height - 4)}px`;
    term.setAttribute("aria-describedby", box.id);
  };
  const inside = (event) => event.target instanceof Element && event.target.closest(".term, .meaning");
  for (const kind of ["mouseover", "focusin", "click"]) {
    window.addEventListener(kind, (event) => {
      const term = inside(event);
      if (term?.matches(".term")) show(term);
      else if (!term && !(kind === "mouseover" && word === document.activeElement)) hide();
    }, true);
  }
  window.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); }, true);
  window.addEventListener("scroll", hide, true);
})();

/* Keys in a pipeline's steps: where a step is removed or moved with the keys, they go on from there.

The button that was pressed goes with its step, or is disabled at the end of the list, and the browser then begins at the top of
the page again. The step that follows takes the keys, or the one before, or the list of what can be added. */
(() => {
  const PRESSED = /^st-key-(.+)-(\d+)-(remove|Up|Down)$/;
  const keyOf = (element) => [...element.classList].find((name) => PRESSED.test(name)) || "";
  const inside = (key, what) => [...document.querySelectorAll(`.${CSS.escape(`st-key-${key}`)} ${what}`)];
  let end = () => {};
  document.addEventListener("click", (event) => {
    end();
    const button = event.target instanceof Element && event.target.closest("button");
    const [, list, number, does] = PRESSED.exec((button && keyOf(button.closest("[class*=st-key-]") || button)) || "") || [];
    if (!list || event.detail) return; // a click of the mouse has a number

    const numbers = [];
    for (const element of document.querySelectorAll(`[class*="st-key-${list}-"][class*="-remove"]`)) {
      const [, of, one] = PRESSED.exec(keyOf(element)) || [];
      if (of === list && !numbers.includes(one)) numbers.push(one);
    }
    const place = numbers.indexOf(number);
    const near = does === "remove" ? [numbers[place + 1], numbers[place - 1]].filter(Boolean) : [number];
    const buttons = does === "remove" ? ["remove"] : [does, does === "Up" ? "Down" : "Up", "remove"];
    const goOn = () => {
      if (document.activeElement !== document.body) return;
      const next = near.flatMap((one) => [
        ...buttons.flatMap((name) => inside(`${list}-${one}-${name}`, "button:enabled")),
        ...inside(`${list}-${one}-card`, "summary"), // while it is closed, its button cannot have the focus
      ]);
      for (const one of [...next, ...inside(`${list}-add`, "input")]) {
        one.focus();
        if (document.activeElement !== document.body) return;
      }
    };
    const watch = new MutationObserver(goOn);
    watch.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    end = () => {
      watch.disconnect();
      for (const kind of ["keydown", "pointerdown"]) window.removeEventListener(kind, end, true);
    };
    for (const kind of ["keydown", "pointerdown"]) window.addEventListener(kind, end, true);
  });
})();

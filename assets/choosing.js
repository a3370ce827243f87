/* Rows of tables that choose: a click on a row, or Enter on the button in it, tells Python its value. */
const ROWS = "tr[data-chooses]";
const shown = new WeakMap();
const PATIENCE = 10000; // milliseconds that a click waits, see assets/pressed_ahead.js

/* A table is drawn anew when the choice has changed: whoever pressed a button finds it focused again. */
function focusAgain(chooses, value) {
  const find = () =>
    [...document.querySelectorAll(`tr[data-chooses="${chooses}"]`)].find((row) => row.dataset.value === value)?.querySelector("button");
  const before = find();
  const observer = new MutationObserver(() => {
    if (before?.isConnected) return;
    const button = find();
    if (button) { button.focus({ preventScroll: true }); observer.disconnect(); }
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), PATIENCE);
}

export default function ({ data, parentElement, setTriggerValue }) {
  shown.get(parentElement)?.();
  parentElement.querySelector("p").textContent = data.hint;
  const press = (value, focused) => {
    window.pressedAhead = undefined;
    if (focused) focusAgain(data.chooses, value);
    setTriggerValue("pressed", value);
  };
  const choose = (event) => {
    const row = event.target instanceof Element ? event.target.closest(ROWS) : null;
    if (row?.dataset.chooses !== data.chooses || event.target.closest("a, .term") || !getSelection().isCollapsed) return;
    press(row.dataset.value, event.target.closest("button"));
  };
  const ahead = window.pressedAhead;
  if (ahead?.chooses === data.chooses && performance.now() - ahead.at < PATIENCE) {
    press(ahead.value, document.activeElement?.closest(ROWS));
  }
  document.addEventListener("click", choose);
  const stop = () => document.removeEventListener("click", choose);
  shown.set(parentElement, stop);
  return stop;
}

/* Rows of tables that choose: a click on a row, or Enter on the button in it, tells Python its value. */
const ROWS = "tr[data-chooses]";
const shown = new WeakMap();

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
  setTimeout(() => observer.disconnect(), 10000);
}

export default function ({ data, parentElement, setTriggerValue }) {
  shown.get(parentElement)?.();
  parentElement.querySelector("p").textContent = data.hint;
  const choose = (event) => {
    const row = event.target instanceof Element ? event.target.closest(ROWS) : null;
    if (row?.dataset.chooses !== data.chooses || event.target.closest("a, .term") || !getSelection().isCollapsed) return;
    if (event.target.closest("button")) focusAgain(data.chooses, row.dataset.value);
    setTriggerValue("pressed", row.dataset.value);
  };
  document.addEventListener("click", choose);
  const stop = () => document.removeEventListener("click", choose);
  shown.set(parentElement, stop);
  return stop;
}

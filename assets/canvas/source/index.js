// What Streamlit calls: at first, at every rerun, and with the function returned at the end.

import { Canvas } from "./canvas.js";

const canvases = new WeakMap();

export default function show({ data, parentElement, setStateValue }) {
  if (!canvases.has(parentElement)) canvases.set(parentElement, new Canvas(parentElement));
  const canvas = canvases.get(parentElement);
  canvas.update(data, (selection) => setStateValue("selection", selection));
  const call = (canvas.calls += 1);
  return () => {
    // A call that a rerun overtook while the script was loaded is ended after the next one, to which the canvas belongs by then.
    if (call !== canvas.calls) return;
    canvas.destroy();
    canvases.delete(parentElement);
  };
}

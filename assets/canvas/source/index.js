// What Streamlit calls: at first, at every rerun, and with the function returned at the end.

import { Canvas } from "./canvas.js";

const canvases = new WeakMap();

export default function show({ data, parentElement, setStateValue }) {
  if (!canvases.has(parentElement)) canvases.set(parentElement, new Canvas(parentElement));
  const canvas = canvases.get(parentElement);
  canvas.update(data, (selection) => setStateValue("selection", selection));
  return () => {
    canvas.destroy();
    canvases.delete(parentElement);
  };
}

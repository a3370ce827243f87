"""The linked views with few and very many points, in Chromium without a GPU."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.bench import Row
from experiments.bench.app import chromium

POINTS = (5_000, 100_000, 1_000_000)
PANNING_SECONDS = 4.0
_FRAMES = """
const frame = () => new Promise(requestAnimationFrame);
const plot = document.getElementById("host").shadowRoot.querySelector(".scatter .plot");
const box = plot.getBoundingClientRect();
const event = (name, x, y) => plot.dispatchEvent(new PointerEvent(name, { bubbles: true, pointerId: 1, button: 0,
  clientX: box.left + x * box.width, clientY: box.top + y * box.height }));
plot.setPointerCapture = () => {};
"""
_FIRST = f"async () => {{ {_FRAMES} await frame(); await frame(); return performance.now() - window.began; }}"
"""Milliseconds from the data to the second frame after it: what was drawn for the first one is then on the screen."""
_PANNING = (
    f"async (seconds) => {{ {_FRAMES} const start = performance.now(); let frames = 0; event('pointerdown', 0.5, 0.5);"
    """
  while (performance.now() - start < seconds * 1000) {
    const turn = (frames / 20) * Math.PI;
    event("pointermove", 0.5 + 0.2 * Math.sin(turn), 0.5 + 0.2 * Math.cos(turn));
    await frame();
    frames += 1;
  }
  const took = (performance.now() - start) / 1000;
  event("pointerup", 0.5, 0.5);
  return frames / took;
}"""
)
_SELECTING = (
    f"async () => {{ {_FRAMES} event('pointerdown', 0.2, 0.2);"
    """
  for (let step = 1; step <= 40; step++) {
    const turn = (step / 40) * 2 * Math.PI;
    event("pointermove", 0.5 - 0.3 * Math.cos(turn), 0.5 - 0.3 * Math.sin(turn));
  }
  await frame();
  const start = performance.now();
  event("pointerup", 0.2, 0.5);
  await frame();
  await frame();
  return performance.now() - start;
}"""
)


def canvas(data: str, *, repeats: int = 3, points: tuple[int, ...] = POINTS) -> Iterator[Row]:
    """Payload, memory of the page, first drawing, frames a second while moving, and milliseconds from the end of a lasso until
    every panel is drawn with it: a projection, a scatter plot of pairs of the points, two histograms and a table.

    Chromium is `chromium`, or what WORKBENCH_CHROMIUM names; WebGL is rendered by its software renderer.
    """
    from playwright.sync_api import sync_playwright

    from experiments.canvas.page import SOFTWARE_WEBGL

    with sync_playwright() as playwright:
        for count in points:
            scene = scene_of(count)
            for repeat in range(repeats):
                browser = playwright.chromium.launch(executable_path=chromium(), args=list(SOFTWARE_WEBGL))
                yield {"what": f"{count:,} points", "repeat": repeat, **measured(browser, scene)}
                browser.close()


def measured(browser: Any, scene: Any, seconds: float = PANNING_SECONDS) -> Row:
    """The figures of one scene on a fresh page of a browser, which moves for so many seconds."""
    from experiments.canvas.page import LinkedPage

    page = browser.new_page(viewport={"width": 1300, "height": 900})
    empty = LinkedPage(page)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    before = _heap(session)
    began = time.perf_counter()
    payload = empty.show(scene)
    shown = time.perf_counter() - began
    first = page.evaluate(_FIRST) / 1000
    page.wait_for_timeout(2000)
    painter = page.locator("[data-painter]").first.get_attribute("data-painter")
    page.get_by_role("radio", name="Move").click()
    frames = page.evaluate(_PANNING, seconds)
    page.get_by_role("radio", name="Lasso").click()
    selecting = page.evaluate(_SELECTING) / 1000
    marked = int(page.locator(".scatter").first.get_attribute("data-selected"))
    assert marked, "the lasso was around points"
    after = _heap(session)
    page.close()
    return {
        "painter": painter,
        "payload_bytes": payload,
        "heap_bytes": after - before,
        "shown_seconds": shown,
        "first_seconds": first,
        "frames_a_second": frames,
        "selecting_seconds": selecting,
        "selected": marked,
    }


def _heap(session: Any) -> int:
    """Bytes of JavaScript in use, after a collection, array buffers included."""
    session.send("HeapProfiler.collectGarbage")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return int(metrics["JSHeapUsedSize"] + metrics.get("ArrayBufferContents", 0))


def scene_of(count: int) -> Any:
    """So many points in the plane, in eight groups, and half as many pairs of them."""
    from workbench.ui.canvas import Category, Ends, Histogram, Number, Rows, Scatter, Scene, Table

    rng = np.random.default_rng(0)
    group = rng.integers(0, 8, count)
    centres = rng.normal(size=(8, 2))
    places = centres[group] + 0.4 * rng.normal(size=(count, 2))
    names = [f"group {number}" for number in range(8)]
    sentences = Rows(
        "sentences",
        "sentence",
        "sentences",
        (
            Number("x", "x", places[:, 0]),
            Number("y", "y", places[:, 1]),
            Category("group", "Group", [names[number] for number in group]),
        ),
        ("group",),
    )
    half = count // 2
    gold = rng.uniform(0, 5, half)
    pairs = Rows(
        "pairs",
        "pair",
        "pairs",
        (Number("gold", "Gold", gold), Number("cosine", "Cosine", gold / 5 + 0.2 * rng.normal(size=half))),
        ("gold", "cosine"),
    )
    return Scene(
        str(count),
        (pairs, sentences),
        (
            Scatter("sentences", "x", "y", "Projection", equal=True),
            Scatter("pairs", "gold", "cosine", "Gold"),
            Histogram("pairs", "gold", "Gold scores"),
            Histogram("pairs", "cosine", "Cosines"),
            Table("pairs", ("gold", "cosine"), "Pairs", sort="gold"),
        ),
        Ends("pairs", "sentences", np.arange(2 * half).reshape(half, 2)),
        (("group", "group"),),
    )

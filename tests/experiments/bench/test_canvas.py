"""What the benchmark of the linked views shows, and how its figures are told."""

from experiments.bench.canvas import scene_of
from experiments.bench.summaries import summary


def test_the_scene_has_so_many_points_and_half_as_many_pairs():
    made = scene_of(1001)
    assert {rows.name: len(rows) for rows in made.rows} == {"pairs": 500, "sentences": 1001}
    assert made.ends.rows.max() == 999 and made.ends.rows.shape == (500, 2)


def test_each_number_of_points_is_a_line():
    figures = {
        "painter": "webgl",
        "payload_bytes": 2_500_000,
        "heap_bytes": 30e6,
        "first_seconds": 0.5,
        "selecting_seconds": 0.12,
    }
    rows = [
        {"what": "5 points", "repeat": repeat, **figures, "frames_a_second": frames}
        for repeat, frames in enumerate((10, 30, 20))
    ]
    assert summary("canvas", rows) == [
        "canvas: 5 points (webgl): payload 2.5 (2.5 to 2.5, n=3) MB, memory 30 (30 to 30, n=3) MB, "
        "first drawing 0.50 (0.50 to 0.50, n=3) s, moving 20.0 (10.0 to 30.0, n=3) frames a second, "
        "selecting 120 (120 to 120, n=3) ms"
    ]

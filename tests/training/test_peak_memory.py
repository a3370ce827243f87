import torch

from workbench.training.peak_memory import peak


def test_freed_tensors_are_not_counted_and_held_ones_are():
    row, held = torch.ones(1000), []
    assert peak(lambda: [row + 1 for _ in range(5)] and None) == 5 * 4000
    assert peak(lambda: [len(row + 1) for _ in range(5)]) == 4000
    assert peak(lambda: held.append(row + 1)) == 4000
    assert peak(lambda: held[0].add_(1).view(10, 100).t()[2:]) == 0


def test_both_passes_are_counted():
    layer = torch.nn.Linear(100, 100, bias=False)
    rows = torch.ones(50, 100)
    assert peak(lambda: layer(rows)) == 50 * 100 * 4
    found = peak(lambda: layer(layer(rows)).sum().backward())
    # The gradient of the weights, once for each use, is alive in addition to what is kept of the first layer.
    assert 2 * 100 * 100 * 4 < found < 2 * 100 * 100 * 4 + 4 * 50 * 100 * 4
    with torch.no_grad():
        assert peak(lambda: layer(layer(layer(rows)))) == 2 * 50 * 100 * 4

// Which points are where: all in pixels, over all points, which takes a few milliseconds for a million.

// The points inside a polygon, by the even-odd rule.
export function inside(xs, ys, { scale, shift }, corners) {
  const across = corners.map(([x]) => (x - shift.x) / scale.x);
  const up = corners.map(([, y]) => (y - shift.y) / scale.y);
  const [left, right] = [Math.min(...across), Math.max(...across)];
  const [low, high] = [Math.min(...up), Math.max(...up)];
  const points = [];
  for (let at = 0; at < xs.length; at++) {
    const [x, y] = [xs[at], ys[at]];
    if (x < left || x > right || y < low || y > high) continue;
    let within = false;
    for (let one = 0, other = across.length - 1; one < across.length; other = one++) {
      const crosses = up[one] > y !== up[other] > y;
      if (crosses && x < ((across[other] - across[one]) * (y - up[one])) / (up[other] - up[one]) + across[one]) within = !within;
    }
    if (within) points.push(at);
  }
  return points;
}

// The point nearest to a pixel within reach; -1 if there is none.
export function nearest(xs, ys, { scale, shift }, [left, top], reach) {
  let best = -1;
  let least = reach * reach;
  for (let at = 0; at < xs.length; at++) {
    const x = xs[at] * scale.x + shift.x - left;
    const y = ys[at] * scale.y + shift.y - top;
    const distance = x * x + y * y;
    if (distance <= least) [best, least] = [at, distance];
  }
  return best;
}

// The next point in a direction from a point, straight ahead before aside; without a point, the one nearest to the middle.
export function nextTowards(xs, ys, placing, from, [right, down], width, height) {
  if (from < 0) return nearest(xs, ys, placing, [width / 2, height / 2], Infinity);
  const { scale } = placing;
  let best = -1;
  let least = Infinity;
  for (let at = 0; at < xs.length; at++) {
    const x = (xs[at] - xs[from]) * scale.x;
    const y = (ys[at] - ys[from]) * scale.y;
    const ahead = x * right + y * down;
    if (ahead <= 0.01) continue;
    const aside = Math.abs(x * down) + Math.abs(y * right);
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [at, cost];
  }
  return best;
}

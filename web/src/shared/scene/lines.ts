// SPDX-License-Identifier: Apache-2.0
// Lines of a width in pixels, and paths with no more points than their shape needs.
import { LineMaterial, LineMaterialParameters } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

// The segments of a path that start at these of its points.
export function line(
  points: number[],
  starts: number[],
  options: LineMaterialParameters,
): LineSegments2 {
  const ends = new Float32Array(6 * starts.length);
  starts.forEach((start, i) => ends.set(points.slice(3 * start, 3 * start + 6), 6 * i));
  const geometry = new LineSegmentsGeometry();
  geometry.setPositions(ends);
  const made = new LineSegments2(geometry, new LineMaterial({ transparent: true, ...options }));
  if (options.dashed) made.computeLineDistances();
  made.frustumCulled = false;
  return made;
}

export function dropLine(made: LineSegments2): void {
  made.removeFromParent();
  made.geometry.dispose();
  made.material.dispose();
}

const cell = 0.0005;

// Where the segments of a path start that lead to where it has not been yet. A path that goes round and round is drawn
// about once: what is left out is less than a millimetre from what is drawn.
export function newSegments(points: ArrayLike<number>): number[] {
  const seen = new Set<number>();
  const cells = 2 ** 17; // in each direction before numbers come again: 65 m
  const starts: number[] = [];
  for (let i = 0; i + 1 < points.length / 3; ++i) {
    const from = [0, 1, 2].map((k) => points[3 * i + k]);
    const way = from.map((value, k) => points[3 * i + 3 + k] - value);
    const steps = Math.ceil(Math.hypot(...way) / cell);
    let isNew = false;
    for (let step = 0; step <= steps; ++step) {
      const part = steps ? step / steps : 0;
      let key = 0;
      for (let k = 0; k < 3; ++k) key = key * cells + Math.round((from[k] + part * way[k]) / cell);
      if (seen.has(key)) continue;
      seen.add(key);
      isNew = true;
    }
    if (isNew) starts.push(i);
  }
  return starts;
}

// Indices of the points that keep a path within a tolerance of itself (Ramer, Douglas and Peucker).
export function simplified(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  zs: ArrayLike<number>,
  tolerance: number,
): number[] {
  const count = xs.length;
  if (count < 3) return Array.from({ length: count }, (_, i) => i);
  const isKept = new Uint8Array(count);
  isKept[0] = isKept[count - 1] = 1;
  const stack: [number, number][] = [[0, count - 1]];
  while (stack.length) {
    const [from, to] = stack.pop()!;
    const [dx, dy, dz] = [xs[to] - xs[from], ys[to] - ys[from], zs[to] - zs[from]];
    const square = dx * dx + dy * dy + dz * dz;
    let worst = tolerance * tolerance;
    let at = -1;
    for (let i = from + 1; i < to; ++i) {
      const [px, py, pz] = [xs[i] - xs[from], ys[i] - ys[from], zs[i] - zs[from]];
      const along = square ? (px * dx + py * dy + pz * dz) / square : 0;
      const part = Math.max(0, Math.min(1, along));
      const away = (px - part * dx) ** 2 + (py - part * dy) ** 2 + (pz - part * dz) ** 2;
      if (away > worst) [worst, at] = [away, i];
    }
    if (at < 0) continue;
    isKept[at] = 1;
    stack.push([from, at], [at, to]);
  }
  return Array.from({ length: count }, (_, i) => i).filter((i) => isKept[i]);
}

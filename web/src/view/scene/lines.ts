// SPDX-License-Identifier: Apache-2.0
// Lines of a width in pixels, and paths with no more points than their shape needs.
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial, LineMaterialParameters } from 'three/examples/jsm/lines/LineMaterial.js';

export function line(points: number[], options: LineMaterialParameters): Line2 {
  const geometry = new LineGeometry();
  geometry.setPositions(points);
  const made = new Line2(geometry, new LineMaterial({ transparent: true, ...options }));
  if (options.dashed) made.computeLineDistances();
  made.frustumCulled = false;
  return made;
}

export function dropLine(made: Line2): void {
  made.removeFromParent();
  made.geometry.dispose();
  made.material.dispose();
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

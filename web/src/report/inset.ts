// SPDX-License-Identifier: Apache-2.0
// Nearest points of paths, and round lengths.
import { Path, Point3 } from './data';

// Squared distance of p to the segment from a to b, and the nearest point of it in `nearest`.
export function segmentDistance(
  px: number,
  py: number,
  pz: number,
  base: Path,
  i: number,
  nearest: Point3,
): number {
  const [ax, ay, az] = [base.x[i], base.y[i], base.z[i]];
  const [dx, dy, dz] = [base.x[i + 1] - ax, base.y[i + 1] - ay, base.z[i + 1] - az];
  const length = dx * dx + dy * dy + dz * dz;
  const along = length > 0 ? ((px - ax) * dx + (py - ay) * dy + (pz - az) * dz) / length : 0;
  const t = Math.max(0, Math.min(1, along));
  nearest[0] = ax + t * dx;
  nearest[1] = ay + t * dy;
  nearest[2] = az + t * dz;
  return (px - nearest[0]) ** 2 + (py - nearest[1]) ** 2 + (pz - nearest[2]) ** 2;
}

// Nearest point of the curve `base` to a point.
export function nearestOn(
  base: Path,
  [px, py, pz]: Point3,
): { distance: number; point: Point3; segment: number } {
  let best = Infinity;
  let segment = 0;
  const point: Point3 = [base.x[0], base.y[0], base.z[0]];
  const candidate: Point3 = [0, 0, 0];
  for (let i = 0; i + 1 < base.x.length; ++i) {
    const squared = segmentDistance(px, py, pz, base, i, candidate);
    if (squared < best) {
      best = squared;
      segment = i;
      point[0] = candidate[0];
      point[1] = candidate[1];
      point[2] = candidate[2];
    }
  }
  if (best === Infinity) best = (px - point[0]) ** 2 + (py - point[1]) ** 2 + (pz - point[2]) ** 2;
  return { distance: Math.sqrt(best), point, segment };
}

// The longest of 1, 2, 5 × a power of ten that is at most `most`.
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most) + 1e-12);
  return (
    [5, 2, 1].map((digit) => digit * power).find((length) => length <= most * (1 + 1e-9)) ?? power
  );
}

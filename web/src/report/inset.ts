// SPDX-License-Identifier: Apache-2.0
// Finds the place where paths differ most, for the magnified inset.
import { Path, Point3 } from './data';

export interface Difference {
  distance: number; // m
  centre: Point3; // half way between the sample and the nearest point of the base
  way: Point3; // from that point to the sample, m
  path: number; // index in the list
  sample: number;
  resolved: number; // m; below it the chords between samples differ from the curves themselves
}

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

// How far the curve may lie off its chords about sample i: a parabola through three samples rises over the chord by an
// eighth of their second difference, as far as that points across the path.
export function sagitta({ x, y, z }: Path, i: number): number {
  if (i < 1 || i + 1 >= x.length) return 0;
  const coordinates = [x, y, z];
  const bend = coordinates.map((values) => values[i - 1] - 2 * values[i] + values[i + 1]);
  const along = coordinates.map((values) => values[i + 1] - values[i - 1]);
  const length = Math.hypot(...along);
  const part = length > 0 ? bend.reduce((sum, v, k) => sum + (v * along[k]) / length, 0) : 0;
  const across = bend.map((v, k) => v - (length > 0 ? (part * along[k]) / length : 0));
  const rise = Math.hypot(...across) / 8;
  return Number.isFinite(rise) ? rise : 0;
}

// Whether a point is nearer than `limit` (squared) to the base, and where: looked for outwards from segment `hint`,
// since neighbours on one path have neighbours on the other.
function closeSegment(
  base: Path,
  [px, py, pz]: Point3,
  limit: number,
  hint: number,
): number | null {
  const last = base.x.length - 2;
  const scratch: Point3 = [0, 0, 0];
  for (let away = 0; away <= Math.max(hint, last - hint); ++away) {
    for (const i of away ? [hint + away, hint - away] : [hint]) {
      if (i >= 0 && i <= last && segmentDistance(px, py, pz, base, i, scratch) <= limit) return i;
    }
  }
  return null;
}

// The sample of `path` furthest from the curve `base` (not from it at equal time: a late path is the same path).
export function furthestFrom(path: Path, base: Path): Omit<Difference, 'path'> | null {
  const count = path.x.length;
  if (count === 0 || base.x.length === 0) return null;
  let best: Omit<Difference, 'path'> | null = null;
  let hint = 0;
  const look = (i: number) => {
    const p: Point3 = [path.x[i], path.y[i], path.z[i]];
    if (!p.every(Number.isFinite)) return;
    if (best) {
      const close = closeSegment(base, p, best.distance ** 2, hint);
      if (close !== null) {
        hint = close;
        return;
      }
    }
    const { distance, point, segment } = nearestOn(base, p);
    if (best && distance <= best.distance) return;
    best = {
      distance,
      sample: i,
      resolved: Math.max(sagitta(base, segment), sagitta(base, segment + 1), sagitta(path, i)),
      centre: p.map((value, axis) => (value + point[axis]) / 2) as Point3,
      way: p.map((value, axis) => value - point[axis]) as Point3,
    };
  };
  // A base recorded from a little later on is not off the path: samples before its start do not count.
  let first = 0;
  const isBefore = (i: number) => {
    const { point } = nearestOn(base, [path.x[i], path.y[i], path.z[i]]);
    return point[0] === base.x[0] && point[1] === base.y[0] && point[2] === base.z[0];
  };
  while (first < count && isBefore(first)) ++first;
  if (first === count) first = 0;
  // A coarse pass finds a large distance early; the fine one then dismisses most samples at once.
  for (let i = first; i < count; i += 16) look(i);
  hint = 0;
  for (let i = first; i < count; ++i) look(i);
  return best;
}

export function largestDifference(paths: Path[], base: Path): Difference | null {
  let best: Difference | null = null;
  paths.forEach((path, index) => {
    const found = furthestFrom(path, base);
    if (found && (!best || found.distance > best.distance)) best = { ...found, path: index };
  });
  return best;
}

// The longest of 1, 2, 5 × a power of ten that is at most `most`.
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most) + 1e-12);
  return (
    [5, 2, 1].map((digit) => digit * power).find((length) => length <= most * (1 + 1e-9)) ?? power
  );
}

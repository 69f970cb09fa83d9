// SPDX-License-Identifier: Apache-2.0
// Orthographic view of the scene: directions on the screen, scale that fits a box, nice extents in metres.
import { tickStep } from 'd3-array';

import { Path, Point3 } from './data';

export interface View {
  azimuth: number;
  elevation: number;
} // of the eye, rad; z is up
export interface Extent {
  low: Point3;
  high: Point3;
}

export interface Basis {
  right: Point3;
  up: Point3;
  toward: Point3;
}

// Unit vectors in the world: to the right on the screen, up on the screen, out of the screen.
export function basisOf({ azimuth, elevation }: View): Basis {
  const [ca, sa, ce, se] = [
    Math.cos(azimuth),
    Math.sin(azimuth),
    Math.cos(elevation),
    Math.sin(elevation),
  ];
  return { right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], toward: [ce * ca, ce * sa, se] };
}

export const dot = (a: Point3, b: Point3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Metres to pixels: the centre of the extent comes to (cx, cy); y of the screen grows downwards.
export class Projection {
  readonly basis: Basis;
  private readonly u0: number;
  private readonly v0: number;

  constructor(
    view: View,
    readonly scale: number,
    centre: Point3,
    private readonly cx: number,
    private readonly cy: number,
  ) {
    this.basis = basisOf(view);
    this.u0 = dot(this.basis.right, centre);
    this.v0 = dot(this.basis.up, centre);
  }

  x(x: number, y: number): number {
    const { right } = this.basis;
    return this.cx + this.scale * (right[0] * x + right[1] * y - this.u0);
  }

  y(x: number, y: number, z: number): number {
    const { up } = this.basis;
    return this.cy - this.scale * (up[0] * x + up[1] * y + up[2] * z - this.v0);
  }

  at(point: Point3): [number, number] {
    return [this.x(point[0], point[1]), this.y(point[0], point[1], point[2])];
  }
}

export const longestSide = ({ low, high }: Extent): number =>
  Math.max(...low.map((value, i) => high[i] - value));

export const middle = ({ low, high }: Extent): Point3 =>
  [0, 1, 2].map((i) => (low[i] + high[i]) / 2) as Point3;

// Pixels per metre at which the box fits. It may grow by a quarter over what fits at every azimuth, not more: turning
// should hardly resize it.
export function fittingScale(
  { low, high }: Extent,
  view: View,
  width: number,
  height: number,
): number {
  const floor = Math.hypot(high[0] - low[0], high[1] - low[1]);
  const { right, up } = basisOf(view);
  const size = high.map((value, i) => value - low[i]);
  const across = (direction: Point3) =>
    size.reduce((sum, length, i) => sum + length * Math.abs(direction[i]), 0);
  const fit = (wide: number, tall: number) =>
    Math.min(width / Math.max(wide, 1e-12), height / Math.max(tall, 1e-12));
  const always = fit(
    floor,
    floor * Math.abs(Math.sin(view.elevation)) + size[2] * Math.cos(view.elevation),
  );
  return Math.min(fit(across(right), across(up)), 1.25 * always);
}

// The smallest box around paths and points; null if there is no finite one.
export function extentOf(paths: Path[], points: Point3[]): Extent | null {
  const low: Point3 = [Infinity, Infinity, Infinity];
  const high: Point3 = [-Infinity, -Infinity, -Infinity];
  const add = (axis: number, value: number) => {
    if (!Number.isFinite(value)) return;
    low[axis] = Math.min(low[axis], value);
    high[axis] = Math.max(high[axis], value);
  };
  for (const path of paths) {
    [path.x, path.y, path.z].forEach((values, axis) => values.forEach((value) => add(axis, value)));
  }
  for (const point of points) point.forEach((value, axis) => add(axis, value));
  return low.every((value, axis) => value <= high[axis]) ? { low, high } : null;
}

export interface Grid {
  extent: Extent;
  step: number;
  ticks: [number[], number[], number[]];
}

// The extent rounded outwards to one step for all three axes (they share a scale), and the ticks in between.
export function gridOf({ low, high }: Extent, wanted = 6): Grid {
  const longest = Math.max(longestSide({ low, high }), 1e-6);
  const step = tickStep(0, longest, wanted);
  const ticks: number[][] = [];
  const grid: Extent = { low: [0, 0, 0], high: [0, 0, 0] };
  for (let axis = 0; axis < 3; ++axis) {
    // Rounding may not push an exact multiple one step out.
    let first = Math.floor(low[axis] / step + 1e-9);
    let last = Math.ceil(high[axis] / step - 1e-9);
    if (first === last) {
      --first;
      ++last;
    }
    grid.low[axis] = first * step;
    grid.high[axis] = last * step;
    ticks.push(
      Array.from({ length: last - first + 1 }, (_, i) =>
        Number(((first + i) * step).toPrecision(12)),
      ),
    );
  }
  return { extent: grid, step, ticks: ticks as Grid['ticks'] };
}

// Whether every sample is within the box; a sample that is no number is not.
export function staysWithin(path: Path, { low, high }: Extent): boolean {
  return [path.x, path.y, path.z].every((values, axis) =>
    values.every((value) => value >= low[axis] - 1e-6 && value <= high[axis] + 1e-6),
  );
}

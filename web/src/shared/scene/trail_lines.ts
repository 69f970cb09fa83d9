// SPDX-License-Identifier: Apache-2.0
// Paths over time as lines: strong up to now, faint ahead.
import { Group, Vector3 } from 'three';

import { rowAt } from '../data/rows';
import { Line, newSegments, simplified } from './lines';
import { Look } from './run_shapes';

const tolerance = 0.0002;

export interface TrailPath {
  times: number[];
  points: number[];
  starts: number[]; // of the segments that are drawn
}

interface Trail {
  past: Line;
  ahead: Line;
  ends: number[]; // when each segment is behind the tool
}

export const trailWidth: Record<Look, number> = {
  solid: 2.6,
  strong: 2.6,
  tinted: 2.2,
  ghost: 1.8,
  faint: 1,
};

// With no more points than its shape needs, and without those that are no numbers.
export function trailPath(
  times: ArrayLike<number>,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  z: ArrayLike<number>,
): TrailPath {
  const kept = simplified(x, y, z, tolerance).filter((i) => !Number.isNaN(x[i] + y[i] + z[i]));
  const points = kept.flatMap((i) => [x[i], y[i], z[i]]);
  return { times: kept.map((i) => times[i]), points, starts: newSegments(points) };
}

export class TrailLines {
  readonly group = new Group();
  private paths: TrailPath[] = [];
  private trails: Trail[] = [];

  setPaths(paths: TrailPath[]): void {
    this.paths = paths;
  }

  points(): Vector3[] {
    return this.paths.flatMap(({ points }) =>
      Array.from({ length: points.length / 3 }, (_, i) => new Vector3().fromArray(points, 3 * i)),
    );
  }

  // Lines of lower rank are on top.
  build(color: string, linewidth: number, rank: number, opacity = 1): void {
    this.dispose();
    this.trails = this.paths.map(({ times, points, starts }) => {
      const look = { color, depthWrite: false };
      return {
        ends: starts.map((start) => times[start + 1]),
        past: new Line(points, starts, { ...look, linewidth, opacity }),
        ahead: new Line(points, starts, { ...look, linewidth: 1.2, opacity: 0.35 * opacity }),
      };
    });
    for (const { past, ahead } of this.trails) {
      past.renderOrder = 5 - Math.min(0.9, 0.1 * rank);
      ahead.renderOrder = 3;
      this.group.add(ahead, past);
    }
  }

  // Whether there is more or less of what is behind the tool.
  update(t: number): boolean {
    let hasChanged = false;
    for (const { past, ends } of this.trails)
      hasChanged = past.showFirst(rowAt(ends, ends.length, t) + 1) || hasChanged;
    return hasChanged;
  }

  dispose(): void {
    for (const { past, ahead } of this.trails) {
      past.drop();
      ahead.drop();
    }
    this.trails = [];
  }
}

// SPDX-License-Identifier: Apache-2.0
// Claims about the view of the scene: directions, fit, round extents.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Point3 } from '../../src/report/data';
import {
  Projection,
  View,
  basisOf,
  dot,
  extentOf,
  fittingScale,
  gridOf,
  staysWithin,
} from '../../src/report/projection';

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-12, `${actual} is not ${expected}`);

test('from the front (eye on −y) x runs to the right and z up', () => {
  const view: View = { azimuth: -Math.PI / 2, elevation: 0 };
  const projection = new Projection(view, 100, [0, 0, 0], 50, 60);
  const [x, y] = projection.at([0.2, 7, 0.1]); // depth does not matter without perspective
  near(x, 70); // 50 + 100 × 0.2
  near(y, 50); // 60 − 100 × 0.1: the screen's y grows downwards
});

test('from above z is not seen', () => {
  const view: View = { azimuth: -Math.PI / 2, elevation: Math.PI / 2 };
  const projection = new Projection(view, 1, [0, 0, 0], 0, 0);
  const [x, y] = projection.at([2, 3, 99]);
  near(x, 2);
  near(y, -3);
});

test('the directions of the screen are at right angles and right-handed at any view', () => {
  for (const azimuth of [-2, 0.3, 1.1]) {
    for (const elevation of [-0.2, 0.5, 1.5]) {
      const { right, up, toward } = basisOf({ azimuth, elevation });
      for (const unit of [right, up, toward]) near(dot(unit, unit), 1);
      near(dot(right, up), 0);
      const cross: Point3 = [
        right[1] * up[2] - right[2] * up[1],
        right[2] * up[0] - right[0] * up[2],
        right[0] * up[1] - right[1] * up[0],
      ];
      near(dot(cross, toward), 1);
    }
  }
});

test('a box fits into the drawing at every azimuth', () => {
  const extent = { low: [0, 0, 0] as Point3, high: [0.3, 0.4, 0.2] as Point3 };
  for (let azimuth = -3; azimuth < 3; azimuth += 0.1) {
    const view = { azimuth, elevation: 0.4 };
    const projection = new Projection(
      view,
      fittingScale(extent, view, 600, 400),
      [0.15, 0.2, 0.1],
      300,
      200,
    );
    for (const x of [0, 0.3])
      for (const y of [0, 0.4])
        for (const z of [0, 0.2]) {
          const [u, v] = projection.at([x, y, z]);
          assert.ok(
            u > -1e-6 && u < 600.000001 && v > -1e-6 && v < 400.000001,
            `corner at ${u}, ${v}`,
          );
        }
  }
});

test('the grid is round, shares one step and holds the extent', () => {
  // Longest side 0.97 m, six steps wanted: 0.2 m is the round step nearest to 0.16 m.
  const grid = gridOf({ low: [-0.43, 0.11, 0.2], high: [0.54, 0.38, 0.2] });
  assert.equal(grid.step, 0.2);
  assert.deepEqual(grid.ticks[0], [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6]);
  assert.deepEqual(grid.ticks[1], [0, 0.2, 0.4]);
  assert.deepEqual(grid.ticks[2], [0, 0.2, 0.4], 'a flat scene gets a step on either side');
});

test('a path that leaves the frame or is no number is told from one that stays', () => {
  const frame = { low: [0, 0, 0] as Point3, high: [1, 1, 1] as Point3 };
  const path = (x: number) => ({
    x: Float32Array.of(0.5, x),
    y: Float32Array.of(0, 1),
    z: Float32Array.of(0, 1),
  });
  assert.equal(staysWithin(path(1), frame), true);
  assert.equal(staysWithin(path(1.01), frame), false);
  assert.equal(staysWithin(path(NaN), frame), false);
});

test('the extent ignores samples that are no numbers', () => {
  const path = {
    x: Float32Array.of(1, Infinity, 3),
    y: Float32Array.of(0, 0, 0),
    z: Float32Array.of(5, 5, NaN),
  };
  assert.deepEqual(extentOf([path], [[2, 7, 5]]), { low: [1, 0, 5], high: [3, 7, 5] });
  assert.equal(extentOf([], []), null);
});

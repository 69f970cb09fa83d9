// SPDX-License-Identifier: Apache-2.0
// Claims about what drawings are made of: place of the inset, thinned lines, labels, numbers, colours, frames.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  Theme,
  backgrounds,
  contrast,
  distance,
  rampColour,
  ramps,
  seenWithout,
  toOklab,
} from '../../src/shared/colours';
import { Path } from '../../src/report/data';
import { fixed, quantity, raisedPowers, short, unitFor } from '../../src/shared/format';
import { largestDifference, nearestOn, roundLength, sagitta } from '../../src/report/inset';
import { growthScale } from '../../src/report/margin_figure';
import { linePath, padded, spreadLabels, tickDigits } from '../../src/shared/plot';

// A straight line of n samples along x, at height z(i).
function straight(n: number, z: (i: number) => number): Path {
  const indices = Array.from({ length: n }, (_, i) => i);
  return {
    x: Float32Array.from(indices, (i) => i / (n - 1)),
    y: new Float32Array(n),
    z: Float32Array.from(indices, z),
  };
}

test('the inset goes where a path is furthest from the base, however late it is', () => {
  const base = straight(1001, () => 0);
  const bump = straight(1001, (i) => (i === 703 ? 0.25 : 0));
  const late = straight(501, () => 0); // the same line, sampled at other times
  const found = largestDifference([late, bump], base)!;
  assert.equal(found.path, 1);
  assert.equal(found.sample, 703);
  assert.ok(Math.abs(found.distance - 0.25) < 1e-6);
  assert.ok(Math.abs(found.centre[0] - 0.703) < 1e-6 && Math.abs(found.centre[2] - 0.125) < 1e-6);
  assert.ok(largestDifference([late], base)!.distance < 1e-6);
});

test('the nearest point may lie between two samples', () => {
  const base = { x: Float32Array.of(0, 4), y: Float32Array.of(0, 0), z: Float32Array.of(0, 0) };
  const { distance: found, point } = nearestOn(base, [1, 3, 0]);
  assert.equal(found, 3);
  assert.deepEqual(point, [1, 0, 0]);
});

test('what chords hide is an eighth of the bend across the path', () => {
  // y = x² at −1, 0, 1: second difference 2, across; the chord of the parabola over one step sags by 1/4.
  const bent = {
    x: Float32Array.of(-1, 0, 1),
    y: Float32Array.of(1, 0, 1),
    z: new Float32Array(3),
  };
  assert.equal(sagitta(bent, 1), 0.25);
  // Slowing down on a straight line bends nothing.
  const slow = { x: Float32Array.of(0, 3, 4), y: new Float32Array(3), z: new Float32Array(3) };
  assert.equal(sagitta(slow, 1), 0);
});

test('ticks get digits until they differ, and zeros are no noise', () => {
  assert.equal(tickDigits([0, 0.5, 1]), 4);
  assert.equal(tickDigits([1000, 1000.01, 1000.02]), 6);
  assert.deepEqual(padded(0, 0), [-1, 1]);
});

test('scale bars are 1, 2 or 5 times a power of ten', () => {
  assert.equal(roundLength(0.0049), 0.002);
  assert.equal(roundLength(0.005), 0.005);
  assert.equal(roundLength(19), 10);
});

test('a line of many samples keeps its only spike', () => {
  const values = new Float32Array(100_000);
  values[54_321] = 7;
  const path = linePath(
    values,
    0,
    values.length - 1,
    (i) => i / 200,
    (v) => -v,
  );
  assert.match(path, /,-7\.0/);
  assert.ok(path.split('L').length < 2500, 'two points per pixel are enough');
});

test('a line is broken where a value is no number', () => {
  assert.equal(
    linePath(
      [1, NaN, 3],
      0,
      2,
      (i) => 10 * i,
      (v) => v,
    ),
    'M0.0,1.0M20.0,3.0',
  );
});

test('labels move apart, keep their order and stay in the frame', () => {
  const placed = spreadLabels([50, 50, 50, 10], 10, 0, 55);
  assert.deepEqual(placed, [35, 45, 55, 10]);
});

test('numbers are rounded to their digits and never to nothing', () => {
  assert.equal(fixed(-9.2134, 2), '−9.21');
  assert.equal(fixed(0.00001234, 3), '1.2·10⁻⁵');
  assert.equal(fixed(0, 3), '0.000');
  assert.equal(short(0.30000000000000004), '0.3');
  assert.equal(short(1e-7), '10⁻⁷');
  assert.equal(quantity(0.0042, 's'), '4.2\u202fms');
  assert.deepEqual(unitFor('s', 0.02), { name: 'ms', scale: 1000 });
  assert.deepEqual(unitFor('N', 5), { name: 'N', scale: 1 });
});

for (const theme of ['light', 'dark'] as Theme[]) {
  test(`twelve colours of the ${theme} ramp differ, darken or lighten steadily, and are seen`, () => {
    const colours = Array.from({ length: 12 }, (_, i) => rampColour(theme, i / 11));
    assert.equal(colours[0], ramps[theme][0]);
    assert.equal(colours[11], ramps[theme][5]);
    for (let i = 1; i < colours.length; ++i) {
      const [before, after] = [toOklab(colours[i - 1]), toOklab(colours[i])];
      const step = after[0] - before[0];
      assert.ok(theme === 'light' ? step < 0 : step > 0, `lightness turns back at ${i}`);
      // 0.02 in OKLab is about what side by side is just told apart.
      assert.ok(distance(before, after) > 0.04, `${colours[i - 1]} and ${colours[i]} are alike`);
    }
    for (const colour of colours) assert.ok(contrast(colour, backgrounds[theme]) > 2.3, colour);
  });
}

for (const theme of ['light', 'dark'] as Theme[]) {
  test(`seven colours of the ${theme} ramp are told apart without green or red cones`, () => {
    const colours = Array.from({ length: 7 }, (_, i) => rampColour(theme, i / 6));
    for (const cone of ['green', 'red'] as const) {
      const seen = colours.map((colour) => toOklab(seenWithout(cone, colour)));
      for (let i = 1; i < 7; ++i)
        assert.ok(distance(seen[i - 1], seen[i]) > 0.03, `${colours[i - 1]}, ${colours[i]}`);
    }
  });
}

test('white on black is a contrast of 21', () => {
  assert.ok(Math.abs(contrast('#ffffff', '#000000') - 21) < 1e-9);
});

test('growths of many decades get powers of ten on both sides of zero', () => {
  // 0.004 … 30: decades −3 … 1, five of them, so every second one from the top.
  const { constant, ticks } = growthScale([-30, -0.5, 0.004, 12]);
  assert.equal(constant, 1e-3);
  assert.deepEqual(ticks, [-10, -0.1, -0.001, 0, 0.001, 0.1, 10]);
  assert.deepEqual(growthScale([]).ticks, [-1, 0, 1]);
});

test('Powers are raised, whichever minus they have', () => {
  assert.equal(raisedPowers('z^-11 + h·z^−2·x^10'), 'z⁻¹¹ + h·z⁻²·x¹⁰');
  assert.equal(raisedPowers('(z−1)² = 0'), '(z−1)² = 0');
});

// SPDX-License-Identifier: Apache-2.0
// Claims about what drawings are made of: thinned lines, labels, numbers, frames.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fixed, quantity, raisedPowers, short, unitFor } from '../../src/shared/format';
import { nearestOn, roundLength } from '../../src/report/inset';
import { linePath, padded, spreadLabels, tickDigits } from '../../src/shared/plot';

test('the nearest point may lie between two samples', () => {
  const base = { x: Float32Array.of(0, 4), y: Float32Array.of(0, 0), z: Float32Array.of(0, 0) };
  const { distance: found, point } = nearestOn(base, [1, 3, 0]);
  assert.equal(found, 3);
  assert.deepEqual(point, [1, 0, 0]);
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

test('Powers are raised, whichever minus they have', () => {
  assert.equal(raisedPowers('z^-11 + h·z^−2·x^10'), 'z⁻¹¹ + h·z⁻²·x¹⁰');
  assert.equal(raisedPowers('(z−1)² = 0'), '(z−1)² = 0');
});

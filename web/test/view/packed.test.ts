// SPDX-License-Identifier: Apache-2.0
// The decoder of packed columns, against the packer of the samples and against bytes written by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PackedColumns } from '../../src/shared/data/packed';
import { packColumn } from './pack.mjs';

const float64 = (...values: number[]) => new Uint8Array(Float64Array.from(values).buffer);
const bytes = (...parts: (number[] | Uint8Array)[]) =>
  Uint8Array.from(parts.flatMap((p) => [...p]));

test('A plain column is exact to the last bit', () => {
  const values = [0.1, -0, 1e300, NaN, 5e-324];
  const packed = new PackedColumns(bytes([0], float64(...values)), 5);
  assert.deepEqual([...packed.column(0)], values);
});

test('Quantised numbers are second differences in zigzag', () => {
  // q = 3, 5, 6: first differences 3, 2, 1; second differences 3, -1, -1; zigzag 6, 1, 1
  const packed = new PackedColumns(bytes([1], float64(10, 0.5), [6, 1, 1]), 3);
  assert.deepEqual([...packed.column(0)], [11.5, 12.5, 13]);
});

test('Numbers above 127 take several bytes, the low ones first', () => {
  // zigzag(300) = 600 = 4·128 + 88
  const packed = new PackedColumns(bytes([1], float64(0, 1), [0x80 + 88, 4, 0]), 2);
  assert.deepEqual([...packed.column(0)], [300, 600]);
});

test('Times in nanoseconds come back as the very seconds', () => {
  // second differences of 1 000 000, 2 000 000, 2 000 001 ns: 1 000 000, 0, −999 999
  const bytes = new Uint8Array([5, 0x80, 0x89, 0x7a, 0, 0xfd, 0x88, 0x7a]);
  assert.deepEqual([...new PackedColumns(bytes, 3).column(0)], [0.001, 0.002, 0.002000001]);
});

test('Absent rows are NaN and have no number in the stream', () => {
  // one present, two absent, one present; q = 1, 3: differences 1, 2; seconds 1, 1; zigzag 2, 2
  const packed = new PackedColumns(bytes([2, 1, 2, 1], float64(0, 1), [2, 2]), 4);
  assert.deepEqual([...packed.column(0)], [1, NaN, NaN, 3]);
});

test('A column may begin with absent rows', () => {
  const packed = new PackedColumns(bytes([2, 0, 1, 1], float64(5, 1), [2]), 2);
  assert.deepEqual([...packed.column(0)], [NaN, 6]);
});

test('Columns behind others are found without decoding those', () => {
  const all = bytes(
    [4],
    float64(2, 0.25),
    [2, 1, 1, 1],
    float64(0, 1),
    [2, 2],
    [3],
    float64(7),
    [1],
    float64(0, 1),
    [2, 0x81, 1, 0],
  );
  const packed = new PackedColumns(all, 3);
  assert.deepEqual([...packed.column(2)], [7, 7, 7]);
  assert.deepEqual([...packed.column(0)], [2, 2.25, 2.5]);
  assert.deepEqual([...packed.column(3)], [1, -63, -127]);
});

test('Data that ends too early is refused in words', () => {
  const packed = new PackedColumns(bytes([1], float64(0, 1), [2]), 3);
  assert.throws(() => packed.column(0), /ends too early/);
  assert.throws(() => new PackedColumns(bytes([9]), 1).column(0), /unknown kind 9/);
});

test('What the packer of the samples writes comes back within a millionth of the range', () => {
  const values = Float64Array.from({ length: 500 }, (_, i) =>
    i % 7 === 3 ? NaN : 3 * Math.sin(i / 20) + (i === 200 ? 50 : 0),
  );
  const found = new PackedColumns(new Uint8Array(packColumn(values)), 500).column(0);
  values.forEach((value, i) => {
    if (Number.isNaN(value)) assert.ok(Number.isNaN(found[i]));
    else assert.ok(Math.abs(found[i] - value) <= 56e-6);
  });
});

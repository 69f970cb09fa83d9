// SPDX-License-Identifier: Apache-2.0
// Rows of a live run: read from their messages, appended, and dropped when they are old.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GrowingTable, readRowsMessage } from '../../src/view/data/live_source';

test('A message of rows has its numbers at a multiple of eight bytes', () => {
  const head = new TextEncoder().encode('{"run":0,"table":3,"rows":2}');
  const start = Math.ceil((4 + head.length) / 8) * 8;
  const bytes = new Uint8Array(start + 32);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  bytes.set(new Uint8Array(Float64Array.of(1, 2, 10, 20).buffer), start);
  const { table, rows, numbers } = readRowsMessage(bytes.buffer);
  assert.deepEqual([table, rows, [...numbers]], [3, 2, [1, 2, 10, 20]]);
});

test('Columns grow at the end and are cut at the front', () => {
  const table = new GrowingTable(2);
  for (let i = 0; i < 3000; ++i) {
    table.append(Float64Array.of(i, -i), 1);
    table.appendTexts([i], [String(i)]);
  }
  assert.equal(table.rows, 3000);
  assert.equal(table.column(1)[2999], -2999);
  table.dropBefore(2000);
  assert.equal(table.rows, 1000);
  assert.deepEqual(
    [table.column(0)[0], table.column(1)[999], table.texts[0]],
    [2000, -2999, '2000'],
  );
  table.dropBefore(2010); // too few to be worth it
  assert.equal(table.rows, 1000);
});

test('Rows that come late are put where they belong, and their texts with them', () => {
  const table = new GrowingTable(2);
  table.append(Float64Array.of(1, 3, 2, 10, 30, 20), 3);
  table.appendTexts([1, 3, 2], ['a', 'c', 'b']);
  table.append(Float64Array.of(2, 21), 1); // at the same time: behind
  table.appendTexts([2], ['b2']);
  assert.deepEqual([...table.column(0).subarray(0, table.rows)], [1, 2, 2, 3]);
  assert.deepEqual([...table.column(1).subarray(0, table.rows)], [10, 20, 21, 30]);
  assert.deepEqual(table.texts, ['a', 'b', 'b2', 'c']);
});

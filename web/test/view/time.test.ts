// SPDX-License-Identifier: Apache-2.0
// Rows by time, overviews, the clock, and times as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { overviewOf, rowAt } from '../../src/shared/data/rows';
import { ranges } from '../../src/view/data/served_source';
import { Clock, nextTime } from '../../src/shared/time/clock';
import { parseTime, timeText } from '../../src/shared/time/time_text';

test('The row at a time is the newest at or before it', () => {
  const times = [1, 2, 2, 4];
  assert.deepEqual(
    [0.9, 1, 1.9, 2, 3, 4, 9].map((t) => rowAt(times, 4, t)),
    [-1, 0, 0, 2, 2, 3, 3],
  );
  assert.equal(rowAt(times, 2, 9), 1); // of the first two only
});

test('An overview keeps every extreme and leaves empty bins empty', () => {
  const { minima, maxima } = overviewOf([0, 1, 2, 3, 10], [5, -1, NaN, 7, 2], 5, 0, 10, 5);
  assert.deepEqual([...minima], [-1, 7, NaN, NaN, 2]);
  assert.deepEqual([...maxima], [5, 7, NaN, NaN, 2]);
});

test('Columns that follow each other are asked for as a range', () => {
  assert.equal(ranges([0, 3, 4, 5, 9]), '0,3-5,9');
});

test('Playing stops at the end and starts over', () => {
  const clock = new Clock(0, 10);
  clock.setTime(9.5);
  clock.play();
  clock.setSpeed(2);
  clock.advance(0.2);
  assert.equal(clock.time, 9.9);
  clock.advance(1);
  assert.deepEqual([clock.time, clock.isPlaying], [10, false]);
  clock.play();
  assert.equal(clock.time, 0);
});

test('A loop comes back to its start by as much as it overran', () => {
  const clock = new Clock(0, 10);
  clock.setLoop(6, 4); // in any order
  clock.setTime(5.5);
  clock.play();
  clock.advance(1);
  assert.equal(clock.time, 4.5);
  clock.setTime(9);
  clock.play();
  assert.equal(clock.time, 4);
  clock.setLoop(3, 3);
  assert.equal(clock.loop, null);
});

test('Speeds go in steps and stay within their bounds', () => {
  const clock = new Clock(0, 1);
  for (let i = 0; i < 30; ++i) clock.changeSpeed(1);
  assert.equal(clock.speed, 100);
  for (let i = 0; i < 30; ++i) clock.changeSpeed(-1);
  assert.equal(clock.speed, 0.00001);
  clock.changeSpeed(1);
  assert.equal(clock.speed, 0.0001);
});

test('Following a live run keeps to its newest time until the reader scrubs', () => {
  const clock = new Clock(0, 0);
  clock.follow();
  clock.setRange(0, 3);
  assert.equal(clock.time, 3);
  clock.setTime(1);
  clock.setRange(0, 4);
  assert.equal(clock.time, 1);
  clock.setRange(2, 5); // what is older was dropped
  assert.equal(clock.time, 2);
  clock.follow();
  assert.equal(clock.time, 5);
});

test('The next event is strictly after now, the previous strictly before', () => {
  const times = [5, 1, 3];
  assert.equal(nextTime(times, 1, 1), 3);
  assert.equal(nextTime(times, 3, -1), 1);
  assert.equal(nextTime(times, 5, 1), undefined);
});

test('Times are read as people type them', () => {
  const cases: [string, number | null][] = [
    ['12.5', 12.5],
    ['12.5 s', 12.5],
    ['12500 ms', 12.5],
    ['80us', 80e-6],
    ['1:02.5', 62.5],
    ['-3', -3],
    ['soon', null],
    ['1:02 ms', null],
  ];
  for (const [text, value] of cases) {
    const found = parseTime(text);
    if (value === null) assert.equal(found, null, text);
    else assert.ok(Math.abs(found! - value) < 1e-12, text);
  }
  assert.equal(parseTime(timeText(4.0412)), 4.0412);
});

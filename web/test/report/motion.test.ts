// SPDX-License-Identifier: Apache-2.0
// Poses from joint positions, rows at instants, and when runs are farthest apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Path, Series } from '../../src/report/data';
import { distanceAt, rowAtTime, valuesAt, worstDeviation } from '../../src/report/deviation';
import { JointPoses, MovedFrame } from '../../src/report/motion/joint_poses';
import { Frame } from '../../src/shared/scene/scene';

const near = (found: ArrayLike<number>, expected: number[], within = 1e-12) => {
  assert.equal(found.length, expected.length);
  expected.forEach((value, i) =>
    assert.ok(Math.abs(found[i] - value) <= within, `${Array.from(found)}`),
  );
};

const frame = (name: string, parent: number, p: Frame['p'], moving: number): Frame => ({
  name,
  parent,
  p,
  q: [0, 0, 0, 1],
  moving,
});
const moved = (index: number, turns: boolean, axis: MovedFrame['axis'], joint: string) => ({
  frame: index,
  turns,
  axis,
  joint,
  multiplier: 1,
  offset: 0,
});

test('a joint turns what it carries about its axis, another slides along its own', () => {
  const half = Math.SQRT1_2;
  const frames = [
    frame('world', -1, [0, 0, 0], -1),
    { ...frame('arm', 0, [0, 0, 1], 0), q: [0, half, 0, half] as Frame['q'] }, // its z is the world's x
    frame('slide', 1, [0.5, 0, 0], 1),
    frame('tip', 2, [0, 0, 0.1], -1),
  ];
  const poses = new JointPoses(
    frames,
    [moved(1, true, [0, 0, 1], 'turn'), moved(2, false, [0, 1, 0], 'push')],
    ['push', 'turn'],
  );
  poses.setPositions([0, 0]);
  // 0.5 m along the arm's x, which points down, then 0.1 m along its z
  near(poses.positions.subarray(9), [0.1, 0, 0.5]);
  poses.setPositions([0.2, Math.PI / 2]);
  // the arm's x points along the world's y now, its y up
  near(poses.positions.subarray(9), [0.1, 0.5, 1.2]);
  // a position that is no number leaves its frame where it was
  poses.setPositions([NaN, 0]);
  near(poses.positions.subarray(9), [0.1, 0.2, 0.5]);
});

test('a joint that mimics another follows it', () => {
  const frames = [frame('world', -1, [0, 0, 0], -1), frame('jaw', 0, [0, 0, 0], 0)];
  const jaw = { ...moved(1, false, [1, 0, 0], 'lead'), multiplier: -2, offset: 0.3 };
  const poses = new JointPoses(frames, [jaw], ['lead']);
  poses.setPositions([0.1]);
  near(poses.positions.subarray(3), [0.1, 0, 0]);
});

const floats = (...values: number[]) => Float32Array.from(values);
const series = (x: number[], more: Partial<Series> = {}): Series =>
  ({
    index: 0,
    label: 'a',
    isReference: false,
    verdict: 'stable',
    ended: 'completed',
    startS: 0.5,
    periodS: 0.25,
    count: x.length,
    path: { x: floats(...x), y: floats(...x.map(() => 0)), z: floats(...x.map(() => 0)) } as Path,
    ...more,
  }) as Series;

test('before its first row and after its last a run rests', () => {
  const run = series([1, 2, 4]);
  assert.deepEqual(rowAtTime(run, 0), { row: 0, part: 0 });
  assert.deepEqual(rowAtTime(run, 0.75), { row: 1, part: 0 });
  assert.deepEqual(rowAtTime(run, 9), { row: 2, part: 0 });
  assert.deepEqual(valuesAt([run.path!.x], run, 0.875), [3]);
  // 0.5 + 3 × 0.1 is a bit less than 0.8
  const fine = { startS: 0.5, periodS: 0.1, count: 10 };
  assert.equal(rowAtTime(fine, 0.5 + 3 * 0.1).row, 3);
});

test('the worst deviation is at equal time, and of runs that stay stable', () => {
  const base = series([0, 0, 0, 0], { isReference: true });
  const late = series([0, 0.01, 0.03, 0.02]);
  const wild = series([0, 5, 9, 90], { verdict: 'unstable' });
  assert.ok(Math.abs(distanceAt(late, base, 1.125) - 0.025) < 1e-7);
  const worst = worstDeviation([base, late, wild], () => base, null)!;
  assert.equal(worst.series, late);
  assert.equal(worst.t, 1);
  assert.ok(Math.abs(worst.distance - 0.03) < 1e-7);
  // where all are wild, the worst of them
  assert.equal(worstDeviation([wild], () => base, null)!.t, 1.25);
  // alone: from the planned path
  const plan = {
    path: { x: floats(0, 0.005), y: floats(0, 0), z: floats(0, 0) },
    waypoints: [],
    start: null,
    holdStartS: null,
  };
  assert.ok(Math.abs(worstDeviation([late], () => late, plan)!.distance - 0.025) < 1e-7);
  assert.equal(
    worstDeviation([base], () => base, null),
    null,
  );
});

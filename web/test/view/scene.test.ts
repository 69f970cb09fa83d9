// SPDX-License-Identifier: Apache-2.0
// Poses between rows, normals, simplified paths, and how far belts run.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Vector3 } from 'three';

import { framing } from '../../src/shared/scene/framing';
import { Frame } from '../../src/shared/scene/scene';
import { distances } from '../../src/view/scene/devices';
import { newSegments, simplified } from '../../src/shared/scene/lines';
import { creased } from '../../src/shared/scene/normals';
import { Poses, slerp } from '../../src/shared/scene/poses';

const near = (found: ArrayLike<number>, expected: number[], within = 1e-12) => {
  assert.equal(found.length, expected.length);
  expected.forEach((value, i) =>
    assert.ok(Math.abs(found[i] - value) <= within, `${[...Array.from(found)]}`),
  );
};
const half = Math.SQRT1_2;

test('Turns are interpolated along the shorter arc', () => {
  const out = new Float64Array(4);
  // from 0° to 90° about z, given with the opposite sign: half of it is 45°
  slerp([0, 0, 0, 1], [0, 0, -half, -half], 0.5, out, 0);
  near(out, [0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)]);
});

test('Frames move with their parents, halfway between two rows', () => {
  const frames: Frame[] = [
    { name: 'world', parent: -1, p: [0, 0, 0], q: [0, 0, 0, 1], moving: -1 },
    { name: 'joint', parent: 0, p: [0, 0, 0], q: [0, 0, 0, 1], moving: 0 },
    { name: 'tip', parent: 1, p: [1, 0, 0], q: [0, 0, 0, 1], moving: -1 },
  ];
  const poses = new Poses(frames);
  // at 1 s at the origin, at 3 s 2 m up and turned by 180° about z
  const rows = [
    [1, 3],
    [0, 0],
    [0, 0],
    [0, 2],
    [0, 0],
    [0, 0],
    [0, 1],
    [1, 0],
  ];
  const columns = rows.map((row) => Float64Array.from(row));
  poses.update({ columns, index: 0, hasNext: true, row: 0 }, 2);
  near(poses.positions.subarray(6), [0, 1, 1]);
  near(poses.quaternions.subarray(8), [0, 0, half, half]);
  poses.update({ columns, index: 1, hasNext: false, row: 1 }, 7);
  near(poses.positions.subarray(6), [-1, 0, 2]);
});

test('A frame that a row does not have stays where it was', () => {
  const frames: Frame[] = [{ name: 'a', parent: -1, p: [1, 2, 3], q: [0, 0, 0, 1], moving: 0 }];
  const poses = new Poses(frames);
  const columns = [Float64Array.of(0), ...Array.from({ length: 7 }, () => Float64Array.of(NaN))];
  poses.update({ columns, index: 0, hasNext: false, row: 0 }, 0);
  near(poses.positions, [1, 2, 3]);
});

test('Normals are smooth over gentle bends and sharp over creases', () => {
  // two squares that meet at 20°, and one at 90° to the first
  const [c, s] = [Math.cos(Math.PI / 9), Math.sin(Math.PI / 9)];
  const positions = Float32Array.from(
    [
      [0, 0, 0],
      [1, 0, 0],
      [1, 1, 0],
      [0, 1, 0],
      [1 + c, 0, s],
      [1 + c, 1, s],
      [0, 0, -1],
      [0, 1, -1],
    ].flat(),
  );
  const triangles = Uint32Array.from([0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2, 0, 3, 7, 0, 7, 6]);
  const made = creased(positions, triangles);
  const normal = (corner: number) =>
    made.normals.subarray(3 * made.triangles[corner], 3 * made.triangles[corner] + 3);
  near(normal(0), [0, 0, 1], 1e-6); // at the crease: its own
  assert.ok(normal(1)[0] < -0.1 && normal(1)[0] > -0.25); // at the bend: between both
  near(normal(12), [-1, 0, 0], 1e-6);
});

test('A straight path needs its ends only; a corner is kept', () => {
  const flat = [0, 0, 0, 0, 0];
  assert.deepEqual(simplified([0, 1, 2, 3, 4], flat, flat, 0.01), [0, 4]);
  assert.deepEqual(simplified([0, 1, 2, 2, 2], [0, 0, 0, 1, 2], flat, 0.01), [0, 2, 4]);
});

test('A belt runs as far as its speed was held', () => {
  near(distances([0, 1, 3], [0.5, 0.1, 9]), [0, 0.5, 0.7]);
});

test('of rounds of a path, only what is new is drawn', () => {
  const round = (count: number, radius: number) =>
    Array.from({ length: 200 * count + 1 }, (_, i) => (i / 200) * 2 * Math.PI).flatMap((angle) => [
      radius * Math.cos(angle),
      radius * Math.sin(angle),
      0.3,
    ]);
  const once = newSegments(round(1, 0.2));
  assert.deepEqual(
    once,
    Array.from({ length: 200 }, (_, i) => i),
  );
  assert.ok(newSegments(round(50, 0.2)).length < 1.1 * 200, 'rounds are drawn again');
  // a round 3 mm farther out is seen, and so is a way across
  const wider = [...round(1, 0.2), ...round(1, 0.203)];
  assert.ok(newSegments(wider).length > 390, 'another round is left out');
  assert.deepEqual(newSegments([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]), [0, 2]);
});

test('All points are in sight, and those at two opposite edges touch them', () => {
  const points = [
    [1, 0, 0],
    [0, 3, 0.5],
    [-2, 1, 0],
    [0.5, -1, 1.5],
    [0.2, 0.1, 2],
  ].map(([x, y, z]) => new Vector3(x, y, z));
  const away = new Vector3(1, -1.25, 0.72).normalize();
  const [tall, wide] = [0.3, 0.45];
  const { target, distance } = framing(points, away, new Vector3(0, 0, 1), tall, wide);
  const right = new Vector3(1.25, 1, 0).normalize();
  const up = new Vector3().crossVectors(away, right);
  // where each is in the picture, whose edges are at ±1
  const places = points.map((point) => {
    const from = point.clone().sub(target);
    const depth = distance - from.dot(away);
    return [from.dot(right) / depth / wide, from.dot(up) / depth / tall];
  });
  const edges = [0, 1].map((k) => {
    const along = places.map((place) => place[k]);
    return [Math.min(...along), Math.max(...along)];
  });
  for (const [low, high] of edges) assert.ok(low >= -1 - 1e-12 && high <= 1 + 1e-12, `${edges}`);
  assert.ok(
    edges.some(([low, high]) => Math.abs(low + 1) < 1e-12 && Math.abs(high - 1) < 1e-12),
    `${edges}`,
  );
});

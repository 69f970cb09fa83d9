// SPDX-License-Identifier: Apache-2.0
// The made-up arm of the sample reports as a scene: frames, joints and simple shapes, one of them a mesh.
import { deflateRawSync } from 'node:zlib';

import { packColumn } from '../view/pack.mjs';

const still = [0, 0, 0, 1];
const turned = [0, 0, Math.SQRT1_2, Math.SQRT1_2]; // 90° about z
const packed = (bytes) => deflateRawSync(bytes).toString('base64');

export const packedPositions = (columns) =>
  packed(Buffer.concat(columns.map((column) => packColumn(column.map(Math.fround)))));

// A pyramid of 0.12 m.
function mesh() {
  const corners = [
    [-0.06, -0.06, 0],
    [0.06, -0.06, 0],
    [0.06, 0.06, 0],
    [-0.06, 0.06, 0],
    [0, 0, 0.12],
  ].flat();
  const triangles = [
    [0, 1, 4],
    [1, 2, 4],
    [2, 3, 4],
    [3, 0, 4],
    [1, 0, 3],
    [1, 3, 2],
  ].flat();
  const bytes = Buffer.concat([
    Buffer.from(Float32Array.from(corners).buffer),
    Buffer.from(Uint32Array.from(triangles).buffer),
  ]);
  return { vertices: 5, triangles: 6, data: packed(bytes) };
}

// Joints, and where each of their frames is in the one before. The base is turned, so that paths are not the world's.
export function sampleMotion(joints) {
  const places = [
    [0, 0, 0.089],
    [0, 0.109, 0],
    [0.425, 0, 0],
    [0.392, 0, 0],
    [0.08, 0, 0],
    [0.08, 0, 0],
  ];
  const axes = [
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 0],
    [0, 1, 0],
    [1, 0, 0],
    [1, 0, 0],
  ];
  const frame = (name, parent, p, moving = -1, q = still) => ({ name, parent, p, q, moving });
  const frames = [
    frame('world', -1, [0, 0, 0]),
    frame('base', 0, [0.2, -0.1, 0.05], -1, turned),
    ...places.map((p, i) => frame(joints[i].replace('_joint', ''), i + 1, p, i)),
  ];
  frames.push(frame('tool', frames.length - 1, [0, 0, 0]));
  const shape = (on, kind, size, p, q = still, more = {}) => ({
    frame: on,
    name: '',
    p,
    q,
    kind,
    size,
    colour: [0.75, 0.78, 0.82, 1],
    role: 'visual',
    ...more,
  });
  const alongX = [0, Math.SQRT1_2, 0, Math.SQRT1_2];
  const shapes = [
    shape(1, 'mesh', [1, 1, 1], [0, 0, 0], still, { mesh: 0 }),
    shape(2, 'cylinder', [0.12, 0.12, 0.13], [0, 0, 0]),
    shape(3, 'capsule', [0.1, 0.1, 0.5], [0.212, 0, 0], alongX),
    shape(4, 'capsule', [0.08, 0.08, 0.46], [0.196, 0, 0], alongX),
    shape(5, 'box', [0.08, 0.08, 0.08], [0, 0, 0]),
    shape(6, 'box', [0.07, 0.07, 0.07], [0, 0, 0]),
    shape(7, 'sphere', [0.05, 0.05, 0.05], [0, 0, 0], still, { colour: [0.2, 0.4, 0.8, 1] }),
  ];
  return {
    scene: {
      frames,
      shapes,
      meshes: [mesh()],
      models: [
        { name: 'arm', frames: frames.map((_, i) => i).slice(1), is_robot: true, is_moving: true },
      ],
      tools: [{ name: 'robot', frame: frames.length - 1, base: 1, topic: '' }],
    },
    joints: joints.map((joint, i) => ({
      frame: i + 2,
      turns: true,
      axis: axes[i],
      joint,
      multiplier: 1,
      offset: 0,
    })),
  };
}

// SPDX-License-Identifier: Apache-2.0
// Joins the shapes of a scene into one piece of geometry per moving frame, so that few pieces are drawn.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';

import { Surface, creased } from './normals';
import { Frame, Mesh, Shape, Solids } from './scene';

export interface Body {
  frame: number; // index of the moving frame that carries it; -1: fixed in the world
  role: 'visual' | 'collision';
  isClear: boolean; // some of it can be seen through
  geometry: BufferGeometry;
}

// Quiet colours for models without any of their own.
const palette = ['#b8c1cc', '#d8c7a3', '#a9bfa6', '#c9b3c4', '#a8c3cf', '#d3b8a4', '#c2c2b4'];
const robotColour = '#c9ced6';
const collisionColour = '#e8a33d';

export function carrierOf(frames: Frame[], frame: number): number {
  let at = frame;
  while (at >= 0 && frames[at].moving < 0) at = frames[at].parent;
  return at;
}

export const matrixOf = (p: ArrayLike<number>, q: ArrayLike<number>): Matrix4 =>
  new Matrix4().compose(
    new Vector3(p[0], p[1], p[2]),
    new Quaternion(q[0], q[1], q[2], q[3]),
    new Vector3(1, 1, 1),
  );

// Pose of a frame in the frame that carries it.
function inCarrier(frames: Frame[], frame: number): Matrix4 {
  const pose = new Matrix4();
  for (let at = frame; at >= 0 && frames[at].moving < 0; at = frames[at].parent)
    pose.premultiply(matrixOf(frames[at].p, frames[at].q));
  return pose;
}

function primitive({ kind, size: [x, y, z] }: Shape): BufferGeometry | null {
  switch (kind) {
    case 'box':
      return new BoxGeometry(x, y, z);
    case 'sphere':
      return new SphereGeometry(x / 2, 24, 16);
    case 'cylinder':
      return new CylinderGeometry(x / 2, x / 2, z, 32).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(x / 2, Math.max(0, z - x), 6, 28).rotateX(Math.PI / 2);
    default:
      return null;
  }
}

interface Piece {
  surface: Surface;
  matrix: Matrix4;
  colour: [number, number, number, number]; // linear
}

function surfaceOf(shape: Shape, mesh: Mesh | undefined): Surface | null {
  if (shape.kind === 'mesh') {
    if (!mesh) return null;
    const positions = mesh.positions.map((value, i) => value * shape.size[i % 3]);
    return creased(positions, mesh.triangles);
  }
  const made = primitive(shape);
  if (!made) return null;
  return {
    positions: made.getAttribute('position').array as Float32Array,
    normals: made.getAttribute('normal').array as Float32Array,
    triangles: Uint32Array.from(made.getIndex()!.array),
  };
}

function joined(pieces: Piece[]): BufferGeometry {
  const sum = (length: (surface: Surface) => number) =>
    pieces.reduce((all, { surface }) => all + length(surface), 0);
  const positions = new Float32Array(sum((one) => one.positions.length));
  const normals = new Int16Array(positions.length);
  const colours = new Uint16Array((positions.length / 3) * 4);
  const triangles = new Uint32Array(sum((one) => one.triangles.length));
  const vector = new Vector3();
  let at = 0;
  let triangle = 0;
  for (const { surface, matrix, colour } of pieces) {
    const levels = colour.map((value) => Math.round(65535 * Math.max(0, Math.min(1, value))));
    for (const vertex of surface.triangles) triangles[triangle++] = vertex + at / 3;
    for (let i = 0; i < surface.positions.length; i += 3, at += 3) {
      vector.fromArray(surface.positions, i).applyMatrix4(matrix).toArray(positions, at);
      vector.fromArray(surface.normals, i).transformDirection(matrix);
      for (let k = 0; k < 3; ++k) normals[at + k] = Math.round(32767 * vector.getComponent(k));
      colours.set(levels, (at / 3) * 4);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3, true));
  geometry.setAttribute('color', new BufferAttribute(colours, 4, true));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  geometry.computeBoundingSphere();
  geometry.computeBoundingBox();
  return geometry;
}

function colourOf(shape: Shape, modelOf: Map<number, number>, scene: Solids): Piece['colour'] {
  if (shape.role === 'collision')
    return [...new Color(collisionColour).toArray(), 0.35] as Piece['colour'];
  const own = shape.colour;
  if (own) {
    const colour = new Color().setRGB(own[0], own[1], own[2], 'srgb');
    return [colour.r, colour.g, colour.b, own[3]];
  }
  const model = modelOf.get(shape.frame) ?? 0;
  const isRobot = scene.models[model]?.is_robot;
  return [
    ...new Color(isRobot ? robotColour : palette[model % palette.length]).toArray(),
    1,
  ] as Piece['colour'];
}

export function bodiesOf(scene: Solids, meshes: Mesh[]): Body[] {
  const modelOf = new Map<number, number>();
  scene.models.forEach((model, i) => model.frames.forEach((frame) => modelOf.set(frame, i)));
  const groups = new Map<string, { body: Omit<Body, 'geometry'>; pieces: Piece[] }>();
  for (const shape of scene.shapes) {
    const surface = surfaceOf(shape, meshes[shape.mesh]);
    if (!surface) continue;
    const frame = carrierOf(scene.frames, shape.frame);
    const colour = colourOf(shape, modelOf, scene);
    const isClear = colour[3] < 0.99;
    const key = `${frame} ${shape.role} ${isClear}`;
    let group = groups.get(key);
    if (!group) {
      group = { body: { frame, role: shape.role, isClear }, pieces: [] };
      groups.set(key, group);
    }
    const matrix = inCarrier(scene.frames, shape.frame).multiply(matrixOf(shape.p, shape.q));
    group.pieces.push({ surface, matrix, colour });
  }
  return [...groups.values()].map(({ body, pieces }) => ({ ...body, geometry: joined(pieces) }));
}

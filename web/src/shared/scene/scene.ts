// SPDX-License-Identifier: Apache-2.0
// What stands in a cell, as the program describes it to every page that draws it.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number]; // x y z w

export interface Frame {
  name: string;
  parent: number; // -1: the world
  p: Vector;
  q: Quaternion;
  moving: number; // which group of seven columns of /tf; -1: fixed to its parent
}

export type ShapeKind = 'box' | 'sphere' | 'cylinder' | 'capsule' | 'plane' | 'mesh';

export interface Shape {
  frame: number;
  name: string;
  p: Vector;
  q: Quaternion;
  kind: ShapeKind;
  size: Vector;
  colour: [number, number, number, number] | null;
  mesh: number;
  role: 'visual' | 'collision';
}

export interface Model {
  name: string;
  frames: number[];
  is_robot: boolean;
  is_moving: boolean;
}

export interface Tool {
  name: string;
  frame: number;
  base?: number; // frame that the poses of its topic are in
  topic: string;
}

export interface Solids {
  frames: Frame[];
  shapes: Shape[];
  models: Model[];
}

export interface Mesh {
  positions: Float32Array;
  triangles: Uint32Array;
}

// `vertices`×3 float32, then `triangles`×3 uint32, little-endian.
export function meshOf(bytes: ArrayBuffer, vertices: number, triangles: number): Mesh {
  if (bytes.byteLength !== 12 * (vertices + triangles))
    throw new Error('a mesh has another size than the document says');
  return {
    positions: new Float32Array(bytes, 0, 3 * vertices),
    triangles: new Uint32Array(bytes, 12 * vertices, 3 * triangles),
  };
}

// SPDX-License-Identifier: Apache-2.0
// Lines of a width in pixels, and paths with no more points than their shape needs.
import { BufferAttribute, BufferGeometry, Mesh, Vector4, WebGLRenderer } from 'three';
import { LineMaterial, LineMaterialParameters } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

// Corners of a segment and its round ends, and the triangles between them, as LineMaterial wants them.
const template = new LineSegmentsGeometry();
const corners = template.getAttribute('position');
const ends = template.getAttribute('uv');
const faces = template.getIndex()!.array;

const viewport = new Vector4();

// Separate segments. Not instances of one, as three.js has them: a browser that draws in software starts anew for each.
export class Line extends Mesh<BufferGeometry, LineMaterial> {
  constructor(points: number[], starts: number[], options: LineMaterialParameters) {
    const geometry = new BufferGeometry();
    const { count: each } = corners;
    const count = each * starts.length;
    const put = (
      name: string,
      size: number,
      value: (segment: number, corner: number) => number[],
    ) => {
      const all = new Float32Array(size * count);
      for (let i = 0; i < count; ++i) all.set(value(Math.floor(i / each), i % each), size * i);
      geometry.setAttribute(name, new BufferAttribute(all, size));
    };
    const pointAt = (at: number) => points.slice(3 * at, 3 * at + 3);
    put('position', 3, (_, corner) => [corners.getX(corner), corners.getY(corner), 0]);
    put('uv', 2, (_, corner) => [ends.getX(corner), ends.getY(corner)]);
    put('instanceStart', 3, (segment) => pointAt(starts[segment]));
    put('instanceEnd', 3, (segment) => pointAt(starts[segment] + 1));
    if (options.dashed) {
      const distances = [0];
      for (const start of starts) {
        const [from, to] = [pointAt(start), pointAt(start + 1)];
        const length = Math.hypot(...from.map((value, k) => to[k] - value));
        distances.push(distances[distances.length - 1] + length);
      }
      put('instanceDistanceStart', 1, (segment) => [distances[segment]]);
      put('instanceDistanceEnd', 1, (segment) => [distances[segment + 1]]);
    }
    const triangles = new Uint32Array(faces.length * starts.length);
    for (let i = 0; i < triangles.length; ++i)
      triangles[i] = each * Math.floor(i / faces.length) + faces[i % faces.length];
    geometry.setIndex(new BufferAttribute(triangles, 1));
    super(geometry, new LineMaterial({ transparent: true, ...options }));
    this.frustumCulled = false;
  }

  // Whether this changes anything.
  showFirst(segments: number): boolean {
    const { drawRange } = this.geometry;
    const count = faces.length * segments;
    if (drawRange.count === count) return false;
    this.geometry.setDrawRange(0, count);
    this.visible = count > 0;
    return true;
  }

  override onBeforeRender = (renderer: WebGLRenderer): void => {
    renderer.getViewport(viewport);
    this.material.resolution.set(viewport.z, viewport.w);
  };

  drop(): void {
    this.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }
}

const cell = 0.0005;

// Where the segments of a path start that lead to where it has not been yet. A path that goes round and round is drawn
// about once: what is left out is less than a millimetre from what is drawn.
export function newSegments(points: ArrayLike<number>): number[] {
  const seen = new Set<number>();
  const cells = 2 ** 17; // in each direction before numbers come again: 65 m
  const starts: number[] = [];
  for (let i = 0; i + 1 < points.length / 3; ++i) {
    const from = [0, 1, 2].map((k) => points[3 * i + k]);
    const way = from.map((value, k) => points[3 * i + 3 + k] - value);
    const steps = Math.ceil(Math.hypot(...way) / cell);
    let isNew = false;
    for (let step = 0; step <= steps; ++step) {
      const part = steps ? step / steps : 0;
      let key = 0;
      for (let k = 0; k < 3; ++k) key = key * cells + Math.round((from[k] + part * way[k]) / cell);
      if (seen.has(key)) continue;
      seen.add(key);
      isNew = true;
    }
    if (isNew) starts.push(i);
  }
  return starts;
}

// Indices of the points that keep a path within a tolerance of itself (Ramer, Douglas and Peucker).
export function simplified(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  zs: ArrayLike<number>,
  tolerance: number,
): number[] {
  const count = xs.length;
  if (count < 3) return Array.from({ length: count }, (_, i) => i);
  const isKept = new Uint8Array(count);
  isKept[0] = isKept[count - 1] = 1;
  const stack: [number, number][] = [[0, count - 1]];
  while (stack.length) {
    const [from, to] = stack.pop()!;
    const [dx, dy, dz] = [xs[to] - xs[from], ys[to] - ys[from], zs[to] - zs[from]];
    const square = dx * dx + dy * dy + dz * dz;
    let worst = tolerance * tolerance;
    let at = -1;
    for (let i = from + 1; i < to; ++i) {
      const [px, py, pz] = [xs[i] - xs[from], ys[i] - ys[from], zs[i] - zs[from]];
      const along = square ? (px * dx + py * dy + pz * dz) / square : 0;
      const part = Math.max(0, Math.min(1, along));
      const away = (px - part * dx) ** 2 + (py - part * dy) ** 2 + (pz - part * dz) ** 2;
      if (away > worst) [worst, at] = [away, i];
    }
    if (at < 0) continue;
    isKept[at] = 1;
    stack.push([from, at], [at, to]);
  }
  return Array.from({ length: count }, (_, i) => i).filter((i) => isKept[i]);
}

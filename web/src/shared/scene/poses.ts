// SPDX-License-Identifier: Apache-2.0
// World poses of all frames of a scene at one time: from a row of /tf and the next, or as others place them.
import { Found } from '../data/rows';
import { Frame } from './scene';

// Of two unit quaternions (x y z w), `part` of the way along the shorter arc, written to out[at…].
export function slerp(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  part: number,
  out: Float64Array,
  at: number,
): void {
  let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(1, Math.abs(cosine));
  let [keep, take] = [1 - part, part];
  if (cosine < 0.9999995) {
    const angle = Math.acos(cosine);
    const sine = Math.sin(angle);
    keep = Math.sin((1 - part) * angle) / sine;
    take = Math.sin(part * angle) / sine;
  }
  take *= sign;
  let length = 0;
  for (let i = 0; i < 4; ++i) {
    out[at + i] = keep * a[i] + take * b[i];
    length += out[at + i] ** 2;
  }
  length = Math.sqrt(length) || 1;
  for (let i = 0; i < 4; ++i) out[at + i] /= length;
}

// v turned by q and added to p, written to out[at…].
export function place(
  p: ArrayLike<number>,
  pAt: number,
  q: ArrayLike<number>,
  qAt: number,
  v: ArrayLike<number>,
  vAt: number,
  out: Float64Array,
  at: number,
): void {
  const [qx, qy, qz, qw] = [q[qAt], q[qAt + 1], q[qAt + 2], q[qAt + 3]];
  const [x, y, z] = [v[vAt], v[vAt + 1], v[vAt + 2]];
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  out[at] = p[pAt] + x + qw * tx + qy * tz - qz * ty;
  out[at + 1] = p[pAt + 1] + y + qw * ty + qz * tx - qx * tz;
  out[at + 2] = p[pAt + 2] + z + qw * tz + qx * ty - qy * tx;
}

export function multiply(
  a: ArrayLike<number>,
  aAt: number,
  b: ArrayLike<number>,
  bAt: number,
  out: Float64Array,
  at: number,
): void {
  const [ax, ay, az, aw] = [a[aAt], a[aAt + 1], a[aAt + 2], a[aAt + 3]];
  const [bx, by, bz, bw] = [b[bAt], b[bAt + 1], b[bAt + 2], b[bAt + 3]];
  out[at] = aw * bx + ax * bw + ay * bz - az * by;
  out[at + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[at + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[at + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

export class Poses {
  readonly positions: Float64Array; // of the frames in the world
  readonly quaternions: Float64Array;
  protected readonly p: Float64Array; // of the frames in their parents
  protected readonly q: Float64Array;
  private readonly a = new Float64Array(4);
  private readonly b = new Float64Array(4);

  constructor(protected readonly frames: Frame[]) {
    this.positions = new Float64Array(3 * frames.length);
    this.quaternions = new Float64Array(4 * frames.length);
    this.p = new Float64Array(3 * frames.length);
    this.q = new Float64Array(4 * frames.length);
    frames.forEach((frame, i) => {
      this.p.set(frame.p, 3 * i);
      this.q.set(frame.q, 4 * i);
    });
    this.chain();
  }

  // Poses at time t; those that the row does not have stay as they were.
  update(found: Found, t: number): void {
    const { columns, index, hasNext } = found;
    const from = columns[0][index];
    const to = hasNext ? columns[0][index + 1] : from;
    const part = to > from ? Math.max(0, Math.min(1, (t - from) / (to - from))) : 0;
    const { a, b } = this;
    this.frames.forEach((frame, i) => {
      if (frame.moving < 0) return;
      const first = 1 + 7 * frame.moving;
      if (!columns[first]?.length || Number.isNaN(columns[first][index])) return;
      const isBetween = part > 0 && !Number.isNaN(columns[first][index + 1]);
      for (let k = 0; k < 3; ++k) {
        const now = columns[first + k][index];
        this.p[3 * i + k] = isBetween ? now + part * (columns[first + k][index + 1] - now) : now;
      }
      for (let k = 0; k < 4; ++k) {
        a[k] = columns[first + 3 + k][index];
        b[k] = isBetween ? columns[first + 3 + k][index + 1] : a[k];
      }
      slerp(a, b, isBetween ? part : 0, this.q, 4 * i);
    });
    this.chain();
  }

  protected chain(): void {
    this.frames.forEach(({ parent }, i) => {
      if (parent < 0) {
        this.positions.set(this.p.subarray(3 * i, 3 * i + 3), 3 * i);
        this.quaternions.set(this.q.subarray(4 * i, 4 * i + 4), 4 * i);
        return;
      }
      const { positions, quaternions } = this;
      place(positions, 3 * parent, quaternions, 4 * parent, this.p, 3 * i, positions, 3 * i);
      multiply(quaternions, 4 * parent, this.q, 4 * i, quaternions, 4 * i);
    });
  }
}

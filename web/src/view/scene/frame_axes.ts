// SPDX-License-Identifier: Apache-2.0
// The axes of all frames of a run (x red, y green, z blue) with their names.
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Sprite,
} from 'three';

import { Theme } from '../../shared/colours';
import { Frame } from '../../shared/scene/scene';
import { matrixOf } from '../../shared/scene/bodies';
import { Labels } from './labels';
import { Poses } from '../../shared/scene/poses';

const colours = [
  [0.85, 0.2, 0.15],
  [0.15, 0.6, 0.2],
  [0.15, 0.35, 0.9],
];

export class FrameAxes {
  readonly group = new Group();
  private readonly lines: LineSegments;
  private names: Sprite[] = [];

  constructor(
    private readonly frames: Frame[],
    private readonly labels: Labels,
  ) {
    const geometry = new BufferGeometry();
    const shades = frames.flatMap(() => colours.flatMap((one) => [...one, ...one]));
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(18 * frames.length), 3));
    geometry.setAttribute('color', new BufferAttribute(Float32Array.from(shades), 3));
    const material = new LineBasicMaterial({ vertexColors: true, depthTest: false });
    this.lines = new LineSegments(geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 8;
    this.group.add(this.lines);
  }

  setTheme(theme: Theme): void {
    this.names.forEach((name) => this.labels.drop(name));
    const style =
      theme === 'dark'
        ? { ink: '#e4e7eb', paper: 'rgba(20,23,27,0.7)' }
        : { ink: '#1b1f24', paper: 'rgba(255,255,255,0.72)' };
    this.names = this.frames.map(({ name }) => this.labels.make(name, style, [-0.08, 0.5]));
    if (this.names.length) this.group.add(...this.names);
  }

  setNames(isOn: boolean): void {
    for (const name of this.names) name.visible = isOn;
  }

  update(poses: Poses, length: number): void {
    if (!this.group.visible) return;
    const positions = this.lines.geometry.getAttribute('position') as BufferAttribute;
    this.frames.forEach((_, i) => {
      const p = poses.positions.subarray(3 * i, 3 * i + 3);
      const { elements } = matrixOf(p, poses.quaternions.subarray(4 * i, 4 * i + 4));
      for (let axis = 0; axis < 3; ++axis) {
        const at = 6 * i + 2 * axis;
        const [x, y, z] = [0, 1, 2].map((k) => p[k] + length * elements[4 * axis + k]);
        positions.setXYZ(at, p[0], p[1], p[2]);
        positions.setXYZ(at + 1, x, y, z);
      }
      this.names[i]?.position.set(p[0], p[1], p[2]);
    });
    positions.needsUpdate = true;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Measures the distance between two points that were clicked.
import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Sprite, Vector3 } from 'three';

import { Labels } from './labels';
import { Line } from '../../shared/scene/lines';

const colour = '#7b3ff2';

export const millimetres = (metres: number): string => `${(1000 * metres).toFixed(1)}\u202fmm`;

export class Measure {
  readonly group = new Group();
  isOn = false;
  private points: Vector3[] = [];
  private line: Line | null = null;
  private label: Sprite | null = null;
  private readonly dot = new SphereGeometry(0.008, 16, 12);
  private readonly material = new MeshBasicMaterial({ color: colour, depthTest: false });

  constructor(private readonly labels: Labels) {}

  // Words for the reader: what to do, or what was measured.
  get words(): string {
    if (!this.isOn) return '';
    const [a, b] = this.points;
    if (!a) return 'Click the first point, or press Enter for that in the middle.';
    if (!b) return 'Click the second point, or turn the view and press Enter.';
    const d = b.clone().sub(a);
    const parts = ['x', 'y', 'z'].map((axis, i) => `${axis} ${millimetres(d.getComponent(i))}`);
    return `${millimetres(d.length())} (${parts.join(', ')})`.replaceAll('-', '−');
  }

  toggle(): void {
    this.isOn = !this.isOn;
    this.clear();
  }

  add(point: Vector3): void {
    if (this.points.length === 2) this.clear();
    this.points.push(point);
    const dot = new Mesh(this.dot, this.material);
    dot.position.copy(point);
    dot.renderOrder = 9;
    this.group.add(dot);
    if (this.points.length < 2) return;
    const [a, b] = this.points;
    this.line = new Line([...a.toArray(), ...b.toArray()], [0], {
      color: colour,
      linewidth: 2,
      depthTest: false,
    });
    this.line.renderOrder = 9;
    const text = millimetres(a.distanceTo(b));
    this.label = this.labels.make(text, { ink: '#ffffff', paper: colour, isBold: true });
    this.label.position.copy(a).add(b).multiplyScalar(0.5);
    this.group.add(this.line, this.label);
  }

  clear(): void {
    this.points = [];
    if (this.line) this.line.drop();
    if (this.label) this.labels.drop(this.label);
    this.line = this.label = null;
    this.group.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Planned paths and their numbered waypoints.
import { Group, Mesh, MeshBasicMaterial, SphereGeometry, Sprite, Vector3 } from 'three';

import { Theme } from '../../shared/colours';
import { Plan } from '../data/document';
import { Labels } from './labels';
import { Line, newSegments, simplified } from '../../shared/scene/lines';

const colours = {
  light: { ink: '#111111', paper: '#ffffff' },
  dark: { ink: '#ffffff', paper: '#14171b' },
};

export class Plans {
  readonly group = new Group();
  private lines: Line[] = [];
  private readonly numbers: Sprite[] = [];

  constructor(
    private readonly plans: Plan[],
    private readonly labels: Labels,
  ) {}

  build(theme: Theme, size: number): void {
    this.lines.forEach((line) => line.drop());
    this.numbers.splice(0).forEach((sprite) => this.labels.drop(sprite));
    this.group.clear();
    const { ink, paper } = colours[theme];
    this.lines = this.plans
      .filter(({ path_m: path }) => path.length > 1)
      .map(({ path_m: path }) => {
        const column = (k: number) => path.map((point) => point[k]);
        const kept = simplified(column(0), column(1), column(2), 0.0002);
        const points = kept.flatMap((i) => path[i]);
        const dash = Math.max(0.004, 0.008 * size);
        return new Line(points, newSegments(points), {
          color: ink,
          linewidth: 1.4,
          dashed: true,
          dashSize: dash,
          gapSize: 0.7 * dash,
          depthWrite: false,
        });
      });
    const ball = new SphereGeometry(0.0045 * size, 16, 12);
    const material = new MeshBasicMaterial({ color: ink });
    for (const { waypoints_m: waypoints } of this.plans)
      waypoints.forEach((point, i) => {
        const mesh = new Mesh(ball, material);
        mesh.position.fromArray(point);
        const style = { ink: paper, paper: ink, isRound: true, isBold: true };
        const number = this.labels.make(String(i + 1), style, [0.5, -0.35]);
        number.position.fromArray(point);
        this.numbers.push(number);
        this.group.add(mesh, number);
      });
    if (this.lines.length) this.group.add(...this.lines);
  }

  points(): Vector3[] {
    return this.plans.flatMap(({ path_m: path, waypoints_m: waypoints }) =>
      [...path, ...waypoints].map((point) => new Vector3().fromArray(point)),
    );
  }

  setLabels(isOn: boolean): void {
    for (const number of this.numbers) number.visible = isOn;
  }
}

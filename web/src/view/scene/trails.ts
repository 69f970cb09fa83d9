// SPDX-License-Identifier: Apache-2.0
// The paths that the tools of one run take.
import { Vector3 } from 'three';

import { Poses } from '../../shared/scene/poses';
import { Tool } from '../../shared/scene/scene';
import { TrailLines, TrailPath, trailPath, trailWidth } from '../../shared/scene/trail_lines';
import { columnOf } from '../data/document';
import { Source } from '../data/source';
import { RunState } from '../runs';

const mostPoints = 20_000; // before they are simplified
const mostNumbers = 12_000_000;

export class Trails {
  readonly lines = new TrailLines();
  readonly group = this.lines.group;
  private colour = '#888';

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
  ) {}

  async load(): Promise<void> {
    const { tools } = this.state.scene;
    const found = await Promise.all(tools.map((tool) => this.path(tool)));
    const paths = found.filter((path) => path !== null);
    this.lines.setPaths(paths.filter(({ times }) => times.length > 1));
    this.build();
  }

  points(): Vector3[] {
    return this.lines.points();
  }

  setColour(colour: string): void {
    this.colour = colour;
    this.build();
  }

  // The main run is on top.
  private build(): void {
    this.lines.build(this.colour, trailWidth[this.state.look], this.state.index);
  }

  private async path(tool: Tool): Promise<TrailPath | null> {
    const table = this.state.table(tool.topic);
    if (!table) return this.pathOfFrame(tool.frame);
    const columns = [0, ...['x', 'y', 'z'].map((name) => columnOf(table, name))];
    const rows = this.state.rowsOf(table);
    if (columns.some((column) => column < 0) || rows < 2 || 4 * rows > mostNumbers) return null;
    const numbers = await this.source.rows(this.state.index, table.id, columns, 0, rows);
    return this.thinned(numbers);
  }

  private async pathOfFrame(frame: number): Promise<TrailPath | null> {
    const table = this.state.table('/tf');
    if (!table || frame < 0) return null;
    const rows = this.state.rowsOf(table);
    if (rows < 2 || rows * table.columns.length > mostNumbers) return null;
    const all = table.columns.map((_, i) => i);
    const columns = await this.source.rows(this.state.index, table.id, all, 0, rows);
    // a live run does this again and again
    const most = this.source.document.source === 'live' ? 1500 : mostPoints;
    const stride = Math.max(1, Math.ceil(rows / most));
    const path = [0, 1, 2, 3].map(() => new Float64Array(Math.ceil(rows / stride)));
    const poses = new Poses(this.state.scene.frames);
    for (let i = 0; i < path[0].length; ++i) {
      const row = i * stride;
      poses.update({ columns, index: row, hasNext: false, row }, columns[0][row]);
      path[0][i] = columns[0][row];
      for (let k = 0; k < 3; ++k) path[k + 1][i] = poses.positions[3 * frame + k];
    }
    return this.thinned(path);
  }

  private thinned(numbers: Float64Array[]): TrailPath {
    const stride = Math.max(1, Math.ceil(numbers[0].length / mostPoints));
    const every = (column: Float64Array) =>
      stride === 1 ? column : column.filter((_, i) => i % stride === 0 || i === column.length - 1);
    const [times, x, y, z] = numbers.map(every);
    return trailPath(times, x, y, z);
  }

  // Whether there is more or less of them.
  update(t: number): boolean {
    return this.lines.update(t);
  }
}

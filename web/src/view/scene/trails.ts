// SPDX-License-Identifier: Apache-2.0
// The paths that the tools of one run take: strong up to now, faint ahead.
import { Group, Vector3 } from 'three';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';

import { Tool, columnOf } from '../data/document';
import { rowAt } from '../data/rows';
import { Source } from '../data/source';
import { RunState } from '../runs';
import { dropLine, line, newSegments, simplified } from './lines';
import { Poses } from './poses';

const mostPoints = 20_000; // before they are simplified
const mostNumbers = 12_000_000;
const tolerance = 0.0002;

interface Path {
  times: number[];
  points: number[];
  starts: number[]; // of the segments that are drawn
}

interface Trail {
  past: LineSegments2;
  ahead: LineSegments2;
  ends: number[]; // when each segment is behind the tool
}

const width = { solid: 2.6, tinted: 2.2, ghost: 1.8 };

export class Trails {
  readonly group = new Group();
  private trails: Trail[] = [];
  private paths: Path[] = [];
  private colour = '#888';

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
  ) {}

  async load(): Promise<void> {
    const { tools } = this.state.scene;
    const found = await Promise.all(tools.map((tool) => this.path(tool)));
    this.paths = found.filter((path): path is Path => path !== null && path.times.length > 1);
    this.build();
  }

  points(): Vector3[] {
    return this.paths.flatMap(({ points }) =>
      Array.from({ length: points.length / 3 }, (_, i) => new Vector3().fromArray(points, 3 * i)),
    );
  }

  setColour(colour: string): void {
    this.colour = colour;
    this.build();
  }

  private async path(tool: Tool): Promise<Path | null> {
    const table = this.state.table(tool.topic);
    if (!table) return this.pathOfFrame(tool.frame);
    const columns = [0, ...['x', 'y', 'z'].map((name) => columnOf(table, name))];
    const rows = this.state.rowsOf(table);
    if (columns.some((column) => column < 0) || rows < 2 || 4 * rows > mostNumbers) return null;
    const numbers = await this.source.rows(this.state.index, table.id, columns, 0, rows);
    return this.thinned(numbers);
  }

  private async pathOfFrame(frame: number): Promise<Path | null> {
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

  private thinned(numbers: Float64Array[]): Path {
    const stride = Math.max(1, Math.ceil(numbers[0].length / mostPoints));
    const every = (column: Float64Array) =>
      stride === 1 ? column : column.filter((_, i) => i % stride === 0 || i === column.length - 1);
    const [times, x, y, z] = numbers.map(every);
    const kept = simplified(x, y, z, tolerance).filter((i) => !Number.isNaN(x[i] + y[i] + z[i]));
    const points = kept.flatMap((i) => [x[i], y[i], z[i]]);
    return { times: kept.map((i) => times[i]), points, starts: newSegments(points) };
  }

  private build(): void {
    for (const { past, ahead } of this.trails) {
      dropLine(past);
      dropLine(ahead);
    }
    const linewidth = width[this.state.look];
    this.trails = this.paths.map(({ times, points, starts }) => {
      const look = { color: this.colour, depthWrite: false };
      return {
        ends: starts.map((start) => times[start + 1]),
        past: line(points, starts, { ...look, linewidth }),
        ahead: line(points, starts, { ...look, linewidth: 1.2, opacity: 0.35 }),
      };
    });
    for (const { past, ahead } of this.trails) {
      past.renderOrder = 5 - Math.min(0.9, 0.1 * this.state.index); // the main run is on top
      ahead.renderOrder = 3;
      this.group.add(ahead, past);
    }
  }

  update(t: number): void {
    for (const { past, ends } of this.trails) {
      const count = rowAt(ends, ends.length, t) + 1;
      past.visible = count > 0;
      past.geometry.instanceCount = count;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// The runs that are shown: their colours, whether they are visible, and readers of their tables.
import { Theme, hues, style } from '../shared/colours';
import { Mark, Run, Scene, Table, columnOf, tableOf } from './data/document';
import { Reader } from './data/reader';
import { rowAt } from '../shared/data/rows';
import { Source } from './data/source';
import { Look } from '../shared/scene/run_shapes';

export class RunState {
  isVisible = true;
  readonly run: Run;
  readonly scene: Scene;
  readonly look: Look;
  private readonly readers = new Map<number, Reader>();
  private readonly allTimes = new Map<number, Promise<Float64Array>>();

  constructor(
    private readonly source: Source,
    readonly index: number,
    private readonly loaded: () => void,
  ) {
    this.run = source.document.runs[index];
    this.scene = source.document.scenes[this.run.scene];
    this.look = this.run.role === 'ghost' ? 'ghost' : index === 0 ? 'solid' : 'tinted';
  }

  colour(theme: Theme): string {
    if (this.look === 'ghost') return style[theme].reference;
    return hues[theme][(this.index + 1) % hues[theme].length];
  }

  table(topic: string): Table | undefined {
    return tableOf(this.run, topic);
  }

  tableById(id: number | null | undefined): Table | undefined {
    return this.run.tables.find((table) => table.id === id);
  }

  reader(table: Table): Reader {
    let reader = this.readers.get(table.id);
    if (!reader) {
      reader = new Reader(this.source, this.index, table, this.loaded);
      this.readers.set(table.id, reader);
    }
    return reader;
  }

  // Rows of a table now; in a live run they grow.
  rowsOf(table: Table): number {
    return this.source.local(this.index, table.id)?.rows ?? table.rows;
  }

  async times(table: Table): Promise<Float64Array> {
    const read = async () => {
      const [times] = await this.source.rows(this.index, table.id, [0], 0, this.rowsOf(table));
      return times;
    };
    if (this.source.document.source !== 'served') return read();
    // over the network, once
    let times = this.allTimes.get(table.id);
    if (!times) {
      times = read();
      times.catch(() => this.allTimes.delete(table.id));
      this.allTimes.set(table.id, times);
    }
    return times;
  }

  // The exact value of a column: that of the newest row at or before t.
  async value(topic: string, column: string, t: number): Promise<number> {
    const table = this.table(topic);
    if (!table) throw new Error(`run ${this.run.label} has no table ${topic}`);
    const at = columnOf(table, column);
    if (at < 0) throw new Error(`${topic} has no column ${column}`);
    const row = await this.rowAt(table, t);
    if (row < 0) return NaN;
    const [values] = await this.source.rows(this.index, table.id, [at], row, row + 1);
    return values[0];
  }

  // The newest row at or before t, found among the exact times of a few rows.
  async rowAt(table: Table, t: number): Promise<number> {
    const rows = this.rowsOf(table);
    if (rows === 0) return -1;
    if (table.period_s !== null && !this.source.local(this.index, table.id)) {
      const guess = Math.floor((t - table.first_s) / table.period_s);
      const from = Math.max(0, Math.min(rows - 1, guess - 2));
      const to = Math.min(rows, from + 5);
      const [near] = await this.source.rows(this.index, table.id, [0], from, to);
      const at = rowAt(near, near.length, t);
      if ((at >= 0 || from === 0) && (at < near.length - 1 || to === rows)) return from + at;
    }
    const times = await this.times(table);
    return rowAt(times, times.length, t);
  }
}

export const marksOf = (runs: RunState[]): { mark: Mark; run: RunState }[] =>
  runs
    .filter((run) => run.isVisible)
    .flatMap((run) => run.run.marks.map((mark) => ({ mark, run })))
    .sort((a, b) => a.mark.t_s - b.mark.t_s);

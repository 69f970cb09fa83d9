// SPDX-License-Identifier: Apache-2.0
// Reads a table row by row without waiting: what is in memory at once, the rest when it has come.
import { Table } from './document';
import { ColumnsOf, Found, rowAt } from '../../shared/data/rows';
import { Source } from './source';

const numbersPerChunk = 32_768;
const chunksKept = 256;
const requestsAtOnce = 2;

export class Reader {
  private readonly chunks = new Map<number, Float64Array[]>();
  private readonly asked = new Set<number>();
  private wanted: number[] = [];
  private readonly rowsPerChunk: number;
  private times: Float64Array | null = null;
  private isPreparing = false;
  private isFailed = false;

  constructor(
    private readonly source: Source,
    private readonly run: number,
    readonly table: Table,
    private readonly loaded: () => void,
  ) {
    this.rowsPerChunk = Math.max(16, Math.floor(numbersPerChunk / table.columns.length));
  }

  // The newest row at or before t. Null: it is on its way; undefined: there is none.
  at(t: number): Found | null | undefined {
    const local = this.source.local(this.run, this.table.id);
    if (local) {
      const row = rowAt(local.column(0), local.rows, t);
      if (row < 0) return undefined;
      const columns = new Proxy({}, { get: (_, i) => local.column(Number(i)) }) as ColumnsOf;
      return { columns, index: row, hasNext: row + 1 < local.rows, row };
    }
    if (this.isFailed || this.table.rows === 0) return undefined;
    const { first_s, period_s, rows } = this.table;
    if (this.source.document.source !== 'served' || (period_s === null && !this.times)) {
      this.prepare();
      return null;
    }
    if (this.times) {
      const row = rowAt(this.times, rows, t);
      return row < 0 ? undefined : this.found(row);
    }
    let row = Math.floor((t - first_s) / period_s! + 1e-6);
    row = Math.max(0, Math.min(rows - 1, row));
    // The period may be rounded: the exact times decide.
    for (let tries = 0; tries < 8; ++tries) {
      const found = this.found(row);
      if (!found) return found;
      const times = found.columns[0];
      if (times[found.index] > t) {
        if (row === 0) return undefined;
        --row;
      } else if (found.hasNext && times[found.index + 1] <= t) {
        ++row;
      } else {
        return found;
      }
    }
    this.prepare(); // not periodic at all
    return null;
  }

  // Asks for the rows that playing on will need.
  expect(row: number): void {
    if (this.source.document.source !== 'served' || row < 0 || row >= this.table.rows) return;
    const chunk = Math.floor(row / this.rowsPerChunk);
    if (!this.chunks.has(chunk)) this.ask(chunk);
  }

  private prepare(): void {
    if (this.isPreparing) return;
    this.isPreparing = true;
    const { id, rows } = this.table;
    const work =
      this.source.document.source === 'served'
        ? this.source.rows(this.run, id, [0], 0, rows).then(([times]) => {
            this.times = times;
          })
        : this.source.prepare(this.run, id);
    work.then(this.loaded, (error) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.isFailed = true;
    console.warn(error);
    this.loaded(); // whoever waits for it must not go on showing what was before
  }

  private found(row: number): Found | null {
    const chunk = Math.floor(row / this.rowsPerChunk);
    const columns = this.chunks.get(chunk);
    if (!columns) {
      this.ask(chunk);
      return null;
    }
    const index = row - chunk * this.rowsPerChunk;
    return { columns, index, hasNext: row + 1 < this.table.rows, row };
  }

  // The newest wish is served first; old ones are dropped.
  private ask(chunk: number): void {
    if (this.asked.has(chunk)) return;
    this.wanted = [...this.wanted.filter((one) => one !== chunk), chunk].slice(-2);
    this.request();
  }

  private request(): void {
    while (this.asked.size < requestsAtOnce && this.wanted.length) {
      const chunk = this.wanted.pop()!;
      this.asked.add(chunk);
      const from = chunk * this.rowsPerChunk;
      const to = Math.min(this.table.rows, from + this.rowsPerChunk + 1); // the next row, too
      const columns = this.table.columns.map((_, i) => i);
      this.source
        .rows(this.run, this.table.id, columns, from, to)
        .then((numbers) => {
          this.chunks.set(chunk, numbers);
          if (this.chunks.size > chunksKept)
            this.chunks.delete(this.chunks.keys().next().value as number);
          this.loaded();
        })
        .catch((error) => this.fail(error))
        .finally(() => {
          this.asked.delete(chunk);
          this.request();
        });
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Reads the messages of a table with texts, as objects, without waiting: what has come at once, the rest later.
import { RunState } from '../runs';
import { Table } from './document';
import { Source } from './source';

const rowsPerChunk = 512;

export class TextReader<T> {
  private readonly chunks = new Map<number, T[]>();
  private readonly asked = new Set<number>();
  private last: { text: string; message: T } | null = null;

  constructor(
    private readonly source: Source,
    private readonly run: RunState,
    readonly table: Table,
    private readonly loaded: () => void,
  ) {}

  // The message of the newest row at or before t, and when it was written; null: none, or still on its way.
  at(t: number): { time: number; message: T } | null {
    const found = this.run.reader(this.table).at(t);
    if (!found) return null;
    const message = this.row(found.row);
    return message ? { time: found.columns[0][found.index], message } : null;
  }

  row(row: number): T | null {
    // of a live run, rows move when old ones are dropped: nothing is kept but the last
    if (this.source.localText) {
      const text = this.source.localText(this.run.index, this.table.id, row);
      if (!text) return null;
      if (this.last?.text !== text) this.last = { text, message: JSON.parse(text) as T };
      return this.last.message;
    }
    const chunk = Math.floor(row / rowsPerChunk);
    const known = this.chunks.get(chunk);
    const at = row - chunk * rowsPerChunk;
    if (known) return known[at] ?? null;
    void this.fetch(chunk);
    return null;
  }

  // All messages of some rows.
  async rows(from: number, to: number): Promise<T[]> {
    const texts = await this.source.texts(this.run.index, this.table.id, from, to);
    return texts.map((text) => JSON.parse(text || '{}') as T);
  }

  private async fetch(chunk: number): Promise<void> {
    if (this.asked.has(chunk)) return;
    this.asked.add(chunk);
    try {
      const from = chunk * rowsPerChunk;
      this.chunks.set(chunk, await this.rows(from, from + rowsPerChunk));
      this.loaded();
    } catch (error) {
      console.warn(error);
      return; // and never again
    }
    this.asked.delete(chunk);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Data of a run under way: rows arrive over a WebSocket and are kept for ten minutes or 200 MB.
import { Mark, ViewDocument, completed } from './document';
import { LocalSource } from './local_source';
import { rowAt } from '../../shared/data/rows';
import { fetchMesh } from './served_source';
import { Mesh } from '../../shared/scene/scene';
import { LiveState, LocalTable, SourceEvents } from './source';

export const keptSeconds = 600;
const keptBytes = 200e6;

// Where rows belong that come at the end: behind all that are not later. Messages on a network are told when their fate
// is known, a little out of order.
function placeOf(times: ArrayLike<number>, count: number, t: number): number {
  let at = count;
  while (at > 0 && times[at - 1] > t) --at;
  return at;
}

// Columns that grow at the end and are cut at the front; rows are in order of time.
export class GrowingTable implements LocalTable {
  rows = 0;
  texts: string[] = [];
  private textTimes: number[] = [];
  private columns: Float64Array[];

  constructor(readonly width: number) {
    this.columns = Array.from({ length: width }, () => new Float64Array(256));
  }

  column(index: number): Float64Array {
    return this.columns[index];
  }

  get bytes(): number {
    return 8 * this.width * this.rows;
  }

  // `numbers` holds the columns one after another.
  append(numbers: Float64Array, count: number): void {
    const needed = this.rows + count;
    if (needed > this.columns[0].length) {
      this.columns = this.columns.map((old) => {
        const longer = new Float64Array(Math.max(needed, 2 * old.length));
        longer.set(old.subarray(0, this.rows));
        return longer;
      });
    }
    for (let row = 0; row < count; ++row, ++this.rows) {
      const at = placeOf(this.columns[0], this.rows, numbers[row]);
      this.columns.forEach((column, i) => {
        if (at < this.rows) column.copyWithin(at + 1, at, this.rows);
        column[at] = numbers[i * count + row];
      });
    }
  }

  appendTexts(times: number[], texts: string[]): void {
    times.forEach((t, i) => {
      const at = placeOf(this.textTimes, this.textTimes.length, t);
      this.textTimes.splice(at, 0, t);
      this.texts.splice(at, 0, texts[i]);
    });
  }

  // Drops rows older than a time; not one by one, since all others are moved.
  dropBefore(time: number): void {
    const gone = rowAt(this.columns[0], this.rows, time);
    if (gone < 1024 && gone < this.rows / 4) return;
    this.columns.forEach((column) => column.copyWithin(0, gone, this.rows));
    this.rows -= gone;
    this.texts.splice(0, gone);
    this.textTimes.splice(0, gone);
  }
}

type Message =
  | { type: 'document'; document: unknown }
  | ({ type: 'clock' } & LiveState)
  | { type: 'texts'; run: number; table: number; times_s: number[]; texts: string[] }
  | { type: 'marks'; run: number; marks: Mark[] };

export interface RowsMessage {
  run: number;
  table: number;
  rows: number;
  numbers: Float64Array;
}

export function readRowsMessage(buffer: ArrayBuffer): RowsMessage {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as {
    run: number;
    table: number;
    rows: number;
  };
  return { ...head, numbers: new Float64Array(buffer, Math.ceil((4 + length) / 8) * 8) };
}

export class LiveSource extends LocalSource {
  document: ViewDocument;
  bytes = 0;
  private readonly tables = new Map<string, GrowingTable>();
  private events: SourceEvents | null = null;
  private early: (string | ArrayBuffer)[] = []; // what came before anyone listened

  private constructor(document: ViewDocument) {
    super();
    this.document = document;
  }

  // Waits for the first document, however long the program takes to start.
  static open(waiting: (words: string) => void): Promise<LiveSource> {
    return new Promise((done) => {
      let source: LiveSource | null = null;
      const connect = () => {
        const address = new URL('live', location.href);
        address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
        const socket = new WebSocket(address, 'longarm.view.v1');
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
          if (source) {
            source.receive(data);
          } else if (typeof data === 'string') {
            const message = JSON.parse(data) as Message;
            if (message.type !== 'document') return;
            source = new LiveSource(completed(message.document));
            done(source);
          }
        };
        socket.onclose = () => {
          if (source) source.events?.connection(false);
          else waiting('Waiting for the program to answer…');
          setTimeout(connect, 1000);
        };
      };
      connect();
    });
  }

  listen(events: SourceEvents): void {
    this.events = events;
    const early = this.early;
    this.early = [];
    early.forEach((data) => this.receive(data));
  }

  private table(run: number, id: number): GrowingTable | null {
    const key = `${run}-${id}`;
    let table = this.tables.get(key);
    if (!table) {
      const known = this.document.runs[run]?.tables.find((one) => one.id === id);
      if (!known) return null;
      this.tables.set(key, (table = new GrowingTable(known.columns.length)));
    }
    return table;
  }

  private receive(data: string | ArrayBuffer): void {
    if (!this.events) {
      this.early.push(data);
      return;
    }
    if (typeof data !== 'string') {
      const { run, table, rows, numbers } = readRowsMessage(data);
      this.bytes += data.byteLength;
      this.table(run, table)?.append(numbers, rows);
      this.forget(run);
      this.events.rows(run, table);
      return;
    }
    const message = JSON.parse(data) as Message;
    if (message.type === 'clock') this.events.clock(message);
    else if (message.type === 'marks') this.addMarks(message.run, message.marks);
    else if (message.type === 'texts') {
      this.table(message.run, message.table)?.appendTexts(message.times_s, message.texts);
      this.events.rows(message.run, message.table);
    } else if (message.type === 'document') {
      this.tables.clear();
      this.document = completed(message.document);
      this.events.connection(true);
      this.events.document(this.document);
    }
  }

  private addMarks(run: number, marks: Mark[]): void {
    this.document.runs[run]?.marks.push(...marks);
    this.events?.marks(run, marks);
  }

  // Keeps the newest ten minutes; less where that is too much.
  private forget(run: number): void {
    let newest = -Infinity;
    let oldest = Infinity;
    let bytes = 0;
    for (const table of this.tables.values()) {
      if (!table.rows) continue;
      oldest = Math.min(oldest, table.column(0)[0]);
      newest = Math.max(newest, table.column(0)[table.rows - 1]);
      bytes += table.bytes;
    }
    const seconds = bytes > keptBytes ? 0.75 * (newest - oldest) : keptSeconds;
    for (const { id } of this.document.runs[run]?.tables ?? [])
      this.tables.get(`${run}-${id}`)?.dropBefore(newest - seconds);
  }

  local(run: number, table: number): LocalTable | null {
    return this.table(run, table);
  }

  async prepare(): Promise<void> {}

  async texts(run: number, table: number, from: number, to: number): Promise<string[]> {
    return this.table(run, table)?.texts.slice(from, to) ?? [];
  }

  localText(run: number, table: number, row: number): string | undefined {
    return this.table(run, table)?.texts[row];
  }

  mesh(scene: number, mesh: number): Promise<Mesh> {
    return fetchMesh(this.document, scene, mesh);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Frames of the built-in network, hop by hop: when each waited at a port, was sent, and arrived or was lost.
import { Network, Table, columnOf } from '../data/document';
import { Source } from '../data/source';
import { RunState } from '../runs';

// One frame over one cable. Ports: 2c is the first end of link c, 2c + 1 the second.
export interface Hop {
  frame: number;
  port: number;
  from: number; // nodes: sender and receiver, not the ends of this cable
  to: number;
  flow: number;
  message: number | null;
  size_bytes: number;
  kind: number;
  fate: number;
  isRetransmission: boolean;
  queued_s: number;
  sent_s: number | null; // null: it never was
  left_s: number | null;
  end_s: number; // arrived or lost
}

export const fates = ['arrived', 'queue full', 'CoDel', 'damaged', 'cable down'];
const kinds = ['', 'UDP', 'TCP', 'ACK', 'SYN/FIN'];
export const isLost = ({ fate }: Hop) => fate !== 0;
export const isSmall = ({ kind }: Hop) => kind > 2; // carries no data
export const kindOf = ({ kind }: Hop) => kinds[kind] ?? '';

export const names = [
  'frame',
  'port',
  'from',
  'to',
  'flow',
  'message',
  'size_bytes',
  'kind',
  'fate',
  'retransmission',
  'waited_s',
  'sending_s',
  'travelling_s',
];

// Columns in the order of `names`, behind the time.
export function hopsIn([end, ...columns]: ArrayLike<number>[]): Hop[] {
  // in one file, numbers are rounded
  const whole = (value: number) => (Number.isNaN(value) ? null : Math.round(value));
  return Array.from({ length: end.length }, (_, i) => {
    const values = columns.map((column) => column[i]);
    const [frame, port, from, to, flow, message, size, kind, fate, again] = values.map(whole);
    const [waited, sending, going] = values.slice(10);
    const left = Number.isNaN(going) ? null : end[i] - going;
    const sent = left === null ? null : left - sending;
    return {
      frame: frame!,
      port: port!,
      from: from!,
      to: to!,
      flow: flow!,
      message,
      size_bytes: size!,
      kind: kind!,
      fate: fate!,
      isRetransmission: again === 1,
      queued_s: (sent ?? end[i]) - waited,
      sent_s: sent,
      left_s: left,
      end_s: end[i],
    };
  });
}

// The two nodes of a port: where frames leave, and where they get to.
export function endsOf({ links }: Network, port: number): [string, string] {
  const link = links[port >> 1];
  return port & 1 ? [link.b, link.a] : [link.a, link.b];
}

// As columns, topics and captured files have it.
export const portName = (network: Network, port: number) =>
  `${endsOf(network, port)[0]}-${network.links[port >> 1].name}`;

// Where a frame is at time t: it waits at its port, is a part of the way along its cable, or was lost there less than `fading` ago.
export interface Place {
  state: 'waits' | 'moves' | 'lost';
  part: number;
}

export function placeOf(hop: Hop, t: number, fading: number): Place | null {
  if (t < hop.queued_s) return null;
  const isOver = t >= hop.end_s;
  if (isOver && (!isLost(hop) || t - hop.end_s >= fading)) return null;
  if (hop.sent_s === null || t < hop.sent_s) return { state: isOver ? 'lost' : 'waits', part: 0 };
  // what is lost on a cable is lost somewhere on it
  const way = isLost(hop) ? 0.5 : 1;
  const span = hop.end_s - hop.sent_s;
  if (isOver) return { state: 'lost', part: way };
  return { state: 'moves', part: span > 0 ? (way * (t - hop.sent_s)) / span : way };
}

export interface Counts {
  frames: number;
  lost: number;
  retransmitted: number;
}

// Adds what ended from one instant on, up to another and with it.
export function count(into: Map<number, Counts>, hops: Hop[], from: number, to: number): void {
  for (const hop of hops) {
    if (hop.end_s < from || hop.end_s > to) continue;
    const counts = into.get(hop.port) ?? { frames: 0, lost: 0, retransmitted: 0 };
    ++counts.frames;
    if (isLost(hop)) ++counts.lost;
    if (hop.isRetransmission) ++counts.retransmitted;
    into.set(hop.port, counts);
  }
}

const rowsPerChunk = 2000;
const mostAhead = 10; // chunks
const chunksKept = 48;

export class Frames {
  private readonly chunks = new Map<number, Promise<Hop[]>>();

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
  ) {}

  get table(): Table | undefined {
    return this.state.table('/network/frames');
  }

  private async chunk(index: number): Promise<Hop[]> {
    const table = this.table!;
    const [from, to] = [index * rowsPerChunk, (index + 1) * rowsPerChunk];
    const rows = this.state.rowsOf(table);
    if (index < 0 || from >= rows) return [];
    const read = async () => {
      const columns = [0, ...names.map((name) => columnOf(table, name))];
      const sorted = [...columns].sort((a, b) => a - b);
      const numbers = await this.source.rows(
        this.state.index,
        table.id,
        sorted,
        from,
        Math.min(rows, to),
      );
      return hopsIn(columns.map((column) => numbers[sorted.indexOf(column)]));
    };
    // rows of a live run come and go
    if (this.source.document.source === 'live') return read();
    let kept = this.chunks.get(index);
    if (!kept) {
      kept = read();
      kept.catch(() => this.chunks.delete(index));
    }
    this.chunks.delete(index);
    this.chunks.set(index, kept); // the newest is the last
    if (this.chunks.size > chunksKept) this.chunks.delete(this.chunks.keys().next().value!);
    return kept;
  }

  private async chunkAt(t: number): Promise<number> {
    const row = await this.state.rowAt(this.table!, t);
    return Math.floor(Math.max(0, row) / rowsPerChunk);
  }

  // Hops that end around t, and those after it that have begun by then, in order of their ends. `since`: those from then on as well.
  async around(t: number, since = t): Promise<Hop[]> {
    const here = await this.chunkAt(t);
    const first = Math.max(here - mostAhead, Math.min(here, await this.chunkAt(since)) - 1);
    const parts = Array.from({ length: here - first + 2 }, (_, i) => this.chunk(first + i));
    const hops = (await Promise.all(parts)).flat();
    // rows stand where hops end: a frame that waits for long has its row far behind
    for (let ahead = 2; ahead <= mostAhead; ++ahead) {
      const last = await this.chunk(here + ahead - 1);
      if (!last.some(({ queued_s: queued }) => queued <= t)) break;
      hops.push(...(await this.chunk(here + ahead)));
    }
    return hops;
  }

  // All hops of the frame that this is one of.
  async follow(hop: Hop): Promise<Hop[]> {
    const network = this.state.run.network!;
    const found = [hop];
    const look = async (t: number, step: number, fits: (one: Hop) => boolean) => {
      const start = await this.chunkAt(t);
      for (let i = -step; Math.abs(i) <= mostAhead; i += step) {
        const match = (await this.chunk(start + i)).find(
          (one) => one.frame === hop.frame && fits(one),
        );
        if (match) return match;
      }
      return null;
    };
    for (;;) {
      const [node] = endsOf(network, found[0].port);
      if (node === network.nodes[hop.from]?.name) break;
      const before = await look(
        found[0].queued_s,
        -1,
        (one) => endsOf(network, one.port)[1] === node,
      );
      if (!before) break;
      found.unshift(before);
    }
    for (;;) {
      const last = found[found.length - 1];
      const [, node] = endsOf(network, last.port);
      if (isLost(last) || node === network.nodes[hop.to]?.name) break;
      const next = await look(last.end_s, 1, (one) => endsOf(network, one.port)[0] === node);
      if (!next) break;
      found.push(next);
    }
    return found;
  }

  // Frames that carry the start of a message, one hop of each.
  async of(flow: number, message: number, from: string, times: number[]): Promise<Hop[]> {
    const { nodes } = this.state.run.network!;
    const parts = await Promise.all(times.map((t) => this.around(t)));
    const found = new Map<number, Hop>();
    for (const hop of parts.flat())
      if (hop.flow === flow && hop.message === message && nodes[hop.from]?.name === from)
        if (!found.has(hop.frame)) found.set(hop.frame, hop);
    return [...found.values()].sort((a, b) => a.frame - b.frame);
  }
}

// What each port had carried and lost by t: counters are written now and then, the rest is in the hops.
export class PortCounters {
  private columns: { table: number; ports: [number, number][] } = { table: -1, ports: [] };

  constructor(private readonly state: RunState) {}

  private get table(): Table | undefined {
    return this.state.table('/network/counters');
  }

  // When the newest counters at or before t were written; null: they are on their way; -∞: there are none so early.
  at(t: number): { time: number; notFollowed: number; counts: Map<number, Counts> } | null {
    const counts = new Map<number, Counts>();
    const { table } = this;
    const found = table ? this.state.reader(table).at(t) : undefined;
    if (found === null) return null;
    if (!table || !found) return { time: -Infinity, notFollowed: 0, counts };
    const value = (column: number) => found.columns[column][found.index];
    for (const [port, column] of this.portsOf(table)) {
      if (!value(column)) continue;
      counts.set(port, {
        frames: value(column),
        lost: value(column + 1),
        retransmitted: value(column + 2),
      });
    }
    const notFollowed = value(columnOf(table, 'not_followed'));
    return { time: value(0), notFollowed, counts };
  }

  private portsOf(table: Table): [number, number][] {
    if (this.columns.table !== table.id) {
      const network = this.state.run.network!;
      const ports = network.links.flatMap((_, i) => [2 * i, 2 * i + 1]);
      this.columns = {
        table: table.id,
        ports: ports.map((port) => [port, columnOf(table, `${portName(network, port)}.frames`)]),
      };
    }
    return this.columns.ports.filter(([, column]) => column > 0);
  }
}

// How many waited at a port at most in the millisecond around t; null: not known.
export function queueAt(state: RunState, port: number, t: number): number | null {
  const name = portName(state.run.network!, port);
  const table = state.table(`/network/queues/${name}`);
  if (!table) return 0;
  const found = state.reader(table).at(t + 0.001);
  if (!found) return found === null ? null : 0;
  return found.columns[columnOf(table, `${name}.packets`)][found.index];
}

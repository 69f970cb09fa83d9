// SPDX-License-Identifier: Apache-2.0
// Messages on the network, put together from the rows that record when each was sent, delivered or lost.
import { Network, Table, columnOf, linkEnds } from '../data/document';
import { Source } from '../data/source';
import { RunState } from '../runs';

export interface Message {
  key: string;
  flow: number | null; // with `number`, how frames name it
  number: number | null;
  from: string;
  to: string;
  route: string[];
  name: string;
  size_bytes: number | null;
  sampled_s: number | null;
  sent_s: number;
  end_s: number | null; // delivered or lost; null: still under way, or not recorded
  used_s: number | null;
  isLost: boolean;
  reason: string;
  lostAt: string; // name of the node or link, if known
}

interface PacketText {
  event?: string;
  flow?: number;
  from?: string;
  to?: string;
  message?: string | number;
  name?: string;
  size_bytes?: number;
  reason?: string;
  at?: string;
  sampled_s?: number;
  used_s?: number;
}

const isEnd = (event: string) => event === 'delivered' || event === 'arrived' || event === 'lost';

// Numbers of messages have those of their connections in their low 32 bits.
function numbered(message: string | number | undefined): string {
  if (typeof message === 'string') return message;
  if (message === undefined) return '';
  return `#${message >= 2 ** 32 ? Math.floor(message / 2 ** 32) : message}`;
}

// By its number where both have one, else by its ends.
const flowOf = (net: Network, { flow, from, to }: PacketText) =>
  net.flows.find((one) => one.flow !== undefined && one.flow === flow) ??
  net.flows.find((one) => one.from === from && one.to === to);

// Rows of /network/packets in order of time. A message that was sent before the first of them is left out.
export function pairPackets(
  times: ArrayLike<number>,
  texts: PacketText[],
  net: Network,
): Message[] {
  const messages: Message[] = [];
  const open = new Map<string, Message[]>();
  texts.forEach((text, i) => {
    const key = `${text.flow ?? `${text.from} ${text.to}`} ${text.message ?? ''}`;
    if (text.event === 'sent') {
      const flow = flowOf(net, text);
      const [from, to] = [text.from ?? flow?.from ?? '', text.to ?? flow?.to ?? ''];
      const message: Message = {
        key: `${key} ${times[i]}`,
        flow: text.flow ?? null,
        number: typeof text.message === 'number' ? text.message : null,
        from,
        to,
        route: flow?.route ?? [from, to],
        name: text.name ?? numbered(text.message),
        size_bytes: text.size_bytes ?? null,
        sampled_s: text.sampled_s ?? null,
        sent_s: times[i],
        end_s: null,
        used_s: null,
        isLost: false,
        reason: '',
        lostAt: '',
      };
      messages.push(message);
      open.set(key, [...(open.get(key) ?? []), message]);
    } else if (isEnd(text.event ?? '')) {
      const message = open.get(key)?.shift();
      if (!message) return;
      message.end_s = times[i];
      message.isLost = text.event === 'lost';
      message.reason = text.reason ?? '';
      message.lostAt = text.at ?? '';
      message.used_s = text.used_s ?? null;
    }
  });
  return messages;
}

// Rows of /link/states or /link/commands: an arm with a link of its own.
export function pairLink(
  columns: { times: ArrayLike<number>; index: ArrayLike<number>; sent: ArrayLike<number> },
  sizes: ArrayLike<number>,
  texts: PacketText[],
  [from, to, name]: [string, string, string],
): Message[] {
  const found = new Map<number, Message>();
  texts.forEach((text, i) => {
    const number = columns.index[i];
    const at = columns.times[i];
    let message = found.get(number);
    if (!message) {
      message = {
        key: `${name} ${number}`,
        flow: null,
        number: null,
        from,
        to,
        route: [from, to],
        name: `${name} ${number}`,
        size_bytes: Number.isNaN(sizes[i]) ? null : sizes[i],
        sampled_s: text.sampled_s ?? null,
        sent_s: Number.isNaN(columns.sent[i]) ? at : columns.sent[i],
        end_s: null,
        used_s: null,
        isLost: false,
        reason: '',
        lostAt: '',
      };
      found.set(number, message);
    }
    if (text.event === 'used') message.used_s = at;
    if (!isEnd(text.event ?? '')) return;
    message.end_s = at;
    message.isLost = text.event === 'lost';
    message.reason = text.reason ?? '';
  });
  return [...found.values()];
}

// What an arm's messages were made of and used for: a controller's tick, at which it sends a command, works with the
// newest state that has arrived; a step of the physics works with the newest command.
export function followUse(states: Message[], commands: Message[], period_s: number): void {
  const arrived = (messages: Message[]) =>
    messages
      .filter(({ end_s: end, isLost }) => end !== null && !isLost)
      .sort((a, b) => a.end_s! - b.end_s!);
  const ticks = [...commands].sort((a, b) => a.sent_s - b.sent_s);
  for (const state of states) state.sampled_s = state.sent_s;
  let newest: Message | null = null;
  const received = arrived(states);
  let next = 0;
  for (const tick of ticks) {
    for (; next < received.length && received[next].end_s! <= tick.sent_s; ++next)
      if (!newest || received[next].sent_s >= newest.sent_s) newest = received[next];
    if (!newest) continue;
    newest.used_s ??= tick.sent_s;
    tick.sampled_s = newest.sent_s;
  }
  const stepOf = (t: number) => Math.ceil(t / period_s - 1e-6) * period_s;
  const orders = arrived(commands);
  orders.forEach((order, i) => {
    const step = stepOf(order.end_s!);
    const isReplaced = orders.some(
      ({ end_s: end, sent_s: sent }, k) => k !== i && end! <= step && sent > order.sent_s,
    );
    if (!isReplaced) order.used_s = step;
  });
}

// A connection of the run, as /network/flows has it: who opened it to whom, on which hosts.
export interface OpenedFlow {
  flow: number;
  opener: string;
  peer: string;
  from: string;
  to: string;
}

// The same for arms whose messages cross a network: the controller opens a connection to its arm.
export function followArms(messages: Message[], flows: OpenedFlow[], period_s: number): void {
  for (const { flow, opener, peer, from } of flows) {
    if (opener !== `${peer}.control.host`) continue;
    const own = messages.filter((message) => message.flow === flow);
    const commands = own.filter((message) => message.from === from);
    const states = own.filter((message) => message.from !== from);
    followUse(states, commands, period_s);
  }
}

const rowsAround = 600;

export class Messages {
  private last: { key: string; messages: Message[] } | null = null;

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
  ) {}

  get isRecorded(): boolean {
    return this.tables().length > 0;
  }

  private tables(): { table: Table; ends: [string, string, string] | null }[] {
    const { network } = this.state.run;
    const packets = this.state.tableById(network?.packets);
    if (packets) return [{ table: packets, ends: null }];
    return this.state.run.tables.flatMap((table) => {
      const ends = linkEnds(table);
      return ends ? [{ table, ends }] : [];
    });
  }

  // Messages that were sent within some hundred rows before and after t.
  async around(t: number): Promise<Message[]> {
    const tables = this.tables();
    const rows = await Promise.all(tables.map(({ table }) => this.state.rowAt(table, t)));
    const starts = rows.map((row) => Math.max(0, Math.floor(row / rowsAround - 1) * rowsAround));
    const counts = tables.map(({ table }) => this.state.rowsOf(table));
    const key = starts.map((start, i) => `${start}-${Math.min(counts[i], start + 3 * rowsAround)}`);
    const whole = key.join(' ');
    if (this.last?.key === whole && this.source.document.source !== 'live')
      return this.last.messages;
    const parts = await Promise.all(
      tables.map(({ table, ends }, i) =>
        this.read(table, ends, starts[i], Math.min(counts[i], starts[i] + 3 * rowsAround)),
      ),
    );
    const period = this.state.run.physics_period_s;
    tables.forEach(({ ends }, i) => {
      const back = tables.findIndex((other) => ends && other.ends?.[0] === ends[1]);
      if (period && ends?.[2] === 'command' && back >= 0) followUse(parts[back], parts[i], period);
    });
    const messages = parts.flat().sort((a, b) => a.sent_s - b.sent_s);
    if (period) followArms(messages, await this.flows(), period);
    this.last = { key: whole, messages };
    return messages;
  }

  // Connections that were opened by the end of the run; the newest row has all of them.
  private async flows(): Promise<OpenedFlow[]> {
    const table = this.state.table('/network/flows');
    const rows = table ? this.state.rowsOf(table) : 0;
    if (!table || !rows) return [];
    const [text] = await this.source.texts(this.state.index, table.id, rows - 1, rows);
    return (JSON.parse(text || '{}') as { flows?: OpenedFlow[] }).flows ?? [];
  }

  private async read(
    table: Table,
    ends: [string, string, string] | null,
    from: number,
    to: number,
  ): Promise<Message[]> {
    const { index } = this.state;
    const texts = (await this.source.texts(index, table.id, from, to)).map(
      (text) => JSON.parse(text || '{}') as PacketText,
    );
    const names = ['index', 'sent_at', 'size_bytes'].map((name) => columnOf(table, name));
    const asked = [0, ...(ends ? names.filter((column) => column > 0) : [])];
    const numbers = await this.source.rows(index, table.id, asked, from, to);
    if (!ends) return pairPackets(numbers[0], texts, this.state.run.network!);
    const column = (i: number) => numbers[asked.indexOf(names[i])] ?? numbers[0].map(() => NaN);
    const columns = { times: numbers[0], index: column(0), sent: column(1) };
    return pairLink(columns, column(2), texts, ends);
  }
}

// How far along its route a message is at time t, from 0 to 1; null: not under way.
export function progressOf(message: Message, t: number): number | null {
  if (t < message.sent_s || message.end_s === null || t >= message.end_s) return null;
  const span = message.end_s - message.sent_s;
  const part = span > 0 ? (t - message.sent_s) / span : 1;
  return message.isLost ? part * lostPart(message) : part;
}

// Where along its route a lost message stops.
export function lostPart({ route, lostAt }: Message): number {
  const at = route.indexOf(lostAt);
  return at > 0 ? at / (route.length - 1) : 0.5;
}

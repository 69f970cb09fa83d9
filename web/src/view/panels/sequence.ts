// SPDX-License-Identifier: Apache-2.0
// A sequence diagram from recorded calls or messages: which belong to a cycle, where each is drawn, and the SVG of it.
import { quantity, short, unitFor } from '../../shared/format';
import { Message } from './messages';

// Something that one says to another. Times in seconds; null: it did not happen, or is not known.
export interface Talk {
  kind: 'call' | 'publish' | 'message';
  from: string;
  to: string;
  name: string;
  isRemote: boolean;
  isFailed: boolean;
  why: string;
  sent: number;
  delivered: number | null; // at the other's host
  arrived: number | null; // its program has it
  started: number | null; // a thread took it
  coreWait: number; // its computing took so much longer than on a core of its own
  finished: number | null;
  answered: number | null; // or, of a call that failed, when the caller gave up
  requestBytes: number | null;
  replyBytes: number | null;
}

export interface Cycle {
  component: string;
  number: number;
  start: number;
  end: number;
  calls: number;
  isFailed: boolean;
  isCounted: boolean; // in the figures of the run
}

interface CallText {
  kind?: string;
  caller?: string;
  callee?: string;
  method?: string;
  why?: string;
  remote?: boolean;
  failed?: boolean;
  sent_s?: number;
  delivered_s?: number;
  arrived_s?: number;
  started_s?: number;
  core_wait_s?: number;
  finished_s?: number;
  answered_s?: number;
  request_bytes?: number;
  reply_bytes?: number;
}

export function talkOfCall(text: CallText): Talk {
  return {
    kind: text.kind === 'publish' ? 'publish' : 'call',
    from: text.caller ?? '',
    to: text.callee ?? '',
    name: text.method ?? '',
    isRemote: text.remote ?? false,
    isFailed: text.failed ?? false,
    why: text.why ?? '',
    sent: text.sent_s ?? 0,
    delivered: text.delivered_s ?? null,
    arrived: text.arrived_s ?? null,
    started: text.started_s ?? null,
    coreWait: text.core_wait_s ?? 0,
    finished: text.finished_s ?? null,
    answered: text.answered_s ?? null,
    requestBytes: text.request_bytes ?? null,
    replyBytes: text.reply_bytes ?? null,
  };
}

export function talkOfMessage(message: Message): Talk {
  const { from, to, name, isLost, reason, sent_s: sent, end_s: end, size_bytes: bytes } = message;
  return {
    kind: 'message',
    from,
    to,
    name,
    isRemote: from !== to,
    isFailed: isLost,
    why: isLost
      ? `lost${reason && reason !== 'lost' ? `: ${reason.replaceAll('_', ' ')}` : ''}`
      : '',
    sent,
    delivered: isLost ? null : end,
    arrived: null,
    started: null,
    coreWait: 0,
    finished: null,
    answered: isLost ? end : null,
    requestBytes: bytes,
    replyBytes: null,
  };
}

export function cycleOf(text: {
  component?: string;
  number?: number;
  started_s?: number;
  ended_s?: number;
  calls?: number;
  failed?: boolean;
  counted?: boolean;
}): Cycle {
  return {
    component: text.component ?? '',
    number: text.number ?? 0,
    start: text.started_s ?? 0,
    end: text.ended_s ?? 0,
    calls: text.calls ?? 0,
    isFailed: text.failed ?? false,
    isCounted: text.counted ?? false,
  };
}

const endOf = ({ answered, finished, arrived, delivered, sent }: Talk): number =>
  Math.max(sent, answered ?? finished ?? arrived ?? delivered ?? sent);

// Those that were under way at some time of the window.
export const within = (talks: Talk[], [from, to]: [number, number]): Talk[] =>
  talks.filter((talk) => talk.sent <= to && endOf(talk) >= from);

// The calls of a cycle, and those that their servers made on the way. A server that works on several requests at once
// does not tell for which of them it calls: then those for others are among them.
export function partOfCycle(talks: Talk[], { component, start, end }: Cycle): Talk[] {
  const byCaller = new Map<string, Talk[]>();
  for (const talk of talks) {
    const same = byCaller.get(talk.from);
    if (same) same.push(talk);
    else byCaller.set(talk.from, [talk]);
  }
  const found = new Set<Talk>();
  const follow = (caller: string, from: number, to: number) => {
    for (const talk of byCaller.get(caller) ?? []) {
      if (talk.kind !== 'call' || talk.sent < from || talk.sent > to || found.has(talk)) continue;
      found.add(talk);
      if (talk.arrived !== null && talk.finished !== null)
        follow(talk.to, talk.arrived, talk.finished);
    }
  };
  follow(component, start, end);
  return talks.filter((talk) => found.has(talk));
}

// The cycle at a time: the last that has begun, or the first.
export function cycleAt(cycles: Cycle[], t: number): number {
  let low = 0;
  let high = cycles.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cycles[middle].start <= t + 1e-10) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// The longest or shortest of those that count, -1: none does.
export function extremeCycle(cycles: Cycle[], sign: 1 | -1): number {
  let best = -1;
  cycles.forEach(({ start, end, isCounted }, i) => {
    if (!isCounted) return;
    if (best < 0 || sign * (end - start) > sign * (cycles[best].end - cycles[best].start)) best = i;
  });
  return best;
}

// Whether a height is below the names, which stay in sight while one scrolls.
export const isBelowHead = ({ top }: Diagram, y: number): boolean => y >= top - lead;

export interface Lifeline {
  name: string;
  host: string;
  x: number;
}
export interface Arrow {
  talk: number; // index
  part: 'request' | 'answer';
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  isLost: boolean; // it ends in between, with a cross
  isOpen: boolean; // nobody knows when it arrived
  isLoop: boolean; // to itself
}
export interface Bar {
  talk: number;
  kind: 'reading' | 'waiting' | 'working';
  x: number;
  y: number;
  height: number;
}
export interface Label {
  talk: number;
  text: string;
  x: number;
  y: number;
}
export interface Tick {
  y: number;
  text: string;
}
export interface Diagram {
  width: number;
  height: number;
  top: number;
  bottom: number;
  isSlanted: boolean; // names of lifelines are
  lines: Lifeline[];
  hosts: { name: string; x: number; width: number }[];
  arrows: Arrow[];
  bars: Bar[];
  labels: Label[];
  ticks: Tick[];
  unit: string;
  talks: Talk[];
}

export interface LayoutOptions {
  window: [number, number];
  width: number; // at least; with many lifelines it is wider
  height: number; // that the whole is to have, at least
  zoom: number; // of time
  origin: number; // from which times are counted
  hostOf(name: string): string;
  byHost: boolean; // one lifeline a host
}

const left = 64;
const narrowest = 66;
const widest = 240;
const barWidth = 8;
const letter = 6.1; // of labels, in pixels
const boldLetter = 6.9;
const tallest = 24_000; // pixels
const lead = 16; // between the names and the beginning of time
const bandHeight = 17;
const textHeight = 12;

// Lifelines in the order in which they first speak or are spoken to, hosts together.
function lifelines(talks: Talk[], { hostOf, byHost }: LayoutOptions): Lifeline[] {
  const groups = new Map<string, Set<string>>();
  for (const { from, to } of [...talks].sort((a, b) => a.sent - b.sent)) {
    for (const name of [from, to]) {
      const host = hostOf(name);
      if (!groups.has(host)) groups.set(host, new Set());
      groups.get(host)!.add(byHost ? host || name : name);
    }
  }
  return [...groups].flatMap(([host, names]) => [...names].map((name) => ({ name, host, x: 0 })));
}

// Bars of one lifeline that overlap stand beside each other.
class Lanes {
  private readonly ends = new Map<string, number[]>();

  take(line: string, from: number, to: number): number {
    const ends = this.ends.get(line) ?? [];
    this.ends.set(line, ends);
    let lane = ends.findIndex((end) => end <= from);
    if (lane < 0) lane = ends.length;
    ends[lane] = to;
    return Math.min(lane, 4);
  }
}

// Words that would lie over others are left out.
class Free {
  private readonly rows = new Map<number, [number, number][]>();

  take(x: number, y: number, width: number): boolean {
    const row = Math.floor(y / textHeight);
    const near = [row - 1, row, row + 1].flatMap((one) => this.rows.get(one) ?? []);
    const [from, to] = [x - width / 2, x + width / 2];
    if (near.some(([a, b]) => from < b && to > a)) return false;
    this.rows.set(row, [...(this.rows.get(row) ?? []), [from, to]]);
    return true;
  }
}

function ticksOf(
  [from, to]: [number, number],
  origin: number,
  y: (t: number) => number,
): [Tick[], string] {
  const { name, scale } = unitFor('s', to - from);
  const rough = ((to - from) * scale) / Math.max(2, (y(to) - y(from)) / 46);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const ticks: Tick[] = [];
  const first = Math.ceil(((from - origin) * scale) / step - 1e-6);
  for (let i = first; i * step <= (to - origin) * scale + 1e-6 * step; ++i) {
    const value = Number((i * step).toPrecision(9));
    ticks.push({ y: y(origin + value / scale), text: short(value, 6) });
  }
  return [ticks, name];
}

function barsOf(talk: Talk, index: number, x: number, y: (t: number) => number): Bar[] {
  if (talk.delivered === null || talk.finished === null) return [];
  const arrived = talk.arrived ?? talk.delivered;
  const working = Math.min(talk.finished, (talk.started ?? arrived) + talk.coreWait);
  const parts: [Bar['kind'], number, number][] = [
    ['reading', talk.delivered, arrived],
    ['waiting', arrived, working],
    ['working', working, talk.finished],
  ];
  return parts
    .filter(([kind, from, to]) => to > from || kind === 'working')
    .map(([kind, from, to]) => ({
      talk: index,
      kind,
      x,
      y: y(from),
      height: Math.max(kind === 'working' ? 1.5 : 0.5, y(to) - y(from)),
    }));
}

// `talks` are those to be drawn. Components that take no part have no lifeline.
export function layOutSequence(talks: Talk[], options: LayoutOptions): Diagram {
  const { window, hostOf, byHost } = options;
  const lines = lifelines(talks, options);
  const count = Math.max(1, lines.length);
  const gap = Math.max(narrowest, Math.min(widest, (options.width - left - 24) / count));
  const longest = Math.max(0, ...lines.map(({ name }) => name.length));
  const isSlanted = longest * boldLetter > gap - 8;
  const nameHeight = isSlanted ? Math.min(130, 16 + longest * boldLetter * 0.65) : 20;
  const hasHosts = !byHost && lines.some(({ name, host }) => host && host !== name);
  const top = 4 + nameHeight + (hasHosts ? bandHeight : 0) + lead;
  const timeHeight = Math.min(tallest, Math.max(160, options.height - top - 16) * options.zoom);
  const bottom = top + timeHeight;
  lines.forEach((line, i) => {
    line.x = left + gap * (i + 0.5);
  });
  const xOf = new Map(lines.map(({ name, x }) => [name, x]));
  const lineOf = (name: string) => (byHost ? hostOf(name) || name : name);
  const x = (name: string) => xOf.get(lineOf(name)) ?? left;
  const y = (t: number) => top + ((t - window[0]) / (window[1] - window[0])) * timeHeight;

  const overhang = isSlanted ? nameHeight * 0.95 : 8;
  const width = Math.ceil(Math.max(left + gap * count + overhang, options.width));

  const hosts: Diagram['hosts'] = [];
  if (hasHosts)
    for (const { host, x: at } of lines) {
      const last = hosts.at(-1);
      if (last && last.name === host) last.width += gap;
      else hosts.push({ name: host, x: at - gap / 2, width: gap });
    }

  const arrows: Arrow[] = [];
  const bars: Bar[] = [];
  const lanes = new Lanes();
  const order = talks.map((_, i) => i).sort((a, b) => talks[a].sent - talks[b].sent);
  for (const i of order) {
    const talk = talks[i];
    const [from, to] = [x(talk.from), x(talk.to)];
    const isLoop = lineOf(talk.from) === lineOf(talk.to);
    const isLost = talk.isFailed && talk.delivered === null;
    const lane =
      talk.delivered === null || talk.finished === null
        ? 0
        : lanes.take(lineOf(talk.to), talk.delivered, talk.finished);
    const shift = lane * (barWidth - 2);
    // an arrow touches the side of the bar from which it comes; a loop comes from the right
    const edge = talk.finished === null ? 0 : barWidth / 2;
    const side = isLoop || from > to ? shift + edge : shift - edge;
    const end = talk.delivered ?? talk.arrived;
    arrows.push({
      talk: i,
      part: 'request',
      x1: from,
      y1: y(talk.sent),
      x2: to + side,
      y2: y(end ?? talk.sent),
      isLost,
      isOpen: !isLost && end === null,
      isLoop,
    });
    if (talk.finished !== null && talk.answered !== null)
      arrows.push({
        talk: i,
        part: 'answer',
        x1: to + side,
        y1: y(talk.finished),
        x2: from,
        y2: y(talk.answered),
        isLost: talk.isFailed,
        isOpen: false,
        isLoop,
      });
    bars.push(...barsOf(talk, i, to + shift - barWidth / 2, y));
  }

  const labels: Label[] = [];
  const free = new Free();
  const requests = arrows.filter(({ part }) => part === 'request');
  for (const arrow of requests) {
    const { name, requestBytes, kind } = talks[arrow.talk];
    const size = kind === 'message' && requestBytes !== null ? ` ${requestBytes}\u202fB` : '';
    const text = name.replace(/^\//, '') + size;
    const wide = text.length * letter;
    const { x1, y1, x2, y2, isLoop } = arrow;
    // above its middle; one that is longer than its arrow stands above the arrow's beginning
    const fits = !isLoop && wide <= Math.abs(x2 - x1) - 14;
    const away = isLoop || x2 > x1 ? 1 : -1;
    const at = fits ? (x1 + x2) / 2 : x1 + away * (8 + wide / 2);
    const high = fits ? (y1 + y2) / 2 - 4 - Math.min(10, Math.abs(y2 - y1) * 0.12) : y1 - 3;
    const isInside =
      high > top - 5 && high < bottom && at - wide / 2 > left - 6 && at + wide / 2 < width;
    if (isInside && free.take(at, high, wide))
      labels.push({ talk: arrow.talk, text, x: at, y: high });
  }
  const [ticks, unit] = ticksOf(window, options.origin, y);
  return {
    width,
    height: Math.ceil(bottom + 14),
    top,
    bottom,
    isSlanted,
    lines,
    hosts,
    arrows,
    bars,
    labels,
    ticks,
    unit,
    talks,
  };
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
const px = (value: number): string => value.toFixed(1);
const cut = (text: string, pixels: number): string => {
  const most = Math.max(1, Math.floor(pixels / letter));
  return text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
};

const loopWidth = 24;

// A head of two strokes, or filled, at the end of a line that comes from (x1, y1).
function headOf(x1: number, y1: number, x2: number, y2: number, isFilled: boolean): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [((x2 - x1) / length) * 7, ((y2 - y1) / length) * 7];
  const one = `${px(x2 - dx - dy * 0.5)},${px(y2 - dy + dx * 0.5)}`;
  const other = `${px(x2 - dx + dy * 0.5)},${px(y2 - dy - dx * 0.5)}`;
  return `M${one}L${px(x2)},${px(y2)}L${other}${isFilled ? 'z' : ''}`;
}

function arrowSvg(arrow: Arrow, { kind }: Talk): string {
  const { x1, y1, part, isLost, isOpen, isLoop } = arrow;
  let { x2, y2 } = arrow;
  if (isLost && part === 'request' && !isLoop) [x2, y2] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const classes = `seq-arrow of-${kind} ${part}${isLost ? ' failed' : ''}${isOpen ? ' open' : ''}`;
  const line = isLoop
    ? `M${px(x1)},${px(y1)}H${px(Math.max(x1, x2) + loopWidth)}V${px(y2)}H${px(x2)}`
    : `M${px(x1)},${px(y1)}L${px(x2)},${px(y2)}`;
  const from = isLoop ? [x2 + loopWidth, y2] : [x1, y1];
  const head = headOf(from[0], from[1], x2, y2, part === 'request' && kind === 'call');
  const cross = `M${px(x2 - 5)},${px(y2 - 5)}l10,10m0,-10l-10,10`;
  const tail =
    kind === 'publish' ? `<circle cx="${px(x1)}" cy="${px(y1)}" r="3" class="seq-tail"/>` : '';
  return (
    `<g class="${classes}" data-talk="${arrow.talk}"><path class="seq-line" d="${line}"/>` +
    `<path class="${isLost ? 'seq-cross' : 'seq-head'}" d="${isLost ? cross : head}"/>${tail}</g>`
  );
}

// The part that stays in sight while one scrolls.
export function headSvg(diagram: Diagram, since: string): string {
  const { lines, hosts, top, width, isSlanted, unit } = diagram;
  const foot = top - lead;
  const namesFoot = hosts.length ? foot - bandHeight : foot;
  const parts = [
    `<rect class="seq-paper" width="${width}" height="${px(foot)}"/>`,
    `<text class="seq-unit" x="4" y="${px(foot - 15)}">${escaped(unit)} from</text>`,
    `<text class="seq-unit" x="4" y="${px(foot - 3)}">${escaped(since)}</text>`,
  ];
  hosts.forEach(({ name, x, width: wide }, i) => {
    const at = `x="${px(x + 1.5)}" y="${px(namesFoot + 1)}" width="${px(wide - 3)}"`;
    parts.push(
      `<g class="seq-host${i % 2 ? ' odd' : ''}"><rect ${at} height="${bandHeight - 2}" rx="3"/>` +
        `<text x="${px(x + wide / 2)}" y="${px(foot - 4.5)}" text-anchor="middle">` +
        `${escaped(cut(name, wide - 8))}</text><title>host ${escaped(name)}</title></g>`,
    );
  });
  for (const { name, host, x } of lines) {
    const at = isSlanted
      ? `transform="translate(${px(x + 3)},${px(namesFoot - 5)}) rotate(-40)"`
      : `x="${px(x)}" y="${px(namesFoot - 6)}" text-anchor="middle"`;
    const title = host && host !== name ? `${name} on ${host}` : name;
    parts.push(
      `<text class="seq-name" ${at}>${escaped(cut(name, isSlanted ? 150 : 999))}` +
        `<title>${escaped(title)}</title></text>`,
    );
  }
  return parts.join('');
}

// `band` in pixels: the cycle; null: there is none.
export function bodySvg(diagram: Diagram, band: { from: number; to: number } | null): string {
  const { lines, arrows, bars, labels, ticks, top, bottom, width, talks } = diagram;
  const parts: string[] = [];
  if (band) {
    const height = Math.max(1, band.to - band.from);
    parts.push(
      `<g class="seq-cycle"><rect x="${left - 4}" y="${px(band.from)}" width="${px(width - left + 4)}"` +
        ` height="${px(height)}"/></g>`,
    );
  }
  for (const { y, text } of ticks)
    parts.push(
      `<g class="seq-tick"><line x1="${left - 6}" x2="${width}" y1="${px(y)}" y2="${px(y)}"/>` +
        `<text x="${left - 10}" y="${px(y + 4)}" text-anchor="end">${escaped(text)}</text></g>`,
    );
  for (const { x } of lines)
    parts.push(
      `<line class="seq-life" x1="${px(x)}" x2="${px(x)}" y1="${px(top - lead)}" y2="${px(bottom + 10)}"/>`,
    );
  for (const { talk, kind, x, y, height } of bars)
    parts.push(
      `<rect class="seq-bar ${kind}" data-talk="${talk}" x="${px(x)}" y="${px(y)}"` +
        ` width="${barWidth}" height="${px(height)}"/>`,
    );
  for (const arrow of arrows) parts.push(arrowSvg(arrow, talks[arrow.talk]));
  for (const { talk, text, x, y } of labels)
    parts.push(
      `<text class="seq-label${talks[talk].isFailed ? ' failed' : ''}" x="${px(x)}" y="${px(y)}"` +
        ` text-anchor="middle">${escaped(text)}</text>`,
    );
  return parts.join('');
}

function distance(arrow: Arrow, x: number, y: number): number {
  const { x1, y1, isLoop } = arrow;
  let { x2, y2 } = arrow;
  if (isLoop) {
    const right = Math.max(x1, x2) + loopWidth;
    const dx = x < x1 ? x1 - x : x > right ? x - right : 0;
    return Math.hypot(dx, y < y1 ? y1 - y : y > y2 ? y - y2 : 0);
  }
  if (arrow.isLost && arrow.part === 'request') [x2, y2] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const [dx, dy] = [x2 - x1, y2 - y1];
  const part = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1);
  const at = Math.max(0, Math.min(1, part));
  return Math.hypot(x1 + at * dx - x, y1 + at * dy - y);
}

// What is at a point: a bar, or the nearest arrow; -1: nothing is near.
export function talkAt({ arrows, bars }: Diagram, x: number, y: number): number {
  let best = 7;
  let found = -1;
  for (const arrow of arrows) {
    const far = distance(arrow, x, y);
    if (far < best) [best, found] = [far, arrow.talk];
  }
  if (best < 3) return found;
  const bar = bars.find(
    (one) => x >= one.x - 1 && x <= one.x + barWidth + 1 && y >= one.y && y <= one.y + one.height,
  );
  return bar ? bar.talk : found;
}

const kindWords = { call: 'call', publish: 'publication', message: 'message' };

// Everything that is known of one, for the box at the pointer and the line below the diagram.
export function wordsOf(talk: Talk, hostOf: (name: string) => string): [string, string][] {
  const out: [string, string][] = [];
  const since = (t: number | null) =>
    t === null ? '' : `${t.toFixed(6)}\u202fs (+${quantity(t - talk.sent, 's', 4)})`;
  const put = (label: string, value: string) => {
    if (value) out.push([label, value]);
  };
  const place = (name: string) => {
    const host = hostOf(name);
    return host && host !== name ? `${name} (${host})` : name;
  };
  put('from', place(talk.from));
  put('to', place(talk.to));
  put('kind', `${kindWords[talk.kind]}, ${talk.isRemote ? 'over the network' : 'on one host'}`);
  put('sent', `${talk.sent.toFixed(6)}\u202fs`);
  put('reached the host', since(talk.delivered));
  if (talk.arrived !== talk.delivered) put('read', since(talk.arrived));
  if (talk.started !== null && talk.started !== talk.arrived)
    put('got a thread', since(talk.started));
  if (talk.finished !== null) put('waited for a core', quantity(talk.coreWait, 's', 4));
  put('finished', since(talk.finished));
  const gaveUp = talk.kind === 'message' ? 'lost' : 'failed';
  put(talk.isFailed ? gaveUp : 'answer received', since(talk.answered));
  put('why', talk.why);
  if (talk.kind === 'call' && talk.answered === null) put('answer', 'none by the end of the run');
  const sizes = [talk.requestBytes, talk.replyBytes].filter((size) => size !== null);
  put('size', sizes.map((size) => `${size}\u202fB`).join(', answer '));
  return out;
}

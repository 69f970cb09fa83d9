// SPDX-License-Identifier: Apache-2.0
// The network as a graph with frames or messages moving over it, a list of those around the cursor, and one of them as a time line.
import { button, element } from '../../shared/dom';
import { grouped, quantity } from '../../shared/format';
import { Context, calmly } from '../context';
import { Network } from '../data/document';
import { RunState } from '../runs';
import { Panel, isShown } from './dock';
import { frameLine, frameWords } from './frame_line';
import {
  Counts,
  Frames,
  Hop,
  PortCounters,
  count,
  endsOf,
  fates,
  isLost,
  kindOf,
  placeOf,
  queueAt,
} from './frames';
import { Message, Messages, lostPart, progressOf } from './messages';
import { messageLine } from './message_line';
import { NetworkDrawing, crossAt, frameMark } from './network_drawing';
import { along } from './network_layout';

const listed = 40;
const portsListed = 8;
const svgName = 'http://www.w3.org/2000/svg';

const wordsOf = ({ name, size_bytes: size }: Message) =>
  size === null ? name : `${name}, ${size}\u202fB`;

interface Record {
  messages: Messages;
  frames: Frames;
  counters: PortCounters;
}

const sample = { frame: 0, port: 0, from: 0, to: 0, flow: 0, message: null, size_bytes: 0 };
const times = { queued_s: 0, sent_s: 0, left_s: 0, end_s: 1 };
const looks: [string, Partial<Hop> | null][] = [
  ['data', {}],
  ['no data (ACK, SYN …)', { kind: 3 }],
  ['retransmission', { isRetransmission: true }],
  ['will be lost', { fate: 3 }],
  ['lost here', null],
];

function legend(): HTMLElement {
  const items = looks.map(([words, look]) => {
    const svg = document.createElementNS(svgName, 'svg');
    svg.setAttribute('width', '16');
    svg.setAttribute('height', '16');
    svg.setAttribute('aria-hidden', 'true');
    if (look) {
      const hop = { ...sample, ...times, kind: 2, fate: 0, isRetransmission: false, ...look };
      const mark = frameMark(hop, [8, 8], false);
      mark.querySelector('title')?.remove();
      svg.append(mark);
    } else {
      const cross = document.createElementNS(svgName, 'path');
      cross.setAttribute('class', 'net-cross');
      cross.setAttribute('d', crossAt([8, 8], 5));
      svg.append(cross);
    }
    const item = element('li');
    item.append(svg, words);
    return item;
  });
  return element('ul', { class: 'net-legend', 'aria-label': 'Marks of frames' }, ...items);
}

export class NetworkPanel implements Panel {
  readonly id = 'network';
  readonly title = 'Network';
  readonly root = element('div', { class: 'panel network' });
  private readonly choice: HTMLSelectElement;
  private readonly host = element('div', { class: 'net-graph' });
  private readonly head = element('tr');
  private readonly list = element('tbody');
  private readonly detail = element('div', { class: 'net-message', hidden: true });
  private readonly legend = legend();
  private readonly note = element('p', { class: 'hint', hidden: true });
  private readonly portRows = element('tbody');
  private readonly ports: HTMLElement;
  private readonly modes: HTMLElement;
  private readonly slow: HTMLElement;
  private readonly drawing = new NetworkDrawing();
  private readonly states: RunState[];
  private readonly records = new Map<RunState, Record>();
  private near: Message[] = [];
  private hops: Hop[] = [];
  private queues = new Map<number, number>(); // of this moment
  private chosen = '';
  private chosenFrame: number | null = null;
  private showsMessages = false;
  private readonly fetchSoon = calmly(120, () => void this.fetch());
  private width = 0;

  constructor(private readonly context: Context) {
    const { runs, clock, source } = context;
    this.states = runs.filter(({ run }) => run.network !== null);
    for (const state of this.states)
      this.records.set(state, {
        messages: new Messages(source, state),
        frames: new Frames(source, state),
        counters: new PortCounters(state),
      });
    this.choice = element(
      'select',
      { 'aria-label': 'Run', change: () => this.changeRun() },
      ...this.states.map(({ run }) => element('option', {}, run.label)),
    );
    this.choice.hidden = this.states.length < 2;
    this.slow = element(
      'p',
      { class: 'hint' },
      'To see packets move, play at ',
      ...[0.01, 0.0001].flatMap((speed) => [
        button(`${speed}×`, `Play at ${speed} times real time`, () => {
          clock.setSpeed(speed);
          clock.play();
        }),
        ' ',
      ]),
    );
    const words = ['port', 'waiting', 'frames', 'lost', 'resent'];
    this.ports = element(
      'details',
      { class: 'net-ports', open: true },
      element('summary', {}, 'Ports, up to the cursor'),
      element(
        'table',
        { class: 'net-list' },
        element('thead', {}, element('tr', {}, ...words.map((word) => element('th', {}, word)))),
        this.portRows,
      ),
    );
    const mode = (text: string, title: string, isMessages: boolean) => {
      return button(text, title, () => {
        this.showsMessages = isMessages;
        this.drawList();
      });
    };
    this.modes = element(
      'div',
      { class: 'net-modes', role: 'group', 'aria-label': 'List' },
      mode('Frames', 'Frames around the cursor, hop by hop', false),
      mode('Messages', 'Messages around the cursor, end to end', true),
    );
    if (!this.states.length) {
      this.root.append(element('p', { class: 'hint' }, 'These runs have no network.'));
      return;
    }
    this.root.append(
      this.choice,
      this.host,
      this.legend,
      this.slow,
      this.note,
      this.detail,
      this.ports,
      this.modes,
      element('table', { class: 'net-list net-rows' }, element('thead', {}, this.head), this.list),
    );
    new ResizeObserver(() => {
      if (this.host.clientWidth && this.host.clientWidth !== this.width) this.drawGraph();
    }).observe(this.host);
    clock.onChange(() => this.moved());
    context.on('data', () => this.fetchSoon());
  }

  shown(): void {
    this.drawGraph();
    this.moved();
  }

  private get state(): RunState {
    return this.states[Math.max(0, this.choice.selectedIndex)];
  }

  private get network(): Network {
    return this.state.run.network!;
  }

  private get record(): Record {
    return this.records.get(this.state)!;
  }

  private get hasFrames(): boolean {
    return this.record.frames.table !== undefined;
  }

  private changeRun(): void {
    [this.near, this.hops] = [[], []];
    this.detail.hidden = true;
    this.drawGraph();
    this.fetchSoon();
  }

  private moved(): void {
    if (!this.states.length || !isShown(this.root)) return;
    this.drawDots();
    this.fetchSoon();
  }

  private tell(): void {
    const { backend, packets } = this.network;
    const { isRecorded } = this.record.messages;
    const { hasFrames } = this;
    this.slow.hidden = !isRecorded || this.context.clock.speed < 0.1;
    for (const part of [this.legend, this.ports, this.modes]) part.hidden = !hasFrames;
    if (hasFrames) {
      const skipped = this.record.counters.at(this.context.clock.time)?.notFollowed ?? 0;
      this.note.hidden = !skipped;
      this.note.textContent =
        `${grouped(skipped)} frames so far are only counted: record.frames limits how many a second are followed. ` +
        'Losses and retransmissions are complete.';
      return;
    }
    this.note.hidden = !isRecorded || packets === null;
    this.note.textContent =
      backend === 'builtin' || backend === ''
        ? 'This run has no record of frames hop by hop: messages are drawn at an even pace along their route.'
        : `The network backend ${backend} does not report frames hop by hop: messages are drawn at an even pace along their route.`;
  }

  private async fetch(): Promise<void> {
    if (!this.states.length || !isShown(this.root)) return;
    const { messages, frames, counters } = this.record;
    const { state } = this;
    this.tell();
    if (!messages.isRecorded) {
      this.list.replaceChildren(
        element(
          'tr',
          {},
          element(
            'td',
            { colspan: '4', class: 'hint' },
            'This run has no record of its messages. To have one, run it with --set record.packets=true.',
          ),
        ),
      );
      return;
    }
    const { time } = this.context.clock;
    try {
      const near = await messages.around(time);
      const since = counters.at(time)?.time ?? time;
      const hops = this.hasFrames ? await frames.around(time, Math.max(since, time - 1)) : [];
      if (state !== this.state) return;
      [this.near, this.hops] = [near, hops];
    } catch (error) {
      console.warn(error);
      return;
    }
    this.drawDots();
    this.drawList();
    this.drawPorts();
  }

  private drawGraph(): void {
    this.width = this.host.clientWidth;
    if (!this.width || !this.states.length) return;
    this.drawing.draw(this.host, this.network, this.width, this.hasFrames);
    this.drawDots();
  }

  private pathOf(route: string[]): [number, number][] {
    return route
      .map((name) => this.drawing.places.get(name))
      .filter((place): place is [number, number] => place !== undefined);
  }

  // How long a cross stays, in simulated time.
  private get fading(): number {
    return Math.max(1e-6, 0.8 * this.context.clock.speed);
  }

  private drawDots(): void {
    this.drawing.showTime(this.context.clock.time);
    if (this.hasFrames) this.drawFrames();
    else this.drawMessages();
  }

  private drawFrames(): void {
    const { time } = this.context.clock;
    const lengths = new Map<number, number>();
    // where not all frames are followed, queues are longer than what is seen of them
    if (this.record.counters.at(time)?.notFollowed)
      this.network.links.forEach((_, i) => {
        for (const port of [2 * i, 2 * i + 1]) {
          const length = queueAt(this.state, port, time);
          if (length) lengths.set(port, length);
        }
      });
    this.queues = this.drawing.drawFrames(
      this.hops,
      time,
      this.fading,
      this.chosenFrame,
      lengths,
      (hop) => void this.chooseFrame(hop),
    );
  }

  private drawMessages(): void {
    const { time } = this.context.clock;
    const marks: SVGElement[] = [];
    for (const message of this.near) {
      const path = this.pathOf(message.route);
      if (path.length < 2) continue;
      const part = progressOf(message, time);
      const end = message.end_s;
      const isOver =
        message.isLost && end !== null && time >= end && time - end < Math.max(0.03, this.fading);
      if (part === null && !isOver) continue;
      const [x, y] = along(path, part ?? lostPart(message));
      const mark = document.createElementNS(svgName, part === null ? 'path' : 'circle');
      if (part === null) {
        mark.setAttribute('d', crossAt([x, y], 6));
        mark.setAttribute('class', 'net-cross');
      } else {
        mark.setAttribute('cx', String(x));
        mark.setAttribute('cy', String(y));
        mark.setAttribute('r', message.key === this.chosen ? '6.5' : '4.5');
        const isBack = message.route[0] !== this.network.flows[0]?.from;
        mark.setAttribute('class', `net-dot${isBack ? ' back' : ''}`);
      }
      mark.addEventListener('click', () => void this.choose(message));
      marks.push(mark);
    }
    this.drawing.marks.replaceChildren(...marks);
  }

  private drawPorts(): void {
    if (!this.hasFrames) return;
    const { time } = this.context.clock;
    const written = this.record.counters.at(time);
    if (!written) return;
    const counts = written.counts;
    count(counts, this.hops, written.time, time);
    const busiest = [...counts]
      .map(([port, one]) => ({ port, ...one }))
      .sort((a, b) => b.lost + b.retransmitted - a.lost - a.retransmitted || b.frames - a.frames);
    const sum = (what: keyof Counts) => busiest.reduce((all, one) => all + one[what], 0);
    const row = (words: string, waiting: number, one: Counts, title = '') =>
      element(
        'tr',
        { title },
        element('td', {}, words),
        element('td', { class: 'number' }, waiting ? grouped(waiting) : '–'),
        element('td', { class: 'number' }, grouped(one.frames)),
        element(
          'td',
          { class: one.lost ? 'number lost' : 'number' },
          one.lost ? `✕ ${grouped(one.lost)}` : '–',
        ),
        element(
          'td',
          { class: one.retransmitted ? 'number again' : 'number' },
          one.retransmitted ? `◆ ${grouped(one.retransmitted)}` : '–',
        ),
      );
    const rows = busiest.slice(0, portsListed).map((one) => {
      const [from, to] = endsOf(this.network, one.port);
      const { name, text } = this.network.links[one.port >> 1];
      return row(`${from} → ${to}`, this.queues.get(one.port) ?? 0, one, `${name}: ${text}`);
    });
    if (busiest.length > 1) {
      const others = busiest.length - portsListed;
      const all = { frames: sum('frames'), lost: sum('lost'), retransmitted: sum('retransmitted') };
      const waiting = [...this.queues.values()].reduce((total, one) => total + one, 0);
      rows.push(row(others > 0 ? `all, with ${others} more` : 'all', waiting, all));
    }
    this.portRows.replaceChildren(...rows);
  }

  private drawList(): void {
    const isFrames = this.hasFrames && !this.showsMessages;
    const heads = isFrames
      ? ['queued [s]', 'cable', 'frame', 'hop']
      : ['sent [s]', 'from → to', 'message', 'delay'];
    this.head.replaceChildren(...heads.map((words) => element('th', {}, words)));
    [...this.modes.children].forEach((one, i) =>
      one.setAttribute('aria-pressed', String(isFrames === (i === 0))),
    );
    const rows = isFrames ? this.frameRows() : this.messageRows();
    const focused = this.list.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-key')
      : null;
    this.list.replaceChildren(...rows);
    if (focused)
      [...this.list.querySelectorAll('button')]
        .find((one) => one.getAttribute('data-key') === focused)
        ?.focus();
  }

  private listRow(
    t: number,
    key: string,
    isNow: boolean,
    isChosen: boolean,
    choose: () => void,
    cells: HTMLElement[],
  ): HTMLElement {
    const jump = button(t.toFixed(t < 1000 ? 6 : 4), 'Go there', choose);
    jump.setAttribute('data-key', key);
    return element(
      'tr',
      { class: `${isNow ? 'now' : ''} ${isChosen ? 'chosen' : ''}`, click: choose },
      element('td', {}, jump),
      ...cells,
    );
  }

  private frameRows(): HTMLElement[] {
    const { time } = this.context.clock;
    // those of this moment, then those that ended before and those to come
    const now = this.hops.filter((hop) => placeOf(hop, time, 0) !== null);
    const first = this.hops.findIndex((hop) => hop.end_s > time);
    const before = this.hops.slice(0, first < 0 ? undefined : first).slice(-listed / 4);
    const later = this.hops.slice(first < 0 ? this.hops.length : first, first + 2 * listed);
    const shown = [...before, ...now.slice(0, 2 * listed)];
    shown.push(...later.filter((hop) => hop.queued_s > time).slice(0, listed / 2));
    shown.sort((a, b) => a.queued_s - b.queued_s || a.frame - b.frame);
    return shown.map((hop) => {
      const place = placeOf(hop, time, 0);
      const [from, to] = endsOf(this.network, hop.port);
      const end =
        place?.state === 'waits'
          ? element('td', { class: 'number' }, 'waits')
          : place?.state === 'moves'
            ? element('td', { class: 'number' }, 'moves')
            : isLost(hop)
              ? element('td', { class: 'number lost', title: fates[hop.fate] }, '✕ lost')
              : element('td', { class: 'number' }, quantity(hop.end_s - hop.queued_s, 's', 3));
      return this.listRow(
        hop.queued_s,
        `${hop.frame} ${hop.port}`,
        place !== null,
        hop.frame === this.chosenFrame,
        () => void this.chooseFrame(hop),
        [
          element('td', {}, `${from} → ${to}`),
          element(
            'td',
            { class: hop.isRetransmission ? 'again' : '', title: frameWords(hop) },
            `${hop.isRetransmission ? '◆ ' : ''}${hop.frame} ${kindOf(hop)}`,
          ),
          end,
        ],
      );
    });
  }

  private messageRows(): HTMLElement[] {
    const { time } = this.context.clock;
    let first = this.near.findIndex((message) => (message.end_s ?? message.sent_s) >= time);
    if (first < 0) first = this.near.length;
    const from = Math.max(0, first - listed / 4);
    return this.near.slice(from, from + listed).map((message) => {
      const isNow = message.sent_s <= time && (message.end_s ?? Infinity) >= time;
      const delay = message.end_s === null ? NaN : message.end_s - message.sent_s;
      const result = message.isLost
        ? element('td', { class: 'lost', title: message.reason }, '✕ lost')
        : element('td', { class: 'number' }, Number.isNaN(delay) ? '–' : quantity(delay, 's', 3));
      return this.listRow(
        message.sent_s,
        message.key,
        isNow,
        message.key === this.chosen,
        () => void this.choose(message),
        [
          element('td', {}, `${message.from} → ${message.to}`),
          element('td', {}, wordsOf(message)),
          result,
        ],
      );
    });
  }

  private show(...parts: (HTMLElement | null)[]): void {
    this.detail.hidden = false;
    this.detail.replaceChildren(...parts.filter((part) => part !== null));
  }

  private readonly goTo = (t: number) => this.context.clock.setTime(t);

  private async choose(message: Message): Promise<void> {
    this.chosen = message.key;
    this.chosenFrame = null;
    this.context.clock.pause();
    this.goTo(message.sent_s);
    this.show(messageLine(message, this.goTo));
    this.drawList();
    const { flow, number } = message;
    if (!this.hasFrames || flow === null || number === null) return;
    const times = [message.sent_s, ...(message.end_s === null ? [] : [message.end_s])];
    const hops = await this.record.frames.of(flow, number, message.from, times);
    if (this.chosen !== message.key || !hops.length) return;
    const jumps = hops
      .slice(0, 24)
      .map((hop) =>
        button(
          `${hop.isRetransmission ? '◆ ' : ''}${hop.frame}`,
          `Frame ${hop.frame}: ${frameWords(hop)}`,
          () => void this.chooseFrame(hop, true),
        ),
      );
    this.show(
      messageLine(message, this.goTo),
      element('p', { class: 'net-jumps' }, 'In frames: ', ...jumps),
    );
  }

  private async chooseFrame(hop: Hop, isJump = false): Promise<void> {
    const { clock } = this.context;
    this.chosenFrame = hop.frame;
    this.chosen = '';
    clock.pause();
    // one that is under way stays where it is
    if (isJump || placeOf(hop, clock.time, this.fading) === null)
      this.goTo(hop.sent_s ?? hop.queued_s);
    this.drawDots();
    this.drawList();
    const hops = await this.record.frames.follow(hop);
    const near = await this.record.messages.around(hops[0].queued_s);
    if (this.chosenFrame !== hop.frame) return;
    const message = near.find(
      (one) =>
        hop.message !== null &&
        one.flow === hop.flow &&
        one.number === hop.message &&
        one.from === this.network.nodes[hop.from]?.name,
    );
    const link = message
      ? element(
          'p',
          { class: 'net-jumps' },
          'Carries ',
          button(
            `message ${wordsOf(message)}`,
            'Show this message',
            () => void this.choose(message),
          ),
        )
      : null;
    this.show(frameLine(hops, this.network, this.goTo, link));
  }
}

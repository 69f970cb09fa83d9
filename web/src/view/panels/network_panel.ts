// SPDX-License-Identifier: Apache-2.0
// The network as a graph with messages moving over it, a list of those around the cursor, and one of them as a time line.
import { select } from 'd3-selection';

import { button, element } from '../../shared/dom';
import { quantity } from '../../shared/format';
import { Context, calmly } from '../context';
import { Network } from '../data/document';
import { RunState } from '../runs';
import { Panel, isShown } from './dock';
import { Message, Messages, lostPart, progressOf } from './messages';
import { messageLine } from './message_line';
import { along, layOut } from './network_layout';

const nodeWidth = 84;
const rowHeight = 44;
const layerHeight = 86;
const listed = 40;
const svgName = 'http://www.w3.org/2000/svg';

const short = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

const wordsOf = ({ name, size_bytes: size }: Message) =>
  size === null ? name : `${name}, ${size}\u202fB`;

export class NetworkPanel implements Panel {
  readonly id = 'network';
  readonly title = 'Network';
  readonly root = element('div', { class: 'panel network' });
  private readonly choice: HTMLSelectElement;
  private readonly host = element('div', { class: 'net-graph' });
  private readonly list = element('tbody');
  private readonly detail = element('div', { class: 'net-message', hidden: true });
  private readonly slow: HTMLElement;
  private readonly dots = document.createElementNS(svgName, 'g');
  private readonly states: RunState[];
  private readonly messages = new Map<RunState, Messages>();
  private near: Message[] = [];
  private chosen = '';
  private places = new Map<string, [number, number]>();
  private readonly fetchSoon = calmly(120, () => void this.fetch());
  private width = 0;

  constructor(private readonly context: Context) {
    const { runs, clock, source } = context;
    this.states = runs.filter(({ run }) => run.network !== null);
    for (const state of this.states) this.messages.set(state, new Messages(source, state));
    this.choice = element(
      'select',
      { 'aria-label': 'Run', change: () => this.drawGraph() },
      ...this.states.map(({ run }) => element('option', {}, run.label)),
    );
    this.choice.hidden = this.states.length < 2;
    this.slow = element(
      'p',
      { class: 'hint' },
      'Messages move in real time; ',
      button('play at 0.01×', 'Slow down to see them', () => {
        clock.setSpeed(0.01);
        clock.play();
      }),
      ' to watch them.',
    );
    if (!this.states.length) {
      this.root.append(element('p', { class: 'hint' }, 'These runs have no network.'));
      return;
    }
    this.root.append(
      this.choice,
      this.host,
      this.slow,
      this.detail,
      element(
        'table',
        { class: 'net-list' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            ...['sent [s]', 'from → to', 'message', 'delay'].map((words) =>
              element('th', {}, words),
            ),
          ),
        ),
        this.list,
      ),
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

  private moved(): void {
    if (!this.states.length || !isShown(this.root)) return;
    this.drawDots();
    this.fetchSoon();
  }

  private async fetch(): Promise<void> {
    if (!this.states.length || !isShown(this.root)) return;
    const messages = this.messages.get(this.state)!;
    this.slow.hidden = !messages.isRecorded || this.context.clock.speed < 0.1;
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
    try {
      this.near = await messages.around(this.context.clock.time);
    } catch (error) {
      console.warn(error);
      return;
    }
    this.drawDots();
    this.drawList();
  }

  private drawGraph(): void {
    this.width = this.host.clientWidth;
    if (!this.width || !this.states.length) return;
    const { nodes, links } = this.network;
    const layout = layOut(this.network);
    const depth = Math.max(0, ...[...layout.values()].map(({ layer }) => layer));
    // where a layer has more nodes than fit side by side, they take turns on several rows
    const members = (layer: number) => [...layout.values()].filter((one) => one.layer === layer);
    const rows = Array.from({ length: depth + 1 }, (_, layer) =>
      Math.max(1, Math.ceil((members(layer).length * nodeWidth) / this.width)),
    );
    const top = (layer: number) =>
      rows.slice(0, layer).reduce((sum, count) => sum + layerHeight + (count - 1) * rowHeight, 34);
    this.places = new Map(
      [...layout].map(([name, { layer, order }]) => {
        const turn = Math.floor(order * members(layer).length) % rows[layer];
        const edge = nodeWidth / 2;
        const x = Math.min(this.width - edge, Math.max(edge, this.width * order));
        return [name, [x, top(layer) + turn * rowHeight]];
      }),
    );
    const height = top(depth) + (rows[depth] - 1) * rowHeight + 40;
    this.host.replaceChildren();
    const svg = select(this.host)
      .append('svg')
      .attr('width', this.width)
      .attr('height', height)
      .attr('role', 'img')
      .attr('aria-label', 'Graph of the network');
    for (const { name, a, b, text } of links) {
      const [from, to] = [this.places.get(a), this.places.get(b)];
      if (!from || !to) continue;
      const line = svg.append('g').attr('class', 'net-link');
      line
        .append('line')
        .attr('x1', from[0])
        .attr('y1', from[1])
        .attr('x2', to[0])
        .attr('y2', to[1]);
      line.append('title').text(`${name}: ${text}`);
      // words stand beside the middle of a link that is alone, above the lower node otherwise
      const lower = (layout.get(a)!.layer > layout.get(b)!.layer ? from : to) as [number, number];
      const layer = Math.max(layout.get(a)!.layer, layout.get(b)!.layer);
      const beside = [...layout.values()].filter((one) => one.layer === layer).length;
      const room = Math.floor(this.width / beside / 5.6);
      if (rows[layer] > 1) continue; // no room: its title tells
      line
        .append('text')
        .attr('x', beside > 1 ? lower[0] : (from[0] + to[0]) / 2 + 8)
        .attr('y', beside > 1 ? lower[1] - 20 : (from[1] + to[1]) / 2 + 4)
        .attr('text-anchor', beside > 1 ? 'middle' : 'start')
        .text(short(text || name, beside > 1 ? room : 26));
    }
    svg.node()!.append(this.dots); // behind the nodes
    for (const { name, kind, actors = [] } of nodes) {
      const place = this.places.get(name);
      if (!place) continue;
      const node = svg
        .append('g')
        .attr('class', `net-node ${kind}`)
        .attr('transform', `translate(${place[0]},${place[1]})`);
      const words = short(name, 16);
      if (kind === 'switch') {
        node.append('path').attr('d', 'M0,-11L11,0L0,11L-11,0z');
        node.append('text').attr('x', 16).attr('y', 4).text(words);
      } else {
        const wide = Math.max(56, 7.4 * words.length + 18);
        node
          .append('rect')
          .attr('x', -wide / 2)
          .attr('y', -13)
          .attr('width', wide)
          .attr('height', 26)
          .attr('rx', 5);
        node.append('text').attr('text-anchor', 'middle').attr('y', 4.5).text(words);
      }
      const isSame = actors.length === 1 && actors[0] === name;
      const { layer } = layout.get(name)!;
      const isAlone = [...layout.values()].filter((one) => one.layer === layer).length === 1;
      if (actors.length && !isSame)
        node
          .append('text')
          .attr('class', 'net-actors')
          .attr('text-anchor', isAlone ? 'start' : 'middle')
          .attr('x', isAlone ? Math.max(56, 7.4 * words.length + 18) / 2 + 6 : 0)
          .attr('y', isAlone ? 4 : 27)
          .text(short(actors.join(', '), isAlone ? 18 : 30));
      node.append('title').text(`${name}${actors.length ? `: ${actors.join(', ')}` : ''}`);
    }
    this.drawDots();
  }

  private pathOf(route: string[]): [number, number][] {
    return route
      .map((name) => this.places.get(name))
      .filter((place): place is [number, number] => place !== undefined);
  }

  private drawDots(): void {
    const { time, speed } = this.context.clock;
    const marks: SVGElement[] = [];
    const crossSeconds = Math.max(0.03, 0.6 * speed);
    for (const message of this.near) {
      const path = this.pathOf(message.route);
      if (path.length < 2) continue;
      const part = progressOf(message, time);
      const end = message.end_s;
      const isOver = message.isLost && end !== null && time >= end && time - end < crossSeconds;
      if (part === null && !isOver) continue;
      const [x, y] = along(path, part ?? lostPart(message));
      const mark = document.createElementNS(svgName, part === null ? 'path' : 'circle');
      if (part === null) {
        mark.setAttribute('d', `M${x - 6},${y - 6}l12,12M${x + 6},${y - 6}l-12,12`);
        mark.setAttribute('class', 'net-cross');
      } else {
        mark.setAttribute('cx', String(x));
        mark.setAttribute('cy', String(y));
        mark.setAttribute('r', message.key === this.chosen ? '6.5' : '4.5');
        const isBack = message.route[0] !== this.network.flows[0]?.from;
        mark.setAttribute('class', `net-dot${isBack ? ' back' : ''}`);
      }
      mark.addEventListener('click', () => this.choose(message));
      marks.push(mark);
    }
    this.dots.replaceChildren(...marks);
  }

  private drawList(): void {
    const { time } = this.context.clock;
    let first = this.near.findIndex((message) => (message.end_s ?? message.sent_s) >= time);
    if (first < 0) first = this.near.length;
    const from = Math.max(0, first - listed / 4);
    const rows = this.near.slice(from, from + listed).map((message) => {
      const isNow = message.sent_s <= time && (message.end_s ?? Infinity) >= time;
      const delay = message.end_s === null ? NaN : message.end_s - message.sent_s;
      const result = message.isLost
        ? element('td', { class: 'lost', title: message.reason }, '✕ lost')
        : element('td', { class: 'number' }, Number.isNaN(delay) ? '–' : quantity(delay, 's', 3));
      const jump = button(message.sent_s.toFixed(4), 'Go to this message', () =>
        this.choose(message),
      );
      const row = element(
        'tr',
        {
          class: `${isNow ? 'now' : ''} ${message.key === this.chosen ? 'chosen' : ''}`,
          click: () => this.choose(message),
        },
        element('td', {}, jump),
        element('td', {}, `${message.from} → ${message.to}`),
        element('td', {}, wordsOf(message)),
        result,
      );
      return row;
    });
    const focused = this.list.contains(document.activeElement)
      ? document.activeElement?.textContent
      : null;
    this.list.replaceChildren(...rows);
    if (focused)
      [...this.list.querySelectorAll('button')].find((one) => one.textContent === focused)?.focus();
  }

  private choose(message: Message): void {
    this.chosen = message.key;
    this.context.clock.pause();
    this.context.clock.setTime(message.sent_s);
    this.detail.hidden = false;
    this.detail.replaceChildren(messageLine(message, (t) => this.context.clock.setTime(t)));
    this.drawList();
  }
}

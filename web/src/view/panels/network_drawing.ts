// SPDX-License-Identifier: Apache-2.0
// The network as a drawing: nodes, cables, and the marks of frames on them, one lane for each direction.
import { select } from 'd3-selection';

import { Network, NetworkLink, linkText } from '../data/document';
import { Hop, endsOf, fates, isLost, isSmall, kindOf, placeOf } from './frames';
import { layOut } from './network_layout';

const nodeWidth = 84;
const rowHeight = 44;
const layerHeight = 86;
const spaciousHeight = 122; // where frames are drawn
const mostMarks = 600;
const mostStacked = 5;
const svgName = 'http://www.w3.org/2000/svg';

type Point = [number, number];

const short = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

const made = (tag: string, attributes: Record<string, string | number>, title = '') => {
  const mark = document.createElementNS(svgName, tag);
  for (const [name, value] of Object.entries(attributes)) mark.setAttribute(name, String(value));
  if (title) mark.appendChild(document.createElementNS(svgName, 'title')).textContent = title;
  return mark;
};

export const crossAt = ([x, y]: Point, size: number) =>
  `M${x - size},${y - size}l${2 * size},${2 * size}M${x + size},${y - size}l${-2 * size},${2 * size}`;

const diamondAt = ([x, y]: Point, size: number) =>
  `M${x},${y - size}l${size},${size}l${-size},${size}l${-size},${-size}z`;

// A frame: a disc; a ring without data; a diamond if it is sent again; with a cross in it if it will not arrive.
export function frameMark(hop: Hop, at: Point, isChosen: boolean): SVGElement {
  const size = (isSmall(hop) ? 3.2 : 4.5) * (isChosen ? 1.5 : 1);
  const classes = ['net-frame'];
  if (isSmall(hop)) classes.push('small');
  if (hop.isRetransmission) classes.push('again');
  if (isLost(hop)) classes.push('doomed');
  if (isChosen) classes.push('chosen');
  const body = hop.isRetransmission
    ? made('path', { d: diamondAt(at, 1.45 * size) })
    : made('circle', { cx: at[0], cy: at[1], r: size });
  const group = made('g', { class: classes.join(' ') }, describe(hop));
  group.append(body);
  if (isLost(hop)) group.append(made('path', { class: 'inner', d: crossAt(at, 0.55 * size) }));
  return group;
}

function fadingCross(hop: Hop, at: Point, t: number, fading: number): SVGElement {
  const cross = made('path', { d: crossAt(at, 6), class: 'net-cross' }, describe(hop));
  cross.setAttribute('opacity', String(Math.max(0.15, 1 - (t - hop.end_s) / fading)));
  return cross;
}

const describe = (hop: Hop) =>
  `Frame ${hop.frame}${kindOf(hop) ? `, ${kindOf(hop)}` : ''}, ${hop.size_bytes} B` +
  `${hop.isRetransmission ? ', retransmission' : ''}${isLost(hop) ? `, lost: ${fates[hop.fate]}` : ''}`;

export class NetworkDrawing {
  readonly marks = document.createElementNS(svgName, 'g');
  places = new Map<string, Point>();
  private half = new Map<string, Point>(); // sizes of nodes
  private network: Network | null = null;
  private labels: {
    link: NetworkLink;
    label: SVGTextElement | null;
    title: Element;
    room: number;
  }[] = [];

  // Cables that change over time are labelled with what they are like at time t.
  showTime(t: number): void {
    for (const { link, label, title, room } of this.labels) {
      const text = linkText(link, t);
      const words = `${link.name}: ${text}`;
      if (title.textContent === words) continue;
      title.textContent = words;
      if (label) label.textContent = short(text || link.name, room);
    }
  }

  draw(host: HTMLElement, network: Network, width: number, isSpacious: boolean): void {
    this.network = network;
    const { nodes, links } = network;
    const layout = layOut(network);
    const depth = Math.max(0, ...[...layout.values()].map(({ layer }) => layer));
    // where a layer has more nodes than fit side by side, they take turns on several rows
    const members = (layer: number) => [...layout.values()].filter((one) => one.layer === layer);
    const rows = Array.from({ length: depth + 1 }, (_, layer) =>
      Math.max(1, Math.ceil((members(layer).length * nodeWidth) / width)),
    );
    const columnsOf = (layer: number) => Math.ceil(members(layer).length / rows[layer]);
    const between = isSpacious ? spaciousHeight : layerHeight;
    const top = (layer: number) =>
      rows.slice(0, layer).reduce((sum, count) => sum + between + (count - 1) * rowHeight, 34);
    this.places = new Map(
      [...layout].map(([name, { layer, order }]) => {
        const index = Math.floor(order * members(layer).length);
        const turn = index % rows[layer];
        const edge = nodeWidth / 2;
        const even =
          rows[layer] > 1 ? (Math.floor(index / rows[layer]) + 0.5) / columnsOf(layer) : order;
        const x = Math.min(width - edge, Math.max(edge, width * even));
        return [name, [x, top(layer) + turn * rowHeight]];
      }),
    );
    const height = top(depth) + (rows[depth] - 1) * rowHeight + 40;
    host.replaceChildren();
    const svg = select(host)
      .append('svg')
      .attr('width', width)
      .attr('height', height)
      .attr('role', 'img')
      .attr('aria-label', 'Graph of the network');
    this.labels = [];
    for (const link of links) {
      const { a, b } = link;
      const [from, to] = [this.places.get(a), this.places.get(b)];
      if (!from || !to) continue;
      const line = svg.append('g').attr('class', 'net-link');
      line
        .append('line')
        .attr('x1', from[0])
        .attr('y1', from[1])
        .attr('x2', to[0])
        .attr('y2', to[1]);
      const title = line.append('title').node()!;
      // words stand beside the middle of a link that is alone, above the lower node otherwise
      const lower = (layout.get(a)!.layer > layout.get(b)!.layer ? from : to) as Point;
      const layer = Math.max(layout.get(a)!.layer, layout.get(b)!.layer);
      const beside = [...layout.values()].filter((one) => one.layer === layer).length;
      const room = Math.floor(width / beside / 5.6);
      if (rows[layer] > 1) {
        this.labels.push({ link, label: null, title, room }); // no room: its title tells
        continue;
      }
      const label = line
        .append('text')
        .attr('x', beside > 1 ? lower[0] : (from[0] + to[0]) / 2 + 16)
        .attr('y', beside > 1 ? lower[1] - 20 : (from[1] + to[1]) / 2 + 4)
        .attr('text-anchor', beside > 1 ? 'middle' : 'start')
        .node()!;
      this.labels.push({ link, label, title, room: beside > 1 ? room : 26 });
    }
    svg.node()!.append(this.marks); // behind the nodes
    this.half = new Map();
    for (const { name, kind, actors = [] } of nodes) {
      const place = this.places.get(name);
      if (!place) continue;
      const node = svg
        .append('g')
        .attr('class', `net-node ${kind}`)
        .attr('transform', `translate(${place[0]},${place[1]})`);
      const words = short(name, 16);
      const wide = Math.max(56, 7.4 * words.length + 18);
      this.half.set(name, kind === 'switch' ? [11, 11] : [wide / 2, 13]);
      if (kind === 'switch') {
        node.append('path').attr('d', 'M0,-11L11,0L0,11L-11,0z');
        node.append('text').attr('x', 16).attr('y', 4).text(words);
      } else {
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
          .attr('x', isAlone ? wide / 2 + 6 : 0)
          .attr('y', isAlone ? 4 : 27)
          .text(
            short(
              actors.join(', '),
              isAlone ? 18 : Math.min(30, Math.floor(width / columnsOf(layer) / 6.8)),
            ),
          );
      node.append('title').text(`${name}${actors.length ? `: ${actors.join(', ')}` : ''}`);
    }
  }

  // From where frames leave a port to where they get, outside the nodes and beside the middle of the cable, and which way is aside.
  lane(port: number): { from: Point; to: Point; aside: Point } | null {
    const [a, b] = endsOf(this.network!, port);
    const [start, end] = [this.places.get(a), this.places.get(b)];
    if (!start || !end) return null;
    const length = Math.hypot(end[0] - start[0], end[1] - start[1]) || 1;
    const [ux, uy] = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
    const outside = (name: string) => {
      const [w, h] = this.half.get(name) ?? [0, 0];
      const reach = Math.min(w / Math.max(Math.abs(ux), 1e-6), h / Math.max(Math.abs(uy), 1e-6));
      return Math.min(reach + 6, 0.45 * length);
    };
    const aside: Point = [-uy, ux];
    const point = (along: number): Point => [
      start[0] + along * ux + 5 * aside[0],
      start[1] + along * uy + 5 * aside[1],
    ];
    return { from: point(outside(a)), to: point(length - outside(b)), aside };
  }

  // Frames where they are at time t; `lengths` are of queues whose frames are not all known.
  drawFrames(
    hops: Hop[],
    t: number,
    fading: number,
    chosen: number | null,
    lengths: Map<number, number>,
    choose: (hop: Hop) => void,
  ): Map<number, number> {
    const marks: SVGElement[] = [];
    const crosses: SVGElement[] = []; // below the others
    const refused: Hop[] = [];
    const waiting = new Map<number, Hop[]>();
    const put = (hop: Hop, mark: SVGElement, among = marks) => {
      mark.addEventListener('click', () => choose(hop));
      among.push(mark);
    };
    for (const hop of hops) {
      const place = placeOf(hop, t, fading);
      if (!place) continue;
      if (place.state === 'waits') {
        const queue = waiting.get(hop.port);
        if (queue) queue.push(hop);
        else waiting.set(hop.port, [hop]);
      } else if (place.state === 'lost' && place.part === 0) {
        refused.push(hop);
      } else if (marks.length + crosses.length < mostMarks || hop.frame === chosen) {
        const lane = this.lane(hop.port);
        if (!lane) continue;
        const at: Point = [
          lane.from[0] + place.part * (lane.to[0] - lane.from[0]),
          lane.from[1] + place.part * (lane.to[1] - lane.from[1]),
        ];
        if (place.state === 'moves') put(hop, frameMark(hop, at, hop.frame === chosen));
        else put(hop, fadingCross(hop, at, t, fading), crosses);
      }
    }
    const counts = new Map(lengths);
    for (const [port, queue] of waiting)
      counts.set(port, Math.max(queue.length, lengths.get(port) ?? 0));
    for (const [port, count] of counts) {
      const lane = this.lane(port);
      if (!lane || !count) continue;
      // those that go first stand nearest to the cable
      const queue = (waiting.get(port) ?? []).sort(
        (a, b) => (a.sent_s ?? Infinity) - (b.sent_s ?? Infinity) || a.queued_s - b.queued_s,
      );
      const at = (i: number): Point => [
        lane.from[0] + (9 + 9 * i) * lane.aside[0],
        lane.from[1] + (9 + 9 * i) * lane.aside[1],
      ];
      queue
        .slice(0, mostStacked)
        .forEach((hop, i) => put(hop, frameMark(hop, at(i), hop.frame === chosen)));
      const end = at(Math.min(mostStacked, queue.length) + 0.2);
      const isLeft = lane.aside[0] < -0.3;
      const text = made(
        'text',
        {
          x: end[0],
          y: end[1] + 4 + (Math.abs(lane.aside[0]) < 0.3 ? 6 * Math.sign(lane.aside[1]) : 0),
          class: 'net-queue',
          'text-anchor': isLeft ? 'end' : lane.aside[0] > 0.3 ? 'start' : 'middle',
        },
        `${count} waiting to be sent by ${endsOf(this.network!, port)[0]}`,
      );
      text.append(String(count));
      marks.push(text);
    }
    // those that found no place are at the tail of the queue
    for (const hop of refused.slice(-mostMarks)) {
      const lane = this.lane(hop.port);
      if (!lane) continue;
      const stacked = Math.min(mostStacked, waiting.get(hop.port)?.length ?? 0);
      const aside = counts.get(hop.port)
        ? 9 + 9 * stacked + 12 + 8 * String(counts.get(hop.port)).length
        : 0;
      const at: Point = [
        lane.from[0] + aside * lane.aside[0],
        lane.from[1] + aside * lane.aside[1],
      ];
      put(hop, fadingCross(hop, at, t, fading), crosses);
    }
    this.marks.replaceChildren(...crosses, ...marks);
    return counts;
  }
}

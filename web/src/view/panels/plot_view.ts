// SPDX-License-Identifier: Apache-2.0
// One plot: curves of some signals for all visible runs over the shared range of time, with the cursor.
import { scaleLinear } from 'd3-scale';
import { Selection, select } from 'd3-selection';

import { hues } from '../../shared/colours';
import { button, element } from '../../shared/dom';
import { short, withUnit } from '../../shared/format';
import { Group, drawAxes, padded } from '../../shared/plot';
import { Context, calmly } from '../context';
import { Table, columnOf } from '../data/document';
import { RunState } from '../runs';
import { Curve, curvePath, curvesOf } from './curves';
import { Signal } from './signals_panel';
import { copyText } from './values_panel';

const dashes = ['none', '7 3', '2 2.5', '9 3 2 3', '4 2', '12 3'];
const margin = { left: 62, right: 12, top: 6, bottom: 20 };
const clipName = 'plot-clip';

export interface TimeRange {
  get(): [number, number];
  zoom(around: number, factor: number): void;
  pan(by: number): void; // parts of the range
  reset(): void;
}

export class PlotView {
  readonly root: HTMLElement;
  readonly svg: Selection<SVGSVGElement, unknown, null, undefined>;
  readonly signals: Signal[] = [];
  curves: Curve[] = [];
  private readonly legend = element('div', { class: 'plot-legend' });
  private readonly host = element('div', { class: 'plot-host' });
  // beside the drawing, not in it: to move it, nothing is drawn anew
  private readonly cursor = element('div', { class: 'plot-cursor' });
  private readonly chart: Group;
  private width = 0;
  private height = 132;
  private chrome = 0; // of the box, with the legend
  readonly head: HTMLElement;
  private x = scaleLinear();
  private asked = 0;
  private readonly fetchSoon = calmly(60, () => void this.fetch());
  private readonly valuesSoon = calmly(70, () => this.showValues());
  private isMissing = false; // values of the shown time are on their way
  private values: { cell: HTMLElement; run: RunState; signal: Signal }[] = [];

  constructor(
    private readonly context: Context,
    private readonly range: TimeRange,
    close: () => void,
  ) {
    this.svg = select(this.host).append('svg') as unknown as typeof this.svg;
    this.svg.attr('height', this.height).attr('role', 'img').attr('class', 'plot');
    this.chart = this.svg.append('g') as unknown as Group;
    this.host.append(this.cursor);
    const closing = button('×', 'Remove this plot', close);
    closing.className = 'close';
    closing.setAttribute('aria-label', 'Remove this plot');
    this.head = element('div', { class: 'plot-head' }, this.legend, closing);
    this.root = element(
      'div',
      { class: 'plot-box', tabindex: '0', role: 'group' },
      this.head,
      this.host,
    );
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.listen();
  }

  has(signal: Signal): boolean {
    return this.signals.some(
      ({ topic, column }) => topic === signal.topic && column === signal.column,
    );
  }

  add(signal: Signal): void {
    if (!this.has(signal)) this.signals.push(signal);
    this.update();
  }

  // Runs, signals or the range changed.
  update(): void {
    this.chrome = 0;
    this.drawLegend();
    this.fetchSoon();
  }

  // Height of the whole box, legend included; never less than can be read.
  setRoom(height: number): void {
    // values that become shorter make no room: the plot would jump while they change
    this.chrome = Math.max(this.chrome, this.root.offsetHeight - this.host.offsetHeight);
    const wanted = Math.max(104, Math.floor(height - this.chrome));
    if (wanted === this.height) return;
    this.height = wanted;
    this.svg.attr('height', wanted).attr('viewBox', `0 0 ${this.width} ${wanted}`);
    if (this.width) this.draw(this.range.get());
  }

  private resize(): void {
    const width = this.host.clientWidth;
    if (width < 80 || width === this.width) return;
    this.width = width;
    this.chrome = 0;
    this.svg.attr('width', width).attr('viewBox', `0 0 ${width} ${this.height}`);
    this.fetchSoon();
  }

  private pairs(): { run: RunState; signal: Signal }[] {
    return this.signals.flatMap((signal) =>
      this.context
        .visibleRuns()
        .filter((run) => {
          const table = run.table(signal.topic);
          return table !== undefined && columnOf(table, signal.column) >= 0;
        })
        .map((run) => ({ run, signal })),
    );
  }

  // By run where several are compared, by signal otherwise.
  paint(run: RunState, signal: Signal): { colour: string; dash: string } {
    const { theme } = this.context;
    const at = this.signals.indexOf(signal);
    const isByRun = new Set(this.pairs().map((pair) => pair.run)).size > 1;
    if (isByRun) return { colour: run.colour(theme), dash: dashes[at % dashes.length] };
    return { colour: hues[theme][(at + 1) % hues[theme].length], dash: 'none' };
  }

  private drawLegend(): void {
    const isSeveral = this.context.runs.length > 1;
    this.values = [];
    const entries = this.pairs().map(({ run, signal }) => {
      const { colour, dash } = this.paint(run, signal);
      const cell = element('button', { type: 'button', class: 'plot-value' }, '–');
      cell.addEventListener('click', () => copyText(cell.dataset.value ?? ''));
      this.values.push({ cell, run, signal });
      const key = element('span', { class: 'plot-key' });
      const width = run.look === 'ghost' ? 4 : 2.5;
      key.style.borderTop = `${width}px ${dash === 'none' ? 'solid' : 'dashed'} ${colour}`;
      const words = `${signal.topic} ${signal.column}`;
      return element(
        'span',
        { class: 'plot-entry', title: isSeveral ? `${run.run.label}: ${words}` : words },
        key,
        element('span', { class: 'plot-name' }, signal.column),
        isSeveral ? element('span', { class: 'aside' }, run.run.label) : null,
        cell,
      );
    });
    const removals = this.signals.map((signal) => {
      const made = button('×', `Remove ${signal.column}`, () => {
        this.signals.splice(this.signals.indexOf(signal), 1);
        this.update();
      });
      made.className = 'remove';
      made.setAttribute('aria-label', `Remove ${signal.column}`);
      return { signal, made };
    });
    if (this.signals.length > 1)
      removals.forEach(({ signal, made }) => {
        const last = this.values.map((one) => one.signal).lastIndexOf(signal);
        entries[last]?.append(made);
      });
    if (entries.length) this.legend.replaceChildren(...entries);
    else
      this.legend.replaceChildren(element('span', { class: 'hint' }, 'No data in the runs shown.'));
    this.root.setAttribute(
      'aria-label',
      `Plot of ${this.signals.map(({ column }) => column).join(', ')}`,
    );
    this.valuesSoon();
  }

  private async fetch(): Promise<void> {
    if (!this.width) return;
    const ask = ++this.asked;
    const range = this.range.get();
    const pixels = Math.max(20, Math.round(this.width - margin.left - margin.right));
    const { source } = this.context;
    await this.context.opened; // the scene comes first
    const groups = new Map<string, { run: RunState; table: Table; signals: Signal[] }>();
    for (const { run, signal } of this.pairs()) {
      const key = `${run.index} ${signal.topic}`;
      const group = groups.get(key) ?? { run, table: run.table(signal.topic)!, signals: [] };
      group.signals.push(signal);
      groups.set(key, group);
    }
    const found = await Promise.all(
      [...groups.values()].map(({ run, table, signals }) =>
        curvesOf(source, run, table, signals, range, pixels).catch((error: unknown) => {
          console.warn(error);
          return [];
        }),
      ),
    );
    if (ask !== this.asked) return; // a newer one is on its way
    this.curves = found.flat();
    this.draw(range);
  }

  private draw(range: [number, number]): void {
    const { width, height } = this;
    const box = {
      x: margin.left,
      y: margin.top,
      width: width - margin.left - margin.right,
      height: height - margin.top - margin.bottom,
    };
    let [low, high] = [Infinity, -Infinity];
    for (const { points } of this.curves)
      for (const [t, value] of points) {
        if (!Number.isFinite(value) || t > range[1]) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    this.x = scaleLinear()
      .domain(range)
      .range([box.x, box.x + box.width]);
    const y = scaleLinear()
      .domain(padded(low, high))
      .range([box.y + box.height, box.y]);
    this.chart.selectAll('*').remove();
    const unitsOf = new Set(this.signals.map(({ unit }) => unit));
    drawAxes(this.chart, box, this.x, y, {
      yLabel: unitsOf.size === 1 ? [...unitsOf][0] : '',
      yTicks: Math.max(3, box.height / 30),
    });
    this.chart
      .append('clipPath')
      .attr('id', `${clipName}-${this.number}`)
      .append('rect')
      .attr('x', box.x)
      .attr('y', box.y)
      .attr('width', box.width)
      .attr('height', box.height);
    const curves = this.chart.append('g').attr('clip-path', `url(#${clipName}-${this.number})`);
    // the run without the network is broad, below the others, as the reference of a report
    const isGhost = ({ run }: Curve) => run.look === 'ghost';
    for (const curve of [...this.curves].sort((a, b) => +isGhost(b) - +isGhost(a))) {
      const { colour, dash } = this.paint(curve.run, curve.signal);
      curves
        .append('path')
        .attr('class', isGhost(curve) ? 'plot-curve ghost' : 'plot-curve')
        .attr('data-run', curve.run.index)
        .attr('d', curvePath(curve, this.x, y, Math.min(range[1], this.context.clock.end)))
        .attr('stroke', colour)
        .attr('stroke-dasharray', dash);
    }
    this.placeCursor();
  }

  private readonly number = ++PlotView.count;
  private static count = 0;

  placeCursor(): void {
    const at = this.x(this.context.clock.time);
    const isInside = at >= margin.left - 0.5 && at <= this.width - margin.right + 0.5;
    this.cursor.style.display = isInside ? '' : 'none';
    this.cursor.style.transform = `translateX(${at - 0.5}px)`;
    this.cursor.style.height = `${this.height - margin.bottom - margin.top}px`;
    this.cursor.style.top = `${margin.top}px`;
    this.valuesSoon();
  }

  // Values that were asked for are shown as soon as they come.
  dataCame(): void {
    if (this.isMissing) this.showValues();
  }

  private showValues(): void {
    if (!this.context.isOpened) {
      void this.context.opened.then(() => this.showValues());
      return;
    }
    this.isMissing = false;
    for (const { cell, run, signal } of this.values) {
      const table = run.table(signal.topic)!;
      const found = run.reader(table).at(this.context.clock.time);
      if (found === null) {
        this.isMissing = true;
        continue;
      }
      const value = found ? found.columns[columnOf(table, signal.column)][found.index] : NaN;
      cell.textContent = withUnitAfter(value, signal.unit);
      cell.title = `${value} – click to copy`;
      cell.dataset.value = String(value);
    }
  }

  private listen(): void {
    const node = this.svg.node()!;
    const timeAt = (event: MouseEvent) =>
      this.x.invert(event.clientX - node.getBoundingClientRect().left);
    node.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      node.setPointerCapture(event.pointerId);
      this.context.clock.setTime(timeAt(event));
    });
    node.addEventListener('pointermove', (event) => {
      if (node.hasPointerCapture(event.pointerId)) this.context.clock.setTime(timeAt(event));
    });
    node.addEventListener('dblclick', () => this.range.reset());
    node.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.shiftKey && !event.altKey && event.deltaX === 0) {
          // a plain wheel scrolls the list of plots where it can
          const list = node.closest('.plot-list');
          if (list && list.scrollHeight > list.clientHeight + 1) return;
        }
        event.preventDefault();
        const { deltaX, deltaY } = event;
        if (Math.abs(deltaX) > Math.abs(deltaY)) this.range.pan(deltaX / 600);
        else if (event.shiftKey) this.range.pan(deltaY / 600);
        else this.range.zoom(timeAt(event), Math.exp(deltaY / 400));
      },
      { passive: false },
    );
    this.root.addEventListener('keydown', (event) => {
      if (event.target !== this.root) return;
      const act = {
        ArrowLeft: () => this.range.pan(-0.1),
        ArrowRight: () => this.range.pan(0.1),
        '+': () => this.range.zoom(this.context.clock.time, 0.7),
        '=': () => this.range.zoom(this.context.clock.time, 0.7),
        '-': () => this.range.zoom(this.context.clock.time, 1 / 0.7),
        Home: () => this.range.reset(),
      }[event.key];
      if (!act) return;
      act();
      event.preventDefault();
      event.stopPropagation();
    });
  }
}

function withUnitAfter(value: number, unit: string): string {
  return Number.isNaN(value) ? '–' : `${short(value, 6)}${unit ? `\u202f${unit}` : ''}`;
}

export const plotTitle = (plot: PlotView): string =>
  plot.signals.map(({ column, unit }) => withUnit(column, unit)).join(', ');

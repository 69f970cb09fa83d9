// SPDX-License-Identifier: Apache-2.0
// The plots under the scene: which there are, the range of time they share, and saving them.
import { button, element } from '../../shared/dom';
import { saveFile } from '../../shared/save_file';
import { standaloneSvg } from '../../shared/save_svg';
import { Context, calmly } from '../context';
import { Panel } from './dock';
import { PlotView, TimeRange, plotTitle } from './plot_view';
import { plotsCsv } from './plots_csv';
import { Signal, signalType } from './signals_panel';

const liveSeconds = 20;

export class PlotsPanel implements Panel {
  readonly id = 'plots';
  readonly title = 'Plots';
  readonly root: HTMLElement;
  private readonly list = element('div', { class: 'plot-list' });
  private readonly empty: HTMLElement;
  private readonly reset: HTMLButtonElement;
  private plots: PlotView[] = [];
  private zoomed: [number, number] | null = null;
  private readonly range: TimeRange;

  constructor(private readonly context: Context) {
    this.range = {
      get: () => this.shownRange(),
      zoom: (around, factor) => {
        const [from, to] = this.shownRange();
        this.setRange(around - (around - from) * factor, around + (to - around) * factor);
      },
      pan: (by) => {
        const [from, to] = this.shownRange();
        const shift = by * (to - from);
        this.setRange(from + shift, to + shift);
      },
      reset: () => this.setWhole(),
    };
    this.reset = button('whole run', 'Show the whole time again (Home)', () => this.setWhole());
    this.empty = element(
      'p',
      { class: 'hint empty' },
      'No plots yet. Choose a signal under Signals, or drag one here.',
    );
    this.root = element(
      'div',
      { class: 'panel plots' },
      element(
        'div',
        { class: 'plot-tools', role: 'toolbar', 'aria-label': 'Plots' },
        element('h2', {}, 'Plots'),
        this.reset,
        button('zoom in', 'Zoom in around the cursor', () =>
          this.range.zoom(context.clock.time, 0.5),
        ),
        button('zoom out', 'Zoom out around the cursor', () =>
          this.range.zoom(context.clock.time, 2),
        ),
        button('PNG', 'Save the plots as PNG', () => void this.savePng()),
        button('SVG', 'Save the plots as SVG', () => this.saveSvg()),
        button('CSV', 'Save the visible rows as CSV', () => void this.saveCsv()),
      ),
      this.empty,
      this.list,
    );
    context.clock.onChange(() => this.moved());
    context.on('runs', () => this.updateAll());
    context.on('theme', () => this.updateAll());
    const grown = calmly(250, () => this.updateAll());
    context.on('data', () => {
      if (context.isLive) grown();
      else this.plots.forEach((plot) => plot.dataCame());
    });
    this.acceptDrops(this.root, null);
    this.setWhole();
    new ResizeObserver(() => this.shareHeight()).observe(this.list);
  }

  private shownRange(): [number, number] {
    if (this.zoomed) return this.zoomed;
    const { start, end } = this.context.clock;
    if (this.context.isLive) return [Math.max(start, end - liveSeconds), Math.max(end, start + 1)];
    return [start, end > start ? end : start + 1];
  }

  private setRange(from: number, to: number): void {
    const { start, end } = this.context.clock;
    const length = Math.max(1e-5, Math.min(to - from, end - start));
    const first = Math.max(start, Math.min(end - length, from));
    this.zoomed = length >= (end - start) * 0.9999 ? null : [first, first + length];
    this.reset.disabled = this.zoomed === null;
    this.updateAll();
  }

  private setWhole(): void {
    this.zoomed = null;
    this.reset.disabled = true;
    this.updateAll();
  }

  // The cursor takes a zoomed range along when it leaves it.
  private moved(): void {
    const { time } = this.context.clock;
    if (this.zoomed && (time < this.zoomed[0] || time > this.zoomed[1])) {
      const length = this.zoomed[1] - this.zoomed[0];
      this.setRange(time - 0.1 * length, time + 0.9 * length);
    }
    for (const plot of this.plots) plot.placeCursor();
  }

  private readonly heads = new ResizeObserver(() => this.shareHeight());

  // Few plots fill the panel; many scroll.
  private shareHeight(): void {
    if (!this.plots.length) return;
    const each = this.list.clientHeight / this.plots.length;
    for (const plot of this.plots) plot.setRoom(each);
  }

  private updateAll(): void {
    for (const plot of this.plots) plot.update();
  }

  add(signal: Signal, inNewPlot = false, into: PlotView | null = null): void {
    const last = this.plots[this.plots.length - 1];
    const isAlike = last?.signals.some(({ unit }) => unit === signal.unit) && !inNewPlot;
    const target = into ?? (isAlike ? last : null);
    if (target) {
      target.add(signal);
      return;
    }
    const plot: PlotView = new PlotView(this.context, this.range, () => {
      plot.root.remove();
      this.heads.unobserve(plot.head);
      this.plots = this.plots.filter((one) => one !== plot);
      this.empty.hidden = this.plots.length > 0;
      this.shareHeight();
    });
    this.acceptDrops(plot.root, plot);
    this.heads.observe(plot.head);
    this.plots.push(plot);
    this.list.append(plot.root);
    this.empty.hidden = true;
    plot.add(signal);
    this.shareHeight();
    plot.root.scrollIntoView({ block: 'nearest' });
  }

  private acceptDrops(target: HTMLElement, plot: PlotView | null): void {
    target.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes(signalType)) event.preventDefault();
    });
    target.addEventListener('drop', (event) => {
      const text = event.dataTransfer?.getData(signalType);
      if (!text) return;
      event.preventDefault();
      event.stopPropagation();
      this.add(JSON.parse(text) as Signal, plot === null, plot);
    });
  }

  // All plots below each other, each under its name, as one SVG document.
  private document(): { text: string; width: number; height: number } | null {
    const shown = this.plots.filter((plot) => plot.signals.length);
    if (!shown.length) return null;
    const heights = shown.map((plot) => Number(plot.svg.attr('height')) + 22);
    const width = Math.max(...shown.map((plot) => Number(plot.svg.attr('width'))));
    const height = heights.reduce((sum, one) => sum + one, 0);
    let top = 0;
    const parts = shown.map((plot, i) => {
      const escaped = plotTitle(plot).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const inner = standaloneSvg(plot.svg.node()!);
      const title = `<text x="8" y="${top + 15}" font-family="sans-serif" font-size="12">${escaped}</text>`;
      const moved = inner.replace('<svg', `<svg y="${top + 20}"`);
      top += heights[i];
      return title + moved;
    });
    const text =
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
      `<rect width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>`;
    return { text, width, height };
  }

  private saveSvg(): void {
    const made = this.document();
    if (made) saveFile(new Blob([made.text], { type: 'image/svg+xml' }), 'plots.svg');
  }

  private async savePng(): Promise<void> {
    const made = this.document();
    if (!made) return;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(made.text)}`;
    await image.decode();
    const canvas = element('canvas', { width: 2 * made.width, height: 2 * made.height });
    const drawing = canvas.getContext('2d')!;
    drawing.scale(2, 2);
    drawing.drawImage(image, 0, 0);
    canvas.toBlob((blob) => blob && saveFile(blob, 'plots.png'));
  }

  private async saveCsv(): Promise<void> {
    const text = await plotsCsv(this.context, this.plots, this.shownRange());
    if (text) saveFile(new Blob([text], { type: 'text/csv' }), 'plots.csv');
  }
}

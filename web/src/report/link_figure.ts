// SPDX-License-Identifier: Apache-2.0
// Histograms of the link's delay, one panel per series and direction.
import { scaleLinear } from 'd3-scale';
import { pointer } from 'd3-selection';

import { Paints } from './paints';
import { LinkStatistics, Series } from './data';
import { checkbox } from '../shared/dom';
import { Figure, Group } from './figure';
import { Unit, grouped, quantity, short, unitFor } from '../shared/format';
import { Box, drawAxes, fitText } from '../shared/plot';
import { Selection } from './selection';
import { hideTip, showTip } from '../shared/tooltip';

type Direction = 'states' | 'commands';
interface Panel {
  series: Series;
  direction: Direction;
  statistics: LinkStatistics;
}

const height = 58;
const above = 36;
const below = 34;

const lastBin = ({ histogram }: LinkStatistics): number =>
  histogram[histogram.length - 1]?.[1] ?? 0;

class LinkFigure {
  private sharedX = true;

  constructor(
    private readonly figure: Figure,
    private readonly selection: Selection,
    private readonly paints: Paints,
  ) {
    figure.draws((width) => this.draw(width));
    selection.onChange(() => figure.redrawSoon());
    figure.controls.append(
      checkbox('same delay axis', true, (on) => {
        this.sharedX = on;
        figure.redraw();
      }),
    );
  }

  private panels(): Panel[] {
    return this.selection.visible().flatMap((series) =>
      (['states', 'commands'] as Direction[]).flatMap((direction) => {
        const statistics = series.link?.[direction];
        return statistics ? [{ series, direction, statistics }] : [];
      }),
    );
  }

  private draw(width: number): void {
    const panels = this.panels();
    const columns = width >= 900 && panels.length > 2 ? 4 : 2;
    const rows = Math.ceil(panels.length / columns);
    const rowHeight = above + height + below;
    this.figure.clear(width, Math.max(20, rows * rowHeight + 14));
    if (!panels.length) {
      this.figure.svg
        .append('text')
        .attr('class', 'axis-label')
        .attr('x', 8)
        .attr('y', 14)
        .text('None of the selected series has a link.');
      return;
    }
    const furthest = Math.max(...panels.map(({ statistics }) => lastBin(statistics)));
    // Milliseconds, also for links without delay; microseconds where all of them are short.
    const unit = unitFor('s', furthest > 1e-6 ? Math.min(furthest, 0.9) : 1e-3);
    panels.forEach((panel, i) => {
      const box: Box = {
        x: (i % columns) * (width / columns) + 8,
        y: Math.floor(i / columns) * rowHeight + above,
        width: width / columns - 24,
        height,
      };
      this.drawPanel(
        panel,
        box,
        this.sharedX ? [0, furthest > 1e-6 ? furthest : 1e-3] : this.ownRange(panel.statistics),
        unit,
      );
    });
    this.figure.svg
      .append('text')
      .attr('class', 'axis-label')
      .attr('x', width / 2)
      .attr('y', rows * rowHeight + 8)
      .attr('text-anchor', 'middle')
      .text(`delay from sending to arrival [${unit.name}]`);
  }

  private ownRange({ histogram }: LinkStatistics): [number, number] {
    if (!histogram.length) return [0, 1e-3];
    const [low, high] = [histogram[0][0], histogram[histogram.length - 1][1]];
    if (high <= 1e-6) return [0, 1e-3];
    const air = Math.max(0.05 * (high - low), 0.02 * high);
    return [Math.max(0, low - air), high + air];
  }

  private drawPanel(
    { series, direction, statistics }: Panel,
    box: Box,
    range: [number, number],
    unit: Unit,
  ): void {
    const { svg } = this.figure;
    const group: Group = svg
      .append('g')
      .attr('class', 'panel')
      .attr('data-series', series.label)
      .attr('data-direction', direction);
    const x = scaleLinear(
      [range[0] * unit.scale, range[1] * 1.02 * unit.scale || 1],
      [box.x, box.x + box.width],
    );
    const tallest = Math.max(1, ...statistics.histogram.map(([, , count]) => count));
    const y = scaleLinear([0, tallest], [box.y + box.height, box.y]);
    drawAxes(group, box, x, y, { xTicks: Math.max(2, box.width / 70), yTicks: 0 });
    const line = (className: string, rise: number, text: string) =>
      fitText(
        group
          .append('text')
          .attr('class', className)
          .attr('x', box.x)
          .attr('y', box.y - rise),
        text,
        box.width,
      );
    line('panel-title', 20, `${direction} · ${this.selection.labelOf(series)}`);
    line(
      'panel-words',
      6,
      `sent ${grouped(statistics.sent)} · lost ${grouped(statistics.dropped)} · reordered ${grouped(statistics.reordered)}`,
    );
    for (const [low, high, count] of statistics.histogram) {
      if (count === 0) continue;
      const left = x(low * unit.scale);
      const width = Math.max(2.5, x(high * unit.scale) - left - 0.5);
      const top = Math.min(y(count), box.y + box.height - 1);
      group
        .append('rect')
        .attr('class', 'bar')
        .attr('x', Math.min(left, box.x + box.width - width))
        .attr('y', top)
        .attr('width', width)
        .attr('height', box.y + box.height - top)
        .style('fill', this.paints.of(series).colour);
    }
    group
      .append('rect')
      .attr('class', 'catcher')
      .attr('x', box.x)
      .attr('y', box.y)
      .attr('width', box.width)
      .attr('height', box.height)
      .on('pointermove', (event: PointerEvent) =>
        this.tip(
          event,
          series,
          direction,
          statistics,
          x.invert(pointer(event, svg.node())[0]) / unit.scale,
        ),
      )
      .on('pointerleave', hideTip);
  }

  private tip(
    event: PointerEvent,
    series: Series,
    direction: Direction,
    statistics: LinkStatistics,
    delay: number,
  ): void {
    const time = (value: number | null) => (value === null ? '–' : quantity(value, 's'));
    const bin = statistics.histogram.find(([low, high]) => delay >= low && delay < high);
    const lines = [
      { label: 'median', value: time(statistics.delay_p50_s) },
      { label: '99 %', value: time(statistics.delay_p99_s) },
      { label: 'longest', value: time(statistics.delay_max_s) },
      { label: 'age, mean', value: time(statistics.age_mean_s) },
      { label: 'delivered', value: grouped(statistics.delivered) },
    ];
    if (bin)
      lines.push({
        label: `${short(bin[0] * 1e3)}–${short(bin[1] * 1e3)} ms`,
        value: grouped(bin[2]),
      });
    showTip(event, `${this.selection.labelOf(series)}, ${direction}`, lines);
  }
}

export function makeLinkFigure(selection: Selection, paints: Paints): HTMLElement | null {
  const { links } = selection.report.figures;
  if (!links) return null;
  const figure = new Figure('fig-links', links);
  new LinkFigure(figure, selection, paints);
  return figure.root;
}

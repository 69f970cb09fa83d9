// SPDX-License-Identifier: Apache-2.0
// Growth of the oscillation over latency, one panel per cut and direction, with simulated margin and closed form.
import { scaleLinear, scaleSymlog } from 'd3-scale';
import { symbol, symbolCircle, symbolDiamond, symbolTriangle } from 'd3-shape';

import { Margin, MarginPanel, Report, Tried, Verdict } from './data';
import { select } from '../shared/dom';
import { Figure, Group, clipTo } from './figure';
import { Unit, plural, power, quantity, short, withUnit } from '../shared/format';
import { Box, Scale, drawAxes, fitText, padded } from '../shared/plot';
import { hideTip, showTip } from '../shared/tooltip';

const shapeOf: Record<Verdict, typeof symbolCircle> = {
  stable: symbolCircle,
  unstable: symbolTriangle,
  undecided: symbolDiamond,
};

const panelHeight = 190;
const above = 56;
const below = 52;
const left = 70;

class MarginFigure {
  private fitsAll = false;
  private isLinear = false;

  constructor(
    private readonly figure: Figure,
    private readonly margins: Margin[],
    private readonly panels: MarginPanel[],
  ) {
    figure.draws((width) => this.draw(width));
    figure.controls.append(
      select('growth:', ['logarithmic on both sides of 0', 'linear'], 0, (index) => {
        this.isLinear = index === 1;
        figure.redraw();
      }),
    );
  }

  private draw(width: number): void {
    const { margins, figure } = this;
    // As many columns as leave room for the longest name.
    const longest = Math.max(22, ...this.panels.map(({ title }) => title.length));
    const columns = Math.max(
      1,
      Math.min(margins.length, width >= 640 ? 3 : 2, Math.floor(width / (30 + 7.4 * longest))),
    );
    const rows = Math.ceil(margins.length / columns);
    const rowHeight = above + panelHeight + below;
    figure.clear(width, rows * rowHeight);
    let beyond = 0;
    margins.forEach((margin, i) => {
      const box: Box = {
        x: (i % columns) * (width / columns) + left,
        y: Math.floor(i / columns) * rowHeight + above,
        width: width / columns - left - 14,
        height: panelHeight,
      };
      beyond += this.drawPanel(margin, this.panels[i], box);
    });
    const setFit = (all: boolean) => {
      this.fitsAll = all;
      figure.redraw();
    };
    if (this.fitsAll)
      figure.setNote('The axes show every point.', 'fit the margins', () => setFit(false), false);
    else if (beyond) {
      figure.setNote(
        `${plural(beyond, 'point lies', 'points lie')} to the right of the frames.`,
        'fit all',
        () => setFit(true),
      );
    } else figure.setNote('');
  }

  // Returns how many of its points are out of the frame.
  private drawPanel(margin: Margin, panel: MarginPanel, box: Box): number {
    const { svg } = this.figure;
    const shownFrame = this.fitsAll ? panel.all : panel.near;
    const { end_s: end, constant, low, high, ticks } = shownFrame;
    const unit = { name: shownFrame.unit, scale: shownFrame.scale };
    const shown = margin.tried.filter((one) => one.latency_s <= end);
    const frame = this.isLinear ? padded(low, high, 0.1) : [low * 2, high * 2];
    const x = scaleLinear([0, end * unit.scale], [box.x, box.x + box.width]);
    const y = (this.isLinear ? scaleLinear() : scaleSymlog().constant(constant))
      .domain(frame)
      .range([box.y + box.height, box.y]) as Scale;
    const name = panel.title;
    const group: Group = svg.append('g').attr('class', 'panel').attr('data-margin', name);
    drawAxes(group, box, x, y, {
      xLabel: withUnit(panel.across_title, unit.name),
      yLabel: 'growth [1/s]',
      xTicks: Math.max(3, box.width / 60),
      yTickValues: this.isLinear
        ? undefined
        : ticks.filter(
            // Text needs room: next to zero it is zero that is told.
            (tick) =>
              tick >= frame[0] && tick <= frame[1] && (tick === 0 || Math.abs(y(tick) - y(0)) > 13),
          ),
      yTickText: this.isLinear
        ? undefined
        : (tick) => (tick !== 0 && Math.abs(tick) < 0.01 ? power(tick, 1) : short(tick)),
    });
    const title = group
      .append('text')
      .attr('class', 'panel-title')
      .attr('x', box.x - 56)
      .attr('y', box.y - 40);
    fitText(title, name, box.width + 56);
    const inside: Group = group
      .append('g')
      .attr('clip-path', clipTo(svg, box.x, box.y, box.width, box.height));
    inside
      .append('line')
      .attr('class', 'zero')
      .attr('x1', box.x)
      .attr('x2', box.x + box.width)
      .attr('y1', y(0))
      .attr('y2', y(0));
    this.drawLimits(group, inside, margin, panel, x, unit, box);
    // The undecided ones lie closest to others and come on top.
    const ordered = [...shown].sort(
      (a, b) => Number(a.verdict === 'undecided') - Number(b.verdict === 'undecided'),
    );
    for (const one of ordered) this.drawPoint(group, inside, one, name, x, y, unit, box);
    return margin.tried.length - shown.length;
  }

  // The margin as a line and the gap to the first unstable latency as a band; the closed form dashed.
  private drawLimits(
    group: Group,
    inside: Group,
    margin: Margin,
    panel: MarginPanel,
    x: Scale,
    unit: Unit,
    box: Box,
  ): void {
    const vertical = (value: number, className: string) => {
      const at = x(value * unit.scale);
      inside
        .append('line')
        .attr('class', className)
        .attr('data-value', String(value))
        .attr('x1', at)
        .attr('x2', at)
        .attr('y1', box.y)
        .attr('y2', box.y + box.height);
    };
    if (margin.critical_s !== null && margin.unstable_s !== null) {
      const [from, to] = [x(margin.critical_s * unit.scale), x(margin.unstable_s * unit.scale)];
      inside
        .append('rect')
        .attr('class', 'bracket')
        .attr('x', from)
        .attr('y', box.y)
        .attr('width', Math.max(0, to - from))
        .attr('height', box.height);
    }
    // Stable as far as it was searched is no margin.
    if (margin.critical_s !== null && !panel.is_at_limit)
      vertical(margin.critical_s, 'limit simulated');
    if (margin.closed_form_s !== null) vertical(margin.closed_form_s, 'limit closed-form');
    const put = (text: string, className: string, rise: number) =>
      group
        .append('text')
        .attr('class', `panel-words ${className}`)
        .attr('x', box.x - 56)
        .attr('y', box.y - rise)
        .text(text);
    put(panel.found, 'simulated', 24);
    put(panel.closed_form, margin.closed_form_s === null ? '' : 'closed-form', 9);
  }

  private drawPoint(
    group: Group,
    inside: Group,
    one: Tried,
    name: string,
    x: Scale,
    y: Scale,
    unit: Unit,
    box: Box,
  ): void {
    const at = x(one.latency_s * unit.scale);
    const growth = one.growth_per_s;
    // Without a fitted growth it stands hollow on an edge: the upper one where it grew to its limits.
    const isOff = growth === null;
    const edge = one.verdict === 'unstable' ? box.y : box.y + box.height;
    const height = growth === null ? edge : y(growth);
    const mark: Group = group
      .append('g')
      .attr('class', `tried ${one.verdict}${isOff ? ' off' : ''}`)
      .attr('data-verdict', one.verdict);
    const error = one.growth_standard_error_per_s;
    if (growth !== null && error !== null) {
      inside
        .append('path')
        .attr('class', `error-bar ${one.verdict}`)
        .attr('d', `M${at},${y(growth - 2 * error)}V${y(growth + 2 * error)}`);
    }
    mark
      .append('path')
      .attr('class', 'symbol')
      .attr('d', symbol(shapeOf[one.verdict] ?? symbolCircle, 46)())
      .attr('transform', `translate(${at},${height})`);
    mark
      .on('pointermove', (event: PointerEvent) => {
        const lines = [{ label: 'verdict', value: one.verdict as string }];
        if (growth !== null)
          lines.push({
            label: 'growth',
            value: `${short(growth)}${error === null ? '' : ` ± ${short(2 * error, 2)}`} 1/s`,
          });
        if (one.joint) lines.push({ label: 'joint', value: one.joint });
        showTip(event, `${name}: ${quantity(one.latency_s, 's')}`, lines);
      })
      .on('pointerleave', hideTip);
  }
}

export function makeMarginFigure({ margins, figures }: Report): HTMLElement | null {
  const { margin } = figures;
  if (!margin) return null;
  const figure = new Figure('fig-margin', margin);
  new MarginFigure(figure, margins, margin.margins);
  return figure.root;
}

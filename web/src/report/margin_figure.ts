// SPDX-License-Identifier: Apache-2.0
// Growth of the oscillation over latency, one panel per cut and direction, with simulated margin and closed form.
import { scaleLinear, scaleSymlog } from 'd3-scale';
import { symbol, symbolCircle, symbolDiamond, symbolTriangle } from 'd3-shape';

import { Margin, Report, Tried, Verdict } from './data';
import { select } from '../shared/dom';
import { Figure, Group, clipTo } from './figure';
import { Unit, plural, power, quantity, short, unitFor } from '../shared/format';
import { closedFormWords, isAtLimit } from './margin_table';
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

// "velocity, both ways", with what else tells the entries of this report apart.
export function marginName(margin: Margin, all: Margin[]): string {
  const differs = (of: (one: Margin) => unknown) => all.some((one) => of(one) !== of(margin));
  const parts = [margin.cut, margin.direction === 'both' ? 'both ways' : margin.direction];
  if (margin.gain !== null && margin.gain !== undefined && differs((one) => one.gain))
    parts.push(`gain ${short(margin.gain)}`);
  if (differs((one) => one.control_period_s))
    parts.push(`control ${quantity(margin.control_period_s, 's')}`);
  if (differs((one) => one.physics_period_s))
    parts.push(`physics ${quantity(margin.physics_period_s, 's')}`);
  return parts.join(', ');
}

// Up to where the interesting part reaches: about twice the margin, at most what was tried.
export function latencyFrame(margin: Margin): number {
  const tried = Math.max(1e-6, ...margin.tried.map((one) => one.latency_s));
  const near = Math.max(margin.critical_s ?? 0, margin.unstable_s ?? 0, margin.closed_form_s ?? 0);
  return near > 0 ? Math.min(tried * 1.05, 2.2 * near) : tried * 1.05;
}

// Growths span decades on either side of zero: the scale is linear up to `constant` and logarithmic beyond.
export function growthScale(growths: number[]): { constant: number; ticks: number[] } {
  const sizes = growths.map(Math.abs).filter((size) => size > 0 && Number.isFinite(size));
  const largest = sizes.length ? Math.max(...sizes) : 1;
  // Nothing below a hundred-thousandth of the largest is worth a decade.
  const least = Math.floor(
    Math.log10(Math.max(sizes.length ? Math.min(...sizes) : 1, 1e-5 * largest)) + 1e-9,
  );
  const most = Math.floor(Math.log10(largest) + 1e-9);
  const stride = Math.max(1, Math.ceil((most - least + 1) / 3));
  const powers: number[] = [];
  for (let power = most; power >= least; power -= stride) powers.unshift(Number(`1e${power}`));
  return {
    constant: 10 ** least,
    ticks: [...powers.map((power) => -power).reverse(), 0, ...powers],
  };
}

class MarginFigure {
  private fitsAll = false;
  private isLinear = false;

  constructor(
    private readonly figure: Figure,
    private readonly margins: Margin[],
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
    const longest = Math.max(22, ...margins.map((margin) => marginName(margin, margins).length));
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
      beyond += this.drawPanel(margin, box);
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
  private drawPanel(margin: Margin, box: Box): number {
    const { svg } = this.figure;
    const furthest = Math.max(
      1e-6,
      ...margin.tried.map((one) => one.latency_s),
      margin.closed_form_s ?? 0,
    );
    const end = this.fitsAll ? furthest * 1.05 : latencyFrame(margin);
    const unit = unitFor('s', end);
    const shown = margin.tried.filter((one) => one.latency_s <= end);
    const growths = shown.flatMap((one) => (one.growth_per_s === null ? [] : [one.growth_per_s]));
    const { constant, ticks } = growthScale(growths);
    const [low, high] = [Math.min(-constant, ...growths), Math.max(constant, ...growths)];
    const frame = this.isLinear ? padded(low, high, 0.1) : [low * 2, high * 2];
    const x = scaleLinear([0, end * unit.scale], [box.x, box.x + box.width]);
    const y = (this.isLinear ? scaleLinear() : scaleSymlog().constant(constant))
      .domain(frame)
      .range([box.y + box.height, box.y]) as Scale;
    const name = marginName(margin, this.margins);
    const group: Group = svg.append('g').attr('class', 'panel').attr('data-margin', name);
    drawAxes(group, box, x, y, {
      xLabel: this.xLabel(margin, unit),
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
    this.drawLimits(group, inside, margin, x, unit, box);
    // The undecided ones lie closest to others and come on top.
    const ordered = [...shown].sort(
      (a, b) => Number(a.verdict === 'undecided') - Number(b.verdict === 'undecided'),
    );
    for (const one of ordered) this.drawPoint(group, inside, one, margin, x, y, unit, box);
    return margin.tried.length - shown.length;
  }

  private xLabel(margin: Margin, unit: Unit): string {
    return `latency${margin.direction === 'both' ? ' each way' : ` of ${margin.direction}`} [${unit.name}]`;
  }

  // The margin as a line and the gap to the first unstable latency as a band; the closed form dashed.
  private drawLimits(
    group: Group,
    inside: Group,
    margin: Margin,
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
    if (margin.critical_s !== null && !isAtLimit(margin))
      vertical(margin.critical_s, 'limit simulated');
    if (margin.closed_form_s !== null) vertical(margin.closed_form_s, 'limit closed-form');
    const words = [
      margin.critical_s === null
        ? 'no stable latency found'
        : `simulated ${isAtLimit(margin) ? '≥\u202f' : ''}${quantity(margin.critical_s, 's')}`,
      closedFormWords(margin, (value) => `closed form ${quantity(value, 's')}`)
        .replace('no limit', 'closed form: no limit')
        .replace(/^–$/, 'no closed form'),
    ];
    const put = (text: string, className: string, rise: number) =>
      group
        .append('text')
        .attr('class', `panel-words ${className}`)
        .attr('x', box.x - 56)
        .attr('y', box.y - rise)
        .text(text);
    put(words[0], 'simulated', 24);
    put(words[1], margin.closed_form_s === null ? '' : 'closed-form', 9);
  }

  private drawPoint(
    group: Group,
    inside: Group,
    one: Tried,
    margin: Margin,
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
        showTip(
          event,
          `${marginName(margin, this.margins)}: ${quantity(one.latency_s, 's')}`,
          lines,
        );
      })
      .on('pointerleave', hideTip);
  }
}

export function makeMarginFigure(report: Report): HTMLElement | null {
  if (!report.margins.some((margin) => margin.tried.length)) return null;
  const tried = report.margins.flatMap((margin) => margin.tried);
  const has = (verdict: Verdict) => tried.some((one) => one.verdict === verdict);
  const figure = new Figure(
    'fig-margin',
    'Stability over latency',
    'Fitted exponential growth of the error over latency, in 1/s; bars are 95 % intervals. ' +
      `● stable, ▲ unstable${has('undecided') ? ', ◇ undecided' : ''}` +
      (tried.some((one) => one.growth_per_s === null)
        ? '; hollow on an edge: no growth could be fitted (above: it oscillates between limits). '
        : '. ') +
      'The solid line is the largest stable latency found, the band extends to the first unstable one, the dashed line is ' +
      'the closed form.' +
      (report.margins.some(isAtLimit)
        ? ' Without a solid line, all searched latencies are stable (≥).'
        : ''),
  );
  new MarginFigure(figure, report.margins);
  return figure.root;
}

// SPDX-License-Identifier: Apache-2.0
// One metric over an axis, means with 95 % intervals, one line per combination of the other axes.
import { scaleLinear, scaleLog } from 'd3-scale';
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape';

import { verdictName } from './about';
import { Paints } from './paints';
import {
  Column,
  MetricFigureInfo,
  MetricInfo,
  OverInfo,
  Row,
  Series,
  Verdict,
  isWildRow,
  pointKey,
} from './data';
import { select } from '../shared/dom';
import { Figure, Group, clipTo } from './figure';
import { capital, fixed, plural, rounded } from '../shared/format';
import { Dot, Line, acrossOptions, acrossScale, metricFrame, metricLines } from './metric_lines';
import { Box, Scale, drawAxes, fitText, spreadLabels } from '../shared/plot';
import { Selection } from './selection';
import { hideTip, showTip } from '../shared/tooltip';

const mostNamed = 6;
const shapes = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond];

class MetricChart {
  private metric: MetricInfo;
  private over: OverInfo;
  isLog: boolean;
  fitsAll = false;
  private readonly series = new Map<string, Series>();

  constructor(
    private readonly figure: Figure,
    private readonly selection: Selection,
    private readonly paints: Paints,
    private readonly info: MetricFigureInfo,
  ) {
    this.over = info.over.find(({ axis }) => axis === info.axis)!;
    this.metric = info.metrics[info.first];
    this.isLog = this.metric.is_log;
    for (const series of selection.report.series)
      if (series.point.length) this.series.set(pointKey(series.point), series);
    figure.draws((width) => this.draw(width));
    selection.onChange(() => figure.redrawSoon());
    this.addControls();
  }

  private addControls(): void {
    const { axes, columns } = this.selection.report;
    const { metrics, over } = this.info;
    const refresh = () => this.figure.redraw();
    const scale = select('axis:', ['linear', 'logarithmic'], Number(this.isLog), (index) => {
      this.isLog = index === 1;
      refresh();
    });
    this.figure.controls.append(
      select(
        'metric:',
        metrics.map(({ column }) => columns[column].label),
        this.info.first,
        (index) => {
          this.metric = metrics[index];
          this.isLog = this.metric.is_log;
          scale.querySelector('select')!.selectedIndex = Number(this.isLog);
          refresh();
        },
      ),
      scale,
    );
    if (over.length < 2) return;
    this.figure.controls.append(
      select(
        'over:',
        over.map(({ axis }) => axes[axis].key),
        over.indexOf(this.over),
        (index) => {
          this.over = over[index];
          refresh();
        },
      ),
    );
  }

  // Only what the reader has switched off is faint; every point is drawn.
  private isFaint(row: Row): boolean {
    const series = this.series.get(pointKey(row.point));
    return series !== undefined && this.selection.isUnticked(series);
  }

  private draw(width: number): void {
    const { report } = this.selection;
    const axis = report.axes[this.over.axis];
    const column = report.columns[this.metric.column];
    const lines = metricLines(this.selection, this.over, this.metric.column);
    const room =
      lines.length > 1
        ? Math.min(
            Math.max(170, 0.26 * width),
            40 + 7.2 * Math.max(...this.named(lines).map(({ name }) => name.length)),
          )
        : 14;
    const box: Box = { x: 70, y: 12, width: width - 70 - room, height: 320 };
    this.figure.clear(width, box.y + box.height + 44);
    const x = acrossScale(axis, this.over.is_log, box);
    const y = (this.isLog ? scaleLog() : scaleLinear())
      .domain(metricFrame(lines, this.metric, this))
      .range([box.y + box.height, box.y]);
    drawAxes(this.figure.svg as unknown as Group, box, x, y, {
      xTicks: box.width / 110,
      ...acrossOptions(axis, this.over.is_log),
      yLabel: this.metric.title,
    });
    const floor = y.domain()[0];
    const hasFloor = this.isLog && lines.some(({ dots }) => dots.some(({ mean }) => mean < floor));
    if (hasFloor) {
      this.figure.svg
        .append('text')
        .attr('class', 'tick-text floor')
        .attr('text-anchor', 'end')
        .attr('x', box.x - 6)
        .attr('y', box.y + box.height)
        .attr('dy', '0.32em')
        .text('≈ 0');
    }
    // Half a marker more than the frame, for those that stand on its edge.
    const inside: Group = this.figure.svg
      .append('g')
      .attr('clip-path', clipTo(this.figure.svg, box.x, box.y, box.width, box.height + 6));
    for (const one of lines) this.drawLine(inside, one, x, y, box, column);
    if (lines.length > 1) this.drawNames(lines, y, box, room - 12);
    this.tell(lines, y);
    const hasAside = lines.some(({ isOfSlice }) => !isOfSlice);
    this.figure.setCaption(
      `${capital(this.metric.title)} over ${axis.title}${this.metric.words}` +
        (hasFloor ? this.info.floor_words : '') +
        (hasAside ? ' Faint lines show values that are not selected in the legend.' : ''),
    );
  }

  private drawLine(
    parent: Group,
    { name, isOfSlice, colour, shape, dots }: Line,
    x: Scale,
    y: Scale,
    box: Box,
    column: Column,
  ): void {
    const group: Group = parent
      .append('g')
      .attr('class', isOfSlice ? 'metric-line' : 'metric-line aside')
      .attr('data-combination', name);
    const isNumeric = this.selection.report.axes[this.over.axis].is_numeric;
    const height = (value: number) => this.height(value, y, box);
    const draw = line<Dot>(
      (dot) => x(dot.x),
      (dot) => height(dot.mean),
    ).defined((dot) => !isWildRow(dot.row));
    // Between two words there is nothing.
    if (isNumeric) {
      group
        .append('path')
        .attr('class', 'trend')
        .attr('d', draw(dots))
        .style('stroke', colour ?? 'var(--soft)');
    }
    const closed = line<Dot>(
      (dot) => x(dot.x),
      (dot) => height(dot.expected!),
    ).defined((dot) => dot.expected !== null);
    const known = dots.filter((dot) => dot.expected !== null);
    if (known.length) {
      const dashes = known.map((dot) => `M${x(dot.x) - 12},${height(dot.expected!)}h24`);
      group
        .append('path')
        .attr('class', 'closed-form-line')
        .attr('d', isNumeric ? closed(dots) : dashes.join(''))
        .style('stroke', colour ?? 'var(--ink)');
    }
    for (const dot of dots) {
      const series = this.series.get(pointKey(dot.row.point));
      const own = series
        ? this.paints.of(series).colour
        : `var(--value-${dot.row.point[this.over.axis]})`;
      const paint = colour ?? own;
      const label = this.textOf(dot.row);
      const mark: Group = group
        .append('g')
        .attr(
          'class',
          `dot${isWildRow(dot.row) ? ' wild' : ''}${this.isFaint(dot.row) ? ' faint' : ''}`,
        )
        .attr('data-series', series?.label ?? label)
        .attr('data-point', pointKey(dot.row.point))
        .style('stroke', paint)
        .style('fill', paint);
      if (dot.hasInterval) {
        const [at, low, high] = [x(dot.x), height(dot.low), height(dot.high)];
        mark
          .append('path')
          .attr('class', 'error-bar')
          .attr('d', `M${at},${low}V${high}M${at - 4},${low}h8M${at - 4},${high}h8`);
      }
      mark
        .append('path')
        .attr('class', 'symbol')
        .attr('d', symbol(shapes[shape % shapes.length], 58)())
        .attr('transform', `translate(${x(dot.x)},${height(dot.mean)})`);
      mark
        .on('pointermove', (event: PointerEvent) => this.tip(event, label, dot, column))
        .on('pointerleave', hideTip);
    }
  }

  // On a logarithmic axis what is below it stands at its lower end.
  private height(value: number, y: Scale, box: Box): number {
    return this.isLog && value <= y.domain()[0] ? box.y + box.height : y(value);
  }

  private textOf(row: Row): string {
    return this.selection.report.axes
      .filter((axis) => axis.values.length > 1)
      .map(
        (axis) =>
          `${axis.key} ${axis.values[row.point[this.selection.report.axes.indexOf(axis)]]?.text ?? ''}`,
      )
      .join(', ');
  }

  private tip(event: PointerEvent, label: string, dot: Dot, column: Column): void {
    const { report } = this.selection;
    const write = report.experiment ? rounded : fixed;
    const text = (value: number) => `${write(value, column.digits)}\u202f${column.unit}`;
    const verdicts = Object.entries(dot.row.verdicts)
      .map(([verdict, count]) => `${verdictName(report, verdict as Verdict)} ${count}`)
      .join(', ');
    const lines = [{ label: dot.n > 1 ? 'mean' : column.label, value: text(dot.mean) }];
    if (dot.hasInterval)
      lines.push({ label: '95 %', value: `${text(dot.low)} … ${text(dot.high)}` });
    if (dot.expected !== null) lines.push({ label: 'closed form', value: text(dot.expected) });
    lines.push(
      {
        label: 'runs',
        value: dot.n < dot.row.n ? `${dot.n} of ${dot.row.n} have it` : String(dot.n),
      },
      { label: report.experiment ? 'ended' : 'verdict', value: verdicts },
    );
    const axis = report.axes[this.over.axis];
    showTip(event, label || axis.values[dot.row.point[this.over.axis]].text, lines);
  }

  // Of many lines only those of the slice have their names beside them.
  private named(lines: Line[]): Line[] {
    const own = lines.filter(({ isOfSlice }) => isOfSlice);
    return lines.length > mostNamed && own.length ? own : lines;
  }

  private drawNames(lines: Line[], y: Scale, box: Box, room: number): void {
    const named = this.named(lines).filter(({ dots }) => dots.length);
    const wanted = named.map(({ dots }) => this.height(dots[dots.length - 1].mean, y, box));
    const places = spreadLabels(wanted, 14, box.y + 4, box.y + box.height - 4);
    named.forEach(({ name, isOfSlice, colour }, i) => {
      const text = this.figure.svg
        .append('text')
        .attr('class', isOfSlice ? 'end-label' : 'end-label aside')
        .attr('x', box.x + box.width + 8)
        .attr('y', places[i])
        .attr('dy', '0.32em')
        .style('fill', colour ?? 'var(--ink)');
      const [top, bottom] = [box.y, box.y + box.height + 1];
      fitText(text, `${name}${wanted[i] < top ? ' ↑' : wanted[i] > bottom ? ' ↓' : ''}`, room);
    });
  }

  private tell(lines: Line[], y: Scale): void {
    const total = this.over.lines.length;
    const some = total > lines.length ? `${lines.length} of ${total} combinations are drawn. ` : '';
    const [low, high] = y.domain();
    const gone = lines
      .flatMap(({ dots }) => dots)
      .filter((dot) => dot.mean > high || (!this.isLog && dot.mean < low));
    const setFit = (all: boolean) => {
      this.fitsAll = all;
      this.figure.redraw();
    };
    if (this.fitsAll && !this.isLog) {
      this.figure.setNote(
        `${some}The axis shows every value.`,
        'fit the stable ones',
        () => setFit(false),
        false,
      );
    } else if (gone.length) {
      this.figure.setNote(
        `${some}${plural(gone.length, 'point leaves', 'points leave')} the frame.`,
        'fit all',
        () => setFit(true),
      );
    } else this.figure.setNote(some);
  }
}

export function makeMetricChart(selection: Selection, paints: Paints): HTMLElement | null {
  const { metric } = selection.report.figures;
  if (!metric) return null;
  const figure = new Figure('fig-metric', metric);
  new MetricChart(figure, selection, paints, metric);
  return figure.root;
}

// SPDX-License-Identifier: Apache-2.0
// One metric over a numeric axis, means with 95 % intervals, one line per combination of the other axes.
import { scaleLinear, scaleLog } from 'd3-scale';
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape';

import { effectColumn, isWildRow } from './axes';
import { Paints } from './colours';
import { Column, Row, Series, pointKey } from './data';
import { select } from './dom';
import { Figure, Group, clipTo } from './figure';
import { Unit, capital, fixed, plural, quantity, unitFor, withUnit } from './format';
import { valueName } from './labels';
import { isSpread } from './metric_table';
import { Box, Scale, drawAxes, fitText, padded, spreadLabels } from './plot';
import { Selection, drawnAtFirst } from './selection';
import { hideTip, showTip } from './tooltip';

interface Dot {
  row: Row;
  x: number;
  mean: number;
  low: number;
  high: number;
  hasInterval: boolean;
  n: number; // runs that have the metric
}
interface Line {
  name: string;
  isOfSlice: boolean;
  colour: string | null;
  shape: number;
  dots: Dot[];
}

const mostNamed = 6;
const shapes = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond];

class MetricChart {
  private column: number;
  private isLog = false;
  private fitsAll = false;
  private readonly xUnit: Unit;
  private readonly series = new Map<string, Series>();

  constructor(
    private readonly figure: Figure,
    private readonly selection: Selection,
    private readonly paints: Paints,
    private readonly axis: number,
  ) {
    const { report } = selection;
    // what the link did comes first; where nothing was compared, what there is
    this.column = effectColumn(report.columns, report.rows);
    const { unit, values } = report.axes[axis];
    this.xUnit = unitFor(unit, Math.max(...values.map((value) => Math.abs(value.number!))));
    for (const series of report.series)
      if (series.point.length) this.series.set(pointKey(series.point), series);
    figure.draws((width) => this.draw(width));
    selection.onChange(() => figure.redrawSoon());
    figure.controls.append(
      select(
        'metric:',
        report.columns.map((column) => column.label),
        this.column,
        (index) => {
          this.column = index;
          this.figure.redraw();
        },
      ),
      select('axis:', ['linear', 'logarithmic'], 0, (index) => {
        this.isLog = index === 1;
        this.figure.redraw();
      }),
    );
  }

  private setCaption(hasAside: boolean): void {
    const { report } = this.selection;
    const column = report.columns[this.column];
    const over = report.axes[this.axis].key;
    const drawn = report.rows.filter((row) => row.cells[this.column]);
    const hasRepeats = drawn.some((row) => row.n > 1);
    const hasBars = drawn.some((row) => !isWildRow(row) && isSpread(row.cells[this.column]!));
    const hasWild = drawn.some(isWildRow);
    this.figure.setCaption(
      `${withUnit(capital(column.label), column.unit)} over ${withUnit(over, this.xUnit.name)}` +
        (hasRepeats
          ? `: means over ${report.repeats?.key ?? 'the runs'}${hasBars ? '; bars are 95 % intervals of the mean' : ''}.`
          : ', one run per point.') +
        (hasWild
          ? ` Hollow markers are points with unstable runs: they say how far the arm got, not how good it was.`
          : '') +
        (hasAside ? ' Faint lines are of other values than those chosen in the legend.' : ''),
    );
  }

  // Only what the reader has switched off is faint; every point is drawn.
  private isFaint(row: Row): boolean {
    const series = this.series.get(pointKey(row.point));
    return series !== undefined && this.selection.isUnticked(series);
  }

  // Axes whose combinations are a line each.
  private otherAxes(): number[] {
    const { axes } = this.selection.report;
    return axes.map((_, i) => i).filter((i) => i !== this.axis && axes[i].values.length > 1);
  }

  private nameOf(row: Row): string {
    const { axes } = this.selection.report;
    return this.otherAxes()
      .map((i) => valueName(axes[i], row.point[i], i === this.selection.primary))
      .join(', ');
  }

  // Where lines are the values of the axis that series are compared along, they have the series' colours.
  private colourOf(row: Row, index: number): string {
    const { primary } = this.selection;
    return this.otherAxes().join() === String(primary)
      ? `var(--value-${row.point[primary]})`
      : `var(--hue-${index % 8})`;
  }

  // Combinations that the filters choose come first when there are too many.
  private lines(): { lines: Line[]; total: number } {
    const { report } = this.selection;
    const byName = new Map<string, Row[]>();
    for (const row of report.rows) {
      const name = this.nameOf(row);
      byName.set(name, [...(byName.get(name) ?? []), row]);
    }
    const names = [...byName.keys()];
    const first = names.filter((name) => this.isOfSlice(byName.get(name)!));
    const drawn = new Set([...first, ...names].slice(0, Math.max(drawnAtFirst, 0)));
    const lines = names
      .filter((name) => drawn.has(name))
      .map((name) => {
        const index = names.indexOf(name);
        return {
          name,
          isOfSlice: first.includes(name),
          shape: index % shapes.length,
          colour: names.length > 1 ? this.colourOf(byName.get(name)![0], index) : null,
          dots: this.dots(byName.get(name)!),
        };
      });
    // Those of the slice on top.
    lines.sort((a, b) => Number(a.isOfSlice) - Number(b.isOfSlice));
    return { lines, total: names.length };
  }

  private isOfSlice(rows: Row[]): boolean {
    return rows.some((row) => this.selection.showsRow(row, this.axis));
  }

  private dots(rows: Row[]): Dot[] {
    const { report } = this.selection;
    const { scale } = report.columns[this.column];
    return rows
      .flatMap((row) => {
        const cell = row.cells[this.column];
        const at = report.axes[this.axis].values[row.point[this.axis]]?.number;
        if (!cell || at === null || at === undefined || !Number.isFinite(cell.mean)) return [];
        const hasInterval = isSpread(cell) && !isWildRow(row);
        return [
          {
            row,
            n: cell.n ?? row.n,
            x: at * this.xUnit.scale,
            mean: cell.mean * scale,
            hasInterval,
            low: (hasInterval ? cell.low! : cell.mean) * scale,
            high: (hasInterval ? cell.high! : cell.mean) * scale,
          },
        ];
      })
      .sort((a, b) => a.x - b.x);
  }

  private frame(lines: Line[]): [number, number] {
    const all = lines.flatMap(({ dots }) => dots);
    const tame = all.filter(({ row }) => this.fitsAll || this.isLog || !isWildRow(row));
    const used = tame.length ? tame : all;
    if (this.isLog) {
      const positive = used
        .flatMap(({ low, mean, high }) => [low, mean, high])
        .filter((value) => value > 0);
      if (!positive.length) return [0.1, 1];
      return [Math.min(...positive) * 0.8, Math.max(...positive) * 1.25];
    }
    if (!used.length) return [0, 1];
    const low = Math.min(...used.map((dot) => dot.low));
    const high = Math.max(...used.map((dot) => dot.high));
    if (low === 0 && high === 0) return [0, 1];
    // From zero where that costs little of the height.
    return low >= 0 && low < 0.5 * high ? [0, high * 1.06] : padded(low, high);
  }

  private draw(width: number): void {
    const { report } = this.selection;
    const column = report.columns[this.column];
    const { lines, total } = this.lines();
    const room =
      lines.length > 1
        ? Math.min(
            Math.max(170, 0.26 * width),
            40 + 7.2 * Math.max(...this.named(lines).map(({ name }) => name.length)),
          )
        : 14;
    const box: Box = { x: 70, y: 12, width: width - 70 - room, height: 320 };
    this.figure.clear(width, box.y + box.height + 44);
    const numbers = report.axes[this.axis].values.map((value) => value.number! * this.xUnit.scale);
    const x = scaleLinear(padded(Math.min(...numbers), Math.max(...numbers), 0.04), [
      box.x,
      box.x + box.width,
    ]);
    const y = (this.isLog ? scaleLog() : scaleLinear())
      .domain(this.frame(lines))
      .range([box.y + box.height, box.y]);
    drawAxes(this.figure.svg as unknown as Group, box, x, y, {
      xTicks: box.width / 110,
      xLabel: withUnit(report.axes[this.axis].key, this.xUnit.name),
      yLabel: withUnit(column.label, column.unit),
    });
    const inside: Group = this.figure.svg
      .append('g')
      .attr('clip-path', clipTo(this.figure.svg, box.x, box.y, box.width, box.height));
    for (const one of lines) this.drawLine(inside, one, x, y, box, column);
    if (lines.length > 1) this.drawNames(lines, y, box, room - 12);
    this.tell(lines, total, y);
    this.setCaption(lines.some(({ isOfSlice }) => !isOfSlice));
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
    const height = (value: number) => (this.isLog && value <= 0 ? box.y + box.height : y(value));
    const draw = line<Dot>(
      (dot) => x(dot.x),
      (dot) => height(dot.mean),
    ).defined((dot) => !isWildRow(dot.row));
    group
      .append('path')
      .attr('class', 'trend')
      .attr('d', draw(dots))
      .style('stroke', colour ?? 'var(--soft)');
    for (const dot of dots) {
      const series = this.series.get(pointKey(dot.row.point));
      const own = series
        ? this.paints.of(series).colour
        : `var(--value-${dot.row.point[this.axis]})`;
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
        .attr('d', symbol(shapes[shape], 58)())
        .attr('transform', `translate(${x(dot.x)},${height(dot.mean)})`);
      mark
        .on('pointermove', (event: PointerEvent) => this.tip(event, label, dot, column))
        .on('pointerleave', hideTip);
    }
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
    const text = (value: number) => `${fixed(value, column.digits)}\u202f${column.unit}`;
    const verdicts = Object.entries(dot.row.verdicts)
      .map(([verdict, count]) => `${verdict} ${count}`)
      .join(', ');
    const lines = [{ label: dot.n > 1 ? 'mean' : column.label, value: text(dot.mean) }];
    if (dot.hasInterval)
      lines.push({ label: '95 %', value: `${text(dot.low)} … ${text(dot.high)}` });
    lines.push(
      {
        label: 'runs',
        value: dot.n < dot.row.n ? `${dot.n} of ${dot.row.n} have it` : String(dot.n),
      },
      { label: 'verdict', value: verdicts },
    );
    showTip(event, label || quantity(dot.x / this.xUnit.scale, this.xUnit.name), lines);
  }

  // Of many lines only those of the slice have their names beside them.
  private named(lines: Line[]): Line[] {
    const own = lines.filter(({ isOfSlice }) => isOfSlice);
    return lines.length > mostNamed && own.length ? own : lines;
  }

  private drawNames(lines: Line[], y: Scale, box: Box, room: number): void {
    const named = this.named(lines).filter(({ dots }) => dots.length);
    const wanted = named.map(({ dots }) => {
      const mean = dots[dots.length - 1].mean;
      return this.isLog && mean <= 0 ? box.y + box.height : y(mean);
    });
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

  private tell(lines: Line[], total: number, y: Scale): void {
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
        `${some}The axis holds every value.`,
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
  const { report } = selection;
  const axis = selection.numericAxis();
  if (axis === null || !report.columns.length || report.rows.length < 2) return null;
  const figure = new Figure('fig-metric', `Metrics over ${report.axes[axis].key}`, '');
  new MetricChart(figure, selection, paints, axis);
  return figure.root;
}

// SPDX-License-Identifier: Apache-2.0
// What a chart of metrics draws: a line per combination of the axes that it does not run over, and words about them.
import { isWildRow } from './axes';
import { Row } from './data';
import { capital, keyWithUnit, withUnit } from '../shared/format';
import { valueName } from './labels';
import { MetricAxis, withoutNoise } from './metric_axis';
import { isSpread } from './metric_table';
import { padded } from '../shared/plot';
import { Selection, drawnAtFirst } from './selection';

export interface Dot {
  row: Row;
  x: number;
  mean: number;
  low: number;
  high: number;
  hasInterval: boolean;
  n: number; // runs that have the metric
  expected: number | null; // by the closed form
}
export interface Line {
  name: string;
  isOfSlice: boolean;
  colour: string | null;
  shape: number;
  dots: Dot[];
}

export class MetricLines {
  constructor(
    private readonly selection: Selection,
    private readonly over: MetricAxis,
    private readonly column: number,
  ) {}

  // What the closed form says of a row, in SI units; null where there is none.
  private expectedOf(row: Row): number | null {
    const { columns } = this.selection.report;
    const { expected } = columns[this.column];
    const place = expected ? columns.findIndex(({ name }) => name === expected) : -1;
    const mean = row.cells[place]?.mean;
    return mean === undefined || !Number.isFinite(mean) ? null : mean;
  }

  // Axes whose combinations are a line each.
  private otherAxes(): number[] {
    const { axes } = this.selection.report;
    return axes.map((_, i) => i).filter((i) => i !== this.over.index && axes[i].values.length > 1);
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
  all(): { lines: Line[]; total: number } {
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
          shape: index,
          colour: names.length > 1 ? this.colourOf(byName.get(name)![0], index) : null,
          dots: this.dots(byName.get(name)!),
        };
      });
    // Those of the slice on top.
    lines.sort((a, b) => Number(a.isOfSlice) - Number(b.isOfSlice));
    return { lines, total: names.length };
  }

  private isOfSlice(rows: Row[]): boolean {
    return rows.some((row) => this.selection.showsRow(row, this.over.index));
  }

  private dots(rows: Row[]): Dot[] {
    const { report } = this.selection;
    const { scale } = report.columns[this.column];
    return rows
      .flatMap((row) => {
        const cell = row.cells[this.column];
        const at = this.over.place(row);
        if (!cell || at === null || !Number.isFinite(cell.mean)) return [];
        const expected = this.expectedOf(row);
        const hasInterval = isSpread(cell) && !isWildRow(row);
        return [
          {
            row,
            n: cell.n ?? row.n,
            x: at,
            expected: expected === null ? null : expected * scale,
            mean: cell.mean * scale,
            hasInterval,
            low: (hasInterval ? cell.low! : cell.mean) * scale,
            high: (hasInterval ? cell.high! : cell.mean) * scale,
          },
        ];
      })
      .sort((a, b) => a.x - b.x);
  }

  caption(hasAside: boolean, hasFloor: boolean): string {
    const { report } = this.selection;
    const column = report.columns[this.column];
    const over = this.over.key;
    const drawn = report.rows.filter((row) => row.cells[this.column]);
    const hasRepeats = drawn.some((row) => row.n > 1);
    const hasBars = drawn.some((row) => !isWildRow(row) && isSpread(row.cells[this.column]!));
    const hasWild = drawn.some(isWildRow);
    return (
      `${withUnit(capital(column.label), column.unit)} over ${this.over.unit.name ? withUnit(over, this.over.unit.name) : keyWithUnit(over)}` +
      (hasRepeats
        ? `: means over ${report.repeats?.key ?? 'the runs'}${hasBars ? '; bars are 95 % intervals of the mean' : ''}.`
        : ', one run per point.') +
      (hasWild ? this.wildWords() : '') +
      (drawn.some((row) => this.expectedOf(row) !== null)
        ? ' Thin dashed lines are the closed form.'
        : '') +
      (hasFloor
        ? ' “≈ 0” at the bottom: zero, or below a millionth of the largest value (rounding).'
        : '') +
      (column.is_of_machine
        ? ' This is the speed of the machine, not a result; parallel runs slow each other down: measure with --threads 1.'
        : '') +
      (hasAside ? ' Faint lines show values that are not selected in the legend.' : '')
    );
  }

  private wildWords(): string {
    return this.selection.report.experiment
      ? ' Hollow markers are points with diverged runs; their values cover the time until then.'
      : ' Hollow markers are points with unstable runs; their values show how far the arm moved, not how accurate it was.';
  }
}

// The lowest and highest number of the axis; what ran away sets it only where there is nothing else.
export function metricFrame(
  lines: Line[],
  { isLog, fitsAll }: { isLog: boolean; fitsAll: boolean },
): [number, number] {
  const all = lines.flatMap(({ dots }) => dots);
  const tame = all.filter(({ row }) => fitsAll || isLog || !isWildRow(row));
  const used = tame.length ? tame : all;
  if (isLog) {
    const numbers = used.flatMap(({ low, mean, high, expected }) => [
      low,
      mean,
      high,
      expected ?? 0,
    ]);
    const positive = withoutNoise(numbers).filter((value) => value > 0);
    if (!positive.length) return [0.1, 1];
    // Rounding noise stands apart from the least of the others.
    const hasFloor = withoutNoise(used.map(({ mean }) => mean)).length < used.length;
    return [Math.min(...positive) * (hasFloor ? 0.4 : 0.8), Math.max(...positive) * 1.25];
  }
  if (!used.length) return [0, 1];
  const low = Math.min(...used.map((dot) => Math.min(dot.low, dot.expected ?? dot.low)));
  const high = Math.max(...used.map((dot) => Math.max(dot.high, dot.expected ?? dot.high)));
  if (low === 0 && high === 0) return [0, 1];
  // From zero where that costs little of the height.
  return low >= 0 && low < 0.5 * high ? [0, high * 1.06] : padded(low, high);
}

// SPDX-License-Identifier: Apache-2.0
// What a chart of metrics draws: points of the lines that the data describes, and the axis that they run over.
import { scaleLinear, scaleLog } from 'd3-scale';

import { Axis, MetricInfo, OverInfo, Row, isWildRow } from './data';
import { hues, style } from '../shared/colours';
import { AxesOptions, Box, Scale, padded } from '../shared/plot';
import { isSpread } from './metric_table';
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

// Where a row is drawn.
function placeOf(axis: Axis, step: number): number {
  return axis.is_numeric ? axis.values[step].number! * axis.scale : step;
}

export function acrossScale(axis: Axis, isLog: boolean, box: Box): Scale {
  const range = [box.x, box.x + box.width];
  const count = axis.values.length;
  if (!axis.is_numeric) return scaleLinear([-0.5, count - 0.5], range);
  const numbers = axis.values.map((_, step) => placeOf(axis, step));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (isLog) return scaleLog([low / 1.15, high * 1.15], range);
  return scaleLinear(padded(low, high, 0.04), range);
}

export function acrossOptions(axis: Axis, isLog: boolean): AxesOptions {
  const places = axis.values.map((_, step) => placeOf(axis, step)).sort((a, b) => a - b);
  if (axis.is_numeric)
    return { xLabel: axis.title, ...(isLog && places.length <= 7 ? { xTickValues: places } : {}) };
  return {
    xLabel: axis.title,
    xTickValues: places,
    xTickText: (value) => axis.values[value]?.text ?? '',
  };
}

function dotsOf({ report }: Selection, over: OverInfo, column: number, rows: number[]): Dot[] {
  const { scale, expected } = report.columns[column];
  const closed = expected ? report.columns.findIndex(({ name }) => name === expected) : -1;
  return rows.flatMap((index) => {
    const row = report.rows[index];
    const cell = row.cells[column];
    if (!cell || !Number.isFinite(cell.mean)) return [];
    const known = row.cells[closed]?.mean;
    const hasInterval = isSpread(cell) && !isWildRow(row);
    return [
      {
        row,
        n: cell.n ?? row.n,
        x: placeOf(report.axes[over.axis], row.point[over.axis]),
        expected: known === undefined || !Number.isFinite(known) ? null : known * scale,
        mean: cell.mean * scale,
        hasInterval,
        low: (hasInterval ? cell.low! : cell.mean) * scale,
        high: (hasInterval ? cell.high! : cell.mean) * scale,
      },
    ];
  });
}

// Those of the slice come first when there are too many, and are drawn on top.
export function metricLines(selection: Selection, over: OverInfo, column: number): Line[] {
  const { rows } = selection.report;
  const lines = over.lines.map(({ name, value, rows: own }, i) => ({
    name,
    isOfSlice: own.some((row) => selection.showsRow(rows[row], over.axis)),
    shape: i,
    colour:
      over.lines.length < 2
        ? null
        : value === null
          ? `var(--hue-${i % hues.light.length})`
          : `var(--value-${value})`,
    dots: dotsOf(selection, over, column, own),
  }));
  const first = (isOfSlice: boolean) => lines.filter((line) => line.isOfSlice === isOfSlice);
  const drawn = [...first(true), ...first(false)].slice(0, drawnAtFirst);
  return lines
    .filter((line) => drawn.includes(line))
    .sort((a, b) => Number(a.isOfSlice) - Number(b.isOfSlice));
}

// The lowest and highest number of the axis; what ran away sets it only where there is nothing else.
export function metricFrame(
  lines: Line[],
  { floor }: MetricInfo,
  { isLog, fitsAll }: { isLog: boolean; fitsAll: boolean },
): [number, number] {
  const all = lines.flatMap(({ dots }) => dots);
  const tame = all.filter(({ row }) => fitsAll || isLog || !isWildRow(row));
  const numbers = (tame.length ? tame : all).flatMap(({ low, mean, high, expected }) => [
    low,
    high,
    expected ?? mean,
  ]);
  if (isLog) {
    const positive = numbers.filter((value) => value > floor);
    if (!positive.length) return [0.1, 1];
    // Rounding noise stands apart from the least of the others.
    const hasFloor = positive.length < numbers.length;
    return [Math.min(...positive) * (hasFloor ? 0.4 : 0.8), Math.max(...positive) * 1.25];
  }
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (!numbers.length || (low === 0 && high === 0)) return [0, 1];
  // From zero where that costs little of the height.
  return low >= 0 && low < 0.5 * high ? [0, high * (1 + style.air)] : padded(low, high);
}

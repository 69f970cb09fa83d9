// SPDX-License-Identifier: Apache-2.0
// The axes of a study: how their values are written, which one orders the series, which slice to open on.
import { Axis, Column, Report, Row } from './data';
import { short, unitFor } from '../shared/format';

export const axisIsNumeric = (axis: Axis | undefined): boolean =>
  axis !== undefined &&
  axis.values.length > 0 &&
  axis.values.every((value) => value.number !== null);

export const isLinkAxis = (axis: Axis): boolean => axis.key.startsWith('link.');

// Durations of one axis in one unit, "0 ms, 2 ms" and not "0s, 2ms"; what is no number as it was written.
export function withShownValues(axis: Axis): Axis {
  if (axis.unit !== 's' || !axisIsNumeric(axis)) return axis;
  const unit = unitFor('s', Math.max(...axis.values.map((value) => Math.abs(value.number!))));
  const name = unit.name === 's' && axis.values.every((value) => value.number === 0) ? 'ms' : '';
  return {
    ...axis,
    values: axis.values.map(({ number }) => ({
      text: `${short(number! * unit.scale, 6)}\u202f${name || unit.name}`,
      number,
    })),
  };
}

export const isWildRow = (row: Row): boolean => (row.verdicts.unstable ?? 0) > 0;

export const linkEffect = 'reference_path_deviation_max_m';

// The column that says how much a value matters: the distance to the run without the link, else the first.
export function effectColumn(columns: Column[], rows: Row[]): number {
  const byLink = columns.findIndex(
    ({ name }, i) => name === linkEffect && rows.some((row) => row.cells[i]),
  );
  if (byLink >= 0) return byLink;
  return Math.max(
    0,
    columns.findIndex((_, i) => rows.some((row) => row.cells[i])),
  );
}

type Grid = Pick<Report, 'axes' | 'rows' | 'columns'> & Partial<Pick<Report, 'experiment'>>;

// How far stable rows that differ on one axis only are apart, at most.
function effectOf({ rows, columns }: Grid, axis: number): number {
  const column = effectColumn(columns, rows);
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const mean = row.cells[column]?.mean;
    if (mean === undefined || !Number.isFinite(mean) || isWildRow(row)) continue;
    const key = row.point.filter((_, i) => i !== axis).join();
    groups.set(key, [...(groups.get(key) ?? []), mean]);
  }
  return Math.max(0, ...[...groups.values()].map((g) => Math.max(...g) - Math.min(...g)));
}

function numericAxes(grid: Grid): number[] {
  return grid.axes
    .map((_, i) => i)
    .filter((i) => axisIsNumeric(grid.axes[i]) && grid.axes[i].values.length > 1)
    .map((i) => ({ i, effect: effectOf(grid, i) }))
    .sort((a, b) => b.effect - a.effect || a.i - b.i)
    .map(({ i }) => i);
}

// The axis that series are compared along: the link's, else the numeric one that matters most, else one of several values.
export function primaryAxis(grid: Grid): number {
  const { axes } = grid;
  const several = (axis: Axis) => axis.values.length > 1;
  const numbers = numericAxes(grid);
  // Experiments compare ways of doing something; engines are compared where nothing else is.
  const isWay = (axis: Axis) => several(axis) && !axisIsNumeric(axis) && axis.key !== 'engine';
  const way = grid.experiment ? axes.findIndex(isWay) : -1;
  if (way >= 0) return way;
  const link = numbers.filter((i) => isLinkAxis(axes[i])).sort((a, b) => a - b);
  const choices = [
    link.find((i) => axes[i].key === 'link.delay') ?? link[0] ?? -1,
    axes.findIndex((axis) => several(axis) && isLinkAxis(axis)),
    numbers[0] ?? -1,
    axes.findIndex(several),
  ];
  return choices.find((i) => i >= 0) ?? 0;
}

// The axis that charts of metrics run over; null if no numeric one has several values.
export function chartAxis(grid: Grid, primary: number): number | null {
  const numbers = numericAxes(grid);
  return numbers.includes(primary) ? primary : (numbers[0] ?? null);
}

// The values of the further axes to open on: where a stable run is furthest from its reference; else where most
// are unstable; null where the rows tell nothing.
export function strongestSlice(
  { rows, columns }: Grid,
  further: number[],
  hasCurves: (row: Row) => boolean,
): number[] | null {
  const column = columns.findIndex(({ name }) => name === linkEffect);
  const slices = new Map<string, { values: number[]; effect: number; unstable: number }>();
  for (const row of rows.some(hasCurves) ? rows.filter(hasCurves) : rows) {
    const values = further.map((axis) => row.point[axis]);
    const slice = slices.get(values.join()) ?? { values, effect: 0, unstable: 0 };
    slices.set(values.join(), slice);
    const effect = row.cells[column]?.mean ?? 0;
    if (isWildRow(row)) slice.unstable += row.verdicts.unstable ?? 0;
    else if (effect > slice.effect) slice.effect = effect;
  }
  const all = [...slices.values()];
  const best = (of: (slice: (typeof all)[0]) => number) => {
    const most = Math.max(0, ...all.map(of));
    // Rounding is no reason to prefer one.
    return most > 0 ? (all.find((slice) => of(slice) >= most * (1 - 1e-6)) ?? null) : null;
  };
  return (best(({ effect }) => effect) ?? best(({ unstable }) => unstable))?.values ?? null;
}

// SPDX-License-Identifier: Apache-2.0
// How far runs are apart at the same instant, and when they are farthest.
import { Path, Plan, Point3, Series, isTame } from './data';
import { nearestOn } from './inset';

// The row at or before t and the part of the way to the next; before its first and after its last row a run rests.
export function rowAtTime(
  { startS, periodS, count }: Pick<Series, 'startS' | 'periodS' | 'count'>,
  t: number,
): { row: number; part: number } {
  const at = periodS > 0 ? Math.max(0, Math.min(count - 1, (t - startS) / periodS)) : 0;
  // rounding must not make the last instant of a row the first of the next
  const row = Math.min(Math.max(0, count - 1), Math.floor(at + 1e-9));
  return { row, part: Math.max(0, at - row) };
}

const between = (values: ArrayLike<number>, row: number, part: number): number =>
  part > 0 && row + 1 < values.length
    ? values[row] + part * (values[row + 1] - values[row])
    : values[row];

export function valuesAt(
  columns: ArrayLike<number>[],
  series: Pick<Series, 'startS' | 'periodS' | 'count'>,
  t: number,
): number[] {
  const { row, part } = rowAtTime(series, t);
  return columns.map((column) => between(column, row, part));
}

const columnsOf = ({ x, y, z }: Path) => [x, y, z];

// Between the tools of two runs; NaN where one has no path.
export function distanceAt(one: Series, other: Series, t: number): number {
  if (!one.path || !other.path) return NaN;
  const a = valuesAt(columnsOf(one.path), one, t);
  const b = valuesAt(columnsOf(other.path), other, t);
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

export interface Deviation {
  series: Series;
  from: Series | null; // null: the planned path
  t: number;
  distance: number;
}

const timesOf = ({ startS, periodS, count }: Series): number[] =>
  Array.from({ length: count }, (_, i) => startS + i * periodS);

// The largest at one instant, of runs that stay stable if there are some.
export function worstDeviation(
  runs: Series[],
  baseOf: (series: Series) => Series | null,
  plan: Plan | null,
): Deviation | null {
  const tame = runs.filter(isTame);
  const pairs = (tame.length ? tame : runs).map((series) => ({ series, from: baseOf(series) }));
  let worst: Deviation | null = null;
  const take = (series: Series, from: Series | null, distance: (t: number) => number) => {
    for (const t of timesOf(series)) {
      const found = distance(t);
      if (found > (worst?.distance ?? 0)) worst = { series, from, t, distance: found };
    }
  };
  for (const { series, from } of pairs)
    if (from && from !== series) take(series, from, (t) => distanceAt(series, from, t));
  if (worst || !plan || !plan.path.x.length) return worst;
  for (const { series } of pairs)
    if (series.path) {
      const columns = columnsOf(series.path);
      take(series, null, (t) => {
        const point = valuesAt(columns, series, t) as Point3;
        return nearestOn(plan.path, point).distance;
      });
    }
  return worst;
}

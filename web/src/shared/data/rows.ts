// SPDX-License-Identifier: Apache-2.0
// Finds rows by time and condenses columns into minima and maxima for plots.

// A row and where it lies; the one after it is at index + 1 if there is one.
export interface Found {
  columns: Float64Array[] | ColumnsOf;
  index: number;
  hasNext: boolean;
  row: number;
}
// Columns that are decoded only when they are looked at.
export interface ColumnsOf {
  readonly [column: number]: Float64Array;
}

// Index of the newest of the first `count` times at or before t; -1: t is before all of them.
export function rowAt(times: ArrayLike<number>, count: number, t: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export interface Overview {
  minima: Float64Array;
  maxima: Float64Array;
}

// Minima and maxima in `points` even bins of [from, to]; NaN where a bin is empty.
export function overviewOf(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  count: number,
  from: number,
  to: number,
  points: number,
): Overview {
  const minima = new Float64Array(points).fill(NaN);
  const maxima = new Float64Array(points).fill(NaN);
  const scale = points / (to - from);
  let row = rowAt(times, count, from);
  if (row < 0 || times[row] < from) ++row;
  for (; row < count && times[row] <= to; ++row) {
    const value = values[row];
    if (Number.isNaN(value)) continue;
    const bin = Math.min(points - 1, Math.floor((times[row] - from) * scale));
    if (!(minima[bin] <= value)) minima[bin] = value;
    if (!(maxima[bin] >= value)) maxima[bin] = value;
  }
  return { minima, maxima };
}

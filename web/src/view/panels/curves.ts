// SPDX-License-Identifier: Apache-2.0
// Fetches what a plot draws of one column: its rows where they are few, minima and maxima where they are many.
import { Table, columnOf } from '../data/document';
import { Overview, rowAt } from '../../shared/data/rows';
import { Source } from '../data/source';
import { RunState } from '../runs';
import { Signal } from './signals_panel';

export interface Curve {
  run: RunState;
  signal: Signal;
  points: [number, number][]; // time and value; NaN breaks the line
  isExact: boolean; // rows themselves: held until the next
}

// Rows in a range, of all columns at once.
async function exactRows(
  source: Source,
  run: RunState,
  table: Table,
  columns: number[],
  range: [number, number],
): Promise<[number, number][][]> {
  const from = Math.max(0, await run.rowAt(table, range[0]));
  const to = Math.min(run.rowsOf(table), (await run.rowAt(table, range[1])) + 2);
  const asked = [0, ...columns];
  const [times, ...values] = await source.rows(run.index, table.id, asked, from, to);
  return values.map((column) => Array.from(times, (t, i) => [t, column[i]]));
}

// About how many rows lie in a range, without asking for them.
function rowsIn(run: RunState, source: Source, table: Table, range: [number, number]): number {
  const local = source.local(run.index, table.id);
  if (local) {
    const times = local.column(0);
    return rowAt(times, local.rows, range[1]) - rowAt(times, local.rows, range[0]);
  }
  const span = table.last_s - table.first_s;
  const part = span > 0 ? Math.min(1, (range[1] - range[0]) / span) : 1;
  return table.rows * part;
}

// Minima and maxima of even bins as one line.
function overviewPoints({ minima, maxima }: Overview, range: [number, number]): [number, number][] {
  const points: [number, number][] = [];
  const width = (range[1] - range[0]) / minima.length;
  let last = NaN;
  for (let i = 0; i < minima.length; ++i) {
    if (Number.isNaN(minima[i])) {
      points.push([range[0] + (i + 0.5) * width, NaN]);
      continue;
    }
    // the end that is nearer to the last point comes first: the line does not jump back
    const isUp = !(Math.abs(maxima[i] - last) < Math.abs(minima[i] - last));
    const [first, second] = isUp ? [minima[i], maxima[i]] : [maxima[i], minima[i]];
    points.push([range[0] + (i + 0.3) * width, first]);
    if (first !== second) points.push([range[0] + (i + 0.7) * width, second]);
    last = second;
  }
  return points;
}

// Curves of some signals of one table, asked for together: reading a table costs more than one column more.
export async function curvesOf(
  source: Source,
  run: RunState,
  table: Table,
  wanted: Signal[],
  range: [number, number],
  pixels: number,
): Promise<Curve[]> {
  const signals = wanted
    .map((signal) => ({ signal, column: columnOf(table, signal.column) }))
    .sort((a, b) => a.column - b.column);
  if (!run.rowsOf(table)) return [];
  await source.prepare(run.index, table.id);
  const columns = signals.map(({ column }) => column);
  const isExact = rowsIn(run, source, table, range) <= 2 * pixels;
  const lines = isExact
    ? await exactRows(source, run, table, columns, range)
    : (await source.overview(run.index, table.id, columns, range[0], range[1], pixels)).map(
        (overview) => overviewPoints(overview, range),
      );
  return signals.map(({ signal }, i) => ({ run, signal, points: lines[i], isExact }));
}

// SVG path data; exact rows are held until the next one.
export function curvePath(
  curve: Curve,
  x: (t: number) => number,
  y: (value: number) => number,
  end: number,
): string {
  const parts: string[] = [];
  let isOpen = false;
  curve.points.forEach(([t, value], i) => {
    if (Number.isNaN(value)) {
      isOpen = false;
      return;
    }
    const [at, height] = [x(t).toFixed(1), y(value).toFixed(1)];
    if (!isOpen) parts.push(`M${at},${height}`);
    else parts.push(curve.isExact ? `H${at}V${height}` : `L${at},${height}`);
    isOpen = true;
    const next = curve.points[i + 1];
    if (curve.isExact && (!next || Number.isNaN(next[1])))
      parts.push(`H${x(next ? next[0] : end).toFixed(1)}`);
  });
  return parts.join('');
}

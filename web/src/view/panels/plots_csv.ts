// SPDX-License-Identifier: Apache-2.0
// The visible rows of all plotted signals as CSV, every number to its last digit.
import { Context } from '../context';
import { columnOf } from '../data/document';
import { PlotView } from './plot_view';

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// One line per recorded row: run, topic, column, time, value. Tables of different rates need no common grid this way.
export async function plotsCsv(
  context: Context,
  plots: PlotView[],
  [from_s, to_s]: [number, number],
): Promise<string> {
  const lines = ['run,topic,column,unit,time_s,value'];
  const written = new Set<string>();
  for (const { topic, column, unit } of plots.flatMap((plot) => plot.signals)) {
    for (const run of context.visibleRuns()) {
      const key = `${run.index} ${topic} ${column}`;
      const table = run.table(topic);
      const at = table ? columnOf(table, column) : -1;
      if (!table || at < 0 || written.has(key)) continue;
      written.add(key);
      const from = Math.max(0, await run.rowAt(table, from_s));
      const to = (await run.rowAt(table, to_s)) + 1;
      const [times, values] = await context.source.rows(run.index, table.id, [0, at], from, to);
      const head = [run.run.label, topic, column, unit].map(quoted).join(',');
      times.forEach((t, i) =>
        lines.push(`${head},${t},${Number.isNaN(values[i]) ? '' : values[i]}`),
      );
    }
  }
  return lines.length > 1 ? `${lines.join('\n')}\n` : '';
}

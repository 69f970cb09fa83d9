// SPDX-License-Identifier: Apache-2.0
// The times that stepping from event to event stops at: marks, and rows of tables that record events.
import { Context } from '../context';
import { Table } from '../data/document';
import { RunState, marksOf } from '../runs';

const mostRows = 5000;
const streams = /packets$|\/link\/|\/contacts$|\/tf$/;

// Tables of messages that come seldom; pictures of cameras and messages on links are no events.
function eventTables({ run, scene }: RunState): Table[] {
  const pictures = new Set(
    scene.devices.filter(({ kind }) => kind === 'camera').map(({ table }) => table),
  );
  return run.tables.filter(
    ({ id, topic, has_texts: hasTexts, rows, period_s: period }) =>
      hasTexts && rows <= mostRows && !streams.test(topic) && !pictures.has(id) && period === null,
  );
}

export async function eventTimes(context: Context): Promise<number[]> {
  const times = marksOf(context.runs).map(({ mark }) => mark.t_s);
  for (const run of context.visibleRuns())
    for (const table of eventTables(run))
      if (run.rowsOf(table)) times.push(...(await run.times(table)));
  return times;
}

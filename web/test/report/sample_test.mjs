// SPDX-License-Identifier: Apache-2.0
// Fills the built page with sample data of every kind and checks each in Chromium: node sample_test.mjs FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { openBrowser } from '../view/browser.mjs';
import { checkReport } from './browser_test.mjs';
import { fillPage, sampleData } from './sample_data.mjs';
import { sampleCell, sampleExperiment } from './sample_experiment.mjs';
import { described } from './sample_figures.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, '../../dist/sample');
mkdirSync(folder, { recursive: true });
const page = readFileSync(join(here, '../../dist/report.html'), 'utf8');

// Every number of the data is on the page to the last bit, and no other.
function compareNumbers(data, values, say) {
  const shown = new Map(values.map((value) => [`${value.metric}@${value.point}`, value]));
  let expected = 0;
  for (const row of data.rows) {
    data.columns.forEach((column, i) => {
      const cell = row.cells[i];
      if (!cell) return;
      ++expected;
      const part = shown.get(`${column.name}@${row.point.join(',')}`)?.text ?? '';
      const isPart = cell.n !== undefined && cell.n < row.n;
      if (part.includes(`${cell.n} of ${row.n}`) !== isPart)
        say(`${column.name} at ${row.point} does not tell its number of runs: ${part}`);
      const found = shown.get(`${column.name}@${row.point.join(',')}`);
      // Rows with unstable runs have no interval.
      const isWild = (row.verdicts.unstable ?? 0) > 0;
      if (
        !found ||
        found.value !== cell.mean ||
        found.low !== (isWild ? null : cell.low) ||
        found.high !== (isWild ? null : cell.high)
      ) {
        say(
          `${column.name} at ${row.point}: ${JSON.stringify(found)} instead of ${JSON.stringify(cell)}`,
        );
      }
    });
  }
  data.margins.forEach((margin, i) => {
    const found = shown.get(`critical_s@margin ${i}`);
    if (found?.value !== margin.critical_s)
      say(`margin ${i}: ${JSON.stringify(found)} instead of ${margin.critical_s}`);
  });
  const metrics = new Set(data.columns.map((column) => column.name));
  const extra =
    values.filter((value) => metrics.has(value.metric) && !value.point.startsWith('margin'))
      .length - expected;
  if (extra) say(`${extra} more numbers than in the data`);
}

// What the program may leave out.
function bare() {
  const data = sampleData('run');
  return described({
    format: 1,
    kind: 'run',
    title: 'Bare',
    about: { scenario: 'one-joint' },
    axes: [],
    joints: ['joint'],
    plan: null,
    series: data.series.slice(0, 1).map((one) => ({
      ...one,
      curves: { 'velocity_command.joint': one.curves['velocity_command.elbow_joint'] },
    })),
    columns: [],
    rows: [],
    margins: [],
    margin_remarks: [],
  });
}

const cases = Object.fromEntries(
  ['study', 'cuts', 'slices', 'run', 'margin'].map((kind) => [kind, sampleData(kind)]),
);
cases.bare = bare();
cases.experiment = sampleExperiment();
cases.cell = sampleCell();
let failures = 0;
const browser = await openBrowser();
for (const [name, data] of Object.entries(cases)) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, fillPage(page, data));
  const { problems, values } = await checkReport(file, { browser });
  compareNumbers(data, values, (words) => problems.push(words));
  console.log(
    `${name}: ${values.length} numbers, ${problems.length ? 'wrong:' : 'as it should be'}`,
  );
  for (const words of problems) console.log(`  ${words}`);
  failures += problems.length;
}
await browser.close();
process.exit(failures ? 1 : 0);

// SPDX-License-Identifier: Apache-2.0
// The table of metrics: mean and half the 95 % interval per point of the study, number of runs, verdict, remarks.
import { verdictName } from './about';
import { Cell, Column, Experiment, Report, Row, Verdict, isWildRow, pointKey } from './data';
import { element, scrolling } from '../shared/dom';
import { fixed, grouped, rounded, verdictMark } from '../shared/format';

// Figures that keep their meaning when a run ends early.
const ofUnstable = new Set(['unstable_at_s', 'growth_per_s', 'growth_standard_error_per_s']);

// Whether the interval is more than rounding; all repeats may have given the same number.
export const isSpread = ({ mean, low, high }: Cell): boolean =>
  low !== null && high !== null && high - low > 1e-9 * Math.abs(mean);

// "yes", "no", or how many of several runs.
const outcomeText = ({ mean, n }: Cell, row: Row): string =>
  mean === 1 ? 'yes' : mean === 0 ? 'no' : `${Math.round(mean * (n ?? row.n))} of ${n ?? row.n}`;

export function metricCell(
  cell: Cell | null | undefined,
  column: Column,
  row: Row,
  experiment: Experiment | null = null,
): HTMLTableCellElement {
  if (!cell) return element('td', { class: 'none' }, '–');
  const isWild = isWildRow(row);
  const write = experiment ? rounded : fixed;
  const isOutcome = experiment !== null && column.name === experiment.outcome;
  const hasInterval = cell.low !== null && cell.high !== null && !isWild && !isOutcome;
  const half = hasInterval ? (cell.high! - cell.low!) / 2 : 0;
  const isMarked = isWild && !ofUnstable.has(column.name);
  const isPart = cell.n !== undefined && cell.n < row.n;
  const part = isPart ? `${cell.n} of ${row.n}` : '';
  const remarks = [
    isPart ? `over the ${part} runs that have it` : '',
    isMarked ? `includes runs that ${experiment ? 'diverged' : 'became unstable'}` : '',
    hasInterval && isSpread(cell)
      ? `95 % interval of the mean: ${write(cell.low! * column.scale, column.digits)} … ${write(cell.high! * column.scale, column.digits)} ${column.unit}`
      : '',
  ].filter(Boolean);
  // Attributes hold the numbers of the data to the last bit, in SI units; the text is rounded.
  return element(
    'td',
    {
      class: isMarked ? 'muted' : null,
      'data-metric': column.name,
      'data-point': pointKey(row.point),
      'data-value': String(cell.mean),
      'data-low': hasInterval ? String(cell.low) : null,
      'data-high': hasInterval ? String(cell.high) : null,
      title: remarks.join('; ') || null,
    },
    isOutcome ? outcomeText(cell, row) : write(cell.mean * column.scale, column.digits),
    isMarked ? '†' : null,
    hasInterval && isSpread(cell)
      ? element('span', { class: 'half' }, ` ±\u202f${write(half * column.scale, column.digits)}`)
      : null,
    isPart ? element('span', { class: 'half part' }, ` ${part}`) : null,
  );
}

// What stands under the table: how to read it, and what not to read into it.
export function tableWords(report: Report): string[] {
  const { rows, columns, repeats, rowsLeftOut, experiment } = report;
  const repeated = rows.filter((row) => row.n > 1);
  const cells = rows.flatMap((row) => row.cells.flatMap((cell) => (cell ? [{ row, cell }] : [])));
  const several = cells.filter(({ cell }) => cell.low !== null);
  const isSame = several.length > 0 && !several.some(({ cell }) => isSpread(cell));
  const hasInterval = several.some(({ row, cell }) => isSpread(cell) && !isWildRow(row));
  const words = [];
  if (!repeated.length) words.push(rows.length > 1 ? 'One run per row.' : 'One run.');
  else if (isSame) words.push(`All ${repeats?.key ?? 'run'}s gave the same run.`);
  else if (hasInterval)
    words.push(
      'Means; after ± half the 95 % interval of the mean (Student’s t over the n runs), none where all runs gave the same value. Hover for both ends.',
    );
  else words.push('Means over the n runs.');
  if (cells.some(({ row, cell }) => cell.n !== undefined && cell.n < row.n))
    words.push('“3 of 6” beside a number: only that many of the runs have it.');
  const isMarked = rows.some(
    (row) => isWildRow(row) && columns.some(({ name }, i) => row.cells[i] && !ofUnstable.has(name)),
  );
  if (isMarked)
    words.push(
      experiment
        ? '† includes runs that diverged; they end early, so sums and maxima cover part of the time.'
        : '† includes runs that became unstable; they end when the arm diverges, so sums and maxima show how far it moved, not how accurate it was.',
    );
  if (columns.some((column) => column.is_of_machine))
    words.push(
      '‡ is the speed of this machine, not a result: it is excluded from comparisons and hashes. Parallel runs slow each other down; to measure speed, sweep with --threads 1.',
    );
  if (rowsLeftOut)
    words.push(
      `${grouped(rowsLeftOut)} further rows are not shown; longarm export writes all of them.`,
    );
  return words;
}

// "● stable", or how many of each when runs of one point disagree.
export function verdictCell(row: Row, report: Report): HTMLTableCellElement {
  const counted = Object.entries(row.verdicts).filter(([, count]) => (count ?? 0) > 0);
  const cell = element('td', {
    class: 'verdict',
    'data-verdict': counted.map(([verdict]) => verdict).join(','),
    title: row.unstable_joint ? `decided by ${row.unstable_joint}` : null,
  });
  counted.forEach(([verdict, count], i) => {
    cell.append(
      i ? ', ' : '',
      element('span', { class: `mark ${verdict}` }, verdictMark[verdict] ?? ''),
      ` ${verdictName(report, verdict as Verdict)}${counted.length > 1 ? ` ${count}` : ''}`,
    );
  });
  if (row.unstable_joint) cell.append(element('span', { class: 'half' }, ` ${row.unstable_joint}`));
  return cell;
}

export function makeMetricTable(report: Report): HTMLElement | null {
  if (!report.rows.length) return null;
  const used = report.columns
    .map((_, i) => i)
    .filter((i) => report.rows.some((row) => row.cells[i]));
  const repeated = report.rows.some((row) => row.n > 1);
  const head = element(
    'tr',
    {},
    ...report.axes.map((axis) => element('th', { scope: 'col', class: 'axis-column' }, axis.key)),
    repeated ? element('th', { scope: 'col' }, 'n') : null,
    element('th', { scope: 'col', class: 'words' }, report.experiment ? 'ended' : 'verdict'),
    ...used.map((i) =>
      element(
        'th',
        { scope: 'col', title: report.columns[i].name },
        report.columns[i].label,
        report.columns[i].is_of_machine ? ' ‡' : null,
        report.columns[i].unit
          ? element('span', { class: 'unit' }, ` [${report.columns[i].unit}]`)
          : null,
      ),
    ),
  );
  const rows = report.rows.map((row) =>
    element(
      'tr',
      { 'data-point': pointKey(row.point) },
      ...report.axes.map((axis, i) =>
        element(
          'th',
          { scope: 'row', class: 'axis-column' },
          axis.values[row.point[i]]?.text ?? '–',
        ),
      ),
      repeated
        ? element(
            'td',
            { 'data-metric': 'n', 'data-point': pointKey(row.point), 'data-value': row.n },
            String(row.n),
          )
        : null,
      verdictCell(row, report),
      ...used.map((i) => metricCell(row.cells[i], report.columns[i], row, report.experiment)),
    ),
  );
  return element(
    'section',
    { id: 'table-metrics', class: 'table' },
    element('h2', {}, 'Metrics'),
    scrolling(
      'Table of metrics',
      element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
    ),
    ...tableWords(report).map((words) => element('p', { class: 'caption' }, words)),
  );
}

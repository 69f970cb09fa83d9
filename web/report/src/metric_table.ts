// SPDX-License-Identifier: Apache-2.0
// The table of metrics: mean and half the 95 % interval per point of the study, number of runs, verdict.
import { Cell, Column, Report, Row, pointKey } from './data';
import { element } from './dom';
import { fixed, grouped, verdictMark } from './format';

function metricCell(cell: Cell | null | undefined, column: Column, row: Row): HTMLTableCellElement {
  if (!cell) return element('td', { class: 'none' }, '–');
  const hasInterval = cell.low !== null && cell.high !== null;
  const half = hasInterval ? (cell.high! - cell.low!) / 2 : 0;
  // Attributes hold the numbers of the data to the last bit, in SI units; the text is rounded.
  return element(
    'td',
    {
      'data-metric': column.name,
      'data-point': pointKey(row.point),
      'data-value': String(cell.mean),
      'data-low': hasInterval ? String(cell.low) : null,
      'data-high': hasInterval ? String(cell.high) : null,
      title: hasInterval
        ? `95 % interval of the mean: ${fixed(cell.low! * column.scale, column.digits)} … ${fixed(cell.high! * column.scale, column.digits)} ${column.unit}`
        : null,
    },
    fixed(cell.mean * column.scale, column.digits),
    hasInterval
      ? element('span', { class: 'half' }, ` ±\u202f${fixed(half * column.scale, column.digits)}`)
      : null,
  );
}

// "● stable", or how many of each when runs of one point disagree.
export function verdictCell(row: Row): HTMLTableCellElement {
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
      ` ${verdict}${counted.length > 1 ? ` ${count}` : ''}`,
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
    element('th', { scope: 'col', class: 'words' }, 'verdict'),
    ...used.map((i) =>
      element(
        'th',
        { scope: 'col', title: report.columns[i].name },
        report.columns[i].label,
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
      verdictCell(row),
      ...used.map((i) => metricCell(row.cells[i], report.columns[i], row)),
    ),
  );
  const words = repeated
    ? 'Means; after ± half the 95 % interval of the mean (Student’s t over the n runs). Hover for both ends.'
    : report.rows.length > 1
      ? 'One run per row.'
      : 'One run.';
  const left = report.rowsLeftOut
    ? ` ${grouped(report.rowsLeftOut)} further rows are left out here; longarm export writes all of them.`
    : '';
  return element(
    'section',
    { id: 'table-metrics', class: 'table' },
    element('h2', {}, 'Metrics'),
    element(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of metrics' },
      element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
    ),
    element('p', { class: 'caption' }, words + left),
  );
}

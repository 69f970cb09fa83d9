// SPDX-License-Identifier: Apache-2.0
// The table of margins: largest stable latency next to the closed form, joint, period and growth; remarks below.
import { Margin, Report } from './data';
import { element, scrolling } from '../shared/dom';
import { quantity, short, raisedPowers } from '../shared/format';

interface MarginColumn {
  title: string;
  metric: string | null; // the number in the data that data-value carries
  text: (margin: Margin) => string;
}

// Whether it was stable as far as it was searched: the margin itself is not known.
const isAtLimit = ({ is_at_limit, critical_s, unstable_s }: Margin): boolean =>
  critical_s !== null && (is_at_limit ?? unstable_s === null);

const closedFormWords = (margin: Margin, text: (value: number) => string): string => {
  if (margin.closed_form_s !== null && margin.closed_form_s !== undefined)
    return text(margin.closed_form_s);
  return margin.closed_form_has_limit === false ? 'no limit' : '–';
};

const time = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : quantity(value, 's', 5);

// How far the closed form and the simulation are apart, in control periods.
function difference(margin: Margin): string {
  const { critical_s, closed_form_s, control_period_s } = margin;
  const isKnown = critical_s !== null && closed_form_s !== null && !isAtLimit(margin);
  if (!isKnown || !(control_period_s > 0)) return '–';
  const ticks = (critical_s - closed_form_s) / control_period_s;
  const shown = short(ticks, 2);
  return ticks > 0 ? `+${shown}` : shown;
}

const growth = ({ growth_per_s: value, growth_standard_error_per_s: error }: Margin): string => {
  if (value === null || value === undefined) return '–';
  return error === null || error === undefined
    ? short(value)
    : `${short(value)} ± ${short(2 * error, 2)}`;
};

const stableUpTo = (margin: Margin): string => {
  if (margin.critical_s === null) return 'none found';
  return (isAtLimit(margin) ? '≥\u202f' : '') + time(margin.critical_s);
};

const columns: MarginColumn[] = [
  { title: 'cut', metric: null, text: (m) => m.cut },
  {
    title: 'direction',
    metric: null,
    text: (m) => (m.direction === 'both' ? 'both ways' : m.direction),
  },
  {
    title: 'gain',
    metric: 'gain',
    text: (m) => (m.gain === null || m.gain === undefined ? '–' : short(m.gain)),
  },
  { title: 'control period', metric: 'control_period_s', text: (m) => time(m.control_period_s) },
  { title: 'physics period', metric: 'physics_period_s', text: (m) => time(m.physics_period_s) },
  { title: 'stable up to', metric: 'critical_s', text: stableUpTo },
  { title: 'unstable from', metric: 'unstable_s', text: (m) => time(m.unstable_s) },
  { title: 'closed form', metric: 'closed_form_s', text: (m) => closedFormWords(m, time) },
  { title: 'difference [control periods]', metric: null, text: difference },
  { title: 'first joint', metric: null, text: (m) => m.first_joint ?? '–' },
  { title: 'joint, closed form', metric: null, text: (m) => m.closed_form_joint ?? '–' },
  { title: 'period', metric: 'period_s', text: (m) => time(m.period_s) },
  {
    title: 'period, closed form',
    metric: 'closed_form_period_s',
    text: (m) => time(m.closed_form_period_s),
  },
  { title: 'growth [1/s]', metric: 'growth_per_s', text: growth },
  { title: 'searched up to', metric: 'searched_up_to_s', text: (m) => time(m.searched_up_to_s) },
];

function marginCell(column: MarginColumn, margin: Margin, index: number): HTMLTableCellElement {
  const value = column.metric
    ? (margin as unknown as Record<string, number | null>)[column.metric]
    : null;
  const hasValue = value !== null && value !== undefined;
  return element(
    'td',
    {
      class: /^(cut|direction|.*joint.*)$/.test(column.title) ? 'words' : null,
      'data-metric': hasValue ? column.metric : null,
      'data-point': hasValue ? `margin ${index}` : null,
      'data-value': hasValue ? String(value) : null,
      title: column.metric === 'closed_form_s' ? margin.closed_form : null,
    },
    column.text(margin),
  );
}

// One of each kind: formulas that differ in their numbers only are one kind.
function kindsOf(formulas: string[]): string[] {
  const kinds = new Map<string, string>();
  for (const formula of formulas) {
    const kind = formula.replace(/[\d⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+(\.\d+)?/g, '#');
    if (!kinds.has(kind)) kinds.set(kind, formula);
  }
  return [...kinds.values()];
}

export function makeMarginTable(report: Report): HTMLElement | null {
  const { margins } = report;
  if (!margins.length && !report.marginRemarks.length) return null;
  const used = columns.filter((column) => margins.some((margin) => column.text(margin) !== '–'));
  const table = element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...used.map((column) =>
          element(
            'th',
            {
              scope: 'col',
              class: /^(cut|direction|.*joint.*)$/.test(column.title) ? 'words' : null,
            },
            column.title,
          ),
        ),
      ),
    ),
    element(
      'tbody',
      {},
      ...margins.map((margin, i) =>
        element('tr', {}, ...used.map((column) => marginCell(column, margin, i))),
      ),
    ),
  );
  const formulas = kindsOf(
    margins.flatMap((margin) => (margin.closed_form ? [raisedPowers(margin.closed_form)] : [])),
  );
  const undecided = margins.some((margin) => margin.undecided_s?.length);
  return element(
    'section',
    { id: 'table-margins', class: 'table' },
    element('h2', {}, 'Margins'),
    margins.length ? scrolling('Table of margins', table) : null,
    element(
      'p',
      { class: 'caption' },
      'Latency is each way where the direction is “both ways”. Growth and period are for the smallest unstable latency found.',
      undecided ? ' Undecided latencies lie between “stable up to” and “unstable from”.' : null,
    ),
    formulas.length
      ? element(
          'p',
          { class: 'caption' },
          `Closed form${new Set(margins.map((margin) => margin.closed_form)).size > formulas.length ? ', for example' : ''}: ${formulas.join('; ')}.`,
        )
      : null,
    ...report.marginRemarks.map((remark) => element('p', {}, remark)),
  );
}

// SPDX-License-Identifier: Apache-2.0
// Head and end of the page: title, one line on what was run, warnings; version, command to repeat it, resolved scenario.
import { Report, Verdict } from './data';
import { button, element } from '../shared/dom';
import { capital, plural, verdictMark } from '../shared/format';

function axisWords({ axes }: Report): string[] {
  return axes.map((axis) => {
    const { values } = axis;
    if (values.length === 1) return `${axis.key} ${values[0].text}`;
    if (axis.is_numeric && values.length > 4) {
      const ordered = [...values].sort((a, b) => a.number! - b.number!);
      return `${values.length} values of ${axis.key}, ${ordered[0].text} to ${ordered[ordered.length - 1].text}`;
    }
    return `${axis.key} ${values.map((value) => value.text).join(', ')}`;
  });
}

// "35 runs of ur5-waypoints (mujoco, cut at velocity): 7 values of link.delay, 0ms to 20ms, 5 × seed."
export function summaryOf(report: Report): string {
  const { about } = report;
  const what =
    report.kind === 'margin'
      ? 'Stability margins of'
      : `${plural(about.runs ?? report.series.length, 'run')} of`;
  const swept = report.axes.some((axis) => axis.key === 'cut');
  const how = [about.engine, about.cut && !swept ? `cut at ${about.cut}` : '']
    .filter(Boolean)
    .join(', ');
  const axes = axisWords(report);
  if (report.repeats && report.repeats.count > 1)
    axes.push(`${report.repeats.count} values of ${report.repeats.key} each`);
  return `${what} ${about.scenario ?? 'a scenario'}${how ? ` (${how})` : ''}${axes.length ? `: ${axes.join('; ')}` : ''}.`;
}

// An experiment is not stable or unstable: it comes to its end, or its numbers diverge.
export const verdictName = (report: Report, verdict: Verdict): string =>
  !report.experiment ? verdict : verdict === 'unstable' ? 'diverged' : 'completed';

function verdictWords(report: Report): HTMLElement | null {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const row of report.rows) {
    for (const [verdict, count] of Object.entries(row.verdicts)) {
      counts[verdict as Verdict] = (counts[verdict as Verdict] ?? 0) + (count ?? 0);
    }
  }
  const parts = (['stable', 'unstable', 'undecided'] as Verdict[]).filter(
    (verdict) => counts[verdict],
  );
  if (!parts.length || report.rowsLeftOut) return null;
  const line = element(
    'p',
    { class: 'verdicts' },
    report.experiment ? 'Runs: ' : 'Runs by verdict: ',
  );
  parts.forEach((verdict, i) =>
    line.append(
      i ? ', ' : '',
      element('span', { class: `mark ${verdict}` }, verdictMark[verdict]),
      ` ${counts[verdict]} ${verdictName(report, verdict)}`,
    ),
  );
  line.append('.');
  return line;
}

export function makeHead(report: Report): HTMLElement {
  const warnings = report.about.warnings ?? [];
  return element(
    'header',
    { class: 'head' },
    element('h1', {}, capital(report.title || 'Longarm report')),
    element('p', { class: 'summary' }, summaryOf(report)),
    verdictWords(report),
    warnings.length
      ? element(
          'div',
          { class: 'warnings', role: 'note' },
          element('strong', {}, warnings.length === 1 ? 'Warning' : `${warnings.length} warnings`),
          element('ul', {}, ...warnings.map((text) => element('li', {}, text))),
        )
      : null,
  );
}

function copyText(text: string, from: HTMLElement): void {
  // Pages opened from a file may not be given the clipboard; the selection then does it.
  const select = () => {
    const range = document.createRange();
    range.selectNodeContents(from);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    document.execCommand('copy');
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(select);
  else select();
}

export function makeAbout(report: Report): HTMLElement {
  const { about } = report;
  const list = element('dl');
  const item = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') {
      list.append(element('dt', {}, name), element('dd', {}, String(value)));
    }
  };
  if (about.command) {
    const code = element('code', {}, about.command);
    const copy = button('copy', 'Copy the command', () => {
      copyText(about.command!, code);
      copy.textContent = 'copied';
      setTimeout(() => {
        copy.textContent = 'copy';
      }, 1500);
    });
    list.append(
      element('dt', {}, 'repeat with'),
      element('dd', { class: 'command' }, code, ' ', copy),
    );
  }
  item('Longarm', about.longarm_version);
  item('scenario', about.scenario);
  item('experiment', report.experiment?.kind);
  item('engine', about.engine);
  item('cut', about.cut);
  item('runs', about.runs);
  if (report.repeats) item(report.repeats.key, `${report.repeats.count} per point`);
  item('data', about.source);
  item('identity', about.identity);
  return element(
    'section',
    { id: 'about', class: 'about' },
    element('h2', {}, 'What was run'),
    list,
    about.scenario_yaml
      ? element(
          'details',
          {},
          element(
            'summary',
            {},
            report.kind === 'study' ? 'Resolved scenario of the first run' : 'Resolved scenario',
          ),
          element('pre', {}, about.scenario_yaml),
        )
      : null,
  );
}

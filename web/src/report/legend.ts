// SPDX-License-Identifier: Apache-2.0
// The one legend of the page: switches a series in every figure, picks values of the further axes, stresses on hover.
import { verdictName } from './about';
import { Paints } from './paints';
import { Report, Series } from './data';
import { style } from '../shared/colours';
import { button, element, select } from '../shared/dom';
import { verdictMark } from '../shared/format';
import { Selection } from './selection';

function swatch(colour: string, dash: string, width: number): HTMLElement {
  const span = element('span', { class: 'swatch' });
  span.innerHTML = `<svg width="26" height="10" aria-hidden="true"><line x1="1" x2="25" y1="5" y2="5"
    style="stroke:${colour};stroke-dasharray:${dash};stroke-width:${width}"/></svg>`;
  return span;
}

// Fades every drawn series but the stressed one; the rule is one style element, so that redrawn figures obey it too.
function fadeOthers(selection: Selection): void {
  const style = document.head.appendChild(element('style'));
  selection.onStress(() => {
    const { stressed } = selection;
    style.textContent =
      stressed === null
        ? ''
        : `[data-series]:not([data-series="${CSS.escape(stressed)}"]):not(label){opacity:.15}`;
  });
}

function entry(
  label: string, // names it in the figures
  name: string,
  mark: HTMLElement,
  isOn: boolean,
  remark: string,
  toggled: (on: boolean) => void,
  selection: Selection,
): HTMLLabelElement {
  const box = element('input', { type: 'checkbox', change: () => toggled(box.checked) });
  box.checked = isOn;
  return element(
    'label',
    {
      class: isOn ? 'entry' : 'entry off',
      'data-series': label,
      title: remark || null,
      mouseenter: () => selection.setStressed(box.checked ? label : null),
      mouseleave: () => selection.setStressed(null),
    },
    box,
    mark,
    element('span', { class: 'name' }, name),
  );
}

function remarkOf(series: Series, report: Report): string {
  if (report.experiment) return series.ended;
  const parts = [series.verdict as string];
  if (series.ended && series.ended !== 'completed') parts.push(series.ended);
  return series.isReference ? '' : parts.join(', ');
}

function seriesEntry(series: Series, selection: Selection, paints: Paints): HTMLElement {
  const { colour, dash } = paints.of(series);
  const name = selection.labelOf(series, true);
  const made = entry(
    series.label,
    name,
    swatch(colour, dash, series.isReference ? 4 : 2.5),
    selection.isOn(series),
    remarkOf(series, selection.report),
    (on) => selection.setOn(series, on),
    selection,
  );
  if (series.isReference && !/reference|without the link/.test(name)) {
    made.append(element('span', { class: 'aside' }, '(reference)'));
  }
  if (!series.isReference && series.verdict !== 'stable') {
    made.append(
      element('span', { class: `mark ${series.verdict}` }, verdictMark[series.verdict]),
      element('span', { class: 'aside' }, `(${verdictName(selection.report, series.verdict)})`),
    );
  }
  return made;
}

export const planLabel = 'planned path';

export function makeLegend(selection: Selection, paints: Paints): HTMLElement {
  const { report } = selection;
  fadeOthers(selection);
  const entries = element('div', {
    class: 'entries',
    role: 'group',
    'aria-label': 'Series drawn in every figure',
  });
  const axisName = report.axes[selection.primary]?.key;

  const fill = () => {
    // Keyboard users stay on the box they have just switched.
    const focused = document.activeElement?.closest('.entry')?.getAttribute('data-series');
    entries.replaceChildren();
    if (report.plan) {
      entries.append(
        entry(
          planLabel,
          planLabel,
          swatch('var(--plan)', style.planDashes, 2),
          selection.planIsOn,
          '',
          (on) => selection.setPlan(on),
          selection,
        ),
      );
    }
    const candidates = selection.candidates();
    for (const series of candidates.filter((s) => s.isReference)) {
      entries.append(seriesEntry(series, selection, paints));
    }
    const others = candidates.filter((series) => !series.isReference);
    if (others.length && axisName)
      entries.append(element('span', { class: 'axis-name' }, axisName));
    for (const series of others) entries.append(seriesEntry(series, selection, paints));
    const again = [...entries.children].find(
      (child) => focused && child.getAttribute('data-series') === focused,
    );
    again?.querySelector('input')?.focus();
  };
  fill();
  selection.onChange(fill);

  const filters = selection.furtherAxes.map((axis) => {
    const { key, values } = report.axes[axis];
    return select(
      `${key}:`,
      [...values.map((value) => value.text), 'all'],
      selection.filter(axis) ?? values.length,
      (index) => selection.setFilter(axis, index < values.length ? index : null),
    );
  });
  return element(
    'nav',
    { class: 'legend', id: 'legend', 'aria-label': 'Legend' },
    entries,
    element(
      'div',
      { class: 'legend-tools' },
      ...filters,
      button('all', 'Draw every series', () => selection.setAll(true)),
      button('none', 'Draw no series', () => selection.setAll(false)),
    ),
  );
}

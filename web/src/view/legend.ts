// SPDX-License-Identifier: Apache-2.0
// The runs in the head of the page: colour, name, verdict, and a switch for each.
import { button, element } from '../shared/dom';
import { verdictMark } from '../shared/format';
import { Context } from './context';

export function makeLegend(context: Context): HTMLElement | null {
  if (context.runs.length < 2) return null;
  const boxes = context.runs.map((state) => {
    const { run, index } = state;
    const box = element('input', {
      type: 'checkbox',
      change: () => context.setRunVisible(index, box.checked),
    });
    const swatch = element('span', { class: `run-swatch ${state.look}` });
    const mark = verdictMark[run.verdict];
    const label = element(
      'label',
      { class: 'entry', title: `${run.folder}${index < 9 ? ` (Alt+${index + 1})` : ''}` },
      box,
      swatch,
      element('span', { class: 'name' }, run.label),
      mark ? element('span', { class: `mark ${run.verdict}`, title: run.verdict }, mark) : null,
    );
    const show = () => {
      box.checked = state.isVisible;
      label.classList.toggle('off', !state.isVisible);
      swatch.style.setProperty('--run', state.colour(context.theme));
    };
    context.on('runs', show);
    context.on('theme', show);
    show();
    return label;
  });
  const all = button('all', 'Show all runs, or the first alone', () => {
    const isAll = context.runs.every((run) => run.isVisible);
    context.runs.forEach((run) => {
      run.isVisible = !isAll || run.index === 0;
    });
    context.tell('runs');
  });
  return element(
    'div',
    { class: 'legend', role: 'group', 'aria-label': 'Runs' },
    ...boxes,
    context.runs.length > 2 ? all : null,
  );
}

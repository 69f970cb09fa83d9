// SPDX-License-Identifier: Apache-2.0
// What is known about the runs: folder, verdict, metrics, and their marks as a list to jump by.
import { button, element } from '../../shared/dom';
import { keyWithUnit, short, verdictMark } from '../../shared/format';
import { Context } from '../context';
import { RunState } from '../runs';
import { markWords } from '../time/bar';
import { timeText } from '../../shared/time/time_text';
import { Panel } from './dock';

export class RunPanel implements Panel {
  readonly id = 'run';
  readonly title = 'Runs';
  readonly root = element('div', { class: 'panel about-runs' });

  constructor(private readonly context: Context) {
    this.draw();
  }

  draw(): void {
    const { longarm_version: version } = this.context.source.document;
    this.root.replaceChildren(
      ...this.context.runs.map((run) => this.about(run)),
      element('p', { class: 'hint' }, version ? `Longarm ${version}` : ''),
    );
  }

  private about(state: RunState): HTMLElement {
    const { run } = state;
    const lines: [string, string][] = [];
    if (run.folder) lines.push(['folder', run.folder]);
    if (run.verdict) lines.push(['verdict', `${verdictMark[run.verdict] ?? ''} ${run.verdict}`]);
    if (state.look === 'ghost') lines.push(['role', 'the same run without the network']);
    for (const [key, value] of Object.entries(run.metrics)) {
      if (typeof value === 'number') lines.push([keyWithUnit(key), short(value, 6)]);
      else if (typeof value === 'boolean') lines.push([key, value ? 'yes' : 'no']);
      else if (typeof value === 'string') lines.push([key, value]);
    }
    return element(
      'section',
      {},
      element('h2', {}, run.label),
      element(
        'dl',
        {},
        ...lines.flatMap(([key, value]) => [element('dt', {}, key), element('dd', {}, value)]),
      ),
      ...(run.marks.length ? [element('h3', {}, 'Events')] : []),
      element(
        'ul',
        { class: 'marks' },
        ...run.marks.slice(0, 500).map((mark) => {
          const jump = button('', `Go to ${timeText(mark.t_s)}`, () =>
            this.context.clock.setTime(mark.t_s),
          );
          jump.append(element('span', { class: 'when' }, timeText(mark.t_s)), markWords(mark));
          return element('li', {}, jump);
        }),
      ),
    );
  }
}

// SPDX-License-Identifier: Apache-2.0
// What the reader must know before looking: damaged files, warnings, a lost connection.
import { button, element } from '../shared/dom';
import { plural } from '../shared/format';
import { Context } from './context';

export class Banners {
  readonly root = element('div', { class: 'banners' });
  private readonly lost = element(
    'div',
    { class: 'banner bad', role: 'alert', hidden: true },
    'Connection to the program lost. What was received is kept; reconnecting every second…',
  );

  constructor(private readonly context: Context) {
    this.root.append(this.lost);
    context.runs.forEach(({ run }, i) => {
      if (run.problem) this.addProblem(i, run.problem);
    });
    const warnings = context.runs.flatMap(({ run }, i) =>
      run.warnings.map((words) => this.named(i, words)),
    );
    if (warnings.length === 1) this.add('warn', warnings[0], []);
    else if (warnings.length) this.add('warn', plural(warnings.length, 'warning'), warnings);
  }

  private named(index: number, words: string): string {
    const { runs } = this.context;
    return runs.length > 1 ? `${runs[index].run.label}: ${words}` : words;
  }

  addProblem(index: number, words: string): void {
    this.add('bad', this.named(index, words), []);
  }

  private add(kind: 'bad' | 'warn', words: string, more: string[]): void {
    const text = more.length
      ? element(
          'details',
          {},
          element('summary', {}, words),
          element('ul', {}, ...more.map((one) => element('li', {}, one))),
        )
      : words;
    const banner = element('div', { class: `banner ${kind}`, role: 'alert' }, text);
    const close = button('×', 'Hide this message', () => banner.remove());
    close.setAttribute('aria-label', 'Hide this message');
    banner.append(close);
    this.root.append(banner);
  }

  setConnection(isUp: boolean): void {
    this.lost.hidden = isUp;
  }
}

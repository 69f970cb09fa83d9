// SPDX-License-Identifier: Apache-2.0
// All recorded columns as a tree that can be searched; a click or a drag puts one into a plot.
import { button, element } from '../../shared/dom';
import { plural, withUnit } from '../../shared/format';
import { Context } from '../context';
import { Table } from '../data/document';
import { Panel } from './dock';

export interface Signal {
  topic: string;
  column: string;
  unit: string;
}

export const signalType = 'application/x-longarm-signal';

const matches = (words: string[], text: string) =>
  words.every((word) => text.toLowerCase().includes(word));

// Tables of all runs, each topic once.
export function allTables(context: Context): Table[] {
  const found = new Map<string, Table>();
  for (const { run } of context.runs)
    for (const table of run.tables) if (!found.has(table.topic)) found.set(table.topic, table);
  return [...found.values()].sort((a, b) => a.topic.localeCompare(b.topic));
}

export class SignalsPanel implements Panel {
  readonly id = 'signals';
  readonly title = 'Signals';
  readonly root: HTMLElement;
  readonly search: HTMLInputElement;
  private readonly tree = element('div', { class: 'tree' });

  constructor(
    private readonly context: Context,
    private readonly add: (signal: Signal, inNewPlot: boolean) => void,
  ) {
    this.search = element('input', {
      type: 'search',
      class: 'search',
      placeholder: 'Search signals',
      'aria-label': 'Search signals',
      title: 'Search signals (/)',
      input: () => this.draw(),
    });
    this.root = element(
      'div',
      { class: 'panel signals' },
      this.search,
      element(
        'p',
        { class: 'hint' },
        'Click a signal to plot it, or drag it into a plot. Shift-click starts a new plot.',
      ),
      this.tree,
    );
    this.draw();
  }

  private draw(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const parts = allTables(this.context).flatMap((table) => {
      const columns = table.columns
        .slice(1)
        .filter(({ name }) => matches(words, `${table.topic} ${name}`));
      if (words.length && !columns.length && !matches(words, table.topic)) return [];
      return [this.branch(table, columns, words.length > 0)];
    });
    if (parts.length) this.tree.replaceChildren(...parts);
    else this.tree.replaceChildren(element('p', { class: 'hint' }, 'No signal matches.'));
  }

  // Its leaves are made when it is opened: some tables have hundreds.
  private branch(table: Table, columns: Table['columns'], isFound: boolean): HTMLElement {
    const list = element('div', { class: 'leaves' });
    const fill = () => {
      if (list.childElementCount) return;
      list.append(...columns.map(({ name, unit }) => this.leaf(table.topic, name, unit)));
      if (!columns.length) list.append(element('p', { class: 'hint' }, 'Text only: see Values.'));
    };
    const made = element(
      'details',
      { toggle: fill },
      element(
        'summary',
        { title: `${table.type}, ${plural(table.rows, 'row')}` },
        element('span', { class: 'topic' }, table.topic),
        element('span', { class: 'count' }, String(columns.length)),
      ),
      list,
    );
    if (isFound && columns.length <= 60) {
      made.open = true;
      fill();
    }
    return made;
  }

  private leaf(topic: string, column: string, unit: string): HTMLElement {
    const signal = { topic, column, unit };
    const made = button('', `Plot ${topic} ${column}`, () => {});
    made.className = 'leaf';
    made.draggable = true;
    made.textContent = withUnit(column, unit);
    made.addEventListener('click', (event) => this.add(signal, event.shiftKey));
    made.addEventListener('dragstart', (event) =>
      event.dataTransfer?.setData(signalType, JSON.stringify(signal)),
    );
    return made;
  }
}

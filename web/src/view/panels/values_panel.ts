// SPDX-License-Identifier: Apache-2.0
// All columns of one table at the shown time, to the last digit.
import { element } from '../../shared/dom';
import { short } from '../../shared/format';
import { Context, calmly } from '../context';
import { Table } from '../data/document';
import { timeText } from '../../shared/time/time_text';
import { Panel, isShown } from './dock';

export const copyText = (text: string): void => {
  void navigator.clipboard?.writeText(text).catch(() => {});
};

export class ValuesPanel implements Panel {
  readonly id = 'values';
  readonly title = 'Values';
  readonly root: HTMLElement;
  private readonly run: HTMLSelectElement;
  private readonly table: HTMLSelectElement;
  private readonly head = element('p', { class: 'hint' });
  private readonly body = element('tbody');
  private readonly text = element('pre', { class: 'message', hidden: true });
  private readonly refresh = calmly(80, () => void this.show());
  private rows: HTMLTableCellElement[] = [];
  private shownTable: Table | null = null;
  private shownText = '';

  constructor(private readonly context: Context) {
    const { runs } = context;
    this.run = element(
      'select',
      { 'aria-label': 'Run', change: () => this.fillTables() },
      ...runs.map(({ run }) => element('option', {}, run.label)),
    );
    this.run.hidden = runs.length < 2;
    this.table = element('select', { 'aria-label': 'Table', change: () => this.fill() });
    this.root = element(
      'div',
      { class: 'panel values' },
      element('div', { class: 'choices' }, this.run, this.table),
      this.head,
      element('table', { class: 'value-table' }, this.body),
      this.text,
    );
    context.clock.onChange(() => this.refresh());
    context.on('data', () => this.refresh());
    this.fillTables();
  }

  shown(): void {
    this.refresh();
  }

  private tables(): Table[] {
    const { tables } = this.context.runs[this.run.selectedIndex].run;
    return [...tables].sort((a, b) => a.topic.localeCompare(b.topic));
  }

  private fillTables(): void {
    const before = this.table.value || '/joint_states';
    const tables = this.tables();
    this.table.replaceChildren(...tables.map(({ topic }) => element('option', {}, topic)));
    const same = tables.findIndex(({ topic }) => topic === before);
    this.table.selectedIndex = tables.length ? Math.max(0, same) : -1;
    this.fill();
  }

  private fill(): void {
    const table = this.tables()[this.table.selectedIndex];
    this.shownTable = table ?? null;
    this.rows = [];
    this.text.hidden = true;
    const lines = (table?.columns ?? []).slice(1).map(({ name, unit }) => {
      const value = element('td', { class: 'number', title: '' });
      value.addEventListener('click', () => copyText(value.title.split(' ')[0]));
      this.rows.push(value);
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, name),
        value,
        element('td', {}, unit),
      );
    });
    this.body.replaceChildren(...lines);
    this.refresh();
  }

  private async show(): Promise<void> {
    if (!isShown(this.root) || !this.shownTable) return;
    const table = this.shownTable;
    const run = this.context.runs[this.run.selectedIndex];
    const found = run.reader(table).at(this.context.clock.time);
    if (found === null) return; // on its way
    if (!found) {
      this.head.textContent = table.rows ? 'No row yet at this time.' : 'No rows.';
      for (const cell of this.rows) cell.textContent = '–';
      this.text.hidden = true;
      return;
    }
    const { columns, index, row } = found;
    this.head.textContent = `Row ${row}, recorded at ${timeText(columns[0][index])}`;
    this.rows.forEach((cell, i) => {
      const value = columns[i + 1][index];
      cell.textContent = short(value, 7);
      cell.title = `${value} – click to copy`;
    });
    if (!table.has_texts) return;
    // that the program is gone is told elsewhere
    const [text] = await this.context.source
      .texts(run.index, table.id, row, row + 1)
      .catch(() => ['']);
    if (table !== this.shownTable || text === this.shownText) return;
    this.shownText = text;
    this.text.hidden = !text;
    try {
      this.text.textContent = JSON.stringify(JSON.parse(text ?? ''), null, 2);
    } catch {
      this.text.textContent = text ?? '';
    }
  }
}

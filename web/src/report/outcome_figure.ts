// SPDX-License-Identifier: Apache-2.0
// Where something succeeds: two axes as a grid of cells, one such map for every combination of the others.
import { Axis, OutcomeFigureInfo, OutcomeSign, Report, pointKey } from './data';
import { select } from '../shared/dom';
import { Figure, Group } from './figure';
import { fitText } from '../shared/plot';
import { hideTip, showTip } from '../shared/tooltip';

// Words joined by commas in lines of at most so many letters; a single word may be longer.
export function wrapped(text: string, letters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(', ').filter(Boolean)) {
    const last = lines.length - 1;
    if (last >= 0 && `${lines[last]}, ${word}`.length <= letters) lines[last] += `, ${word}`;
    else lines.push(word);
  }
  return lines;
}

export interface Facet {
  values: number[]; // on the axes beyond the two, in their order
  name: string;
}

// Every combination of the axes that are neither across nor up.
export function facets(axes: Axis[], across: number, up: number | null): Facet[] {
  const others = axes
    .map((_, i) => i)
    .filter((i) => i !== across && i !== up && axes[i].values.length > 1);
  let all: Facet[] = [{ values: axes.map(() => 0), name: '' }];
  for (const i of others) {
    all = all.flatMap(({ values, name }) =>
      axes[i].values.map((_, value) => ({
        values: values.map((old, k) => (k === i ? value : old)),
        name: [name, axes[i].values[value].name].filter(Boolean).join(', '),
      })),
    );
  }
  return all;
}

// Steps of an axis in the order of their numbers, where they are some.
export function ordered(axis: Axis): number[] {
  const steps = axis.values.map((_, i) => i);
  if (!axis.is_numeric) return steps;
  return steps.sort((a, b) => axis.values[a].number! - axis.values[b].number!);
}

const titleLine = 15;
const letter = 7; // about, across
const axisRoom = 46;
const gap = 18;
const mostMaps = 64;

interface Size {
  width: number;
  height: number;
}

interface Room {
  left: number; // for the numbers up
  title: number;
  letters: number; // of a line of the title
}

class OutcomeMap {
  private across: number;
  private up: number | null;
  private readonly rows = new Map<string, number>();
  private readonly several: number[];

  constructor(
    private readonly figure: Figure,
    private readonly report: Report,
    private readonly info: OutcomeFigureInfo,
  ) {
    const { axes } = report;
    this.several = axes.map((_, i) => i).filter((i) => axes[i].values.length > 1);
    ({ across: this.across, up: this.up } = info);
    report.rows.forEach((row, i) => this.rows.set(pointKey(row.point), i));
    figure.draws((width) => this.draw(width));
    if (this.several.length > 1) this.addChoices();
  }

  private addChoices(): void {
    const names = this.several.map((i) => this.report.axes[i].key);
    const place = (axis: number | null) => this.several.indexOf(axis ?? -1);
    const choices = () => [
      select('across:', names, place(this.across), (index) => {
        const chosen = this.several[index];
        if (chosen === this.up) this.up = this.across;
        this.across = chosen;
        refresh();
      }),
      select('up:', names, place(this.up), (index) => {
        const chosen = this.several[index];
        if (chosen === this.across) this.across = this.up!;
        this.up = chosen;
        refresh();
      }),
    ];
    const refresh = () => {
      this.figure.controls.replaceChildren(...choices());
      this.figure.redraw();
    };
    this.figure.controls.append(...choices());
  }

  private draw(width: number): void {
    const { axes } = this.report;
    const all = facets(axes, this.across, this.up);
    const shown = all.slice(0, mostMaps);
    const columns = ordered(axes[this.across]);
    const rows = this.up === null ? [0] : ordered(axes[this.up]);
    const longest = Math.max(...axes[this.across].values.map(({ text }) => text.length));
    const upLetters =
      this.up === null ? 0 : Math.max(...axes[this.up].values.map(({ text }) => text.length));
    const left = 28 + Math.min(letter * upLetters, 0.3 * width);
    const size = {
      width: Math.max(
        20,
        Math.min(Math.max(36, 7 * longest), 110, (width - left - gap) / columns.length),
      ),
      height: 34,
    };
    const mapWidth = left + size.width * columns.length + gap;
    const letters = Math.floor((size.width * columns.length + gap / 2) / letter);
    const titleLines = Math.max(...shown.map(({ name }) => wrapped(name, letters).length));
    const room: Room = { left, title: 11 + titleLine * titleLines, letters };
    const mapHeight = room.title + size.height * rows.length + axisRoom;
    const perLine = Math.max(1, Math.min(shown.length, Math.floor(width / mapWidth)));
    const lines = Math.ceil(shown.length / perLine);
    this.figure.clear(width, lines * mapHeight + 4);
    shown.forEach((facet, i) => {
      const group: Group = this.figure.svg
        .append('g')
        .attr('class', 'outcome-map')
        .attr('data-facet', facet.name)
        .attr(
          'transform',
          `translate(${(i % perLine) * mapWidth},${Math.floor(i / perLine) * mapHeight})`,
        );
      this.drawMap(group, facet, columns, rows, size, room);
    });
    this.figure.setNote(
      all.length > shown.length ? `${shown.length} of ${all.length} combinations are drawn.` : '',
    );
  }

  private drawMap(
    group: Group,
    facet: Facet,
    columns: number[],
    rows: number[],
    { width, height }: Size,
    { left, title, letters }: Room,
  ): void {
    const { axes } = this.report;
    const bottom = title + height * rows.length;
    const lines = wrapped(facet.name, letters);
    lines.forEach((text, i) =>
      group
        .append('text')
        .attr('class', 'panel-title')
        .attr('x', left)
        .attr('y', title - 8 - titleLine * (lines.length - 1 - i))
        .text(text),
    );
    columns.forEach((value, i) => {
      rows.forEach((other, k) => {
        const point = facet.values.map((step, axis) =>
          axis === this.across ? value : axis === this.up ? other : step,
        );
        this.drawCell(group, point, left + i * width, bottom - (k + 1) * height, { width, height });
      });
      const tick = group
        .append('text')
        .attr('class', 'tick-text')
        .attr('text-anchor', 'middle')
        .attr('x', left + (i + 0.5) * width)
        .attr('y', bottom + 15);
      fitText(tick, axes[this.across].values[value].text, width - 2);
    });
    group
      .append('text')
      .attr('class', 'axis-label')
      .attr('text-anchor', 'middle')
      .attr('x', left + (width * columns.length) / 2)
      .attr('y', bottom + 32)
      .text(axes[this.across].title);
    if (this.up === null) return;
    rows.forEach((value, k) => {
      const tick = group
        .append('text')
        .attr('class', 'tick-text')
        .attr('text-anchor', 'end')
        .attr('x', left - 6)
        .attr('y', bottom - (k + 0.5) * height)
        .attr('dy', '0.32em');
      fitText(tick, axes[this.up!].values[value].text, left - 24);
    });
    group
      .append('text')
      .attr('class', 'axis-label')
      .attr('text-anchor', 'middle')
      .attr('transform', `translate(12,${title + (height * rows.length) / 2}) rotate(-90)`)
      .text(axes[this.up].title);
  }

  private drawCell(
    group: Group,
    point: number[],
    x: number,
    y: number,
    { width, height }: Size,
  ): void {
    const index = this.rows.get(pointKey(point));
    const { signs, of_rows: ofRows, column } = this.info;
    const sign = signs[index === undefined ? signs.length - 1 : ofRows[index]];
    const mark: Group = group
      .append('g')
      .attr('class', `outcome ${sign.name} is-${sign.colour}`)
      .attr('data-point', pointKey(point))
      .attr('data-outcome', sign.name);
    mark
      .append('rect')
      .attr('x', x + 1)
      .attr('y', y + 1)
      .attr('width', width - 2)
      .attr('height', height - 2);
    const row = index === undefined ? null : this.report.rows[index];
    const cell = row?.cells[column];
    const count = cell ? Math.round(cell.mean * (cell.n ?? row!.n)) : 0;
    mark
      .append('text')
      .attr('text-anchor', 'middle')
      .attr('x', x + width / 2)
      .attr('y', y + height / 2)
      .attr('dy', '0.36em')
      .text(sign.name === 'mixed' ? `${count}/${row!.n}` : sign.mark);
    mark
      .on('pointermove', (event: PointerEvent) => this.tip(event, point, row?.n ?? 0, sign))
      .on('pointerleave', hideTip);
  }

  private tip(event: PointerEvent, point: number[], runs: number, sign: OutcomeSign): void {
    const { axes, columns } = this.report;
    const head = this.several.map((i) => `${axes[i].key} ${axes[i].values[point[i]].text}`);
    const lines = [{ label: columns[this.info.column].label, value: sign.words }];
    if (runs) lines.push({ label: 'runs', value: String(runs) });
    showTip(event, head.join(', '), lines);
  }
}

export function makeOutcomeFigure(report: Report): HTMLElement | null {
  const { outcome } = report.figures;
  if (!outcome) return null;
  const figure = new Figure('fig-outcome', outcome);
  new OutcomeMap(figure, report, outcome);
  return figure.root;
}

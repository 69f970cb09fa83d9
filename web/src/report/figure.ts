// SPDX-License-Identifier: Apache-2.0
// The frame of a figure: number, title, controls, drawing, note, caption; it draws anew when its width changes.
import { Selection as D3Selection, select } from 'd3-selection';

import { FigureInfo } from './data';
import { button, element } from '../shared/dom';
import { plural } from '../shared/format';
import { saveSvg } from '../shared/save_svg';
import { hideTip } from '../shared/tooltip';

export type { Group } from '../shared/plot';

export type Svg = D3Selection<SVGSVGElement, unknown, null, undefined>;

// Width of a figure on A4 with the margins of the print style, CSS pixels.
const printWidth = 690;

const all: Figure[] = [];

export class Figure {
  readonly root: HTMLElement;
  readonly controls = element('div', { class: 'controls' });
  readonly svg: Svg;
  private readonly host: HTMLDivElement;
  private readonly note = element('p', { class: 'note', hidden: true });
  private readonly caption: HTMLElement;
  private width = 0;
  private drawing: (width: number) => void = () => {};
  private waiting = false;

  constructor(
    readonly id: string,
    { file, title, caption }: FigureInfo,
    hint = '',
  ) {
    this.host = element('div', { class: 'drawing' });
    this.svg = select(this.host)
      .append('svg')
      .attr('role', 'img')
      .attr('aria-label', title) as unknown as Svg;
    this.caption = element('span', {}, caption);
    const save = button('save SVG', `Save this figure as ${file}.svg`, () =>
      saveSvg(this.svg.node()!, file),
    );
    all.push(this);
    this.root = element(
      'figure',
      { id },
      element(
        'header',
        {},
        element(
          'h2',
          {},
          element('span', { class: 'number' }, `Figure ${all.length}.`),
          ` ${title}`,
        ),
        element('div', { class: 'tools' }, this.controls, save),
      ),
      this.host,
      this.note,
      element(
        'figcaption',
        {},
        this.caption,
        hint ? element('span', { class: 'hint' }, ` ${hint}`) : null,
      ),
    );
  }

  setCaption(text: string): void {
    this.caption.textContent = text;
  }

  // What to draw; called with the width there is.
  draws(drawing: (width: number) => void): void {
    this.drawing = drawing;
  }

  redraw(): void {
    if (this.width > 0) this.drawing(this.width);
  }

  // Once per frame, however often it is asked for.
  redrawSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.redraw();
    });
  }

  resize(width: number): void {
    const rounded = Math.round(width);
    if (rounded === this.width || rounded < 50) return;
    this.width = rounded;
    hideTip();
    this.drawing(rounded);
  }

  measure(): void {
    this.resize(this.host.clientWidth);
  }

  // An empty canvas of the given height; what was drawn before is gone.
  clear(width: number, height: number): void {
    this.svg.attr('width', width).attr('height', height).attr('viewBox', `0 0 ${width} ${height}`);
    this.svg.selectAll('*').remove();
  }

  // A sentence under the drawing, with a button that does something about it; `warns` if something is not seen.
  setNote(text: string, action = '', act: () => void = () => {}, warns = action !== ''): void {
    this.note.hidden = !text;
    this.note.classList.toggle('warns', warns);
    this.note.replaceChildren(
      text,
      action ? ' ' : '',
      ...(action ? [button(action, action, act)] : []),
    );
  }

  // Who is not wholly in sight, and a way to see them.
  noteLeavers(names: string[], fitAll: () => void): void {
    if (names.length === 0) this.setNote('');
    else
      this.setNote(
        `${plural(names.length, 'series leaves', 'series leave')} the frame: ${names.join('; ')}.`,
        'fit all',
        fitAll,
      );
  }

  observe(): void {
    new ResizeObserver(() => this.measure()).observe(this.host);
  }
}

// After every figure is in the page: draw them, and draw them to the width of the paper when printed.
export function startFigures(): void {
  for (const figure of all) {
    figure.measure();
    figure.observe();
  }
  window.addEventListener('beforeprint', () => all.forEach((figure) => figure.resize(printWidth)));
  window.addEventListener('afterprint', () => all.forEach((figure) => figure.measure()));
}

let clips = 0;

// A clip path for the rectangle; its address for the clip-path attribute.
export function clipTo(svg: Svg, x: number, y: number, width: number, height: number): string {
  const id = `clip-${++clips}`;
  svg
    .append('defs')
    .append('clipPath')
    .attr('id', id)
    .append('rect')
    .attr('x', x)
    .attr('y', y)
    .attr('width', Math.max(0, width))
    .attr('height', Math.max(0, height));
  return `url(#${id})`;
}

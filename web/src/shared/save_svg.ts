// SPDX-License-Identifier: Apache-2.0
// Saves a figure as an SVG file that needs no style sheet, always in the light colours.
import { saveFile } from './save_file';

const copied = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-linecap',
  'opacity',
  'fill-opacity',
  'stroke-opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
  'visibility',
  'display',
];

export function standaloneSvg(svg: SVGSVGElement): string {
  const root = document.documentElement;
  const theme = root.getAttribute('data-theme');
  root.setAttribute('data-theme', 'light');
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  originals.forEach((original, i) => {
    if (original.closest('defs')) return;
    const style = getComputedStyle(original);
    const text = copied.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';');
    copies[i].setAttribute('style', text);
    copies[i].removeAttribute('class');
  });
  if (theme) root.setAttribute('data-theme', theme);

  for (const gone of copy.querySelectorAll('[data-screen-only]')) gone.remove();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', '#ffffff');
  copy.insertBefore(paper, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  saveFile(new Blob([standaloneSvg(svg)], { type: 'image/svg+xml' }), `${name}.svg`);
}

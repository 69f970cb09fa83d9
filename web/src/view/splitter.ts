// SPDX-License-Identifier: Apache-2.0
// A bar between two parts of the page that changes the size of the second, by pointer or arrow keys.
import { element } from '../shared/dom';

export function makeSplitter(
  name: string,
  sized: HTMLElement,
  side: 'width' | 'height',
  { least, part }: { least: number; part: number },
): HTMLElement {
  const isWide = side === 'width';
  const bar = element('div', {
    class: `splitter ${side}`,
    role: 'separator',
    tabindex: '0',
    'aria-label': name,
    'aria-orientation': isWide ? 'vertical' : 'horizontal',
  });
  const size = () => (isWide ? sized.offsetWidth : sized.offsetHeight);
  const set = (wanted: number) => {
    const parent = sized.parentElement!;
    const room = isWide ? parent.clientWidth : parent.clientHeight;
    const bounded = Math.max(least, Math.min(part * room, wanted));
    sized.style.flexBasis = `${Math.round(bounded)}px`;
    bar.setAttribute('aria-valuenow', String(Math.round((100 * bounded) / Math.max(1, room))));
  };
  let from = 0;
  let before = 0;
  const at = (event: PointerEvent) => (isWide ? event.clientX : event.clientY);
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    [from, before] = [at(event), size()];
  });
  bar.addEventListener('pointermove', (event) => {
    if (bar.hasPointerCapture(event.pointerId)) set(before - (at(event) - from));
  });
  bar.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key];
    if (!by) return;
    set(size() + 24 * by);
    event.preventDefault();
    event.stopPropagation();
  });
  return bar;
}

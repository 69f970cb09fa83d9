// SPDX-License-Identifier: Apache-2.0
// The one box that follows the pointer and says what is under it.
import { element } from './dom';

export interface TipLine {
  label: string;
  value: string;
  colour?: string;
}

let box: HTMLElement | null = null;

export function showTip(event: MouseEvent, head: string, lines: TipLine[]): void {
  box ??= document.body.appendChild(
    element('div', { class: 'tip', id: 'tip', role: 'status', 'aria-live': 'off' }),
  );
  const table = element(
    'table',
    {},
    ...lines.map(({ label, value, colour }) => {
      const key = element('span', { class: 'key' });
      if (colour) key.style.background = colour;
      return element('tr', {}, element('th', {}, key, label), element('td', {}, value));
    }),
  );
  box.replaceChildren(element('div', { class: 'tip-head' }, head), table);
  box.hidden = false;
  // Beside the pointer, on the side that has room.
  const { innerWidth, innerHeight } = window;
  const { offsetWidth, offsetHeight } = box;
  const right = event.clientX + 16 + offsetWidth < innerWidth;
  box.style.left = `${Math.max(4, right ? event.clientX + 16 : event.clientX - 16 - offsetWidth)}px`;
  box.style.top = `${Math.max(4, Math.min(event.clientY + 12, innerHeight - offsetHeight - 8))}px`;
}

export function hideTip(): void {
  if (box) box.hidden = true;
}

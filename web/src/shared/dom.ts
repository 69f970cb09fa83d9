// SPDX-License-Identifier: Apache-2.0
// Makes HTML elements in one expression.

type Content = Node | string | null | undefined | false;
type Attributes = Record<
  string,
  string | number | boolean | null | undefined | ((event: Event) => void)
>;

// Attributes that are functions become listeners; true is an attribute without value; null and false none.
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const part of content) if (part) made.append(part);
  return made;
}

export function button(text: string, title: string, onClick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', title, click: onClick }, text);
}

// A labelled select box; `chosen` is told the index of the option.
export function select(
  label: string,
  options: string[],
  initial: number,
  chosen: (index: number) => void,
) {
  const box = element(
    'select',
    { change: () => chosen(box.selectedIndex) },
    ...options.map((text) => element('option', {}, text)),
  );
  box.selectedIndex = initial;
  return element('label', { class: 'choice' }, `${label} `, box);
}

export function checkbox(
  label: string,
  initial: boolean,
  changed: (on: boolean) => void,
): HTMLLabelElement {
  const box = element('input', { type: 'checkbox', change: () => changed(box.checked) });
  box.checked = initial;
  return element('label', { class: 'choice' }, box, ` ${label}`);
}

// A wide table in a frame of its own that scrolls; where it does not fit, a line says so.
export function scrolling(name: string, table: HTMLTableElement): HTMLElement {
  const frame = element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name },
    table,
  );
  const hint = element(
    'p',
    { class: 'caption hint scroll-hint', hidden: true },
    'There are more columns to the right: scroll the table sideways →',
  );
  new ResizeObserver(() => {
    hint.hidden = frame.scrollWidth <= frame.clientWidth + 1;
  }).observe(frame);
  return element('div', { class: 'scrolling' }, hint, frame);
}

// SPDX-License-Identifier: Apache-2.0
// Everything that can be done by keyboard, and the sheet that lists it.
import { button, element } from '../shared/dom';

export interface Command {
  group: string;
  keys: string[]; // as KeyboardEvent.key has them
  shown?: string; // where the keys themselves say little
  words: string;
  act: (event: KeyboardEvent) => void;
}

const names: Record<string, string> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox'));

// Keys that a focused control has a use of its own for.
function isTaken(event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (isTyping(target)) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLSelectElement) return key.length === 1 || key.startsWith('Arrow');
  const isPressed = key === ' ' || key === 'Enter';
  return isPressed && target.matches('button, summary, input, a');
}

export class Keys {
  private readonly commands: Command[] = [];
  private readonly sheet = element('dialog', { class: 'help', 'aria-labelledby': 'help-title' });

  constructor() {
    document.body.append(this.sheet);
    document.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || this.sheet.open || isTaken(event)) return;
      const pressed = event.altKey ? `Alt+${event.code.replace('Digit', '')}` : event.key;
      const found = this.commands.find(({ keys }) => keys.includes(pressed));
      if (!found) return;
      event.preventDefault();
      found.act(event);
    });
    this.sheet.addEventListener('click', (event) => {
      if (event.target === this.sheet) this.sheet.close();
    });
  }

  add(...commands: Command[]): void {
    this.commands.push(...commands);
  }

  toggleSheet(): void {
    if (this.sheet.open) {
      this.sheet.close();
      return;
    }
    const groups = [...new Set(this.commands.map(({ group }) => group))];
    const close = button('close', 'Close (Esc)', () => this.sheet.close());
    this.sheet.replaceChildren(
      element('header', {}, element('h2', { id: 'help-title' }, 'Keyboard and mouse'), close),
      element('div', { class: 'help-groups' }, ...groups.map((group) => this.section(group))),
    );
    this.sheet.showModal();
  }

  private section(group: string): HTMLElement {
    const lines = this.commands.filter((one) => one.group === group);
    return element(
      'section',
      {},
      element('h3', {}, group),
      element(
        'dl',
        {},
        ...lines.flatMap(({ keys, shown, words }) => [
          element(
            'dt',
            {},
            ...(shown ?? keys.map((key) => names[key] ?? key).join(' '))
              .split(' ')
              .map((key) => element('kbd', {}, key)),
          ),
          element('dd', {}, words),
        ]),
      ),
    );
  }
}

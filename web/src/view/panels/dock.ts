// SPDX-License-Identifier: Apache-2.0
// Panels behind tabs.
import { element } from '../../shared/dom';

export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly root: HTMLElement;
  shown?(): void; // it has come into sight
}

export class Dock {
  readonly root: HTMLElement;
  private readonly bar = element('div', { class: 'tabs', role: 'tablist' });
  private readonly body = element('div', { class: 'dock-body' });
  private panels: Panel[] = [];
  private tabs: HTMLButtonElement[] = [];
  private chosen = '';

  constructor(name: string) {
    this.bar.setAttribute('aria-label', name);
    this.root = element('section', { class: 'dock', 'aria-label': name }, this.bar, this.body);
    this.bar.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const at = this.panels.findIndex((panel) => panel.id === this.chosen);
      this.open(this.panels[(at + by + this.panels.length) % this.panels.length].id);
      this.bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  set(panels: Panel[]): void {
    this.panels = panels;
    this.tabs = panels.map((panel) =>
      element(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${panel.id}`,
          'aria-controls': `panel-${panel.id}`,
          click: () => this.open(panel.id),
        },
        panel.title,
      ),
    );
    this.bar.replaceChildren(...this.tabs);
    this.body.replaceChildren(
      ...panels.map((panel) => {
        panel.root.id = `panel-${panel.id}`;
        panel.root.setAttribute('role', 'tabpanel');
        panel.root.setAttribute('aria-labelledby', `tab-${panel.id}`);
        return panel.root;
      }),
    );
    this.open(panels.some((panel) => panel.id === this.chosen) ? this.chosen : panels[0].id);
  }

  has(id: string): boolean {
    return this.panels.some((panel) => panel.id === id);
  }

  open(id: string): void {
    this.chosen = id;
    this.panels.forEach((panel, i) => {
      const isOpen = panel.id === id;
      panel.root.hidden = !isOpen;
      this.tabs[i].setAttribute('aria-selected', String(isOpen));
      this.tabs[i].tabIndex = isOpen ? 0 : -1;
      if (isOpen) panel.shown?.();
    });
  }

  focusTab(): void {
    this.bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  }
}

export const isShown = (panel: HTMLElement): boolean => panel.offsetParent !== null;

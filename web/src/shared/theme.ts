// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system asks, until the reader chooses; printed always light.
import { Theme } from './colours';
import { button, element } from './dom';

export function makeThemeButton(properties: (theme: Theme) => string): HTMLButtonElement {
  document.head.append(
    element(
      'style',
      {},
      `:root{${properties('light')}}@media screen{:root[data-theme=dark]{${properties('dark')}}}`,
    ),
  );
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const toggle = button('', 'Light or dark', () => set(root.getAttribute('data-theme') !== 'dark'));
  toggle.className = 'theme';
  const set = (dark: boolean) => {
    root.setAttribute('data-theme', dark ? 'dark' : 'light');
    toggle.textContent = dark ? 'light' : 'dark';
  };
  set(system.matches);
  system.addEventListener('change', () => set(system.matches));
  return toggle;
}

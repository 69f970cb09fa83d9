// SPDX-License-Identifier: Apache-2.0
// Reads the colours, sizes and limits of figures from the program's header, and writes them as CSS properties.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const places = ['./figure_style.h', '../longarm/record/figure_style.h'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
);
const text = readFileSync(places.find(existsSync), 'utf8');

const camel = (name) => name[0].toLowerCase() + name.slice(1);
const colour = /\{"(#\w{6})", "(#\w{6})"\}/g;
const themes = { light: {}, dark: {} };
for (const [, name, values] of text.matchAll(/constexpr Colour k(\w+)(?:\[\] = )?(\{[^;]+\});/g)) {
  const pairs = [...values.matchAll(colour)];
  const isList = pairs.length > 1;
  Object.keys(themes).forEach((theme, i) => {
    const found = pairs.map((pair) => pair[i + 1]);
    themes[theme][camel(name)] = isList ? found : found[0];
  });
}
const constants = Object.fromEntries(
  [...text.matchAll(/constexpr (?:double|std::string_view) k(\w+) = "?([^";]+)"?;/g)].map(
    ([, name, value]) => [
      camel(name.replace('_px', '')),
      Number.isNaN(Number(value)) ? value : Number(value),
    ],
  ),
);
const isLength = (name) => text.includes(`k${name[0].toUpperCase()}${name.slice(1)}_px`);

// Colours by theme, under their names in the header, and its numbers and dashes.
export const figureStyle = { ...themes, ...constants };

const property = (name) => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;
const plain = (theme) =>
  Object.entries(theme)
    .filter(([, value]) => !Array.isArray(value))
    .map(([name, value]) => `${property(name)}:${value};`)
    .join('');
export const styleProperties =
  `:root{${plain(themes.light)}` +
  Object.entries(constants)
    .map(([name, value]) => `${property(name)}:${value}${isLength(name) ? 'px' : ''};`)
    .join('') +
  `}@media screen{:root[data-theme='dark']{${plain(themes.dark)}}}`;

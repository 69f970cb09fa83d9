// SPDX-License-Identifier: Apache-2.0
// Colours of figures stay apart for everybody: simulated colour blindness, differences in OKLab.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Theme, style } from '../../src/shared/colours';

type Triple = [number, number, number];

// What somebody without one kind of cones sees (Machado, Oliveira and Fernandes, 2009, severity 1), in linear RGB.
const eyes: Record<string, Triple[]> = {
  'with three kinds of cones': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopic: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopic: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopic: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const times = (matrix: Triple[], v: Triple) => matrix.map((row) => dot(row, v)) as Triple;

function linear(hex: string): Triple {
  return [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)) as Triple;
}

function oklab(rgb: Triple): Triple {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb.map((x) => Math.min(1, Math.max(0, x))) as Triple,
  ).map(Math.cbrt) as Triple;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

function difference(a: string, b: string, eye: Triple[]): number {
  const [p, q] = [a, b].map((hex) => oklab(times(eye, linear(hex))));
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

function contrast(a: string, b: string): number {
  const [dark, light] = [a, b]
    .map((hex) => dot(linear(hex), [0.2126, 0.7152, 0.0722]) + 0.05)
    .sort((x, y) => x - y);
  return light / dark;
}

const themes: Theme[] = ['light', 'dark'];
const palette = (theme: Theme) => style[theme] as unknown as Record<string, string & string[]>;

// 0.02 is about what can be told apart where colours touch; thin lines that do not touch need more.
function checkApart(name: string, colours: string[], least: number) {
  for (const [eye, matrix] of Object.entries(eyes))
    colours.forEach((a, i) =>
      colours.slice(i + 1).forEach((b) => {
        const found = difference(a, b, matrix);
        assert.ok(found >= least, `${name}, ${eye}: ${a} and ${b} differ by ${found.toFixed(3)}`);
      }),
    );
}

test('OKLab is that of its author', () => {
  const close = (found: Triple, expected: Triple) =>
    found.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) < 5e-4, `${found}`));
  close(oklab(linear('#ffffff')), [1, 0, 0]);
  close(oklab(linear('#ff0000')), [0.628, 0.2249, 0.1258]);
});

test('Colours of a list stay apart, from each other and from the reference', () => {
  for (const theme of themes) {
    const { hues, reference, paper } = palette(theme);
    checkApart(theme, [...hues, reference], 0.065);
    for (const hue of hues) assert.ok(contrast(hue, paper) > 3, `${theme}: ${hue} is too faint`);
  }
});

test('Colours of ordered values stay apart, and their contrast grows', () => {
  for (const theme of themes) {
    const { ramp, reference, paper } = palette(theme);
    checkApart(theme, ramp, 0.04);
    for (const each of ramp) checkApart(`${theme}, reference`, [each, reference], 0.055);
    const contrasts = ramp.map((each) => contrast(each, paper));
    assert.deepEqual(
      contrasts,
      [...contrasts].sort((a, b) => a - b),
    );
  }
});

test('Stable and unstable stay apart', () => {
  for (const theme of themes)
    checkApart(theme, [palette(theme).stable, palette(theme).unstable], 0.1);
});

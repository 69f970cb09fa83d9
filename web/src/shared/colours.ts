// SPDX-License-Identifier: Apache-2.0
// Colours of series: a ramp of even lightness steps for ordered values, hues that stay apart for a list.

type Lab = [number, number, number];

const channel = (value: number) =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const unchannel = (value: number) =>
  value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;

function linearRgb(hex: string): Lab {
  return [1, 3, 5].map((at) => channel(parseInt(hex.slice(at, at + 2), 16) / 255)) as Lab;
}

function toHex(rgb: number[]): string {
  const byte = (value: number) =>
    Math.round(255 * Math.min(1, Math.max(0, unchannel(Math.max(0, value)))));
  return `#${rgb.map((value) => byte(value).toString(16).padStart(2, '0')).join('')}`;
}

// OKLab (B. Ottosson, 2020): distances in it are about as large as they look.
export function toOklab(hex: string): Lab {
  const [r, g, b] = linearRgb(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Lab): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return toHex([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

// Contrast ratio of two colours (WCAG 2, 1.4.3).
export function contrast(one: string, other: string): number {
  const luminance = (hex: string) => {
    const [r, g, b] = linearRgb(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// The further along the axis, the stronger the contrast to the background. Cyan is left to the reference.
export const ramps = {
  light: ['#dba000', '#e0600f', '#c8206a', '#7f35c4', '#3434b0', '#06361c'],
  dark: ['#6f5be0', '#b556cf', '#e8609a', '#fa8a5c', '#f7bd45', '#f8f9b4'],
};
export const backgrounds = { light: '#ffffff', dark: '#14171b' };
export type Theme = keyof typeof ramps;

export const distance = (a: Lab, b: Lab): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

// Colour at 0 ≤ t ≤ 1 of the way along a ramp. Its stops are evenly spread: thin dark lines look more alike than their
// distance in OKLab says, so the last step is a long one and changes the hue.
export function rampColour(theme: Theme, t: number): string {
  const stops = ramps[theme].map(toOklab);
  const at = t * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(at));
  return fromOklab(
    [0, 1, 2].map(
      (i) => stops[from][i] + (at - from) * (stops[from + 1][i] - stops[from][i]),
    ) as Lab,
  );
}

// As someone without green or red cones sees a colour (G. Machado and others, 2009, severity 1).
const missingCones = {
  green: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  red: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};
export function seenWithout(cone: keyof typeof missingCones, hex: string): string {
  const [r, g, b] = linearRgb(hex);
  return toHex(missingCones[cone].map((row) => row[0] * r + row[1] * g + row[2] * b));
}

// After M. Okabe and K. Ito, without their sky blue; the yellow is darker on white.
export const hues = {
  light: ['#d55e00', '#0072b2', '#008a63', '#b8588f', '#8a7500', '#5b3fa8', '#7f4f24', '#555555'],
  dark: ['#ff8a3d', '#4ea8e8', '#2fc79a', '#e59ac6', '#f0e442', '#b39cff', '#d0a070', '#bbbbbb'],
};

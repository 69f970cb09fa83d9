// SPDX-License-Identifier: Apache-2.0
// Numbers and units as people read them: fixed digits, real minus signs, seconds or milliseconds by size.

const superscripts: Record<string, string> = {
  '-': '⁻',
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
};

const minus = (text: string): string => text.replace('-', '−');

export function power(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits).split('e');
  const raised = [...exponent.replace('+', '')].map((c) => superscripts[c]).join('');
  const front = minus(String(Number(mantissa)));
  if (/^−?1$/.test(front)) return `${front.slice(0, -1)}10${raised}`;
  return `${front}·10${raised}`;
}

// Powers written as z^-11 or z^−11 as people write them: z⁻¹¹.
export function raisedPowers(text: string): string {
  return text.replace(/\^([-−]?\d+)/g, (_, exponent: string) =>
    [...exponent.replace('−', '-')].map((c) => superscripts[c]).join(''),
  );
}

// `digits` places after the point; a power of ten where they would show nothing or too much.
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : minus(value > 0 ? '∞' : '-∞');
  const size = Math.abs(value);
  if (size >= 1e7) return power(value, 2);
  if (size > 0 && size < 0.5 * 10 ** -digits) return power(value, 1);
  return minus(value.toFixed(digits));
}

// The same where a number smaller than the last place is nothing but rounding.
export function rounded(value: number, digits: number): string {
  return fixed(Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value, digits);
}

// Units that keys carry at their end, the longest first.
const keyUnits: [string, string][] = [
  ['_m_s2', 'm/s²'],
  ['_rad_s', 'rad/s'],
  ['_m_s', 'm/s'],
  ['_rad', 'rad'],
  ['_deg', 'deg'],
  ['_pa', 'Pa'],
  ['_kg', 'kg'],
  ['_nm', 'Nm'],
  ['_hz', 'Hz'],
  ['_N', 'N'],
  ['_n', 'N'],
  ['_m', 'm'],
  ['_s', 's'],
];

// "impulse [m/s]" for impulse_m_s; a key without a unit as it is.
export function keyWithUnit(key: string): string {
  const [ending, unit] = keyUnits.find(([end]) => key.endsWith(end)) ?? ['', ''];
  return ending ? withUnit(key.slice(0, -ending.length), unit) : key;
}

// About `digits` significant ones, without trailing zeros.
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return fixed(value, 0);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4))
    return power(value, digits > 4 ? digits - 1 : Math.min(digits - 1, 2));
  return minus(String(Number(value.toPrecision(digits))));
}

export interface Unit {
  name: string;
  scale: number;
} // shown = SI × scale

const prefixed: Record<string, Unit[]> = {
  s: [
    { name: 's', scale: 1 },
    { name: 'ms', scale: 1e3 },
    { name: 'µs', scale: 1e6 },
  ],
  m: [
    { name: 'm', scale: 1 },
    { name: 'mm', scale: 1e3 },
    { name: 'µm', scale: 1e6 },
    { name: 'nm', scale: 1e9 },
  ],
};

// The unit in which the largest number of a chart is at least one.
export function unitFor(unit: string, largest: number): Unit {
  const choices = prefixed[unit];
  if (!choices) return { name: unit, scale: 1 };
  return (
    choices.find(({ scale }) => largest * scale >= 0.9995) ??
    choices[largest > 0 ? choices.length - 1 : 0]
  );
}

// A number with the unit that suits its size: 0.0042 s → "4.2 ms".
export function quantity(value: number, unit: string, digits = 4): string {
  const chosen = unitFor(unit, Math.abs(value));
  return `${short(value * chosen.scale, digits)}\u202f${chosen.name}`.trim();
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const withUnit = (label: string, unit: string): string =>
  unit ? `${label} [${unit}]` : label;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en').replaceAll(',', '\u202f')} ${count === 1 ? one : many}`;

export const grouped = (count: number): string =>
  count.toLocaleString('en').replaceAll(',', '\u202f');

export const verdictMark: Record<string, string> = { stable: '●', unstable: '▲', undecided: '◇' };

// SPDX-License-Identifier: Apache-2.0
// Times as text, and text as times.

// Milliseconds always; microseconds where there are some.
export function timeText(t: number): string {
  const micro = t.toFixed(6);
  return `${micro.endsWith('000') ? t.toFixed(3) : micro}\u202fs`.replace('-', '−');
}

// "12.5", "12.5 s", "12500 ms", "1:02.5", "80us" in seconds; null: no time.
export function parseTime(text: string): number | null {
  const plain = text
    .trim()
    .replaceAll(/[\u202f\u00a0 ]/g, '')
    .replace(',', '.')
    .replace('−', '-');
  const found = /^(-?)(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)(s|ms|us|µs|min)?$/.exec(plain);
  if (!found) return null;
  const [, sign, minutes, number, unit] = found;
  if (minutes !== undefined && unit !== undefined && unit !== 's') return null;
  const scale = { s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, min: 60 }[unit ?? 's']!;
  const seconds = 60 * Number(minutes ?? 0) + Number(number) * scale;
  return sign ? -seconds : seconds;
}

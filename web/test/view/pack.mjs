// SPDX-License-Identifier: Apache-2.0
// Writes columns as the program does: plain float64, or packed for the one-file form.

export function float64(...columns) {
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const bytes = Buffer.alloc(8 * length);
  let at = 0;
  for (const column of columns) for (const value of column) at = bytes.writeDoubleLE(value, at);
  return bytes;
}

function varints(numbers) {
  const bytes = [];
  for (let value of numbers) {
    while (value >= 128) {
      bytes.push((value % 128) + 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  }
  return Buffer.from(bytes);
}
const zigzag = (value) => (value >= 0 ? 2 * value : -2 * value - 1);

// One column in the densest of the kinds that fit it.
// Times must come back exactly: rows are found by them.
export function packColumn(values, isTime = false) {
  const rows = values.length;
  const present = [...values].filter((value) => !Number.isNaN(value));
  const period = rows > 1 ? values[1] - values[0] : 0;
  if (rows && present.length === rows && values.every((value) => value === values[0]))
    return Buffer.concat([Buffer.of(3), float64([values[0]])]);
  if (rows > 2 && values.every((value, i) => value === values[0] + i * period))
    return Buffer.concat([Buffer.of(4), float64([values[0], period])]);
  if (isTime || !present.length) return Buffer.concat([Buffer.of(0), float64(values)]);
  const minimum = present.reduce((low, value) => Math.min(low, value), Infinity);
  const maximum = present.reduce((high, value) => Math.max(high, value), -Infinity);
  const step = (maximum - minimum || 1) / 2 ** 21;
  const q = present.map((value) => Math.round((value - minimum) / step));
  const d1 = q.map((value, i) => value - (q[i - 1] ?? 0));
  const coded = varints(d1.map((value, i) => zigzag(value - (d1[i - 1] ?? 0))));
  const head = float64([minimum, step]);
  if (present.length === rows) return Buffer.concat([Buffer.of(1), head, coded]);
  const gaps = [];
  let isPresent = true;
  for (let i = 0; i < rows;) {
    let length = 0;
    while (i < rows && Number.isNaN(values[i]) !== isPresent) (++i, ++length);
    gaps.push(length);
    isPresent = !isPresent;
  }
  return Buffer.concat([Buffer.of(2), varints(gaps), head, coded]);
}

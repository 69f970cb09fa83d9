// SPDX-License-Identifier: Apache-2.0
// Samples as the program writes them.
export const base64 = (numbers) => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, i) => bytes.writeFloatLE(number, 4 * i));
  return bytes.toString('base64');
};

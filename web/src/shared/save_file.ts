// SPDX-License-Identifier: Apache-2.0
// Gives the reader a file to keep.
import { element } from './dom';

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

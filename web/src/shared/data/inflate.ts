// SPDX-License-Identifier: Apache-2.0
// Base64 and raw deflate, as the page's own blobs are packed.

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const made = Uint8Array as unknown as {
    fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
  };
  if (made.fromBase64) return made.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function inflated(text: string): Response {
  const stream = new Blob([fromBase64(text)]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream('deflate-raw')));
}

export async function inflateBytes(text: string): Promise<Uint8Array> {
  return new Uint8Array(await inflated(text).arrayBuffer());
}

export const inflateText = (text: string): Promise<string> => inflated(text).text();

// SPDX-License-Identifier: Apache-2.0
// Unpacks the viewer's script and runs it once the whole page is there.
import { inflateText } from '../shared/data/inflate';

const isRead = new Promise<void>((done) => {
  if (document.readyState !== 'loading') done();
  else document.addEventListener('DOMContentLoaded', () => done());
});

async function start(): Promise<void> {
  const packed = document.getElementById('packed-script')!;
  const text = await inflateText(packed.textContent ?? '');
  packed.remove();
  await isRead;
  const script = document.createElement('script');
  script.textContent = text;
  document.body.append(script);
}

start().catch((error: unknown) => {
  const words =
    typeof DecompressionStream === 'undefined'
      ? 'This browser is too old for the viewer: use Chrome 103, Firefox 113, Safari 16.4 or newer.'
      : `The viewer cannot start. ${error instanceof Error ? error.message : String(error)}`;
  document.getElementById('loading')!.textContent = words;
});

// SPDX-License-Identifier: Apache-2.0
// The robots beside their paths; what draws them is unpacked and started when they come into sight.
import { element } from '../shared/dom';
import { inflateText } from '../shared/data/inflate';
import { plural } from '../shared/format';
import type { MotionScript } from './motion/main';
import type { Paints } from './paints';
import type { Selection } from './selection';

const elsewhere = 'The other figures show the same runs.';

function whyNot(): string {
  if (typeof DecompressionStream === 'undefined')
    return `This browser is too old to draw the moving robot: use Chrome 103, Firefox 113, Safari 16.4 or newer. ${elsewhere}`;
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context
    ? ''
    : `The moving robot needs WebGL 2, which this browser does not offer or has switched off. ${elsewhere}`;
}

async function loadScript(): Promise<MotionScript> {
  const packed = document.getElementById('packed-motion')!;
  const text = await inflateText((packed.textContent ?? '').trim());
  packed.remove();
  document.body.append(element('script', {}, text));
  return (window as unknown as { longarmMotion: MotionScript }).longarmMotion;
}

function caption(selection: Selection): string {
  const { series } = selection.report;
  const still = series.filter((one) => !one.motion).length;
  const left = still
    ? ` ${plural(still, 'run')} of ${series.length} kept no joint positions and ${still === 1 ? 'is' : 'are'} not shown: an earlier version made ${still === 1 ? 'it' : 'them'}.`
    : '';
  return `The robots of all runs that the legend has switched on, at the same instant: one solid, the others in their colours.${left}${selection.firstSeedWords('Motions')}`;
}

export function makeMotionPart(selection: Selection, paints: Paints): HTMLElement | null {
  const { motion } = selection.report;
  if (!motion || !document.getElementById('packed-motion')) return null;
  const tools = element('div', { class: 'tools' });
  const loading = element('p', { class: 'motion-loading', role: 'status' }, 'Loading…');
  const stageHost = element('div', { class: 'stage' }, loading);
  const time = element('div', { class: 'motion-time' });
  const root = element(
    'section',
    { id: 'motion', class: 'motion', 'aria-labelledby': 'motion-title' },
    element('header', {}, element('h2', { id: 'motion-title' }, 'The robot in motion'), tools),
    stageHost,
    time,
    element(
      'p',
      { class: 'caption' },
      caption(selection),
      element(
        'span',
        { class: 'hint' },
        ' Drag to turn; click, then turn the wheel (or + and −) to zoom; double-click to reset; space plays.',
      ),
    ),
  );
  const fail = (words: string) => {
    loading.textContent = words;
    root.classList.add('is-missing');
    tools.hidden = time.hidden = true;
  };
  const start = async () => {
    const script = await loadScript();
    const player = await script.start({ motion, selection, paints, stageHost, tools, time });
    loading.remove();
    new IntersectionObserver((seen) => player.setVisible(seen[seen.length - 1].isIntersecting), {
      rootMargin: '100px',
    }).observe(stageHost);
  };
  const waiting = new IntersectionObserver(
    (seen) => {
      if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
      waiting.disconnect();
      const words = whyNot();
      if (words) fail(words);
      else
        start().catch((error: unknown) => {
          fail(
            `The moving robot cannot be shown. ${error instanceof Error ? error.message : String(error)}`,
          );
          console.error(error);
        });
    },
    { rootMargin: '300px' },
  );
  waiting.observe(stageHost);
  return root;
}

// SPDX-License-Identifier: Apache-2.0
// One frame from port to port as a time line: came, sent, arrived or lost, for each cable on its way.
import { button, element } from '../../shared/dom';
import { quantity } from '../../shared/format';
import { Network } from '../data/document';
import { timeText } from '../../shared/time/time_text';
import { Hop, endsOf, fates, isLost, kindOf } from './frames';

export const frameWords = (hop: Hop) =>
  [kindOf(hop), `${hop.size_bytes}\u202fB`, hop.isRetransmission ? 'retransmission' : '']
    .filter(Boolean)
    .join(', ');

// `message` shows what the frame carries; null: that is not known.
export function frameLine(
  hops: Hop[],
  network: Network,
  goTo: (t: number) => void,
  message: HTMLElement | null,
): HTMLElement {
  const stop = (words: string, t: number) =>
    element(
      'td',
      {},
      button(words, `Go to ${timeText(t)}`, () => goTo(t)),
    );
  const rows = hops.map((hop) => {
    const [at, next] = endsOf(network, hop.port);
    const { queued_s: queued, sent_s: sent, end_s: end } = hop;
    const passed = `+${quantity(end - (sent ?? queued), 's', 4)}`;
    const last = stop(isLost(hop) ? `✕ ${fates[hop.fate]} ${passed}` : passed, end);
    if (isLost(hop)) last.classList.add('lost');
    return element(
      'tr',
      { title: network.links[hop.port >> 1].name },
      element('th', { scope: 'row' }, `${at} → ${next}`),
      stop(timeText(queued).replace(/\s*s$/, ''), queued),
      sent === null ? element('td', {}, '–') : stop(`+${quantity(sent - queued, 's', 4)}`, sent),
      last,
    );
  });
  const [first] = hops;
  const [from, to] = [network.nodes[first.from]?.name, network.nodes[first.to]?.name];
  const heads = ['cable', 'queued [s]', 'sent', 'arrived'];
  return element(
    'div',
    {},
    element('h3', {}, `Frame ${first.frame}: ${from} → ${to}, ${frameWords(first)}`),
    element(
      'table',
      { class: 'frame-hops' },
      element('thead', {}, element('tr', {}, ...heads.map((word) => element('th', {}, word)))),
      element('tbody', {}, ...rows),
    ),
    message,
  );
}

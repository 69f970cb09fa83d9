// SPDX-License-Identifier: Apache-2.0
// One frame from port to port as a time line: came, sent, arrived or lost, for each cable on its way.
import { button, element } from '../../shared/dom';
import { quantity } from '../../shared/format';
import { Network } from '../data/document';
import { timeText } from '../time/time_text';
import { Hop, endsOf, fates, isLost, kindOf } from './frames';

export const frameWords = (hop: Hop) =>
  [
    kindOf(hop),
    `${hop.size_bytes}\u202fB`,
    hop.isRetransmission ? 'retransmission' : '',
  ].filter(Boolean).join(', ');

// `message` shows what the frame carries; null: that is not known.
export function frameLine(
  hops: Hop[],
  network: Network,
  goTo: (t: number) => void,
  message: HTMLElement | null,
): HTMLElement {
  const stop = (words: string, t: number, isBad = false) => {
    const jump = button(words, `Go to ${timeText(t)}`, () => goTo(t));
    if (isBad) jump.className = 'lost';
    return element('span', { class: 'line-stop' }, jump, element('small', {}, timeText(t)));
  };
  const gap = (seconds: number) =>
    element('span', { class: 'line-gap' }, `+${quantity(seconds, 's', 4)}`);
  const rows = hops.map((hop) => {
    const [at, next] = endsOf(network, hop.port);
    const items = [stop(`queued at ${at}`, hop.queued_s)];
    if (hop.sent_s !== null) items.push(gap(hop.sent_s - hop.queued_s), stop('sent', hop.sent_s));
    items.push(
      gap(hop.end_s - (hop.sent_s ?? hop.queued_s)),
      isLost(hop)
        ? stop(`✕ lost: ${fates[hop.fate]}`, hop.end_s, true)
        : stop(`at ${next}`, hop.end_s),
    );
    return element(
      'li',
      { class: 'message-line' },
      element('small', { class: 'line-cable' }, network.links[hop.port >> 1].name),
      ...items,
    );
  });
  const [first] = hops;
  const [from, to] = [network.nodes[first.from]?.name, network.nodes[first.to]?.name];
  return element(
    'div',
    {},
    element('h3', {}, `Frame ${first.frame}: ${from} → ${to}, ${frameWords(first)}`),
    element('ol', { class: 'frame-hops' }, ...rows),
    message,
  );
}

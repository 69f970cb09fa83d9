// SPDX-License-Identifier: Apache-2.0
// One message from when it was made to when it was used, as a time line.
import { button, element } from '../../shared/dom';
import { quantity } from '../../shared/format';
import { timeText } from '../../shared/time/time_text';
import { Message } from './messages';

export function messageLine(message: Message, goTo: (t: number) => void): HTMLElement {
  const known: [string, number | null][] = [
    ['sampled', message.sampled_s],
    ['sent', message.sent_s],
    [message.isLost ? 'lost' : 'delivered', message.end_s],
    ['used', message.used_s],
  ];
  const stops = known.filter((stop): stop is [string, number] => stop[1] !== null);
  const items: HTMLElement[] = [];
  stops.forEach(([words, t], i) => {
    if (i > 0)
      items.push(
        element('span', { class: 'line-gap' }, `+${quantity(t - stops[i - 1][1], 's', 4)}`),
      );
    const jump = button(words, `Go to ${timeText(t)}`, () => goTo(t));
    if (words === 'lost') jump.className = 'lost';
    items.push(element('span', { class: 'line-stop' }, jump, element('small', {}, timeText(t))));
  });
  const size = message.size_bytes === null ? '' : `, ${message.size_bytes} bytes`;
  return element(
    'div',
    {},
    element('h3', {}, `${message.name || 'Message'}: ${message.route.join(' → ')}${size}`),
    element('div', { class: 'message-line' }, ...items),
    message.reason ? element('p', { class: 'hint' }, `Lost: ${message.reason}.`) : null,
  );
}

// SPDX-License-Identifier: Apache-2.0
// The controls of time: play, step, speed, the exact time, live.
import { button, element } from '../dom';
import { Clock, speeds } from './clock';
import { parseTime, timeText } from './time_text';

const icons = {
  play: 'M4,2.5L13,8L4,13.5z',
  pause: 'M4,3h3v10h-3zM9,3h3v10h-3z',
  next: 'M3,3L9,8L3,13zM10.5,3h2.5v10h-2.5z',
  previous: 'M13,3L7,8L13,13zM3,3h2.5v10h-2.5z',
  star: 'M8,1.5L9.9,6L14.6,6.2L11,9.2L12.2,13.9L8,11.3L3.8,13.9L5,9.2L1.4,6.2L6.1,6z',
};

export function icon(path: string): SVGSVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('viewBox', '0 0 16 16');
  made.setAttribute('class', 'icon');
  made.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  made.append(shape);
  return made;
}

export function iconButton(path: string, label: string, click: () => void): HTMLButtonElement {
  const made = button('', label, click);
  made.className = 'icon-button';
  made.setAttribute('aria-label', label);
  made.append(icon(path));
  return made;
}

const speedText = (speed: number) => `${speed}×`;

export interface TransportActions {
  step: ((direction: 1 | -1) => void) | null; // to another event; null: there are none
  worst: (() => void) | null;
  isLive: boolean;
}

export function makeTransport(clock: Clock, actions: TransportActions): HTMLElement {
  const play = iconButton(icons.play, 'Play', () => clock.toggle());
  play.classList.add('play');
  const { step } = actions;
  const previous = step && iconButton(icons.previous, 'Previous event (p)', () => step(-1));
  const next = step && iconButton(icons.next, 'Next event (n)', () => step(1));
  const worst = actions.worst
    ? iconButton(icons.star, 'Largest deviation (w)', actions.worst)
    : null;
  const speed = element(
    'select',
    {
      'aria-label': 'Speed',
      title: 'Speed (< slower, > faster)',
      change: () => clock.setSpeed(speeds[speed.selectedIndex]),
    },
    ...speeds.map((one) => element('option', {}, speedText(one))),
  );
  const time = element('input', {
    class: 'time-field',
    type: 'text',
    'aria-label': 'Time in seconds',
    title: 'Type a time, for example 12.5, 12500 ms or 1:02',
    spellcheck: 'false',
    autocomplete: 'off',
    inputmode: 'decimal',
  });
  const enter = () => {
    const t = parseTime(time.value);
    if (t !== null) clock.setTime(t);
    else time.value = timeText(clock.time);
  };
  time.addEventListener('focus', () => time.select());
  time.addEventListener('change', enter);
  time.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') time.blur();
    if (event.key === 'Escape') {
      time.value = timeText(clock.time);
      time.blur();
    }
  });
  const end = element('span', { class: 'time-end' });
  const live = actions.isLive
    ? button('Live', 'Follow the live run (l)', () => clock.follow())
    : null;
  live?.classList.add('live');
  live?.setAttribute('aria-label', 'Live');
  const clear = button('clear loop', 'Stop looping the window (\\)', () => clock.clearLoop());

  const show = () => {
    const isRunning = clock.isPlaying || clock.isFollowing;
    const label = isRunning ? 'Pause (space)' : 'Play (space)';
    if (play.title !== label) {
      play.setAttribute('aria-label', label);
      play.title = label;
      play.querySelector('path')!.setAttribute('d', isRunning ? icons.pause : icons.play);
    }
    if (document.activeElement !== time) {
      const isFast = clock.isPlaying && clock.speed >= 0.1;
      time.value = isFast ? `${clock.time.toFixed(3)}\u202fs` : timeText(clock.time);
    }
    const endText = `of ${clock.end.toFixed(3)}\u202fs`;
    if (end.textContent !== endText) end.textContent = endText;
    speed.selectedIndex = speeds.indexOf(clock.speed);
    live?.classList.toggle('is-on', clock.isFollowing);
    live?.setAttribute('aria-pressed', String(clock.isFollowing));
    clear.hidden = !clock.loop;
  };
  clock.onChange(show);
  show();
  return element(
    'div',
    { class: 'transport', role: 'group', 'aria-label': 'Time controls' },
    previous,
    play,
    next,
    worst,
    speed,
    element('span', { class: 'times' }, time, end),
    clear,
    live,
  );
}

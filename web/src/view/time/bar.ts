// SPDX-License-Identifier: Apache-2.0
// The time bar: the shown time, the marks of the runs, and the window that is looped.
import { Mark } from '../data/document';
import { RunState, marksOf } from '../runs';
import { element } from '../../shared/dom';
import { hideTip, showTip } from '../../shared/tooltip';
import { Clock } from '../../shared/time/clock';
import { timeText } from '../../shared/time/time_text';

const svgName = 'http://www.w3.org/2000/svg';
const height = 34;
const trackTop = 19;
const trackHeight = 6;
const inset = 9;

// Shape and colour of each kind, drawn around 0,0.
const glyphs: Record<string, { path: string; colour: string; words: string }> = {
  failure: { path: 'M-4,-4L4,4M4,-4L-4,4', colour: 'var(--unstable)', words: 'failure' },
  stop: { path: 'M-3.5,-3.5h7v7h-7z', colour: 'var(--unstable)', words: 'stop' },
  grasp: { path: 'M-4,-3.5L4,-3.5L0,4z', colour: 'var(--hue-2)', words: 'grasp' },
  release: { path: 'M-4,3.5L4,3.5L0,-4z', colour: 'var(--hue-2)', words: 'release' },
  replan: { path: 'M0,-4.5L4.5,0L0,4.5L-4.5,0z', colour: 'var(--hue-1)', words: 'replan' },
  unstable: {
    path: 'M-4.5,4L0,-4.5L4.5,4z',
    colour: 'var(--unstable)',
    words: 'unstable from here',
  },
  worst: {
    path: 'M0,-5L1.5,-1.6L5,-1.5L2.3,0.8L3.1,4.3L0,2.4L-3.1,4.3L-2.3,0.8L-5,-1.5L-1.5,-1.6z',
    colour: 'var(--undecided)',
    words: 'worst deviation',
  },
  loss: { path: 'M-2.5,-2.5L2.5,2.5M2.5,-2.5L-2.5,2.5', colour: 'var(--soft)', words: 'loss' },
  end: { path: 'M0,-5V5', colour: 'var(--soft)', words: 'end' },
};
const otherGlyph = { path: 'M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0', colour: 'var(--soft)', words: '' };
const isOpen = (path: string) => !path.endsWith('z');

export const markWords = (mark: Mark): string => {
  const kind = glyphs[mark.kind]?.words ?? mark.kind;
  if (!mark.text) return kind;
  return mark.text.toLowerCase().includes(kind) ? mark.text : `${kind}: ${mark.text}`;
};

function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(svgName, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

export class TimeBar {
  readonly root: HTMLElement;
  private readonly drawing = svg('svg', { height, 'aria-hidden': 'true' });
  private readonly marks = svg('g', {});
  private readonly loop = svg('rect', { class: 'bar-loop', y: trackTop - 4, height: 14 });
  private readonly track = svg('rect', { class: 'bar-track', y: trackTop, height: trackHeight });
  private readonly past = svg('rect', { class: 'bar-past', y: trackTop, height: trackHeight });
  private readonly hand = svg('path', { class: 'bar-hand', d: 'M0,12V33' });
  private readonly knob = svg('circle', { class: 'bar-knob', cy: trackTop + 3, r: 6 });
  private width = 0;
  private drag: 'time' | 'loop' | null = null;
  private dragFrom = 0;

  constructor(
    private readonly clock: Clock,
    private readonly runs: RunState[],
  ) {
    this.root = element('div', {
      class: 'bar',
      role: 'slider',
      tabindex: '0',
      'aria-label': 'Time',
      'aria-orientation': 'horizontal',
    });
    this.drawing.append(this.track, this.loop, this.past, this.marks, this.hand, this.knob);
    this.root.append(this.drawing);
    new ResizeObserver(() => this.resize()).observe(this.root);
    clock.onChange(() => this.place());
    this.listen();
  }

  private resize(): void {
    this.width = this.root.clientWidth;
    this.drawing.setAttribute('width', String(this.width));
    this.track.setAttribute('x', String(inset));
    this.track.setAttribute('width', String(Math.max(0, this.width - 2 * inset)));
    this.drawMarks();
    this.place();
  }

  private x(t: number): number {
    const { start, end } = this.clock;
    const part = end > start ? (t - start) / (end - start) : 0;
    return inset + part * (this.width - 2 * inset);
  }

  private timeAt(event: MouseEvent): number {
    const { start, end } = this.clock;
    const left = this.root.getBoundingClientRect().left + inset;
    const part = (event.clientX - left) / Math.max(1, this.width - 2 * inset);
    return start + Math.max(0, Math.min(1, part)) * (end - start);
  }

  private place(): void {
    const x = this.x(this.clock.time);
    this.hand.setAttribute('transform', `translate(${x},0)`);
    this.knob.setAttribute('cx', String(x));
    this.past.setAttribute('x', String(inset));
    this.past.setAttribute('width', String(Math.max(0, x - inset)));
    const { loop } = this.clock;
    this.loop.style.display = loop ? '' : 'none';
    if (loop) {
      this.loop.setAttribute('x', String(this.x(loop[0])));
      this.loop.setAttribute('width', String(Math.max(2, this.x(loop[1]) - this.x(loop[0]))));
    }
    this.root.setAttribute('aria-valuemin', this.clock.start.toFixed(3));
    this.root.setAttribute('aria-valuemax', this.clock.end.toFixed(3));
    this.root.setAttribute('aria-valuenow', this.clock.time.toFixed(3));
    this.root.setAttribute('aria-valuetext', timeText(this.clock.time));
  }

  // Marks of one kind at the same pixel are drawn once.
  drawMarks(): void {
    this.marks.replaceChildren();
    const drawn = new Set<string>();
    for (const { mark } of marksOf(this.runs)) {
      const x = this.x(mark.t_s);
      const key = `${mark.kind} ${Math.round(x / 2)}`;
      if (drawn.has(key) || x < 0 || x > this.width) continue;
      drawn.add(key);
      const glyph = glyphs[mark.kind] ?? otherGlyph;
      const node = svg('path', { d: glyph.path, transform: `translate(${x},8)` });
      node.style.stroke = glyph.colour;
      node.style.fill = isOpen(glyph.path) ? 'none' : glyph.colour;
      node.style.strokeWidth = isOpen(glyph.path) ? '2' : '0';
      node.dataset.kind = mark.kind;
      this.marks.append(node);
    }
  }

  private marksNear(x: number): { mark: Mark; run: RunState }[] {
    return marksOf(this.runs).filter(({ mark }) => Math.abs(this.x(mark.t_s) - x) <= 6);
  }

  private listen(): void {
    const { root, clock } = this;
    root.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      root.setPointerCapture(event.pointerId);
      this.drag = event.shiftKey ? 'loop' : 'time';
      this.dragFrom = this.timeAt(event);
      if (this.drag === 'loop') return;
      // a click on a mark goes to its exact time
      const { left, top } = root.getBoundingClientRect();
      const near = event.clientY - top < 15 ? this.marksNear(event.clientX - left)[0] : undefined;
      clock.setTime(near ? near.mark.t_s : this.dragFrom);
      if (near) this.drag = null;
    });
    root.addEventListener('pointermove', (event) => {
      if (this.drag === 'time') clock.setTime(this.timeAt(event));
      else if (this.drag === 'loop') clock.setLoop(this.dragFrom, this.timeAt(event));
      this.hover(event);
    });
    root.addEventListener('pointerup', (event) => {
      if (this.drag === 'loop' && clock.loop) clock.setTime(clock.loop[0]);
      else if (this.drag === 'loop') clock.clearLoop();
      this.drag = null;
      root.releasePointerCapture(event.pointerId);
    });
    root.addEventListener('pointerleave', hideTip);
    root.addEventListener('keydown', (event) => {
      const step = (clock.end - clock.start) / 100;
      const by: Record<string, number> = {
        ArrowLeft: -step,
        ArrowDown: -step,
        ArrowRight: step,
        ArrowUp: step,
        PageDown: -10 * step,
        PageUp: 10 * step,
      };
      if (!(event.key in by)) return;
      clock.setTime(clock.time + by[event.key] * (event.shiftKey ? 0.1 : 1));
      event.preventDefault();
      event.stopPropagation();
    });
  }

  private hover(event: PointerEvent): void {
    if (event.pointerType === 'touch') return;
    const near = this.marksNear(event.clientX - this.root.getBoundingClientRect().left);
    const isSeveral = this.runs.length > 1;
    showTip(
      event,
      timeText(this.timeAt(event)),
      near.slice(0, 8).map(({ mark, run }) => ({
        label: isSeveral ? `${run.run.label}: ${markWords(mark)}` : markWords(mark),
        value: timeText(mark.t_s),
      })),
    );
  }
}

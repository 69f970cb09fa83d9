// SPDX-License-Identifier: Apache-2.0
// Plays the runs of a report: the stage, the controls of time, and what the legend has chosen.
import { Vector3 } from 'three';

import { button, element } from '../../shared/dom';
import { quantity } from '../../shared/format';
import { Look } from '../../shared/scene/run_shapes';
import { Stage } from '../../shared/scene/stage';
import { Clock } from '../../shared/time/clock';
import { timeText } from '../../shared/time/time_text';
import { makeTransport } from '../../shared/time/transport';
import { Motion, Series, isTame } from '../data';
import { Deviation, distanceAt, worstDeviation } from '../deviation';
import type { Paints } from '../paints';
import { basisOf } from '../projection';
import type { Selection } from '../selection';
import { Robots, Shown } from './robots';

export interface PlayerParts {
  motion: Motion;
  selection: Selection;
  paints: Paints;
  stageHost: HTMLElement;
  tools: HTMLElement; // beside the heading
  time: HTMLElement; // below the scene
}

const closeUp = 0.6; // metres from the tool

export class Player {
  readonly clock: Clock;
  private readonly stage: Stage;
  private readonly robots: Robots;
  private readonly slider: HTMLInputElement;
  private readonly words = element('p', { class: 'motion-words' });
  private readonly follow: HTMLButtonElement;
  private followedAt: Vector3 | null = null;

  constructor(private readonly parts: PlayerParts) {
    const { selection, motion, stageHost, tools, time } = parts;
    this.stage = new Stage(stageHost);
    this.robots = new Robots(this.stage, selection.report, motion);
    const moved = selection.report.series.flatMap((series) => series.motion ?? []);
    const ends = moved.map(({ startS, periodS, count }) => startS + (count - 1) * periodS);
    this.clock = new Clock(Math.min(...moved.map(({ startS }) => startS)), Math.max(...ends));
    this.slider = this.makeSlider();
    this.follow = button('close-up', 'Follow the tool from close by (c)', () =>
      this.toggleFollow(),
    );
    this.follow.setAttribute('aria-pressed', 'false');
    tools.append(
      this.follow,
      button('+', 'Zoom in', () => this.stage.zoom(1 / 1.4)),
      button('−', 'Zoom out', () => this.stage.zoom(1.4)),
      button('reset view', 'Reset the view (0)', () => this.fit()),
    );
    const transport = makeTransport(this.clock, {
      step: null,
      worst: () => this.goToWorst(),
      isLive: false,
    });
    time.append(this.slider, transport, this.words);
    this.addGestures();
  }

  async start(): Promise<void> {
    const { stage, clock, parts } = this;
    await this.robots.load();
    clock.setTime(this.worst()?.t ?? clock.start);
    this.applyTheme();
    this.fit();
    parts.selection.onChange(() => this.choose());
    parts.selection.onStress(() => this.choose());
    new MutationObserver(() => this.applyTheme()).observe(document.documentElement, {
      attributeFilter: ['data-theme'],
    });
    clock.onChange(() => this.showTime());
    stage.onFrame((seconds) => clock.advance(seconds));
  }

  // Nothing is done while nobody sees it.
  setVisible(isVisible: boolean): void {
    this.stage.setRunning(isVisible);
  }

  private makeSlider(): HTMLInputElement {
    const { clock } = this;
    const slider = element('input', {
      type: 'range',
      class: 'motion-slider',
      min: clock.start,
      max: clock.end,
      step: 'any',
      'aria-label': 'Time',
      input: () => clock.setTime(Number(slider.value)),
      keydown: (event) => this.slide(event as KeyboardEvent),
    });
    return slider;
  }

  // Without a step of its own, a slider would move by whole seconds or not at all.
  private slide(event: KeyboardEvent): void {
    const step = (this.clock.end - this.clock.start) / (event.shiftKey ? 1000 : 100);
    const by: Record<string, number> = {
      ArrowLeft: -step,
      ArrowDown: -step,
      ArrowRight: step,
      ArrowUp: step,
      PageDown: -10 * step,
      PageUp: 10 * step,
    };
    if (!(event.key in by)) return;
    this.clock.setTime(this.clock.time + by[event.key]);
    event.preventDefault();
  }

  private addGestures(): void {
    const { canvas, controls } = this.stage;
    canvas.setAttribute(
      'aria-label',
      'The robots of the runs. Arrow keys turn the view, Shift and arrow keys move it, plus and minus zoom, ' +
        '0 resets it; space plays and pauses, w goes to the worst deviation, c follows the tool.',
    );
    // The page scrolls until the scene has been clicked.
    canvas.style.touchAction = 'pan-y';
    controls.enableZoom = false;
    canvas.addEventListener('focus', () => (controls.enableZoom = true));
    canvas.addEventListener('blur', () => (controls.enableZoom = false));
    canvas.addEventListener('pointerdown', () => canvas.focus({ preventScroll: true }));
    canvas.addEventListener('dblclick', () => this.fit());
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const { stage, clock } = this;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const others: Record<string, () => void> = {
      '+': () => stage.zoom(1 / 1.2),
      '=': () => stage.zoom(1 / 1.2),
      '-': () => stage.zoom(1.2),
      0: () => this.fit(),
      Home: () => this.fit(),
      ' ': () => clock.toggle(),
      w: () => this.goToWorst(),
      c: () => this.toggleFollow(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const way = arrows[event.key];
    if (way && event.shiftKey) stage.move(0.06 * way[0], 0.06 * way[1]);
    else if (way) stage.turn(0.08 * way[0], 0.08 * way[1]);
    else if (event.key in others) others[event.key]();
    else return;
    event.preventDefault();
  }

  private visible(): Series[] {
    return this.parts.selection.visible().filter((series) => series.motion);
  }

  // The one that the others are seen beside.
  private base(): Series | null {
    const visible = this.visible();
    return visible.find((series) => series.isReference) ?? visible[0] ?? null;
  }

  // What is drawn: the base solid, the others as ghosts; where one is stressed, the rest steps back.
  private choose(): void {
    const { selection, paints } = this.parts;
    const base = this.base();
    const { stressed } = selection;
    const lookOf = (series: Series): Look => {
      const isBase = series === base;
      if (stressed === null) return isBase ? 'solid' : 'tinted';
      if (series.label !== stressed) return 'faint';
      return isBase ? 'solid' : 'strong';
    };
    const others = this.visible().filter((series) => series !== base);
    const shown: Shown[] = [...(base ? [base] : []), ...others].map((series) => ({
      series,
      look: lookOf(series),
      colour: this.property(paints.of(series).colour),
    }));
    this.robots.show(shown, this.clock.time);
    const { plan } = selection.report;
    this.robots.showPlan(selection.planIsOn ? plan : null, this.property('var(--plan)'));
    this.showTime();
  }

  // Colours of series are named, so that a change of theme redraws no figure.
  private property(colour: string): string {
    const name = /^var\((.*)\)$/.exec(colour)?.[1];
    if (!name) return colour;
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888888';
  }

  private applyTheme(): void {
    this.stage.setTheme(document.documentElement.getAttribute('data-theme') === 'dark');
    this.choose();
  }

  fit(): void {
    const { clock, stage } = this;
    if (this.followedAt) this.setFollowing(false);
    const tame = this.visible().filter(isTame);
    const base = this.base();
    const first = base ? [base, ...tame.filter((series) => series !== base)] : tame;
    const times = Array.from(
      { length: 12 },
      (_, i) => clock.start + (i / 11) * (clock.end - clock.start),
    );
    stage.setContent(this.robots.outline(first, times));
    const { paths } = this.parts.selection.report.figures; // cells have none
    stage.look(paths ? basisOf(paths.view).toward : 'oblique');
    this.robots.update(clock.time);
  }

  private toggleFollow(): void {
    if (this.followedAt) this.fit();
    else this.setFollowing(true);
  }

  private setFollowing(isOn: boolean): void {
    const base = this.base();
    const at = base && this.robots.toolOf(base);
    this.followedAt = isOn ? at : null;
    this.follow.setAttribute('aria-pressed', String(this.followedAt !== null));
    if (!this.followedAt) return;
    const { stage } = this;
    stage.shift(this.followedAt.clone().sub(stage.controls.target));
    stage.zoom(closeUp / stage.camera.position.distanceTo(stage.controls.target));
  }

  private worst(): Deviation | null {
    const { selection } = this.parts;
    const base = this.base();
    return worstDeviation(
      this.visible(),
      (series) => selection.referenceOf(series) ?? base,
      selection.report.plan,
    );
  }

  goToWorst(): void {
    this.clock.pause();
    const found = this.worst();
    if (found) this.clock.setTime(found.t);
  }

  private showTime(): void {
    const { clock, robots, stage } = this;
    robots.update(clock.time);
    const base = this.base();
    const at = base && robots.toolOf(base);
    if (this.followedAt && at) {
      stage.shift(at.clone().sub(this.followedAt));
      this.followedAt = at;
    }
    const words = this.wordsNow(base);
    if (this.words.textContent !== words) this.words.textContent = words;
    this.slider.value = String(clock.time);
    this.slider.setAttribute('aria-valuetext', `${timeText(clock.time)}. ${words}`);
  }

  // Who is farthest from the solid robot just now.
  private wordsNow(base: Series | null): string {
    const { selection } = this.parts;
    if (!base) return 'No run with joint positions is drawn.';
    const name = `“${selection.labelOf(base)}”`;
    const apart = this.visible()
      .filter((series) => series !== base)
      .map((series) => ({ series, distance: distanceAt(series, base, this.clock.time) }))
      .filter(({ distance }) => Number.isFinite(distance));
    if (!apart.length) return `Solid: ${name}.`;
    const far = apart.reduce((a, b) => (b.distance > a.distance ? b : a));
    const label = selection.labelOf(far.series);
    return `Solid: ${name}. Now farthest from it: “${label}”, tools ${quantity(far.distance, 'm', 3)} apart.`;
  }

  // For tests.
  state() {
    return { time: this.clock.time, isPlaying: this.clock.isPlaying, drawn: this.robots.drawn() };
  }

  framePose(series: number, frame: string): number[] | null {
    return this.robots.framePose(series, frame);
  }

  framesPerSecond(): number {
    return this.stage.fps;
  }
}

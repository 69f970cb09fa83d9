// SPDX-License-Identifier: Apache-2.0
// The controls over the scene: what is shown, from where, what is followed, measuring, pictures.
import { button, checkbox, element } from '../shared/dom';
import { Context } from './context';
import { Recorder, saveScreenshot } from './scene/capture';
import { SceneView, Shown, showable } from './scene/scene_view';
import { Direction, Stage } from '../shared/scene/stage';

// A menu that closes when the reader goes elsewhere.
function menu(title: string, ...content: HTMLElement[]): HTMLDetailsElement {
  const made = element(
    'details',
    { class: 'menu' },
    element('summary', {}, title),
    element('div', { class: 'menu-body' }, ...content),
  );
  document.addEventListener('pointerdown', (event) => {
    if (!made.contains(event.target as Node)) made.open = false;
  });
  made.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !made.open) return;
    made.open = false;
    made.querySelector('summary')!.focus();
    event.stopPropagation();
  });
  return made;
}

export class SceneTools {
  readonly root: HTMLElement;
  private readonly boxes = new Map<keyof Shown, HTMLInputElement>();
  private readonly follow: HTMLSelectElement;
  private readonly measure: HTMLButtonElement;
  private readonly record: HTMLButtonElement | null;
  private readonly words = element('p', { class: 'measure-words', role: 'status', hidden: true });
  private readonly rate = element('p', { class: 'frame-rate', hidden: true });
  private readonly recorder: Recorder;
  private readonly followable: number[] = [-1];

  constructor(
    private readonly context: Context,
    private readonly scene: SceneView,
    private readonly stage: Stage,
  ) {
    this.recorder = new Recorder(stage);
    const shows = (Object.keys(showable) as (keyof Shown)[]).map((key) => {
      const label = checkbox(showable[key], scene.shown[key], (isOn) => this.setShown(key, isOn));
      this.boxes.set(key, label.querySelector('input')!);
      return label;
    });
    const views = (['oblique', 'front', 'side', 'top'] as Direction[]).map((direction) =>
      button(direction, `Look from this side (${direction})`, () => stage.look(direction)),
    );
    const quality = element(
      'select',
      { change: () => this.setQuality(quality.value as Stage['quality']) },
      element('option', { value: 'auto' }, 'automatic'),
      element('option', { value: 'full' }, 'full'),
      element('option', { value: 'fast' }, 'fast'),
    );
    this.follow = this.followSelect();
    this.measure = button('measure', 'Measure the distance between two points (m)', () =>
      this.toggleMeasure(),
    );
    this.measure.setAttribute('aria-pressed', 'false');
    this.record = Recorder.isPossible
      ? button('record', 'Record a video of the scene (r)', () => this.toggleRecord())
      : null;
    this.record?.classList.add('record');
    this.root = element(
      'div',
      { class: 'scene-tools' },
      element(
        'div',
        { class: 'scene-bar', role: 'toolbar', 'aria-label': 'Scene' },
        menu('Show', ...shows, element('label', { class: 'choice' }, 'Quality ', quality)),
        menu('View', ...views),
        this.follow,
        this.measure,
        button('PNG', 'Save a screenshot of the scene (s)', () => this.screenshot()),
        this.record,
      ),
      this.words,
      this.rate,
    );
    this.listen();
    setInterval(() => {
      if (!this.rate.hidden) this.rate.textContent = `${stage.fps} frames/s`;
    }, 500);
  }

  private followSelect(): HTMLSelectElement {
    const { scene } = this.context.runs[0];
    const tools = scene.tools.map(({ frame }) => frame).filter((frame) => frame >= 0);
    const moving = scene.frames.map((_, i) => i).filter((i) => scene.frames[i].moving >= 0);
    this.followable.push(...new Set([...tools, ...moving]));
    const made = element(
      'select',
      {
        'aria-label': 'Follow a frame',
        title: 'Follow a frame (o for the next)',
        change: () => this.scene.follow(this.followable[made.selectedIndex]),
      },
      ...this.followable.map((frame) =>
        element('option', {}, frame < 0 ? 'free view' : `follow ${scene.frames[frame].name}`),
      ),
    );
    return made;
  }

  followNext(): void {
    this.follow.selectedIndex = (this.follow.selectedIndex + 1) % this.followable.length;
    this.scene.follow(this.followable[this.follow.selectedIndex]);
  }

  setShown(key: keyof Shown, isOn: boolean): void {
    this.scene.shown[key] = isOn;
    this.boxes.get(key)!.checked = isOn;
    this.scene.applyShown();
  }

  toggleShown(key: keyof Shown): void {
    this.setShown(key, !this.scene.shown[key]);
  }

  private setQuality(quality: Stage['quality']): void {
    this.stage.quality = quality;
    this.stage.touchShapes();
  }

  toggleMeasure(): void {
    this.scene.measure.toggle();
    this.measure.setAttribute('aria-pressed', String(this.scene.measure.isOn));
    this.stage.canvas.classList.toggle('measuring', this.scene.measure.isOn);
    this.showMeasure();
  }

  private showMeasure(): void {
    this.words.textContent = this.scene.measure.words;
    this.words.hidden = !this.words.textContent;
    this.stage.touch();
  }

  screenshot(): void {
    saveScreenshot(this.stage, `scene-${this.context.clock.time.toFixed(3)}s`);
  }

  toggleRecord(): void {
    if (!this.record) return;
    if (this.recorder.isOn) this.recorder.stop();
    else this.recorder.start();
    this.record.textContent = this.recorder.isOn ? '■ stop' : 'record';
    this.record.setAttribute('aria-pressed', String(this.recorder.isOn));
  }

  toggleRate(): void {
    this.rate.hidden = !this.rate.hidden;
  }

  private listen(): void {
    const { canvas } = this.stage;
    let down: [number, number] = [0, 0];
    canvas.addEventListener('pointerdown', (event) => {
      down = [event.clientX, event.clientY];
    });
    canvas.addEventListener('pointerup', (event) => {
      const moved = Math.hypot(event.clientX - down[0], event.clientY - down[1]);
      if (!this.scene.measure.isOn || moved > 5 || event.button !== 0) return;
      const point = this.scene.pick(event.clientX, event.clientY);
      if (point) this.scene.measure.add(point);
      this.showMeasure();
    });
  }

  // With the keyboard alone the point is that in the middle of the view.
  measureMiddle(): void {
    if (!this.scene.measure.isOn) return;
    const box = this.stage.canvas.getBoundingClientRect();
    const point = this.scene.pick(box.left + box.width / 2, box.top + box.height / 2);
    if (point) this.scene.measure.add(point);
    this.showMeasure();
  }
}

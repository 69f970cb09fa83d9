// SPDX-License-Identifier: Apache-2.0
// The whole viewer of one document: scene, time and panels, and what connects them.
import { Theme, hues } from '../shared/colours';
import { element } from '../shared/dom';
import { makeThemeButton } from '../shared/theme';
import { Source } from './data/source';
import { RunState, marksOf } from './runs';
import { Poses } from './scene/poses';
import { SceneView } from './scene/scene_view';
import { Stage } from './scene/stage';
import { TimeBar } from './time/bar';
import { Clock, nextTime } from './time/clock';
import { makeTransport } from './time/transport';

export class Viewer {
  readonly root = element('div', { class: 'viewer' });
  readonly clock: Clock;
  readonly runs: RunState[];
  readonly stage: Stage;
  readonly scene: SceneView;
  private readonly bar: TimeBar;

  constructor(readonly source: Source) {
    const { document: description } = source;
    this.runs = description.runs.map((_, i) => new RunState(source, i, () => this.scene.refresh()));
    this.clock = new Clock(
      Math.min(...description.runs.map((run) => run.start_s)),
      Math.max(...description.runs.map((run) => run.end_s)),
    );
    const host = element('div', { class: 'stage' });
    this.stage = new Stage(host);
    this.scene = new SceneView(this.stage, source, this.runs);
    this.bar = new TimeBar(this.clock, this.runs);
    const theme = makeThemeButton((name) =>
      hues[name].map((hue, i) => `--hue-${i}:${hue};`).join(''),
    );
    this.root.append(
      element('header', { class: 'head' }, element('h1', {}, description.title), theme),
      host,
      element(
        'div',
        { class: 'time' },
        makeTransport(this.clock, {
          step: (direction) => this.step(direction),
          worst: this.has('worst') ? () => this.goTo('worst') : null,
          isLive: description.source === 'live',
        }),
        this.bar.root,
      ),
    );
    this.clock.onChange(() => this.scene.update(this.clock.time));
    this.stage.onFrame((seconds) => this.clock.advance(seconds));
    this.watchTheme();
    this.watchSource();
  }

  async load(progress: (done: number, all: number) => void): Promise<void> {
    await this.scene.load(progress);
    this.scene.update(this.clock.time);
    this.scene.fit();
  }

  private watchTheme(): void {
    const root = document.documentElement;
    const apply = () => this.scene.setTheme((root.getAttribute('data-theme') ?? 'light') as Theme);
    new MutationObserver(apply).observe(root, { attributeFilter: ['data-theme'] });
    apply();
  }

  private watchSource(): void {
    const { clock } = this;
    if (this.source.document.source === 'live') clock.isFollowing = true;
    this.source.listen({
      rows: () => this.scene.refresh(),
      marks: () => this.bar.drawMarks(),
      clock: ({ now_s }) => {
        clock.setRange(clock.start, now_s);
        this.bar.drawMarks();
      },
      document: () => location.reload(),
      connection: () => {},
    });
  }

  private has(kind: string): boolean {
    return this.source.document.runs.some((run) => run.marks.some((mark) => mark.kind === kind));
  }

  // To the next mark of a kind, from the start again after the last.
  goTo(kind: string): void {
    const times = marksOf(this.runs)
      .filter(({ mark }) => mark.kind === kind)
      .map(({ mark }) => mark.t_s);
    const next = nextTime(times, this.clock.time, 1) ?? times[0];
    if (next !== undefined) this.clock.setTime(next);
  }

  step(direction: 1 | -1): void {
    const times = marksOf(this.runs).map(({ mark }) => mark.t_s);
    const { start, end, time } = this.clock;
    const next = nextTime(times, time, direction) ?? (direction > 0 ? end : start);
    this.clock.pause();
    this.clock.setTime(next);
  }

  setRunVisible(index: number, isVisible: boolean): void {
    this.runs[index].isVisible = isVisible;
    this.scene.applyShown();
    this.scene.refresh();
    this.bar.drawMarks();
  }

  // Pose of a frame in the world, from the rows themselves.
  async framePose(index: number, name: string, t = this.clock.time) {
    const state = this.runs[index];
    const frame = state.scene.frames.findIndex((one) => one.name === name);
    if (frame < 0) throw new Error(`run ${state.run.label} has no frame ${name}`);
    const poses = new Poses(state.scene.frames);
    const table = state.table('/tf');
    if (table) {
      const row = Math.max(0, await state.rowAt(table, t));
      const columns = await this.source.rows(
        index,
        table.id,
        table.columns.map((_, i) => i),
        row,
        row + 2,
      );
      poses.update({ columns, index: 0, hasNext: columns[0].length > 1, row }, t);
    }
    return {
      p: [...poses.positions.subarray(3 * frame, 3 * frame + 3)],
      q: [...poses.quaternions.subarray(4 * frame, 4 * frame + 4)],
    };
  }

  stats() {
    const rows = this.runs.reduce(
      (sum, run) => sum + run.run.tables.reduce((more, table) => more + run.rowsOf(table), 0),
      0,
    );
    return { fps: this.stage.fps, rows, bytes: this.source.bytes };
  }
}

// SPDX-License-Identifier: Apache-2.0
// The whole viewer of one document: scene, time and panels, and what connects them.
import { Theme, hues } from '../shared/colours';
import { button, element } from '../shared/dom';
import { makeThemeButton } from '../shared/theme';
import { Banners } from './banner';
import { commandsOf } from './commands';
import { Context } from './context';
import { keptSeconds } from './data/live_source';
import { LiveState, Source } from './data/source';
import { Keys } from './keys';
import { makeLegend } from './legend';
import { Dock } from './panels/dock';
import { NetworkPanel } from './panels/network_panel';
import { PlotsPanel } from './panels/plots_panel';
import { RunPanel } from './panels/run_panel';
import { SequencePanel } from './panels/sequence_panel';
import { SignalsPanel } from './panels/signals_panel';
import { ValuesPanel } from './panels/values_panel';
import { Poses } from '../shared/scene/poses';
import { SceneView } from './scene/scene_view';
import { Stage } from '../shared/scene/stage';
import { SceneTools } from './scene_tools';
import { makeSplitter } from './splitter';
import { eventTimes } from './time/events';
import { TimeBar } from './time/bar';
import { nextTime } from '../shared/time/clock';
import { makeTransport } from '../shared/time/transport';
import { marksOf } from './runs';

export class Viewer {
  readonly root = element('div', { class: 'viewer' });
  readonly context: Context;
  readonly stage: Stage;
  readonly scene: SceneView;
  readonly tools: SceneTools;
  readonly keys = new Keys();
  readonly side = new Dock('Panels');
  readonly below = new Dock('Plots');
  readonly signals: SignalsPanel;
  readonly themeButton: HTMLButtonElement;
  private readonly plots: PlotsPanel;
  private readonly about: RunPanel;
  private readonly bar: TimeBar;
  private readonly banners: Banners;
  private readonly liveWords = element('span', { class: 'live-words', role: 'status' });

  constructor(readonly source: Source) {
    const context = new Context(source);
    this.context = context;
    const host = element('div', { class: 'stage' });
    this.stage = new Stage(host);
    this.scene = new SceneView(this.stage, context);
    this.tools = new SceneTools(context, this.scene, this.stage);
    this.bar = new TimeBar(context.clock, context.runs);
    this.banners = new Banners(context);
    this.plots = new PlotsPanel(context);
    this.signals = new SignalsPanel(context, (signal, isNew) => this.plots.add(signal, isNew));
    this.about = new RunPanel(context);
    this.themeButton = makeThemeButton((name) =>
      hues[name].map((hue, i) => `--hue-${i}:${hue};`).join(''),
    );
    const network = new NetworkPanel(context);
    const sequence = new SequencePanel(context);
    const panels = [this.signals, new ValuesPanel(context), network, sequence, this.about];
    const narrow = matchMedia('(max-width: 760px)');
    const dock = () => {
      this.root.classList.toggle('narrow', narrow.matches);
      if (!narrow.matches) this.below.set([this.plots]);
      this.side.set(narrow.matches ? [this.plots, ...panels] : panels);
    };
    host.append(this.tools.root);
    this.root.append(...this.parts(host));
    narrow.addEventListener('change', dock);
    dock();
    context.on('runs', () => this.bar.drawMarks());
    this.stage.onFrame((seconds) => context.clock.advance(seconds));
    this.watchTheme();
    this.watchSource();
    this.keys.add(...commandsOf(this));
    this.plotFirst();
  }

  private parts(host: HTMLElement): HTMLElement[] {
    const { context } = this;
    const { title } = this.source.document;
    const help = button('?', 'Keyboard and mouse (?)', () => this.keys.toggleSheet());
    help.setAttribute('aria-label', 'Help');
    const head = element(
      'header',
      { class: 'head' },
      element('h1', { title }, title),
      makeLegend(context),
      element('div', { class: 'head-tools' }, this.liveWords, this.themeButton, help),
    );
    const time = element(
      'div',
      { class: 'time' },
      makeTransport(context.clock, {
        step: (direction) => this.step(direction),
        worst: this.has('worst') ? () => this.goTo('worst') : null,
        isLive: context.isLive,
      }),
      this.bar.root,
    );
    const left = element('div', { class: 'left' }, host, time);
    const right = this.side.root;
    right.classList.add('side');
    this.below.root.classList.add('below');
    left.append(
      makeSplitter('Height of the plots', this.below.root, 'height', { least: 60, part: 0.7 }),
      this.below.root,
    );
    const work = element(
      'div',
      { class: 'work' },
      left,
      makeSplitter('Width of the panels', right, 'width', { least: 180, part: 0.7 }),
      right,
    );
    return [head, this.banners.root, work];
  }

  async load(progress: (done: number, all: number) => void): Promise<void> {
    await this.scene.load(progress).finally(() => this.context.setOpened());
  }

  // Something to look at from the start: how far the run is from its plan, or how the joints move.
  private plotFirst(): void {
    const { tables } = this.context.runs[0].run;
    const pick = (topic: RegExp, column: RegExp) => {
      const table = tables.find((one) => topic.test(one.topic) && one.columns.length > 1);
      const found = table?.columns.slice(1).filter(({ name }) => column.test(name)) ?? [];
      return found.map(({ name, unit }) => ({ topic: table!.topic, column: name, unit }));
    };
    const deviation = pick(/deviation|error/, /./).slice(0, 1);
    const velocities = pick(/joint_states$/, /^velocity|velocity$/);
    const positions = pick(/joint_states$/, /^position|position$/);
    const joints = velocities.length ? velocities : positions;
    const others = pick(/curves$/, /./);
    const signals = [deviation, joints, others].find((some) => some.length) ?? [];
    const count = this.context.runs.length > 1 ? 1 : 3;
    signals.slice(0, count).forEach((signal) => this.plots.add(signal));
  }

  private watchTheme(): void {
    const root = document.documentElement;
    const apply = () => {
      this.context.theme = (root.getAttribute('data-theme') ?? 'light') as Theme;
      this.context.tell('theme');
    };
    new MutationObserver(apply).observe(root, { attributeFilter: ['data-theme'] });
    apply();
  }

  private watchSource(): void {
    const { context } = this;
    if (context.isLive) context.clock.isFollowing = true;
    this.source.listen({
      rows: () => {
        context.tell('data');
        this.scene.grow();
      },
      marks: () => {
        this.bar.drawMarks();
        this.about.draw();
      },
      clock: (state) => this.showLive(state),
      document: () => location.reload(),
      connection: (isUp) => this.banners.setConnection(isUp),
      problem: (run, words) => this.banners.addProblem(run, words),
    });
  }

  private showLive({ now_s, real_time_factor, state }: LiveState): void {
    const { clock } = this.context;
    clock.setRange(Math.max(clock.start, now_s - keptSeconds), now_s);
    this.bar.drawMarks();
    const words = { running: 'running', over: 'run finished', paused: 'paused' }[state];
    const factor = state === 'running' ? `, ${real_time_factor.toFixed(2)}× real time` : '';
    this.liveWords.textContent = `${words}${factor}`;
  }

  private has(kind: string): boolean {
    return this.source.document.runs.some((run) => run.marks.some((mark) => mark.kind === kind));
  }

  // To the next mark of a kind, from the start again after the last.
  goTo(kind: string): void {
    const times = marksOf(this.context.runs)
      .filter(({ mark }) => mark.kind === kind)
      .map(({ mark }) => mark.t_s);
    const { clock } = this.context;
    const next = nextTime(times, clock.time, 1) ?? times[0];
    if (next === undefined) return;
    clock.pause();
    clock.setTime(next);
  }

  // To the next or previous mark or event.
  step(direction: 1 | -1): void {
    const { clock } = this.context;
    clock.pause();
    void eventTimes(this.context).then((times) => {
      const next = nextTime(times, clock.time, direction);
      clock.setTime(next ?? (direction > 0 ? clock.end : clock.start));
    });
  }

  // To the next or previous row of the motion.
  async stepRow(direction: 1 | -1): Promise<void> {
    const { clock } = this.context;
    const state = this.context.visibleRuns()[0] ?? this.context.runs[0];
    const table = state.table('/tf') ?? state.run.tables[0];
    if (!table) return;
    clock.pause();
    const row = await state.rowAt(table, clock.time);
    const from = Math.max(0, row - 1);
    const to = Math.min(state.rowsOf(table), row + 3);
    const [times] = await this.source.rows(state.index, table.id, [0], from, to);
    const next = nextTime([...times], clock.time, direction);
    if (next !== undefined) clock.setTime(next);
  }

  openPanel(id: string): void {
    const dock = this.side.has(id) ? this.side : this.below;
    dock.open(id);
    dock.focusTab();
  }

  searchSignals(): void {
    this.side.open('signals');
    this.signals.search.focus();
    this.signals.search.select();
  }

  // Pose of a frame in the world, from the rows themselves.
  async framePose(index: number, name: string, t = this.context.clock.time) {
    const state = this.context.runs[index];
    const frame = state.scene.frames.findIndex((one) => one.name === name);
    if (frame < 0) throw new Error(`run ${state.run.label} has no frame ${name}`);
    const poses = new Poses(state.scene.frames);
    const table = state.table('/tf');
    if (table) {
      const row = Math.max(0, await state.rowAt(table, t));
      const all = table.columns.map((_, i) => i);
      const to = Math.min(row + 2, state.rowsOf(table));
      const columns = await this.source.rows(index, table.id, all, row, to);
      poses.update({ columns, index: 0, hasNext: columns[0].length > 1, row }, t);
    }
    return {
      p: [...poses.positions.subarray(3 * frame, 3 * frame + 3)],
      q: [...poses.quaternions.subarray(4 * frame, 4 * frame + 4)],
    };
  }

  stats() {
    const rows = this.context.runs.reduce(
      (sum, run) => sum + run.run.tables.reduce((more, table) => more + run.rowsOf(table), 0),
      0,
    );
    return { fps: this.stage.fps, rows, bytes: this.source.bytes };
  }
}

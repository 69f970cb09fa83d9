// SPDX-License-Identifier: Apache-2.0
// Calls of one cycle, or calls and messages around the cursor, as a sequence diagram.
import { button, checkbox, element, select } from '../../shared/dom';
import { grouped, plural, quantity } from '../../shared/format';
import { saveSvg } from '../../shared/save_svg';
import { hideTip, showTip } from '../../shared/tooltip';
import { Context, calmly } from '../context';
import { Table } from '../data/document';
import { rowAt } from '../../shared/data/rows';
import { Source } from '../data/source';
import { RunState } from '../runs';
import { Panel } from './dock';
import { Messages } from './messages';
import {
  Cycle,
  Diagram,
  Talk,
  bodySvg,
  cycleAt,
  cycleOf,
  extremeCycle,
  headSvg,
  isBelowHead,
  layOutSequence,
  partOfCycle,
  talkAt,
  talkOfCall,
  talkOfMessage,
  within,
  wordsOf,
} from './sequence';

const mostRows = 8000; // that are read for one diagram
const mostTalks = 3000; // that are drawn
const spans = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
const svgName = 'http://www.w3.org/2000/svg';

// What components of one run said, from the tables of their calls and cycles.
class Calls {
  private times: Float64Array | null = null;
  private kept: Cycle[] = [];
  private keptRows = -1;
  private readonly calls: Table | undefined;
  private readonly cycleTable: Table | undefined;

  constructor(
    private readonly source: Source,
    private readonly state: RunState,
  ) {
    // of several systems of components, the one that has cycles
    const { tables } = state.run;
    this.cycleTable = tables.find(({ type }) => type === 'longarm/Cycle');
    const system = this.cycleTable?.topic.replace(/\/cycles$/, '');
    const calls = tables.filter(({ type }) => type === 'longarm/Call');
    this.calls = calls.find(({ topic }) => topic === `${system}/calls`) ?? calls[0];
  }

  get isRecorded(): boolean {
    return this.calls !== undefined;
  }

  async cycles(): Promise<Cycle[]> {
    if (!this.cycleTable) return [];
    const rows = this.state.rowsOf(this.cycleTable);
    if (rows === this.keptRows) return this.kept;
    const texts = await this.source.texts(this.state.index, this.cycleTable.id, 0, rows);
    this.kept = texts.map((text) => cycleOf(JSON.parse(text || '{}') as object));
    this.keptRows = rows;
    return this.kept;
  }

  // Those under way within the window. A row is written when its call is over, hence some later ones are read as well;
  // of calls that take more than fifty times the window, and more than half a second, the beginning is not seen.
  async between([from, to]: [number, number]): Promise<{ talks: Talk[]; isCut: boolean }> {
    const table = this.calls!;
    const local = this.source.local(this.state.index, table.id);
    if (!local) this.times ??= await this.state.times(table);
    const times = local ? local.column(0) : this.times!;
    const count = local ? local.rows : times.length;
    const first = rowAt(times, count, from - 1e-9) + 1;
    const until = to + Math.min(0.5, 50 * (to - from));
    const last = rowAt(times, count, until) + 1;
    const end = Math.min(last, first + mostRows);
    const isCut = end < rowAt(times, count, to) + 1;
    const texts = await this.source.texts(this.state.index, table.id, first, end);
    const talks = texts.map((text) => talkOfCall(JSON.parse(text || '{}') as object));
    return { talks: within(talks, [from, to]), isCut };
  }
}

interface View {
  window: [number, number];
  cycle: Cycle | null;
  diagram: Diagram;
}

export class SequencePanel implements Panel {
  readonly id = 'sequence';
  readonly title = 'Sequence';
  readonly root = element('div', { class: 'panel sequence' });
  private readonly states: RunState[];
  private readonly calls = new Map<RunState, Calls>();
  private readonly messages = new Map<RunState, Messages>();
  private readonly hostsOf = new Map<RunState, Map<string, string>>();
  private cycles: Cycle[] = [];
  private view: View | null = null;
  private drawnAs = '';
  private asked = 0;
  private zoom = 1;
  private chosen = -1;
  private isByWindow = false;
  private isMessages = false;
  private isAll = false;
  private isByHost = false;
  private span: number | null = null; // null: chosen by how much is said
  private readonly run: HTMLSelectElement;
  private readonly what: HTMLElement;
  private readonly range: HTMLElement;
  private readonly spanChoice: HTMLElement;
  private readonly cycleTools: HTMLElement;
  private readonly all: HTMLElement;
  private readonly hosts: HTMLElement;
  private readonly filter: HTMLInputElement;
  private readonly words = element('p', { class: 'seq-words', role: 'status' });
  private readonly note = element('p', { class: 'hint', hidden: true });
  private readonly detail = element('dl', { class: 'seq-detail', hidden: true });
  private readonly host = element('div', {
    class: 'seq-host-box',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Sequence diagram: up and down choose a call, + and - zoom',
  });
  private readonly legend = this.makeLegend();
  private readonly svg = document.createElementNS(svgName, 'svg');
  private readonly body = document.createElementNS(svgName, 'g');
  private readonly cursor = document.createElementNS(svgName, 'line');
  private readonly head = document.createElementNS(svgName, 'g');
  private readonly updateSoon = calmly(150, () => void this.update());

  constructor(private readonly context: Context) {
    const { runs, clock, source } = context;
    for (const state of runs) {
      const calls = new Calls(source, state);
      const messages = new Messages(source, state);
      if (calls.isRecorded) this.calls.set(state, calls);
      if (messages.isRecorded) this.messages.set(state, messages);
    }
    this.states = runs.filter((state) => this.calls.has(state) || this.messages.has(state));
    this.run = element(
      'select',
      { 'aria-label': 'Run', change: () => this.again() },
      ...this.states.map(({ run }) => element('option', {}, run.label)),
    );
    this.run.hidden = this.states.length < 2;
    this.what = select('of', ['calls', 'messages between hosts'], 0, (i) => {
      this.isMessages = i === 1;
      this.again();
    });
    this.range = select('Show', ['one cycle', 'a time window'], 0, (i) => {
      this.isByWindow = i === 1;
      this.again();
    });
    const lengths = ['automatic', ...spans.map((span) => quantity(span, 's', 3))];
    this.spanChoice = select('Window', lengths, 0, (i) => {
      this.span = i === 0 ? null : spans[i - 1];
      this.again();
    });
    const go = (words: string, title: string, find: () => number) =>
      button(words, title, () => this.goTo(find()));
    const step = (by: number) => () => cycleAt(this.cycles, clock.time) + by;
    this.cycleTools = element(
      'span',
      { class: 'seq-cycles', role: 'group', 'aria-label': 'Choose a cycle' },
      go('◂', 'Previous cycle', step(-1)),
      go('▸', 'Next cycle', step(1)),
      go('Longest', 'Longest cycle', () => extremeCycle(this.cycles, 1)),
      go('Shortest', 'Shortest cycle', () => extremeCycle(this.cycles, -1)),
    );
    this.all = checkbox('other calls', false, (on) => {
      this.isAll = on;
      this.again();
    });
    this.all.title = 'Also show simultaneous calls outside the cycle';
    this.hosts = checkbox('one line per host', false, (on) => {
      this.isByHost = on;
      this.again();
    });
    this.filter = element('input', {
      type: 'search',
      class: 'seq-filter',
      placeholder: 'Filter names',
      'aria-label': 'Filter by component, host or method',
      input: () => this.again(),
    });
    const large = button('⤢', 'Enlarge or restore', () => {
      const isLarge = this.root.classList.toggle('large');
      large.setAttribute('aria-pressed', String(isLarge));
      this.again();
    });
    large.setAttribute('aria-label', 'Large');
    if (!this.states.length) {
      this.root.append(
        element(
          'p',
          { class: 'hint' },
          'These runs recorded neither calls nor messages. Record component calls with --set record.calls=true and network messages with --set record.packets=true.',
        ),
      );
      return;
    }
    this.buildSvg();
    this.root.append(
      element(
        'div',
        { class: 'seq-tools' },
        this.run,
        this.range,
        this.spanChoice,
        this.what,
        this.cycleTools,
        this.all,
        this.hosts,
        this.filter,
        element(
          'span',
          { class: 'seq-cycles', role: 'group', 'aria-label': 'Zoom' },
          button('−', 'Zoom out (−)', () => this.zoomBy(1 / 1.5)),
          button('+', 'Zoom in (+)', () => this.zoomBy(1.5)),
          button('Fit', 'Fit the whole time (0)', () => this.zoomBy(0)),
          button('SVG', 'Save as SVG', () => this.save()),
          large,
        ),
      ),
      this.words,
      this.note,
      this.host,
      this.legend,
      this.detail,
    );
    this.listen();
  }

  private makeLegend(): HTMLElement {
    const entry = (kind: string, words: string, sign = '') =>
      element(
        'span',
        { 'data-of': kind },
        element('span', { class: `seq-key ${kind}` }, sign),
        words,
      );
    return element(
      'p',
      { class: 'seq-legend' },
      entry('of-call', 'call'),
      entry('answer', 'answer'),
      entry('of-publish', 'publication'),
      entry('of-message', 'message'),
      entry('reading', 'reads'),
      entry('waiting', 'waits for a thread or core'),
      entry('working', 'works'),
      entry('failed', 'lost or failed', '✕'),
    );
  }

  // Only what is in the diagram.
  private drawLegend(): void {
    for (const one of this.legend.children) {
      const kind = (one as HTMLElement).dataset.of!;
      (one as HTMLElement).hidden = this.body.querySelector(`.${kind}`) === null;
    }
  }

  private buildSvg(): void {
    this.svg.setAttribute('class', 'seq');
    this.svg.setAttribute('role', 'img');
    this.svg.setAttribute('aria-label', 'Sequence diagram');
    const defs = document.createElementNS(svgName, 'defs');
    // mid-grey lines stand out from light and dark paper
    defs.innerHTML =
      '<pattern id="seq-hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
      '<rect width="4" height="4" fill="#8a93a0" fill-opacity="0.12"/>' +
      '<line x1="0.5" x2="0.5" y1="0" y2="4" stroke="#8a93a0" stroke-width="1.6"/></pattern>';
    this.cursor.setAttribute('class', 'seq-cursor');
    this.cursor.setAttribute('data-screen-only', '');
    this.svg.append(defs, this.body, this.cursor, this.head);
    this.host.append(this.svg);
  }

  private listen(): void {
    const { clock } = this.context;
    clock.onChange(() => this.moved());
    this.context.on('data', () => this.updateSoon());
    this.host.addEventListener('scroll', () => this.placeHead());
    new ResizeObserver(() => {
      if (this.isInSight) this.updateSoon();
    }).observe(this.root);
    this.host.addEventListener('pointermove', (event) => this.point(event));
    this.host.addEventListener('pointerleave', () => {
      hideTip();
      this.mark('near', -1);
    });
    this.host.addEventListener('click', (event) => this.clicked(event));
    this.host.addEventListener('keydown', (event) => this.pressed(event));
    this.root.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.root.classList.contains('large')) {
        this.root.querySelector<HTMLElement>('[aria-label=Large]')?.click();
        event.stopPropagation();
      }
    });
    this.host.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientY);
      },
      { passive: false },
    );
  }

  shown(): void {
    void this.update();
  }

  // What is fixed on the page has no offsetParent.
  private get isInSight(): boolean {
    return this.root.clientWidth > 0;
  }

  private get state(): RunState {
    return this.states[Math.max(0, this.run.selectedIndex)];
  }

  private readonly hostOf = (name: string): string => {
    const { state } = this;
    if (!this.hostsOf.has(state)) {
      const nodes = state.run.network?.nodes ?? [];
      const own = nodes.map(({ name: host }) => [host, host] as const);
      const actors = nodes.flatMap((node) =>
        (node.actors ?? []).map((actor) => [actor, node.name] as const),
      );
      this.hostsOf.set(state, new Map([...own, ...actors]));
    }
    return this.hostsOf.get(state)!.get(name) ?? '';
  };

  private again(): void {
    this.drawnAs = '';
    this.chosen = -1;
    void this.update();
  }

  private moved(): void {
    if (!this.states.length || !this.isInSight) return;
    this.drawCursor();
    this.updateSoon();
  }

  private goTo(cycle: number): void {
    const { clock } = this.context;
    const found = this.cycles[Math.min(cycle, this.cycles.length - 1)];
    if (!found || cycle < 0) return;
    clock.pause();
    clock.setTime(found.start);
    void this.update();
  }

  private async update(): Promise<void> {
    if (!this.states.length || !this.isInSight) return;
    const turn = ++this.asked;
    try {
      const { state } = this;
      const calls = this.calls.get(state);
      const hasBoth = calls !== undefined && this.messages.has(state);
      this.what.hidden = !hasBoth;
      const fromCalls = calls && !(hasBoth && this.isMessages) ? calls : null;
      const cycles = fromCalls ? await fromCalls.cycles() : [];
      if (turn !== this.asked) return;
      this.cycles = cycles;
      const isOfCycle = cycles.length > 0 && !this.isByWindow;
      this.range.hidden = !cycles.length;
      this.spanChoice.hidden = isOfCycle;
      this.cycleTools.hidden = !isOfCycle;
      this.all.hidden = !isOfCycle;
      this.hosts.hidden = !fromCalls;
      if (isOfCycle) await this.showCycle(fromCalls!, turn);
      else await this.showWindow(fromCalls, turn);
    } catch (error) {
      console.warn(error);
    }
  }

  private async showCycle(calls: Calls, turn: number): Promise<void> {
    const index = cycleAt(this.cycles, this.context.clock.time);
    const cycle = this.cycles[index];
    const margin = 0.03 * (cycle.end - cycle.start);
    const window: [number, number] = [cycle.start - margin, cycle.end + margin];
    const what = `cycle ${cycle.number}`;
    if (this.isDrawn(what, window)) return;
    const { talks } = await calls.between([cycle.start, cycle.end]);
    if (turn !== this.asked) return;
    const own = this.isAll ? talks : partOfCycle(talks, cycle);
    const state = cycle.isFailed ? ', failed' : cycle.isCounted ? '' : ', not in the figures';
    this.words.replaceChildren(
      `Cycle ${grouped(cycle.number)} of ${grouped(this.cycles.at(-1)!.number)}, ${cycle.component}: `,
      element(
        'b',
        { 'data-seconds': cycle.end - cycle.start },
        quantity(cycle.end - cycle.start, 's', 5),
      ),
      `, ${plural(cycle.calls, 'call')}${state}`,
    );
    this.draw(own, talks.length - own.length, window, cycle, what);
  }

  private async showWindow(calls: Calls | null, turn: number): Promise<void> {
    const t = this.context.clock.time;
    const messages = calls ? null : this.messages.get(this.state)!;
    const near = messages ? (await messages.around(t)).map(talkOfMessage) : null;
    const span = this.span ?? (await this.fittingSpan(calls, near, t));
    if (turn !== this.asked) return;
    // on a grid, so that the cursor moves and the diagram rests
    const start = Math.max(this.state.run.start_s, Math.floor(t / span + 1e-9) * span);
    const window: [number, number] = [start, start + span];
    const what = `window ${window.join()}`;
    if (this.isDrawn(what, window)) return;
    const found = near
      ? { talks: within(near, window), isCut: near.length > 300 && near.at(-1)!.sent < window[1] }
      : await calls!.between(window);
    if (turn !== this.asked) return;
    const count = found.talks.length;
    const noun = near ? 'message' : 'call or publication';
    const many = near ? 'messages' : 'calls and publications';
    this.words.textContent =
      `${start.toFixed(6)}\u202fs to ${window[1].toFixed(6)}\u202fs: ${plural(count, noun, many)}` +
      (found.isCut ? '; incomplete, choose a shorter window' : '');
    this.draw(found.talks, 0, window, null, what);
  }

  // The longest window with no more than about forty arrows.
  private async fittingSpan(calls: Calls | null, near: Talk[] | null, t: number): Promise<number> {
    const read = async (span: number) =>
      near
        ? within(near, [t - span / 2, t + span / 2]).length
        : (await calls!.between([t - span / 2, t + span / 2])).talks.length;
    const at = spans.find((span) => span === 0.02)!;
    const rate = Math.max(1, await read(at)) / at;
    return [...spans].reverse().find((span) => span * rate <= 40) ?? spans[0];
  }

  private keyOf(what: string): string {
    const { clientWidth, clientHeight } = this.host;
    return `${what} ${clientWidth} ${clientHeight} ${this.run.selectedIndex} ${this.zoom}`;
  }

  // While a run goes on, a window at its end gets more rows.
  private isDrawn(what: string, [, end]: [number, number]): boolean {
    const isGrowing = this.context.isLive && end + 0.5 > this.context.clock.end;
    return this.keyOf(what) === this.drawnAs && !isGrowing;
  }

  private draw(
    talks: Talk[],
    others: number,
    window: [number, number],
    cycle: Cycle | null,
    what: string,
  ): void {
    this.drawnAs = this.keyOf(what);
    if (!this.view || this.view.cycle?.number !== cycle?.number) this.chosen = -1;
    const filter = this.filter.value.trim().toLowerCase();
    const matching = talks.filter(
      (talk) =>
        !filter ||
        [talk.from, talk.to, talk.name, this.hostOf(talk.from), this.hostOf(talk.to)].some((word) =>
          word.toLowerCase().includes(filter),
        ),
    );
    const drawn = matching.slice(0, mostTalks);
    const origin = cycle?.start ?? window[0];
    const diagram = layOutSequence(drawn, {
      window,
      width: this.host.clientWidth - 14,
      height: this.host.clientHeight - 14,
      zoom: this.zoom,
      origin,
      hostOf: this.hostOf,
      byHost: this.isByHost,
    });
    this.view = { window, cycle, diagram };
    this.noteHidden(talks.length - matching.length, matching.length - drawn.length, others);
    const { width, height, top, bottom } = diagram;
    this.svg.setAttribute('width', String(width));
    this.svg.setAttribute('height', String(height));
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const y = (t: number) => top + ((t - window[0]) / (window[1] - window[0])) * (bottom - top);
    const band = cycle ? { from: y(cycle.start), to: y(cycle.end) } : null;
    this.body.innerHTML = bodySvg(diagram, band);
    this.head.innerHTML = headSvg(diagram, `${origin.toFixed(5)}\u202fs`);
    this.drawLegend();
    this.placeHead();
    this.drawCursor();
    this.mark('chosen', this.chosen);
    this.showDetail();
  }

  private noteHidden(filtered: number, tooMany: number, others: number): void {
    const known = new Set(this.state.run.network?.nodes.flatMap(({ actors }) => actors ?? []));
    const used = new Set(this.view!.diagram.lines.map(({ name }) => name));
    const silent = this.isByHost ? 0 : [...known].filter((name) => !used.has(name)).length;
    const isOfCalls = this.view!.diagram.talks.some(({ kind }) => kind !== 'message');
    const words = [
      others ? `${plural(others, 'call')} outside the cycle` : '',
      filtered ? `${grouped(filtered)} by the filter` : '',
      tooMany ? `${grouped(tooMany)} beyond the first ${grouped(mostTalks)}` : '',
      silent && isOfCalls ? `${plural(silent, 'actor')} without a call here` : '',
    ].filter(Boolean);
    this.note.hidden = !words.length;
    this.note.textContent = `Hidden: ${words.join(', ')}.`;
  }

  private placeHead(): void {
    this.head.setAttribute('transform', `translate(0,${this.host.scrollTop})`);
  }

  private drawCursor(): void {
    if (!this.view) return;
    const { window, diagram } = this.view;
    const t = this.context.clock.time;
    const part = (t - window[0]) / (window[1] - window[0]);
    const isInside = part >= 0 && part <= 1;
    this.cursor.setAttribute('visibility', isInside ? 'visible' : 'hidden');
    const y = String(diagram.top + part * (diagram.bottom - diagram.top));
    this.cursor.setAttribute('y1', y);
    this.cursor.setAttribute('y2', y);
    this.cursor.setAttribute('x1', '0');
    this.cursor.setAttribute('x2', String(diagram.width));
  }

  private place(event: MouseEvent): [number, number] {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private talkUnder(event: MouseEvent): number {
    if (!this.view) return -1;
    const [x, y] = this.place(event);
    const { diagram } = this.view;
    return isBelowHead(diagram, y - this.host.scrollTop) ? talkAt(diagram, x, y) : -1;
  }

  private point(event: MouseEvent): void {
    const index = this.talkUnder(event);
    this.mark('near', index);
    this.host.classList.toggle('over', index >= 0);
    if (index < 0) {
      hideTip();
      return;
    }
    const talk = this.view!.diagram.talks[index];
    const lines = wordsOf(talk, this.hostOf).map(([label, value]) => ({ label, value }));
    showTip(event, talk.name, lines);
  }

  private mark(name: 'near' | 'chosen', index: number): void {
    for (const one of this.body.querySelectorAll(`.${name}`)) one.classList.remove(name);
    if (index < 0) return;
    for (const one of this.body.querySelectorAll(`[data-talk="${index}"]`)) one.classList.add(name);
  }

  private clicked(event: MouseEvent): void {
    if (!this.view) return;
    const index = this.talkUnder(event);
    if (index >= 0) {
      this.choose(index);
      return;
    }
    const [, y] = this.place(event);
    const { window, diagram } = this.view;
    if (!isBelowHead(diagram, y - this.host.scrollTop)) return;
    const part = (y - diagram.top) / (diagram.bottom - diagram.top);
    this.setTime(window[0] + part * (window[1] - window[0]));
  }

  // Within the cycle or window: to leave it would draw another.
  private setTime(t: number): void {
    const { window, cycle } = this.view!;
    const { clock } = this.context;
    clock.pause();
    clock.setTime(Math.max(cycle?.start ?? window[0], Math.min(t, window[1])));
  }

  private choose(index: number): void {
    const talk = this.view!.diagram.talks[index];
    this.chosen = index;
    this.mark('chosen', index);
    this.showDetail();
    this.setTime(talk.sent);
  }

  private showDetail(): void {
    const talk = this.view?.diagram.talks[this.chosen];
    this.detail.hidden = !talk;
    if (!talk) return;
    this.detail.replaceChildren(
      element('dt', {}, 'name'),
      element('dd', {}, talk.name),
      ...wordsOf(talk, this.hostOf).flatMap(([label, value]) => [
        element('dt', {}, label),
        element('dd', {}, value),
      ]),
    );
  }

  private pressed(event: KeyboardEvent): void {
    if (!this.view || event.ctrlKey || event.altKey || event.metaKey) return;
    const { talks, arrows } = this.view.diagram;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const zoom = { '+': 1.5, '=': 1.5, '-': 1 / 1.5, '0': 0 }[event.key];
    if (by && talks.length) {
      const order = talks.map((_, i) => i).sort((a, b) => talks[a].sent - talks[b].sent);
      const at = order.indexOf(this.chosen);
      const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
      if (order[next] === undefined) return;
      this.choose(order[next]);
      const arrow = arrows.find(({ talk }) => talk === order[next])!;
      const { scrollTop, clientHeight } = this.host;
      const { top } = this.view.diagram;
      if (arrow.y1 < scrollTop + top || arrow.y2 > scrollTop + clientHeight)
        this.host.scrollTop = arrow.y1 - top - 20;
    } else if (zoom !== undefined) this.zoomBy(zoom);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // 0: the whole window. What is at `clientY`, or in the middle, stays there.
  private zoomBy(factor: number, clientY?: number): void {
    const box = this.host.getBoundingClientRect();
    const at = clientY === undefined ? this.host.clientHeight / 2 : clientY - box.top;
    const { top = 0, bottom = 1 } = this.view?.diagram ?? {};
    const part = (this.host.scrollTop + at - top) / (bottom - top);
    this.zoom = factor === 0 ? 1 : Math.max(1, Math.min(60, this.zoom * factor));
    this.drawnAs = '';
    void this.update().then(() => {
      const after = this.view?.diagram;
      if (after) this.host.scrollTop = after.top + part * (after.bottom - after.top) - at;
      this.placeHead();
    });
  }

  private save(): void {
    if (!this.view) return;
    this.head.removeAttribute('transform');
    const { cycle, window } = this.view;
    const name = cycle ? `cycle-${cycle.number}` : `${window[0].toFixed(4)}s`;
    saveSvg(this.svg, `${this.state.run.label}-sequence-${name}`);
    this.placeHead();
  }
}

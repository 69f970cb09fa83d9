// SPDX-License-Identifier: Apache-2.0
// What scene, time and panels share: the data, the shown time, the runs and the theme.
import { Theme } from '../shared/colours';
import { Source } from './data/source';
import { RunState } from './runs';
import { Clock } from '../shared/time/clock';

type Listener = () => void;

export class Context {
  readonly clock: Clock;
  readonly runs: RunState[];
  theme: Theme = 'light';
  readonly opened: Promise<void>; // the scene is there
  isOpened = false;
  setOpened: () => void = () => {};
  private readonly listeners: Record<'runs' | 'data' | 'theme', Listener[]> = {
    runs: [],
    data: [],
    theme: [],
  };

  constructor(readonly source: Source) {
    this.opened = new Promise((done) => {
      this.setOpened = () => {
        this.isOpened = true;
        done();
      };
    });
    const { runs } = source.document;
    this.runs = runs.map((_, i) => new RunState(source, i, () => this.tell('data')));
    const start = Math.min(...runs.map((run) => run.start_s));
    // of a live run, the end is where it will be, not where it is
    const end = this.isLive ? start : Math.max(...runs.map((run) => run.end_s));
    this.clock = new Clock(start, end);
  }

  // 'runs': one was switched on or off; 'data': rows have come; 'theme': light or dark.
  on(what: 'runs' | 'data' | 'theme', listener: Listener): void {
    this.listeners[what].push(listener);
  }

  tell(what: 'runs' | 'data' | 'theme'): void {
    for (const listener of this.listeners[what]) listener();
  }

  get isLive(): boolean {
    return this.source.document.source === 'live';
  }

  visibleRuns(): RunState[] {
    return this.runs.filter((run) => run.isVisible);
  }

  setRunVisible(index: number, isVisible: boolean): void {
    this.runs[index].isVisible = isVisible;
    this.tell('runs');
  }
}

// Calls a function at most every `milliseconds`, and once more after the last wish.
export function calmly(milliseconds: number, act: () => void): () => void {
  let isWaiting = false;
  let last = 0;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    const wait = Math.max(0, last + milliseconds - performance.now());
    setTimeout(() => {
      isWaiting = false;
      last = performance.now();
      act();
    }, wait);
  };
}

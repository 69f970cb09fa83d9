// SPDX-License-Identifier: Apache-2.0
// Finds out where the data is, and builds the viewer from it.
import { FileSource } from './data/file_source';
import { LiveSource } from './data/live_source';
import { ServedSource } from './data/served_source';
import { Source } from './data/source';
import { Viewer } from './viewer';

const main = document.getElementById('view')!;
const loading = document.getElementById('loading')!;
const say = (words: string) => {
  loading.textContent = words;
};

async function openSource(): Promise<Source> {
  const raw = JSON.parse(document.getElementById('view-data')!.textContent || '{}') as {
    source?: string;
  };
  if (raw.source === 'served')
    return ServedSource.open((part) => say(`Loading the run… ${Math.round(100 * part)} %`));
  if (raw.source === 'live') {
    say('Waiting for the run to start…');
    return LiveSource.open(say);
  }
  if (raw.source === 'file') return new FileSource(raw);
  throw new Error('This page contains no run. Create one with `longarm view RUN --out run.html`.');
}

async function start(): Promise<Viewer> {
  const source = await openSource();
  document.title = `${source.document.title} – Longarm`;
  const viewer = new Viewer(source);
  main.append(viewer.root);
  await viewer.load((done, all) => say(`Loading shapes… ${done} of ${all}`));
  loading.remove();
  return viewer;
}

const ready = start();
ready.catch((error: unknown) => {
  say(`The run cannot be shown. ${error instanceof Error ? error.message : String(error)}`);
  loading.classList.add('failure');
  loading.setAttribute('role', 'alert');
  console.error(error);
});

// For tests, and for people at the browser's console.
const shown = { viewer: null as Viewer | null };
void ready.then((viewer) => {
  shown.viewer = viewer;
});
const viewer = (): Viewer => {
  if (!shown.viewer) throw new Error('The viewer is not ready yet.');
  return shown.viewer;
};
const longarmView = {
  ready: ready.then(() => true),
  time: () => viewer().context.clock.time,
  setTime: (t: number) => viewer().context.clock.setTime(t),
  play: () => viewer().context.clock.play(),
  pause: () => viewer().context.clock.pause(),
  value: (run: number, topic: string, column: string, t?: number) =>
    viewer().context.runs[run].value(topic, column, t ?? viewer().context.clock.time),
  runs: () =>
    viewer().context.runs.map(({ run, isVisible }) => ({
      label: run.label,
      role: run.role,
      isVisible,
    })),
  setRunVisible: (run: number, isVisible: boolean) =>
    viewer().context.setRunVisible(run, isVisible),
  framePose: (run: number, frame: string, t?: number) => viewer().framePose(run, frame, t),
  stats: () => viewer().stats(),
  viewer,
};
longarmView.ready.catch(() => {});
(window as unknown as { longarmView: typeof longarmView }).longarmView = longarmView;

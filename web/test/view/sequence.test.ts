// SPDX-License-Identifier: Apache-2.0
// Sequence diagrams from rows of calls, cycles and messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Message } from '../../src/view/panels/messages';
import {
  LayoutOptions,
  bodySvg,
  cycleAt,
  cycleOf,
  extremeCycle,
  headSvg,
  layOutSequence,
  partOfCycle,
  talkAt,
  talkOfCall,
  talkOfMessage,
  within,
  wordsOf,
} from '../../src/view/panels/sequence';

// A calls B, which calls C on its own host; D calls C meanwhile.
const call = (caller: string, callee: string, times: number[], more = {}) =>
  talkOfCall({
    kind: 'call',
    caller,
    callee,
    method: `${caller}${callee}`,
    remote: true,
    failed: false,
    sent_s: times[0],
    delivered_s: times[1],
    arrived_s: times[2],
    started_s: times[3],
    core_wait_s: times[4],
    finished_s: times[5],
    answered_s: times[6],
    ...more,
  });
const talks = [
  call('A', 'B', [1, 2, 2.5, 3, 1, 8, 9], { request_bytes: 10, reply_bytes: 20 }),
  call('B', 'C', [5, 5.5, 5.5, 5.5, 0, 6, 7], { remote: false }),
  call('D', 'C', [5, 5.6, 5.6, 5.6, 0, 6.5, 7.5]),
  call('A', 'B', [20, 21, 21, 21, 0, 22, 23]),
];
const cycle = cycleOf({ component: 'A', number: 1, started_s: 1, ended_s: 9, calls: 1 });
const hosts: Record<string, string> = { A: 'pc1', B: 'pc2', C: 'pc2', D: 'pc3' };
const options: LayoutOptions = {
  window: [0, 10],
  width: 800,
  height: 600,
  zoom: 1,
  origin: 0,
  hostOf: (name) => hosts[name] ?? '',
  byHost: false,
};

test('A cycle has its calls and those that their servers made on the way, no others', () => {
  assert.deepEqual(
    partOfCycle(talks, cycle).map(({ name }) => name),
    ['AB', 'BC'],
  );
});

test('A window has what was under way in it', () => {
  assert.equal(within(talks, [8.5, 19]).length, 1);
  assert.equal(within(talks, [7.6, 7.7]).length, 1);
  assert.equal(within(talks, [9.5, 19]).length, 0);
});

test('The cycle at a time is the last that has begun; the longest is one of those that count', () => {
  const cycles = [
    cycleOf({ started_s: 0, ended_s: 9, counted: false }),
    cycleOf({ started_s: 10, ended_s: 12, counted: true }),
    cycleOf({ started_s: 20, ended_s: 23, counted: true }),
    cycleOf({ started_s: 30, ended_s: 31, counted: true }),
  ];
  assert.deepEqual(
    [-1, 0, 9.9, 10, 29, 99].map((t) => cycleAt(cycles, t)),
    [0, 0, 0, 1, 2, 3],
  );
  assert.equal(extremeCycle(cycles, 1), 2);
  assert.equal(extremeCycle(cycles, -1), 3);
  assert.equal(extremeCycle(cycles.slice(0, 1), 1), -1);
});

test('Lifelines are those that take part, by host in the order in which they speak', () => {
  const { lines, hosts: bands } = layOutSequence(talks.slice(0, 2), options);
  assert.deepEqual(
    lines.map(({ name }) => name),
    ['A', 'B', 'C'],
  );
  assert.deepEqual(
    bands.map(({ name }) => name),
    ['pc1', 'pc2'],
  );
  assert.ok(Math.abs(bands[1].width - 2 * bands[0].width) < 1e-9);
});

test('Arrows are slanted by the time that they take', () => {
  const diagram = layOutSequence(talks.slice(0, 1), options);
  const second = (diagram.bottom - diagram.top) / 10;
  const [request, answer] = diagram.arrows;
  assert.equal(request.part, 'request');
  assert.ok(Math.abs(request.y2 - request.y1 - second) < 1e-9);
  assert.ok(Math.abs(answer.y1 - diagram.top - 8 * second) < 1e-9);
  assert.ok(Math.abs(answer.y2 - answer.y1 - second) < 1e-9);
  assert.ok(request.x1 < request.x2 && answer.x2 === request.x1);
});

test('A bar reads, waits for a thread and a core, then works', () => {
  const { bars, bottom, top } = layOutSequence(talks.slice(0, 1), options);
  const second = (bottom - top) / 10;
  // it reads from 2 to 2.5, has a thread at 3, a core 1 s later, and is done at 8
  assert.deepEqual(
    bars.map(({ kind, y, height }) =>
      [kind, (y - top) / second, height / second].map((value) =>
        typeof value === 'number' ? Number(value.toFixed(6)) : value,
      ),
    ),
    [
      ['reading', 2, 0.5],
      ['waiting', 2.5, 1.5],
      ['working', 4, 4],
    ],
  );
});

test('Executions at the same time stand beside each other', () => {
  const { bars } = layOutSequence(talks, options);
  const of = (talk: number) => bars.find((bar) => bar.talk === talk && bar.kind === 'working')!;
  assert.ok(of(2).x > of(1).x);
  assert.equal(of(0).x, of(3).x);
});

test('With one line a host, a call within it is a loop', () => {
  const diagram = layOutSequence(talks.slice(0, 2), { ...options, byHost: true });
  assert.deepEqual(
    diagram.lines.map(({ name }) => name),
    ['pc1', 'pc2'],
  );
  assert.deepEqual(
    diagram.arrows.map(({ talk, isLoop }) => [talk, isLoop]),
    [
      [0, false],
      [0, false],
      [1, true],
      [1, true],
    ],
  );
});

test('What is lost or failed ends in a cross, what was never answered has no answer', () => {
  const failed = talkOfCall({
    caller: 'A',
    callee: 'B',
    sent_s: 1,
    answered_s: 3,
    failed: true,
    why: 'late',
  });
  const open = talkOfCall({ caller: 'A', callee: 'B', sent_s: 1, failed: false });
  const diagram = layOutSequence([failed, open], options);
  assert.deepEqual(
    diagram.arrows.map(({ isLost, isOpen }) => [isLost, isOpen]),
    [
      [true, false],
      [false, true],
    ],
  );
  assert.equal((bodySvg(diagram, null).match(/seq-cross/g) ?? []).length, 1);
  const words = Object.fromEntries(wordsOf(failed, options.hostOf));
  assert.match(words.failed, /\+2/);
  assert.equal(words.why, 'late');
  assert.match(Object.fromEntries(wordsOf(open, options.hostOf)).answer, /none/);
});

test('A message on the network becomes an arrow from host to host', () => {
  const message: Message = {
    key: '',
    flow: null,
    number: null,
    from: 'edge',
    to: 'robot',
    route: ['edge', 'robot'],
    name: '#1',
    size_bytes: 48,
    sampled_s: null,
    sent_s: 2,
    end_s: 3,
    used_s: null,
    isLost: false,
    reason: '',
    lostAt: '',
  };
  const sent = talkOfMessage(message);
  assert.deepEqual([sent.delivered, sent.answered, sent.isFailed], [3, null, false]);
  const lost = talkOfMessage({ ...message, isLost: true, reason: 'queue_full' });
  assert.deepEqual([lost.delivered, lost.answered, lost.why], [null, 3, 'lost: queue full']);
  const diagram = layOutSequence([sent, lost], { ...options, hostOf: (name) => name });
  assert.equal(diagram.hosts.length, 0, 'a host needs no band above itself');
  assert.equal(diagram.labels[0].text, '#1 48\u202fB');
});

test('What is at a point is the arrow or the bar there', () => {
  const diagram = layOutSequence(talks, options);
  const [request] = diagram.arrows;
  const [x, y] = [(request.x1 + request.x2) / 2, (request.y1 + request.y2) / 2];
  assert.equal(talkAt(diagram, x, y + 2), 0);
  const bar = diagram.bars.find(({ talk, kind }) => talk === 2 && kind === 'working')!;
  assert.equal(talkAt(diagram, bar.x + 7, bar.y + bar.height / 2), 2);
  assert.equal(talkAt(diagram, diagram.width - 2, diagram.bottom), -1);
});

test('Names are text, whatever is in them', () => {
  const bad = call('<b>', 'C', [1, 2, 2, 2, 0, 3, 4], { method: '"a" & <i>' });
  const diagram = layOutSequence([bad], options);
  const svg = bodySvg(diagram, { from: 1, to: 2 }) + headSvg(diagram, '0 s');
  assert.ok(!svg.includes('<b>') && !svg.includes('<i>'));
  assert.ok(svg.includes('&lt;b&gt;') && svg.includes('&quot;a&quot; &amp; &lt;i&gt;'));
});

test('Two thousand calls among sixty components are laid out in a moment', () => {
  const many = Array.from({ length: 2000 }, (_, i) => {
    const t = i / 200;
    return call(`c${i % 60}`, `c${(i * 7 + 1) % 60}`, [
      t,
      t + 0.1,
      t + 0.1,
      t + 0.1,
      0,
      t + 0.2,
      t + 0.3,
    ]);
  });
  const begin = process.cpuUsage(); // of other programs, a busy machine has more
  const diagram = layOutSequence(many, options);
  const size = bodySvg(diagram, null).length;
  const { user, system } = process.cpuUsage(begin);
  const spent = (user + system) / 1000;
  assert.equal(diagram.arrows.length, 4000);
  assert.ok(size > 400_000);
  assert.ok(spent < 1000, `${spent} ms`);
});

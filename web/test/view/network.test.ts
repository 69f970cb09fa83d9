// SPDX-License-Identifier: Apache-2.0
// Layout of networks, and messages put together from their events.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Network, completed, linkText } from '../../src/view/data/document';
import {
  Hop,
  count,
  endsOf,
  hopsIn,
  isLost,
  placeOf,
  portName,
} from '../../src/view/panels/frames';
import {
  Message,
  followArms,
  followUse,
  lostPart,
  pairLink,
  pairPackets,
  progressOf,
} from '../../src/view/panels/messages';
import { along, layOut } from '../../src/view/panels/network_layout';

const network: Network = {
  backend: 'builtin',
  nodes: [
    { name: 'robot', kind: 'host' },
    { name: 'camera', kind: 'host' },
    { name: 'cell', kind: 'switch' },
    { name: 'edge', kind: 'host', actors: ['picker'] },
  ],
  links: [
    { name: 'a', a: 'edge', b: 'cell', text: '' },
    { name: 'b', a: 'cell', b: 'robot', text: '' },
    { name: 'c', a: 'cell', b: 'camera', text: '' },
  ],
  flows: [{ flow: 0, from: 'edge', to: 'robot', route: ['edge', 'cell', 'robot'] }],
  packets: 1,
};

test('Nodes lie in layers by their distance from the sender, the same every time', () => {
  const places = layOut(network);
  assert.deepEqual(Object.fromEntries(places), {
    edge: { layer: 0, order: 0.5 },
    cell: { layer: 1, order: 0.5 },
    robot: { layer: 2, order: 0.25 },
    camera: { layer: 2, order: 0.75 },
  });
  assert.deepEqual(layOut(network), places);
});

test('Nodes without links are placed as well', () => {
  const alone: Network = {
    backend: '',
    nodes: [{ name: 'x', kind: 'host' }],
    links: [],
    flows: [],
    packets: null,
  };
  assert.equal(layOut(alone).get('x')!.layer, 0);
});

test('A part of the way along a path counts its length', () => {
  const path: [number, number][] = [
    [0, 0],
    [0, 3],
    [1, 3],
  ];
  assert.deepEqual(along(path, 0.5), [0, 2]);
  assert.deepEqual(along(path, 1), [1, 3]);
});

test('Events of one message become one message, in order where they share a name', () => {
  const base = { flow: 0, from: 'edge', to: 'robot', message: 'command', size_bytes: 80 };
  const texts = [
    { event: 'delivered', ...base }, // its start is not in these rows
    { event: 'sent', ...base },
    { event: 'sent', ...base },
    { event: 'delivered', ...base },
    { event: 'lost', reason: 'queue full', at: 'cell', ...base },
  ];
  const found = pairPackets([0, 1, 2, 3, 4], texts, network);
  assert.deepEqual(
    found.map(({ sent_s, end_s, isLost }) => [sent_s, end_s, isLost]),
    [
      [1, 3, false],
      [2, 4, true],
    ],
  );
  assert.deepEqual(found[0].route, ['edge', 'cell', 'robot']);
  assert.equal(found[1].reason, 'queue full');
  assert.equal(lostPart(found[1]), 0.5);
  assert.equal(progressOf(found[0], 2), 0.5);
  assert.equal(progressOf(found[0], 3), null);
});

test('Messages of an arm with a link of its own go by their index', () => {
  const columns = { times: [1, 1.2, 1.3], index: [0, 1, 0], sent: [1, 1.2, 1] };
  const texts = [{ event: 'sent' }, { event: 'sent' }, { event: 'arrived' }];
  const found = pairLink(columns, [9, 9, 9], texts, ['controller', 'robot', 'command']);
  assert.deepEqual(
    found.map(({ name, sent_s, end_s }) => [name, sent_s, end_s]),
    [
      ['command 0', 1, 1.3],
      ['command 1', 1.2, null],
    ],
  );
});

const hop: Hop = {
  frame: 7,
  port: 2,
  from: 3,
  to: 0,
  flow: 0,
  message: null,
  size_bytes: 146,
  kind: 1,
  fate: 0,
  isRetransmission: false,
  queued_s: 1,
  sent_s: 2,
  left_s: 3,
  end_s: 4,
};

test('Rows become hops; what a row does not say is null', () => {
  const columns = [[4], [7], [2], [3], [0], [0], [NaN], [146], [1], [0], [NaN], [1], [1], [1]];
  assert.deepEqual(hopsIn(columns), [hop]);
  const [lost] = hopsIn([
    [4],
    [7],
    [2],
    [3],
    [0],
    [0],
    [9],
    [146],
    [2],
    [1],
    [1],
    [0.5],
    [NaN],
    [NaN],
  ]);
  assert.deepEqual(
    [lost.message, lost.queued_s, lost.sent_s, lost.isRetransmission, isLost(lost)],
    [9, 3.5, null, true, true],
  );
});

test('A frame waits at its port, then moves along its cable, and is gone when it arrives', () => {
  assert.equal(placeOf(hop, 0.9, 1), null);
  assert.deepEqual(placeOf(hop, 1, 1), { state: 'waits', part: 0 });
  assert.deepEqual(placeOf(hop, 2, 1), { state: 'moves', part: 0 });
  assert.deepEqual(placeOf(hop, 3, 1), { state: 'moves', part: 0.5 });
  assert.equal(placeOf(hop, 4, 1), null);
});

test('A lost frame leaves a cross for a while: at the port if it was never sent, else on the cable', () => {
  const damaged = { ...hop, fate: 3 };
  assert.deepEqual(placeOf(damaged, 3, 1), { state: 'moves', part: 0.25 });
  assert.deepEqual(placeOf(damaged, 4.5, 1), { state: 'lost', part: 0.5 });
  assert.equal(placeOf(damaged, 5, 1), null);
  const refused = { ...hop, fate: 1, sent_s: null, left_s: null, end_s: 1 };
  assert.deepEqual(placeOf(refused, 1, 1), { state: 'lost', part: 0 });
});

test('Ports are the ends of links, and have the names of captured files', () => {
  assert.deepEqual(endsOf(network, 2), ['cell', 'robot']);
  assert.deepEqual(endsOf(network, 3), ['robot', 'cell']);
  assert.equal(portName(network, 0), 'edge-a');
  assert.equal(portName(network, 5), 'camera-c');
});

test('Counters go on from what was written: from its instant on, up to the cursor', () => {
  const counts = new Map([[2, { frames: 10, lost: 1, retransmitted: 0 }]]);
  const hops = [3, 4, 5, 6].map((end_s) => ({ ...hop, end_s }));
  hops[1].isRetransmission = true;
  hops[2].fate = 1;
  hops.push({ ...hop, port: 3, end_s: 5 });
  count(counts, hops, 4, 5);
  assert.deepEqual(counts.get(2), { frames: 12, lost: 2, retransmitted: 1 });
  assert.deepEqual(counts.get(3), { frames: 1, lost: 0, retransmitted: 0 });
});

test('A state is used by the next tick, a command by the next step, unless a newer one came before', () => {
  const message = (sent: number, end: number | null, isLost = false) =>
    ({ sent_s: sent, end_s: end, isLost, sampled_s: null, used_s: null }) as Message;
  // ticks at 4, 8 and 12 ms; the second state is overtaken by the third
  const states = [message(0, 0.0025), message(0.001, 0.007), message(0.002, 0.0065)];
  const commands = [
    message(0.004, 0.0063),
    message(0.008, null, true),
    message(0.012, 0.0131),
    message(0.0125, 0.0139),
  ];
  followUse(states, commands, 0.001);
  assert.deepEqual(
    states.map(({ sampled_s, used_s }) => [sampled_s, used_s]),
    [
      [0, 0.004],
      [0.001, null],
      [0.002, 0.008],
    ],
  );
  assert.deepEqual(
    commands.map(({ sampled_s }) => sampled_s),
    [0, 0.002, 0.002, 0.002],
  );
  assert.deepEqual(
    commands.map(({ used_s }) => used_s && Math.round(used_s * 1e6)),
    [7000, null, null, 14000],
  );
});

test('Over a network, the connection of a controller to its arm carries states and commands', () => {
  const message = (flow: number, from: string, sent: number, end: number) =>
    ({
      flow,
      from,
      sent_s: sent,
      end_s: end,
      isLost: false,
      sampled_s: null,
      used_s: null,
    }) as Message;
  const state = message(1, 'robot', 0, 0.002);
  const command = message(1, 'server', 0.004, 0.0062);
  const other = message(0, 'server', 0.001, 0.0035);
  const flow = {
    flow: 1,
    opener: 'robot.control.host',
    peer: 'robot',
    from: 'server',
    to: 'robot',
  };
  const noise = { flow: 0, opener: 'noise', peer: 'noise.to', from: 'server', to: 'robot' };
  followArms([state, other, command], [noise, flow], 0.001);
  assert.deepEqual([state.sampled_s, state.used_s], [0, 0.004]);
  assert.deepEqual([command.sampled_s, command.used_s], [0, 0.007]);
  assert.deepEqual([other.sampled_s, other.used_s], [null, null]);
});

test('A document keeps the period of the physics, after which commands are used', () => {
  const { runs } = completed({ format: 1, runs: [{ physics_period_s: 0.002 }] });
  assert.equal(runs[0].physics_period_s, 0.002);
});

test('A cable that changes is labelled with what it is like at the shown time', () => {
  const phases = [
    { t_s: 0, text: '10 Mbit/s, 1 ms' },
    { t_s: 60, text: 'down' },
    { t_s: 65, text: '1 Mbit/s, 50 ms' },
  ];
  const link = { name: 'radio', a: 'edge', b: 'robot', text: '10 Mbit/s, 1 ms', phases };
  assert.equal(linkText(link, 59.9), '10 Mbit/s, 1 ms');
  assert.equal(linkText(link, 60), 'down');
  assert.equal(linkText(link, 1000), '1 Mbit/s, 50 ms');
  assert.equal(linkText({ ...link, phases: undefined }, 60), '10 Mbit/s, 1 ms');
});

// SPDX-License-Identifier: Apache-2.0
// Layout of networks, and messages put together from their events.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Network } from '../../src/view/data/document';
import { lostPart, pairLink, pairPackets, progressOf } from '../../src/view/panels/messages';
import { along, layOut } from '../../src/view/panels/network_layout';

const network: Network = {
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

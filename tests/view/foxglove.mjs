// SPDX-License-Identifier: Apache-2.0
// Foxglove's own client reads a live run: node foxglove.mjs PAGE_FOLDER PORT SUBPROTOCOL
//
// Prints what it got as JSON, decoded by the few lines of CDR below, which share nothing with the program;
// check_foxglove.py says what that must be.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, port, protocol] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { FoxgloveClient } = require('@foxglove/ws-protocol');
const { WebSocket } = require('ws');
const patience = 20_000;
const wanted = /(joint_states|^\/tf|^\/shapes)$/;

/** Little-endian CDR (DDS-XTypes 7.4.3, plain): primitives are aligned from after the four bytes of its head. */
class Cdr {
  constructor(view) {
    this.view = view;
    if (view.getUint8(0) !== 0 || view.getUint8(1) !== 1) throw new Error('no little-endian CDR');
    this.at = 4;
  }
  align(size) {
    this.at += (size - ((this.at - 4) % size)) % size;
  }
  u8() {
    return this.view.getUint8(this.at++);
  }
  u32() {
    this.align(4);
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  i32() {
    return this.u32() | 0;
  }
  f32() {
    this.align(4);
    this.at += 4;
    return this.view.getFloat32(this.at - 4, true);
  }
  f64() {
    this.align(8);
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }
  text() {
    const length = this.u32();
    const bytes = new Uint8Array(this.view.buffer, this.view.byteOffset + this.at, length);
    if (length < 1 || bytes[length - 1] !== 0) throw new Error('a string without its end');
    this.at += length;
    return new TextDecoder().decode(bytes.subarray(0, length - 1));
  }
  list(read) {
    return Array.from({ length: this.u32() }, read);
  }
  stamp() {
    return this.i32() + 1e-9 * this.u32();
  }
  header() {
    return { stamp: this.stamp(), frame: this.text() };
  }
  numbers(count) {
    return Array.from({ length: count }, () => this.f64());
  }
  // nothing may be left over
  end() {
    const left = this.view.byteLength - this.at;
    if (left < 0 || left > 3) throw new Error(`${left} bytes are left over`);
  }
}

const decoders = {
  'sensor_msgs/msg/JointState': (cdr) => ({
    header: cdr.header(),
    name: cdr.list(() => cdr.text()),
    position: cdr.list(() => cdr.f64()),
    velocity: cdr.list(() => cdr.f64()),
    effort: cdr.list(() => cdr.f64()),
  }),
  'tf2_msgs/msg/TFMessage': (cdr) =>
    cdr.list(() => ({ header: cdr.header(), child: cdr.text(), p: cdr.numbers(3), q: cdr.numbers(4) })),
  'visualization_msgs/msg/MarkerArray': (cdr) => cdr.list(() => marker(cdr)),
};

function marker(cdr) {
  const out = {
    header: cdr.header(),
    namespace: cdr.text(),
    id: cdr.i32(),
    type: cdr.i32(),
    action: cdr.i32(),
    p: cdr.numbers(3),
    q: cdr.numbers(4),
    scale: cdr.numbers(3),
    colour: [cdr.f32(), cdr.f32(), cdr.f32(), cdr.f32()],
    lifetime: cdr.stamp(),
    isLocked: cdr.u8(),
  };
  out.points = cdr.list(() => cdr.numbers(3)).length;
  cdr.list(() => [cdr.f32(), cdr.f32(), cdr.f32(), cdr.f32()]);
  cdr.text(); // texture
  cdr.header();
  cdr.text();
  const bytes = cdr.u32();
  cdr.at += bytes;
  cdr.list(() => [cdr.f32(), cdr.f32()]);
  out.text = cdr.text();
  out.mesh = cdr.text();
  cdr.text(); // mesh file
  const more = cdr.u32();
  cdr.at += more;
  cdr.u8();
  return out;
}

const found = { channels: [], times: [], messages: {}, counts: {}, problems: [], subprotocol: null };
const socket = new WebSocket(`ws://127.0.0.1:${port}/`, [protocol]);
const client = new FoxgloveClient({ ws: socket });
const topics = new Map(); // of subscriptions
client.on('open', () => {
  found.subprotocol = socket.protocol;
});
client.on('error', (error) => found.problems.push(String(error)));
client.on('status', (status) => found.problems.push(status.message));
client.on('close', () => {
  found.problems.push('closed');
  finish();
});
client.on('serverInfo', (info) => {
  found.serverInfo = info;
});
client.on('time', ({ timestamp }) => found.times.push(Number(timestamp) / 1e9));
client.on('advertise', (channels) => {
  for (const channel of channels) {
    found.channels.push(channel);
    if (wanted.test(channel.topic)) topics.set(client.subscribe(channel.id), channel);
  }
});
client.on('message', ({ subscriptionId, timestamp, data }) => {
  const channel = topics.get(subscriptionId);
  if (!channel) {
    found.problems.push(`a message of subscription ${subscriptionId}, which there is not`);
    return;
  }
  found.counts[channel.topic] = (found.counts[channel.topic] ?? 0) + 1;
  const decode = decoders[channel.schemaName];
  if (!decode) {
    // Foxglove's own messages are JSON or protobuf
    (found.messages[channel.topic] ??= []).push({ time: Number(timestamp) / 1e9, raw: new TextDecoder().decode(data) });
    return;
  }
  try {
    const cdr = new Cdr(data);
    const message = decode(cdr);
    cdr.end();
    const kept = (found.messages[channel.topic] ??= []);
    if (kept.length < 300) kept.push({ time: Number(timestamp) / 1e9, bytes: data.byteLength, message });
  } catch (error) {
    found.problems.push(`${channel.topic}: ${error.message}`);
  }
});

function finish() {
  clearTimeout(timer);
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
}
const isEnough = () =>
  found.channels.some(({ topic }) => wanted.test(topic)) &&
  [...topics.values()].every(({ topic }) => found.counts[topic] >= (/shapes|static/.test(topic) ? 1 : 50)) &&
  found.times.length > 20;
const timer = setTimeout(finish, patience);
setInterval(() => isEnough() && finish(), 100);

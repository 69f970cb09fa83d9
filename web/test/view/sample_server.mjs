// SPDX-License-Identifier: Apache-2.0
// Serves the sample cell as the program would: node sample_server.mjs PAGE.html served|live [PORT]
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { float64 } from './pack.mjs';
import { fillView, meshBytes, sampleView } from './sample_view.mjs';

const columnsOf = (text) =>
  text.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });

function overview(values, columns, from, to, points) {
  return columns.flatMap((column) => {
    const low = new Float64Array(points).fill(NaN);
    const high = new Float64Array(points).fill(NaN);
    values[0].forEach((t, row) => {
      const value = values[column][row];
      if (t < from || t > to || Number.isNaN(value)) return;
      const bin = Math.min(points - 1, Math.floor(((t - from) / (to - from)) * points));
      if (!(low[bin] <= value)) low[bin] = value;
      if (!(high[bin] >= value)) high[bin] = value;
    });
    return [low, high];
  });
}

function answer(view, page, kind, url) {
  const number = (name) => Number(url.searchParams.get(name));
  const table = () => view.tables[number('run')].find(({ about }) => about.id === number('table'));
  switch (url.pathname) {
    case '/':
      return ['text/html; charset=utf-8', fillView(page, { source: kind })];
    case '/view.json':
      return ['application/json', JSON.stringify(view.document)];
    case '/mesh':
      return ['application/octet-stream', meshBytes(number('mesh'))];
    case '/texts':
      return [
        'application/json',
        JSON.stringify(table().texts.slice(number('from'), number('to'))),
      ];
    case '/data': {
      const { values } = table();
      const columns = columnsOf(url.searchParams.get('columns'));
      const numbers = url.searchParams.has('points')
        ? overview(values, columns, number('from_s'), number('to_s'), number('points'))
        : columns.map((column) => values[column].subarray(number('from'), number('to')));
      return ['application/octet-stream', float64(...numbers)];
    }
    default:
      return null;
  }
}

// One unmasked frame, as servers send them (RFC 6455, 5.2).
function frame(data) {
  const isText = typeof data === 'string';
  const body = isText ? Buffer.from(data) : data;
  const head = Buffer.alloc(body.length < 126 ? 2 : body.length < 65536 ? 4 : 10);
  head[0] = 0x80 | (isText ? 1 : 2);
  if (body.length < 126) head[1] = body.length;
  else if (body.length < 65536) {
    head[1] = 126;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}

function rowsMessage(run, { about, values }, from, to) {
  const head = Buffer.from(JSON.stringify({ run, table: about.id, rows: to - from }));
  const start = Math.ceil((4 + head.length) / 8) * 8;
  const bytes = Buffer.alloc(start);
  bytes.writeUInt32LE(head.length, 0);
  head.copy(bytes, 4);
  return Buffer.concat([bytes, float64(...values.map((column) => column.subarray(from, to)))]);
}

// Sends the sample as if it happened now, one and a half times as fast as it is.
function sendLive(socket, view) {
  const run = view.document.runs[0];
  const empty = {
    ...run,
    end_s: 0,
    marks: [],
    tables: run.tables.map((one) => ({ ...one, rows: 0 })),
  };
  const send = (message) => socket.write(frame(message));
  const document = { ...view.document, source: 'live', runs: [empty] };
  send(JSON.stringify({ type: 'document', document }));
  const sent = view.tables[0].map(() => 0);
  let now = 0;
  let marks = 0;
  const timer = setInterval(() => {
    now = Math.min(run.end_s, now + 0.15);
    view.tables[0].forEach((table, i) => {
      const from = sent[i];
      let to = from;
      while (to < table.about.rows && table.values[0][to] <= now) ++to;
      if (to === from) return;
      send(rowsMessage(0, table, from, to));
      if (table.texts)
        send(
          JSON.stringify({
            type: 'texts',
            run: 0,
            table: table.about.id,
            times_s: [...table.values[0].subarray(from, to)],
            texts: table.texts.slice(from, to),
          }),
        );
      sent[i] = to;
    });
    const fresh = run.marks.slice(marks).filter((mark) => mark.t_s <= now);
    if (fresh.length) send(JSON.stringify({ type: 'marks', run: 0, marks: fresh }));
    marks += fresh.length;
    const state = now < run.end_s ? 'running' : 'over';
    send(
      JSON.stringify({ type: 'clock', now_s: now, real_time_factor: 1.5, state, end_s: run.end_s }),
    );
  }, 100);
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => clearInterval(timer));
}

// Listens on the loopback; resolves to { port, close() }.
export function serveSample(page, kind, { port = 0, view = sampleView({ source: kind }) } = {}) {
  const sockets = new Set();
  const server = createServer((request, response) => {
    const found = answer(view, page, kind, new URL(request.url, 'http://sample'));
    if (!found) {
      response.writeHead(404).end('There is nothing here.');
      return;
    }
    response.writeHead(200, {
      'content-type': found[0],
      'content-length': Buffer.byteLength(found[1]),
    });
    response.end(found[1]);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: longarm.view.v1\r\n\r\n`,
    );
    sendLive(socket, view);
  });
  return new Promise((done) => {
    server.listen(port, '127.0.0.1', () =>
      done({
        port: server.address().port,
        close: () =>
          new Promise((closed) => {
            server.close(closed);
            for (const socket of sockets) socket.destroy();
          }),
      }),
    );
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [page, kind, port] = process.argv.slice(2);
  const { port: used } = await serveSample(readFileSync(page, 'utf8'), kind, {
    port: Number(port ?? 0),
  });
  console.log(`http://127.0.0.1:${used}/`);
}

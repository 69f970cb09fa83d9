// SPDX-License-Identifier: Apache-2.0
// Reads a trace with the format authors' own library and a ROS 2 decoder, none of which is ours.
//
//   node read_trace.mjs FILE [--csv FOLDER] [--cut BYTES]
//
// Prints what it found as JSON; with --csv, every message of topic /a/b goes to a row of a.b.csv there, numbers
// written so that they read back as the same bits. --cut pretends that the file ends after so many bytes.
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import rosmsg from "@foxglove/rosmsg";
import serialization from "@foxglove/rosmsg2-serialization";
import { decompress } from "fzstd";

const decompressHandlers = { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) };

/** Decodes a channel's messages and keeps what there is to say about them. */
class Topic {
  constructor(channel, schema) {
    this.type = schema.name;
    this.metadata = Object.fromEntries(channel.metadata);
    this.decoder = new serialization.MessageReader(rosmsg.parse(new TextDecoder().decode(schema.data), { ros2: true }));
    this.hash = createHash("sha256");
    this.count = 0;
  }

  add(message) {
    if (message.publishTime !== message.logTime) throw new Error("published at another time than logged");
    if (message.sequence !== this.count) throw new Error(`message ${this.count} says it is number ${message.sequence}`);
    this.first ??= message.logTime;
    this.last = message.logTime;
    this.count += 1;
    this.hash.update(message.data);
    return this.decoder.readMessage(message.data);
  }

  summary() {
    const { type, metadata, count, first, last } = this;
    return { type, metadata, count, first_ns: String(first), last_ns: String(last), sha256: this.hash.digest("hex") };
  }
}

class Topics {
  constructor(folder) {
    this.folder = folder;
    this.topics = new Map();
    this.files = new Map();
  }

  add(channel, schema, message) {
    if (!this.topics.has(channel.topic)) this.topics.set(channel.topic, new Topic(channel, schema));
    const decoded = this.topics.get(channel.topic).add(message);
    if (this.folder) this.write(channel.topic, message.logTime, decoded);
  }

  write(topic, time, decoded) {
    const cells = [["log_time_ns", String(time)], ...flatten(decoded, "")];
    const header = cells.map(([name]) => name).join(",");
    if (!this.files.has(topic)) {
      const name = topic.slice(1).replaceAll("/", ".") + ".csv";
      this.files.set(topic, { file: openSync(join(this.folder, name), "w"), header: "", text: "" });
    }
    const out = this.files.get(topic);
    // a message of another shape starts with a header of its own
    if (out.header !== header) out.text += header + "\n";
    out.header = header;
    out.text += cells.map(([, value]) => value).join(",") + "\n";
  }

  finish() {
    for (const { file, text } of this.files.values()) {
      writeSync(file, text);
      closeSync(file);
    }
    return Object.fromEntries([...this.topics].sort().map(([name, topic]) => [name, topic.summary()]));
  }
}

/** [name, text] of every number and string in a message. */
function flatten(value, name) {
  if (typeof value === "number") return [[name, Object.is(value, -0) ? "-0" : String(value)]];
  if (typeof value === "string") return [[name, `"${value.replaceAll('"', '""')}"`]];
  if (typeof value === "bigint" || typeof value === "boolean") return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name ? `${name}.${key}` : key));
}

/** From start to end, as a program does that has no index. */
function readStream(bytes, folder) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(bytes);
  const schemas = new Map();
  const channels = new Map();
  const attachments = {};
  const topics = new Topics(folder);
  let header;
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Header") header = { profile: record.profile, library: record.library };
    if (record.type === "Schema") schemas.set(record.id, record);
    if (record.type === "Channel") channels.set(record.id, record);
    if (record.type === "Attachment") attachments[record.name] = new TextDecoder().decode(record.data);
    if (record.type === "Message") {
      const channel = channels.get(record.channelId);
      topics.add(channel, schemas.get(channel.schemaId), record);
    }
  }
  return { ...header, attachments, is_complete: reader.done(), topics: topics.finish() };
}

/** By the index at the end, as a viewer does. */
async function readIndexed(bytes) {
  const readable = {
    size: async () => BigInt(bytes.byteLength),
    read: async (offset, length) => bytes.subarray(Number(offset), Number(offset + length)),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const topics = new Topics();
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const channel = reader.channelsById.get(message.channelId);
    topics.add(channel, reader.schemasById.get(channel.schemaId), message);
  }
  return { chunks: reader.chunkIndexes.length, messages: String(reader.statistics.messageCount), topics: topics.finish() };
}

const [path, ...words] = process.argv.slice(2);
const option = (name) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
const cut = option("--cut");
const file = readFileSync(path);
const bytes = new Uint8Array(file.buffer, file.byteOffset, cut === undefined ? file.byteLength : Number(cut));
const stream = readStream(bytes, option("--csv"));
const indexed = stream.is_complete ? await readIndexed(bytes) : null;
console.log(JSON.stringify({ stream, indexed }));

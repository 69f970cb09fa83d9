// SPDX-License-Identifier: Apache-2.0
// The records that occur both among the data and in the summary of an MCAP file.
#include "longarm/record/mcap_format.h"

namespace longarm::record {

McapSchema get_schema(ByteReader& in) {
  McapSchema schema;
  schema.id = in.get<std::uint16_t>();
  schema.name = in.get_string();
  schema.encoding = in.get_string();
  schema.text = in.get_string();
  return schema;
}

McapChannel get_channel(ByteReader& in) {
  McapChannel channel;
  channel.id = in.get<std::uint16_t>();
  channel.schema_id = in.get<std::uint16_t>();
  channel.topic = in.get_string();
  channel.message_encoding = in.get_string();
  ByteReader map(in.get_bytes(in.get<std::uint32_t>()));
  while (map.size() > 0 && map.is_good()) {
    std::string key(map.get_string());
    channel.metadata.emplace_back(std::move(key), map.get_string());
  }
  return channel;
}

void put_record(ByteBuffer& out, const McapSchema& schema) {
  McapRecord record(out, McapOpcode::kSchema);
  out.put(schema.id);
  out.put_string(schema.name);
  out.put_string(schema.encoding);
  out.put_string(schema.text);
  record.finish();
}

void put_record(ByteBuffer& out, const McapChannel& channel) {
  McapRecord record(out, McapOpcode::kChannel);
  out.put(channel.id);
  out.put(channel.schema_id);
  out.put_string(channel.topic);
  out.put_string(channel.message_encoding);
  std::size_t size = 0;
  for (const auto& [key, value] : channel.metadata) {
    size += 4 + key.size() + 4 + value.size();
  }
  out.put(static_cast<std::uint32_t>(size));
  for (const auto& [key, value] : channel.metadata) {
    out.put_string(key);
    out.put_string(value);
  }
  record.finish();
}

void put_record(ByteBuffer& out, const McapChunkIndex& index) {
  McapRecord record(out, McapOpcode::kChunkIndex);
  out.put(index.start_time_ns);
  out.put(index.end_time_ns);
  out.put(index.chunk_start);
  out.put(index.chunk_length);
  out.put(static_cast<std::uint32_t>(index.message_indexes.size() * (2 + 8)));
  for (const auto& [channel, offset] : index.message_indexes) {
    out.put(channel);
    out.put(offset);
  }
  out.put(index.message_index_length);
  out.put_string("zstd");
  out.put(index.compressed_size);
  out.put(index.uncompressed_size);
  record.finish();
}

void put_record(ByteBuffer& out, const McapAttachmentIndex& index) {
  McapRecord record(out, McapOpcode::kAttachmentIndex);
  out.put(index.start);
  out.put(index.length);
  out.put(index.log_time_ns);
  out.put(std::uint64_t{0});  // time of creation: the wall clock has no place here
  out.put(index.data_size);
  out.put_string(index.name);
  out.put_string(index.media_type);
  record.finish();
}

}  // namespace longarm::record

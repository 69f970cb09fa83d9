// SPDX-License-Identifier: Apache-2.0
// First the document, then rows of tables as messages come, at most as many as the client takes.
#include "longarm/view/live_conversation.h"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "longarm/record/byte_buffer.h"
#include "longarm/view/message_columns.h"
#include "longarm/view/table.h"
#include "longarm/view/views.h"

namespace longarm::view {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostForViewer = 2U << 20U;
constexpr auto kClockEvery = 100ms;

class LiveConversation final : public Conversation {
 public:
  LiveConversation(const LiveFeed& feed, const Json& document, WebSocketClient& client)
      : feed_(feed), document_(document), client_(client) {
    // the newest of each, so that there is something to see at once
    add(feed_.newest(cursor_));
    send_document();
    send_rows();
  }

  void hear(bool, std::string_view) override {}

  void tick() override {
    const LiveFeed::Wall::time_point wall = feed_.wall_time();
    if (wall - last_clock_ >= kClockEvery) {
      last_clock_ = wall;
      send_clock();
    }
    // who is slow misses what is not kept until then
    if (client_.waiting() > kMostForViewer) {
      return;
    }
    add(feed_.after(cursor_));
    send_rows();
  }

 private:
  struct Rows {
    FeedChannel channel;
    std::unique_ptr<MessageColumns> reader;  ///< null: nothing to show
    std::vector<double> values{};            ///< row by row
    std::vector<std::string> texts{};
  };

  /// Null: there is nothing to show of its channel.
  Rows* rows_of(const FeedMessage& message) {
    const auto known = rows_.find(message.channel);
    if (known != rows_.end()) {
      return known->second.reader ? &known->second : nullptr;
    }
    if (message.channel >= channels_.size()) {
      channels_ = feed_.channels();
    }
    return add_rows(message.channel, record::as_bytes(message.data));
  }

  Rows* add_rows(std::uint16_t number, std::span<const std::byte> sample) {
    const FeedChannel& channel = channels_[number];
    Rows& added =
        rows_.emplace(number, Rows{channel, columns_of(channel.channel, channel.schema, sample)})
            .first->second;
    is_document_old_ = is_document_old_ || added.reader != nullptr;
    return added.reader ? &added : nullptr;
  }

  static Json json_of(const Rows& rows) {
    Table table{rows.channel.channel.topic, rows.channel.schema.name};
    table.columns = rows.reader->columns();
    table.has_texts = rows.reader->has_texts();
    return table_json(rows.channel.channel.id, table);
  }

  /// Again when there is a new table, which happens as a run begins.
  void send_document() {
    channels_ = feed_.channels();
    // JSON needs no message to tell its columns
    for (const FeedChannel& each : channels_) {
      if (each.channel.message_encoding == "json" && !rows_.contains(each.channel.id)) {
        add_rows(each.channel.id, {});
      }
    }
    Json whole = document_;
    whole["source"] = "live";
    Json& run = whole["runs"][0];
    std::map<std::string, std::size_t> numbers;
    for (const auto& [channel, rows] : rows_) {
      if (rows.reader) {
        run["tables"].push_back(json_of(rows));
        numbers[rows.channel.channel.topic] = channel;
      }
    }
    number_tables(run, whole["scenes"][0], [&](const std::string& topic) {
      const auto found = numbers.find(topic);
      return found == numbers.end() ? Json() : Json(found->second);
    });
    client_.send_text(json_text({{"type", "document"}, {"document", std::move(whole)}}));
    is_document_old_ = false;
  }

  void add(const std::vector<FeedMessagePtr>& messages) {
    for (const FeedMessagePtr& message : messages) {
      Rows* const rows = rows_of(*message);
      if (rows == nullptr) {
        continue;
      }
      const std::size_t before = rows->values.size();
      rows->values.resize(before + rows->reader->columns().size());
      rows->reader->decode(message->log_time, record::as_bytes(message->data),
                           std::span(rows->values).subspan(before));
      if (rows->reader->has_texts()) {
        rows->texts.push_back(rows->reader->text(record::as_bytes(message->data)));
        if (rows->channel.channel.topic == kEventsTopic) {
          marks_.push_back(mark_of_event(to_seconds(message->log_time), rows->texts.back()));
        }
      }
    }
  }

  void send_rows() {
    if (is_document_old_) {
      send_document();
    }
    for (auto& [channel, rows] : rows_) {
      if (rows.values.empty()) {
        continue;
      }
      send(rows);
      rows.values.clear();
      rows.texts.clear();
    }
    if (!marks_.empty()) {
      client_.send_text(json_text({{"type", "marks"}, {"run", 0}, {"marks", marks_}}));
      marks_ = Json::array();
    }
  }

  void send(const Rows& rows) {
    const std::size_t width = rows.reader->columns().size();
    const std::size_t count = rows.values.size() / width;
    const std::string head =
        Json{{"run", 0}, {"table", rows.channel.channel.id}, {"rows", count}}.dump();
    record::ByteBuffer out;
    out.put_string(head);
    out.put_zeros((8 - out.size() % 8) % 8);
    for (std::size_t column = 0; column < width; ++column) {
      for (std::size_t row = 0; row < count; ++row) {
        out.put(rows.values[row * width + column]);
      }
    }
    client_.send_bytes(out.str());
    if (!rows.texts.empty()) {
      Json times = Json::array();
      for (std::size_t row = 0; row < count; ++row) {
        times.push_back(rows.values[row * width]);
      }
      client_.send_text(json_text({{"type", "texts"},
                                   {"run", 0},
                                   {"table", rows.channel.channel.id},
                                   {"times_s", std::move(times)},
                                   {"texts", rows.texts}}));
    }
  }

  void send_clock() {
    const LiveFeed::Clock clock = feed_.clock();
    const char* const state = clock.state == LiveFeed::State::kRunning ? "running" : "over";
    client_.send_text(Json{
        {"type", "clock"},
        {"now_s", to_seconds(clock.now)},
        {"real_time_factor", clock.real_time_factor},
        {"state", state},
        {"end_s",
         nullptr}}.dump());
  }

  const LiveFeed& feed_;
  const Json& document_;
  WebSocketClient& client_;
  std::uint64_t cursor_ = 0;
  std::vector<FeedChannel> channels_;
  std::map<std::uint16_t, Rows> rows_;  ///< by channel
  Json marks_ = Json::array();
  bool is_document_old_ = false;
  LiveFeed::Wall::time_point last_clock_{};
};

}  // namespace

std::unique_ptr<Conversation> talk_to_viewer(const LiveFeed& feed, const Json& document,
                                             WebSocketClient& client) {
  return std::make_unique<LiveConversation>(feed, document, client);
}

}  // namespace longarm::view

// SPDX-License-Identifier: Apache-2.0
// Channels are advertised as they come, messages sent to those who subscribed; latched ones again
// to whoever subscribes late.
#include "longarm/view/foxglove.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/version.h"
#include "longarm/record/byte_buffer.h"

namespace longarm::view {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostForFoxglove = 4U << 20U;
constexpr std::uint8_t kMessageData = 1;
constexpr std::uint8_t kTime = 2;

std::uint64_t nanoseconds(Time time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

class FoxgloveConversation final : public Conversation {
 public:
  FoxgloveConversation(const LiveFeed& feed, WebSocketClient& client)
      : feed_(feed), client_(client), cursor_(feed.end()) {
    client_.send_text(Json{
        {"op", "serverInfo"},
        {"name", "longarm " LONGARM_VERSION},
        {"capabilities", {"time"}},
        {"supportedEncodings", Json::array()},
        {"metadata", Json::object()},
        {"sessionId",
         "longarm"}}.dump());
    advertise();
  }

  void hear(bool is_text, std::string_view message) override {
    const Json order = is_text ? Json::parse(message, nullptr, false) : Json();
    if (!order.is_object()) {
      return;
    }
    const Json op = order.value("op", Json());
    if (op == "subscribe") {
      for (const Json& each : list_in(order, "subscriptions")) {
        if (each.is_object() && each.value("id", Json()).is_number_unsigned() &&
            each.value("channelId", Json()).is_number_unsigned()) {
          subscribe(each["id"].get<std::uint32_t>(), each["channelId"].get<std::uint64_t>());
        }
      }
    } else if (op == "unsubscribe") {
      for (const Json& each : list_in(order, "subscriptionIds")) {
        if (each.is_number_unsigned()) {
          std::erase_if(subscriptions_,
                        [&](const auto& one) { return one.second == each.get<std::uint32_t>(); });
        }
      }
    }
  }

  void tick() override {
    advertise();
    const LiveFeed::Clock clock = feed_.clock();
    if (client_.waiting() > kMostForFoxglove) {
      return;
    }
    record::ByteBuffer time;
    time.put(kTime);
    time.put(nanoseconds(clock.now));
    client_.send_bytes(time.str());
    for (const FeedMessagePtr& message : feed_.after(cursor_)) {
      if (const auto found = subscriptions_.find(message->channel); found != subscriptions_.end()) {
        send(found->second, *message);
      }
    }
  }

 private:
  static Json list_in(const Json& order, const char* key) {
    Json list = order.value(key, Json::array());
    return list.is_array() ? list : Json::array();
  }

  void advertise() {
    const std::vector<FeedChannel> channels = feed_.channels();
    Json out = Json::array();
    for (; advertised_ < channels.size(); ++advertised_) {
      const FeedChannel& each = channels[advertised_];
      out.push_back({{"id", each.channel.id},
                     {"topic", each.channel.topic},
                     {"encoding", each.channel.message_encoding},
                     {"schemaName", each.schema.name},
                     {"schema", each.schema.text},
                     {"schemaEncoding", each.schema.encoding}});
    }
    if (!out.empty()) {
      client_.send_text(Json{{"op", "advertise"}, {"channels", std::move(out)}}.dump());
    }
  }

  void subscribe(std::uint32_t subscription, std::uint64_t channel) {
    if (channel >= advertised_) {
      client_.send_text(
          Json{{"op", "status"}, {"level", 2}, {"message", "unknown channel"}}.dump());
      return;
    }
    subscriptions_[static_cast<std::uint16_t>(channel)] = subscription;
    // of a stream the next one will do; what is latched does not come again
    if (!feed_.channels()[channel].is_latched) {
      return;
    }
    std::uint64_t unused = 0;
    for (const FeedMessagePtr& newest : feed_.newest(unused)) {
      if (newest->channel == channel) {
        send(subscription, *newest);
      }
    }
  }

  void send(std::uint32_t subscription, const FeedMessage& message) {
    record::ByteBuffer out;
    out.put(kMessageData);
    out.put(subscription);
    out.put(nanoseconds(message.log_time));
    out.put_text(message.data);
    client_.send_bytes(out.str());
  }

  const LiveFeed& feed_;
  WebSocketClient& client_;
  std::uint64_t cursor_;
  std::size_t advertised_ = 0;
  std::map<std::uint16_t, std::uint32_t> subscriptions_;  ///< by channel
};

}  // namespace

std::unique_ptr<Conversation> talk_to_foxglove(const LiveFeed& feed, WebSocketClient& client) {
  return std::make_unique<FoxgloveConversation>(feed, client);
}

}  // namespace longarm::view

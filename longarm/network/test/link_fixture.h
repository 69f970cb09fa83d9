// SPDX-License-Identifier: Apache-2.0
// For tests of link models: sets their keys, sends packets, and keeps what became of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longarm/core/test/ignoring_fields.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// Values by the name of their key.
using Keys = std::map<std::string, std::variant<std::string, bool, std::vector<std::string>>>;

/// Sets fields by name and keeps what is rejected, as "message / hint".
class KeyFields final : public IgnoringFields {
 public:
  explicit KeyFields(Keys values) : values_(std::move(values)) {}

  void reject(std::string_view, std::string message, std::string hint) override {
    rejections.push_back(message + " / " + hint);
  }
  std::vector<std::string> rejections;

 private:
  void do_field(const Field& field) override {
    const auto found = values_.find(std::string(field.key));
    if (found != values_.end()) {
      const auto set = [&]<typename T>(const T& wanted) { *std::get<T*>(field.value) = wanted; };
      std::visit(set, found->second);
    }
  }

  Keys values_;
};

/// What became of one packet.
struct Outcome {
  std::vector<Duration> delays;  ///< one per copy that arrived
  std::optional<DropReason> dropped;
  bool operator==(const Outcome&) const = default;
};

/// Notes outcomes by packet index.
class Recorder final : public LinkOutput {
 public:
  void send(Link& link, Time now, std::size_t size_bytes) {
    now_ = now;
    const std::uint64_t index = outcomes.size();
    outcomes.emplace_back();
    link.send(now, {index, size_bytes, 0}, *this);
  }
  void arrive(const Packet& packet, Time when) override {
    outcomes[packet.index].delays.push_back(when - now_);
  }
  void drop(const Packet& packet, DropReason reason) override {
    outcomes[packet.index].dropped = reason;
  }
  std::vector<Outcome> outcomes;

 private:
  Time now_{};
};

/// Sends `count` packets of `size_bytes`, `period` apart, from time zero.
inline std::vector<Outcome> send_stream(Link& link, int count, Duration period,
                                        std::size_t size_bytes = 100) {
  Recorder recorder;
  for (int i = 0; i < count; ++i) {
    recorder.send(link, Time(i * period), size_bytes);
  }
  return recorder.outcomes;
}

/// Of a line as tc has it.
inline std::shared_ptr<const LinkModel> netem(const std::string& line) {
  const std::shared_ptr<LinkModel> made = built_in_link_models().make("netem");
  KeyFields fields({{"netem", line}});
  made->list_fields(fields);
  EXPECT_TRUE(fields.rejections.empty());
  return made;
}

}  // namespace longarm::network

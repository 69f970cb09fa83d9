// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Calls between pairs of hosts on a star, as words `key=value` that every program here understands.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace fidelity {

/// Pair p: host p calls host p + hosts / 2, over cables that are all alike.
struct Workload {
  std::int64_t hosts = 8;
  std::int64_t pairs = 4;
  std::int64_t rate_bit_s = 1'000'000'000;
  std::int64_t propagation_ns = 1'000;
  std::int64_t queue_packets = 1'000;
  std::string framing = "ppp";  // or ethernet, by correction of gap and delay

  std::string transport = "udp";
  std::int64_t request_bytes = 200;
  std::int64_t reply_bytes = 200;
  std::int64_t calls = 1'000;           // of each pair
  std::int64_t period_ns = 1'000'000;   // of calls; if is_closed: from a reply to the next request
  std::int64_t is_closed = 0;           // a call waits for the reply to the one before
  std::int64_t connect_ns = 1'000'000;  // pair p connects and starts p * offset_ns later
  std::int64_t start_ns = 100'000'000;
  std::int64_t offset_ns = 7'301;

  std::int64_t nodelay = 1;
  std::int64_t mss_bytes = 1448;
  std::int64_t initial_window = 10;
  std::int64_t delayed_ack_ns = 200'000'000;
  std::int64_t min_rto_ns = 200'000'000;
  std::int64_t initial_rto_ns = 1'000'000'000;
  std::int64_t sack = 1;
  std::int64_t timestamps = 0;
  std::int64_t buffer_bytes = 8 << 20;
  std::string congestion = "reno";  // or cubic
  std::string drops;                // a file: lines `host direction index`, direction 0 = from host

  std::int64_t client(std::int64_t pair) const { return pair; }
  std::int64_t server(std::int64_t pair) const { return pair + hosts / 2; }
};

inline std::vector<std::pair<const char*, std::int64_t Workload::*>> numbers() {
  using W = Workload;
  return {{"hosts", &W::hosts},
          {"pairs", &W::pairs},
          {"rate_bit_s", &W::rate_bit_s},
          {"propagation_ns", &W::propagation_ns},
          {"queue_packets", &W::queue_packets},
          {"request_bytes", &W::request_bytes},
          {"reply_bytes", &W::reply_bytes},
          {"calls", &W::calls},
          {"period_ns", &W::period_ns},
          {"is_closed", &W::is_closed},
          {"connect_ns", &W::connect_ns},
          {"start_ns", &W::start_ns},
          {"offset_ns", &W::offset_ns},
          {"nodelay", &W::nodelay},
          {"mss_bytes", &W::mss_bytes},
          {"initial_window", &W::initial_window},
          {"delayed_ack_ns", &W::delayed_ack_ns},
          {"min_rto_ns", &W::min_rto_ns},
          {"initial_rto_ns", &W::initial_rto_ns},
          {"sack", &W::sack},
          {"timestamps", &W::timestamps},
          {"buffer_bytes", &W::buffer_bytes}};
}

inline std::vector<std::pair<const char*, std::string Workload::*>> words() {
  return {{"framing", &Workload::framing},
          {"transport", &Workload::transport},
          {"congestion", &Workload::congestion},
          {"drops", &Workload::drops}};
}

/// False if there is no such key.
inline bool set(Workload& workload, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return false;
  }
  const std::string key = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  for (const auto& [name, member] : numbers()) {
    if (key == name) {
      workload.*member = std::strtoll(value.c_str(), nullptr, 10);
      return true;
    }
  }
  for (const auto& [name, member] : words()) {
    if (key == name) {
      workload.*member = value;
      return true;
    }
  }
  return false;
}

/// The words that make this workload out of the default one, for another program.
inline std::vector<std::string> to_words(const Workload& workload) {
  std::vector<std::string> result;
  for (const auto& [name, member] : numbers()) {
    result.push_back(std::string(name) + "=" + std::to_string(workload.*member));
  }
  for (const auto& [name, member] : words()) {
    result.push_back(std::string(name) + "=" + workload.*member);
  }
  return result;
}

/// Packets of one direction of one host's cable that do not arrive, counted from zero.
struct Drop {
  std::int64_t host = 0;
  int direction = 0;  // 0: from the host, 1: to it
  std::int64_t index = 0;
};

inline std::vector<Drop> read_drops(const std::string& path) {
  std::vector<Drop> drops;
  std::ifstream file(path);
  for (Drop drop; file >> drop.host >> drop.direction >> drop.index;) {
    drops.push_back(drop);
  }
  return drops;
}

/// What happened to the calls of a pair; printed as `time_ns pair what index`.
struct Record {
  std::int64_t time_ns = 0;
  std::int64_t pair = 0;
  char what = 0;  // 'c'lient connected, 's'erver connected, re'q'uest arrived, re'p'ly arrived
  std::int64_t index = 0;

  friend bool operator==(const Record& a, const Record& b) {
    return a.time_ns == b.time_ns && a.pair == b.pair && a.what == b.what && a.index == b.index;
  }
  friend bool operator<(const Record& a, const Record& b) {
    if (a.pair != b.pair) {
      return a.pair < b.pair;
    }
    if (a.what != b.what) {
      return a.what < b.what;
    }
    return a.index < b.index;
  }
};

}  // namespace fidelity

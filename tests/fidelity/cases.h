// SPDX-License-Identifier: Apache-2.0
// The cases in which Longarm's backends are compared with plain ns-3, and what is asked of each.
#pragma once

#include <string>
#include <vector>

#include "tests/fidelity/workload.h"

namespace fidelity {

enum class Claim {
  kSameBits,    ///< every record at the same nanosecond
  kSameCalls,   ///< median and 99th percentile of the calls, within 0.5 % and 2 %
  kSameFinish,  ///< time until the last reply, within 5 %
};

struct Case {
  std::string name;
  Workload workload;
  Claim claim = Claim::kSameBits;
  std::vector<Drop> drops;
  double loss_percent = 0.0;  ///< instead, drawn
  bool is_known_gap = false;  ///< the built-in network is not there yet: told, but no failure
  bool is_quick = true;       ///< part of the tests; the others are for the long run
};

inline Workload rpc(const std::string& transport, std::int64_t calls) {
  Workload workload;
  workload.transport = transport;
  workload.calls = calls;
  return workload;
}

/// One transfer over two cables of 10 Mbit/s and 10 ms, whose queues hold all of it.
inline Workload bulk(std::int64_t bytes, bool is_nodelay) {
  Workload workload;
  workload.transport = "tcp";
  workload.rate_bit_s = 10'000'000;
  workload.propagation_ns = 10'000'000;
  workload.queue_packets = 10'000;
  workload.pairs = 1;
  workload.calls = 1;
  workload.request_bytes = bytes;
  workload.nodelay = is_nodelay ? 1 : 0;
  return workload;
}

/// Each call waits for the one before; 40 ms there and back.
inline Workload lossy_rpc(std::int64_t calls) {
  Workload workload;
  workload.transport = "tcp";
  workload.rate_bit_s = 1'000'000'000;
  workload.propagation_ns = 10'000'000;
  workload.is_closed = 1;
  workload.period_ns = 0;
  workload.calls = calls;
  return workload;
}

inline std::vector<Drop> drop_from_client(const std::vector<std::int64_t>& indices) {
  std::vector<Drop> drops;
  for (const std::int64_t index : indices) {
    drops.push_back({0, 0, index});
  }
  return drops;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, const Workload& workload, Claim claim = Claim::kSameBits) {
    cases.push_back({std::move(name), workload, claim, {}, 0.0, false, true});
    return &cases.back();
  };

  add("udp rpc", rpc("udp", 1000));
  Workload ethernet = rpc("udp", 1000);
  ethernet.framing = "ethernet";
  add("udp rpc, ethernet", ethernet);
  add("tcp rpc", rpc("tcp", 1000));
  Workload nagle = rpc("tcp", 1000);
  nagle.nodelay = 0;
  add("tcp rpc, nagle", nagle);
  Workload dense = rpc("tcp", 300);  // calls overlap: 2 kB each way, every 40 us, 400 Mbit/s
  dense.request_bytes = dense.reply_bytes = 2000;
  dense.period_ns = 40'000;
  add("tcp rpc, overlapping", dense);
  add("udp rpc, 8 hosts slow", [] {
    Workload slow = rpc("udp", 200);
    slow.rate_bit_s = 1'000'000;
    slow.propagation_ns = 50'000'000;
    slow.period_ns = 25'000'000;
    return slow;
  }());

  for (const std::int64_t bytes : {1'000, 10'000, 30'000, 100'000, 300'000, 1'000'000, 5'000'000}) {
    for (const bool is_nodelay : {true, false}) {
      add("tcp bulk " + std::to_string(bytes) + " B" + (is_nodelay ? "" : ", nagle"),
          bulk(bytes, is_nodelay))
          ->is_quick = bytes <= 1'000'000;
    }
  }
  Workload cubic = bulk(1'000'000, true);
  cubic.congestion = "cubic";
  add("tcp bulk 1000000 B, cubic", cubic, Claim::kSameFinish);

  // all backends lose the very same packets
  Case* const lossy = add("tcp rpc, 1 % loss", lossy_rpc(6000), Claim::kSameCalls);
  lossy->loss_percent = 1.0;
  lossy->is_quick = false;
  add("tcp rpc, 1 % loss, short", lossy_rpc(500), Claim::kSameCalls)->loss_percent = 1.0;

  const std::vector<std::vector<std::int64_t>> scripts{{40}, {40, 200, 400}, {40, 42, 44}};
  for (const std::vector<std::int64_t>& script : scripts) {
    std::string name = "tcp bulk 1 MB, lost:";
    for (const std::int64_t index : script) {
      name += " " + std::to_string(index);
    }
    add(name, bulk(1'000'000, true), Claim::kSameFinish)->drops = drop_from_client(script);
  }
  // losses at random: where ns-3's CUBIC gets a third of what Reno gets, ours does not
  for (const std::string congestion : {"reno", "cubic"}) {
    Workload lossy_bulk = bulk(8'000'000, true);
    lossy_bulk.congestion = congestion;
    Case* const random =
        add("tcp bulk 8 MB, 1 % loss, " + congestion, lossy_bulk, Claim::kSameFinish);
    random->loss_percent = 1.0;
    random->is_known_gap = congestion == "cubic";
    random->is_quick = false;
  }

  Workload queue = bulk(1'000'000, true);
  queue.queue_packets = 20;
  add("tcp bulk 1 MB, 20-packet queue", queue, Claim::kSameFinish);

  // many losses in one window: the built-in network takes 9 % longer than ns-3
  queue.congestion = "cubic";
  add("tcp bulk 1 MB, 20-packet queue, cubic", queue, Claim::kSameFinish)->is_known_gap = true;
  Workload overshoot = bulk(5'000'000, true);
  overshoot.queue_packets = 1000;
  Case* const many = add("tcp bulk 5 MB, 1000-packet queue", overshoot, Claim::kSameFinish);
  many->is_known_gap = true;
  many->is_quick = false;
  return cases;
}

}  // namespace fidelity

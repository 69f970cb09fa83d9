// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// A workload in plain ns-3: point-to-point cables around one router, sockets, nothing of Longarm.
#pragma once

#include <deque>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include "tests/fidelity/workload.h"

namespace fidelity {

/// A client and a server that call each other; notes what happens.
class Pair {
 public:
  Pair(const Workload& workload, std::int64_t pair, std::vector<Record>& records)
      : workload_(workload), pair_(pair), records_(records) {}

  void install(ns3::Ptr<ns3::Node> client, ns3::Ptr<ns3::Node> server, ns3::Ipv4Address address);

 private:
  struct Writer {
    ns3::Ptr<ns3::Socket> socket;
    std::int64_t left_bytes = 0;  // written by the program, for which the socket has had no room
  };

  void install_tcp(ns3::Ptr<ns3::Socket> listening);
  void start();
  void call();
  void write(Writer& writer, std::int64_t bytes);
  static void flush(Writer& writer);
  void on_request(ns3::Ptr<ns3::Socket> socket);
  void on_reply(ns3::Ptr<ns3::Socket> socket);
  void request_arrived();
  void reply_arrived();
  void note(char what, std::int64_t index);

  const Workload& workload_;
  std::int64_t pair_;
  std::vector<Record>& records_;
  Writer client_;
  Writer server_;
  ns3::Address client_address_;
  std::int64_t called_ = 0;
  std::int64_t request_bytes_ = 0;
  std::int64_t reply_bytes_ = 0;
  std::int64_t requests_ = 0;
  std::int64_t replies_ = 0;
};

/// The hosts and their traffic. One per process.
class Star {
 public:
  explicit Star(const Workload& workload);
  ~Star();
  /// Until nothing happens any more, in lock-steps of so many nanoseconds; 0: in one go.
  void run(std::int64_t step_ns);
  const std::vector<Record>& records() const { return records_; }

 private:
  void set_defaults();
  void build();
  void drop();
  ns3::Ipv4Address address(std::int64_t host) const;

  Workload workload_;
  std::vector<Record> records_;
  ns3::NodeContainer hosts_;
  ns3::NodeContainer hub_;
  std::vector<ns3::NetDeviceContainer> cables_;
  std::deque<Pair> pairs_;
};

}  // namespace fidelity

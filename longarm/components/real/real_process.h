// SPDX-License-Identifier: Apache-2.0
// Components as a process of their own: the code that a simulation runs, on real sockets, real time
// and real cores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/components/loop_component.h"
#include "longarm/components/names.h"
#include "longarm/components/real/burning_processor.h"
#include "longarm/components/real/real_time_loop.h"
#include "longarm/components/real/socket_transport.h"

namespace longarm::components {

struct RealProcessConfig {
  std::string listen_host = "127.0.0.1";
  /// Of the name service that all processes of the system share.
  Address name_service;
  bool serves_names = false;  ///< is itself that name service, at that address (port 0: a free one)
  network::FlowOptions calls;  ///< how requests and replies travel
  std::uint64_t seed = 1;
  /// When simulated time zero is, by CLOCK_MONOTONIC; 0: at once. Processes of one system are given
  /// the same, a little ahead, so that all are there and phases are as they should be.
  std::int64_t epoch_ns = 0;
};

/// One process of a system. One thread.
class RealProcess {
 public:
  /// Fails if it cannot listen.
  static Result<std::unique_ptr<RealProcess>> make(RealProcessConfig config);
  ~RealProcess();
  RealProcess(const RealProcess&) = delete;
  RealProcess& operator=(const RealProcess&) = delete;

  /// Of the name service.
  const Address& name_service() const { return config_.name_service; }
  RealTimeLoop& loop() { return loop_; }

  Result<bool> add(LoopConfig component);
  /// A component of which only the node is wanted; what it does is up to the caller.
  Result<Node*> add_node(const std::string& name);

  /// For so long after time zero, or until all cycles that were asked for have been made.
  Result<Time> run(Duration length);

  const LoopComponent* component(const std::string& name) const;
  const std::vector<CallRecord>& calls() const { return observer_.records; }
  /// What nodes complained of.
  std::vector<std::string> complaints() const;
  /// Writes cycles_NAME.csv and calls_NAME.csv for each component.
  Result<bool> write(const std::string& folder) const;

 private:
  struct Observer final : NodeObserver {
    void called(const CallRecord& record) override { records.push_back(record); }
    std::vector<CallRecord> records;
  };
  struct Part {
    std::string name;
    std::unique_ptr<SocketTransport> transport;
    std::unique_ptr<BurningProcessor> processor;
    std::unique_ptr<Node> node;
    std::unique_ptr<LoopComponent> loop;
  };

  explicit RealProcess(RealProcessConfig config);
  Result<Part*> add_part(const std::string& name, std::uint16_t port,
                         const NodeConfig* config = nullptr);
  Duration until_epoch() const;

  RealProcessConfig config_;
  sim::Kernel kernel_;
  RealTimeLoop loop_;
  Duration zero_{0};  ///< simulated time zero on the loop's clock
  Observer observer_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<NameService> names_;
};

}  // namespace longarm::components

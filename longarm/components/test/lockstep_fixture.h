// SPDX-License-Identifier: Apache-2.0
// A world for lock-step tests: two hosts 10 ms apart, a name service, and components that are not
// ours.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/components/lockstep/lockstep_client.h"
#include "longarm/components/lockstep/lockstep_door.h"
#include "longarm/components/names.h"
#include "longarm/components/node.h"
#include "longarm/components/simulation.h"
#include "longarm/network/network.h"
#include "longarm/system/socket.h"

namespace longarm::components {

class LockstepTest : public testing::Test {
 protected:
  static constexpr Duration kOneWay{10'000'000};

  struct Part {
    std::unique_ptr<Transport> transport;
    std::unique_ptr<Processor> processor;
    std::unique_ptr<Node> node;
  };

  /// With a number of cores, both hosts are one machine that has so many.
  explicit LockstepTest(std::int64_t shared_cores = 0) {
    topology_.nodes = {{"near", false, Duration(0)}, {"far", false, Duration(0)}};
    network::Cable cable;
    cable.name = "cable";
    cable.ends[0] = network::NodeId(0);
    cable.ends[1] = network::NodeId(1);
    cable.propagation = kOneWay;
    topology_.cables = {cable};
    std::vector<network::Host> hosts(2);
    hosts[0].name = "near";
    hosts[1].name = "far";
    if (shared_cores > 0) {
      hosts[0].cores = shared_cores;
      hosts[0].scheduling = network::Scheduling::kFifo;
      hosts[1].shares_cores_with = "near";
    }
    network_ = std::make_unique<network::Network>(
        kernel_, network::make_builtin_backend(topology_, {}), hosts, 1);
    hosts_ = std::make_unique<SimulatedHosts>(kernel_, *network_, topology_, 1);
    names_ = std::make_unique<NameService>(add_node("names", "near"));
  }

  ~LockstepTest() override { finish(); }

  /// Clients hear of the end; what they found out may be read afterwards.
  void finish() {
    names_.reset();
    parts_.clear();  // nodes before the door that drives them
    door_.reset();
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  Node& add_node(const std::string& name, const std::string& host) {
    Part& part = parts_[name];
    part.transport = hosts_->make_transport(name, host);
    part.processor = hosts_->make_processor(name, host);
    NodeSetup setup;
    setup.name = name;
    if (names_) {
      setup.name_service = name_service_;
      setup.is_known = true;
      names_->add("/" + name, host, part.transport->address().port);
    } else {
      name_service_ = part.transport->address();
    }
    part.node = std::make_unique<Node>(kernel_, *part.transport, *part.processor, setup);
    return *part.node;
  }

  LockstepDoor& door() {
    if (!door_) {
      door_ = std::make_unique<LockstepDoor>(kernel_, config_);
    }
    return *door_;
  }

  /// A client in a thread of its own; `program` runs when it has joined.
  void add_client(const std::string& name, const std::string& host,
                  std::function<void(LockstepClient& client)> program) {
    door().add(add_node(name, host), host);
    threads_.emplace_back([name, address = door().address(), program = std::move(program)] {
      ClientOptions options;
      options.component = name;
      options.address = address;
      options.patience = std::chrono::seconds(20);
      Result<std::unique_ptr<LockstepClient>> client = LockstepClient::join(options);
      if (client) {
        program(**client);
      }
    });
  }

  /// Somebody who sends these lines whatever he is told, then waits until he is hung up on.
  void add_rude_client(const std::string& name, const std::string& host,
                       std::vector<std::string> lines) {
    door().add(add_node(name, host), host);
    threads_.emplace_back([address = door().address(), lines = std::move(lines)] {
      system::LineStream stream(std::move(system::connect_stream(*system::parse_address(address),
                                                                 std::chrono::seconds(5)))
                                    .value());
      for (const std::string& line : lines) {
        (void)stream.write_line(line, std::chrono::seconds(5));
        if (line.find("hello") != std::string::npos) {
          (void)stream.read_line(std::chrono::seconds(5));  // joined
        }
      }
      while (stream.read_line(std::chrono::seconds(20)).has_value()) {
      }
    });
  }

  std::string failure_of_run(Duration length) {
    const Result<bool> opened = door().open();
    if (!opened) {
      return opened.error().message;
    }
    const Result<Time> reached = kernel_.run_until(Time(length));
    return reached ? "" : reached.error().message;
  }

  sim::Kernel kernel_;
  network::Topology topology_;
  LockstepConfig config_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<SimulatedHosts> hosts_;
  Address name_service_;
  std::unique_ptr<NameService> names_;
  std::unique_ptr<LockstepDoor> door_;
  std::map<std::string, Part> parts_;
  std::vector<std::thread> threads_;
};

}  // namespace longarm::components

// SPDX-License-Identifier: Apache-2.0
// Gives the components of a simulation their transports and processors.
#include "longarm/components/simulation.h"

#include <fmt/format.h>

#include "longarm/components/simulated_wires.h"
#include "longarm/core/check.h"

namespace longarm::components {

class SimulatedHosts::Impl {
 public:
  Impl(sim::Kernel& kernel, network::Network& network, const network::Topology& topology,
       std::uint64_t seed)
      : wires(kernel, network, topology, seed) {}

  network::NodeId node_of(const std::string& host) const {
    const std::optional<network::NodeId> node = wires.node_of(host);
    check(node.has_value(), fmt::format("there is no host '{}'", host));
    return *node;
  }

  SimulatedWires wires;
  std::uint64_t next_owner = 1;
};

namespace {

class SimulatedTransport final : public Transport {
 public:
  SimulatedTransport(SimulatedWires& wires, network::NodeId node, std::uint64_t owner,
                     std::uint16_t port)
      : wires_(wires) {
    SimulatedComputer& computer = wires.computer(node);
    if (port == 0) {
      while (computer.doors.contains(computer.next_port)) {
        ++computer.next_port;
      }
      port = computer.next_port++;
    }
    check(!computer.doors.contains(port),
          fmt::format("port {} of '{}' is taken", port, computer.name));
    door_.node = node;
    door_.port = port;
    door_.owner = owner;
    computer.doors[port] = &door_;
  }
  SimulatedTransport(const SimulatedTransport&) = delete;
  SimulatedTransport& operator=(const SimulatedTransport&) = delete;
  ~SimulatedTransport() override { wires_.kill(door_); }

  Address address() const override { return {wires_.computer(door_.node).name, door_.port}; }
  void start(TransportEvents& events) override { door_.events = &events; }
  ConnectionId connect(const Address& to, const network::FlowOptions& options) override {
    return wires_.connect(door_, to, options);
  }
  void send(ConnectionId connection, Bytes message) override {
    wires_.send(connection, std::move(message));
  }
  void close(ConnectionId connection) override { wires_.close(connection); }
  std::optional<Time> reached_host() const override { return door_.reached_host; }

 private:
  SimulatedWires& wires_;
  SimulatedDoor door_;
};

class SimulatedProcessor final : public Processor {
 public:
  SimulatedProcessor(Cores& cores, std::uint64_t owner) : cores_(cores), owner_(owner) {}
  SimulatedProcessor(const SimulatedProcessor&) = delete;
  SimulatedProcessor& operator=(const SimulatedProcessor&) = delete;
  ~SimulatedProcessor() override { cores_.forget(owner_); }

  void execute(Duration work, std::function<void()> done) override {
    cores_.execute(work, owner_, std::move(done));
  }
  Duration alone(Duration work) const override { return cores_.alone(work); }

 private:
  Cores& cores_;
  std::uint64_t owner_;
};

}  // namespace

SimulatedHosts::SimulatedHosts(sim::Kernel& kernel, network::Network& network,
                               const network::Topology& topology, std::uint64_t seed)
    : impl_(std::make_unique<Impl>(kernel, network, topology, seed)) {}

SimulatedHosts::~SimulatedHosts() = default;

std::unique_ptr<Transport> SimulatedHosts::make_transport(const std::string& /*component*/,
                                                          const std::string& host,
                                                          std::uint16_t port) {
  return std::make_unique<SimulatedTransport>(impl_->wires, impl_->node_of(host),
                                              impl_->next_owner++, port);
}

std::unique_ptr<Processor> SimulatedHosts::make_processor(const std::string& /*component*/,
                                                          const std::string& host) {
  return std::make_unique<SimulatedProcessor>(*impl_->wires.computer(impl_->node_of(host)).cores,
                                              impl_->next_owner++);
}

double SimulatedHosts::busy_s(const std::string& host) const {
  return impl_->wires.computer(impl_->node_of(host)).cores->busy_s();
}

}  // namespace longarm::components

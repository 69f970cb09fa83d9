// SPDX-License-Identifier: Apache-2.0
// A few hosts, a name service and components on them, for tests: a world in one line.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/frame.h"
#include "longarm/components/names.h"
#include "longarm/components/node.h"
#include "longarm/components/simulation.h"

namespace longarm::components::test {

using namespace std::chrono_literals;

/// Writes down what crosses, and passes it on.
class SpyTransport final : public Transport {
 public:
  SpyTransport(std::unique_ptr<Transport> inner, std::string name, std::vector<std::string>& log)
      : inner_(std::move(inner)), name_(std::move(name)), log_(log) {}

  Address address() const override { return inner_->address(); }
  void start(TransportEvents& events) override { inner_->start(events); }
  ConnectionId connect(const Address& to, const network::FlowOptions& options) override {
    return inner_->connect(to, options);
  }
  void send(ConnectionId connection, Bytes message) override {
    const Result<Frame> frame = read_frame(message);
    static constexpr const char* kKinds[] = {"?",     "request",  "one-way", "reply",
                                             "error", "progress", "cancel",  "subscribe",
                                             "datum", "brokered"};
    log_.push_back(name_ + " " + kKinds[static_cast<int>(frame->kind)] +
                   (frame->name.empty() ? "" : " " + std::string(frame->name)));
    inner_->send(connection, std::move(message));
  }
  void close(ConnectionId connection) override { inner_->close(connection); }

 private:
  std::unique_ptr<Transport> inner_;
  std::string name_;
  std::vector<std::string>& log_;
};

struct TestComponent {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Processor> processor;
  std::unique_ptr<Node> node;

  /// As if the process had died.
  void kill() {
    node.reset();
    processor.reset();
    transport.reset();
  }
};

struct Recorder final : NodeObserver {
  struct Published {
    std::string publisher, topic, subscriber;
    Time sent, arrived;
  };
  void called(const CallRecord& record) override { calls.push_back(record); }
  void published(const std::string& publisher, const std::string& topic,
                 const std::string& subscriber, std::size_t, Time sent, Time arrived) override {
    data.push_back({publisher, topic, subscriber, sent, arrived});
  }
  void goal_ended(const GoalRecord& record) override { goals.push_back(record); }
  std::vector<GoalRecord> goals;
  std::vector<CallRecord> calls;
  std::vector<Published> data;
};

/// Hosts pc1 … pcN, all like `like`: without cables in between, so that what takes time is on the
/// hosts; or with a cable between the first two, in the built-in network.
class System {
 public:
  explicit System(int hosts, const network::Host& like = {},
                  const std::optional<network::Cable>& cable = {}) {
    std::vector<network::Host> all;
    for (int i = 1; i <= hosts; ++i) {
      topology.nodes.push_back({.name = "pc" + std::to_string(i)});
      all.push_back(like);
      all.back().name = topology.nodes.back().name;
    }
    if (cable) {
      topology.cables.push_back(*cable);
      topology.cables[0].name = "cable";
      topology.cables[0].ends[1] = network::NodeId{1};
    }
    network = std::make_unique<network::Network>(
        kernel,
        cable ? network::make_builtin_backend(topology, {}) : network::make_ideal_backend(topology),
        all, 1);
    simulated = std::make_unique<SimulatedHosts>(kernel, *network, topology, 1);
    names = make("names", "pc1", {});
    name_service = std::make_unique<NameService>(*names.node);
  }

  /// A component that registers by itself.
  TestComponent make(const std::string& name, const std::string& host, NodeSetup setup = {}) {
    TestComponent made;
    made.transport =
        std::make_unique<SpyTransport>(simulated->make_transport(name, host), name, wire);
    made.processor = simulated->make_processor(name, host);
    setup.name = name;
    setup.observer = &recorder;
    if (names.transport) {
      setup.name_service = names.transport->address();
    }
    made.node = std::make_unique<Node>(kernel, *made.transport, *made.processor, setup);
    return made;
  }
  /// One that the name service has been told of.
  TestComponent make_known(const std::string& name, const std::string& host, NodeSetup setup = {}) {
    setup.is_known = true;
    TestComponent made = make(name, host, setup);
    const Address address = made.transport->address();
    name_service->add(name, address.host, address.port);
    return made;
  }

  void run_for(Duration span) {
    const Result<Time> end = kernel.run_until(kernel.now() + span);
    check(end.has_value(), end ? "" : end.error().message);
  }

  std::vector<std::string> wire;
  Recorder recorder;
  sim::Kernel kernel;
  network::Topology topology;
  std::unique_ptr<network::Network> network;
  std::unique_ptr<SimulatedHosts> simulated;
  TestComponent names;
  std::unique_ptr<NameService> name_service;
};

/// Text in a message.
struct Text {
  static constexpr std::string_view kTypeName = "test/Text";
  std::string data;
  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("data", self.data);
  }
};

inline Bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}
inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Answers after so much computing.
inline sim::Task<Bytes> echo_after(Node* node, Duration work, Bytes request) {
  co_await node->compute(work);
  co_return request;
}

/// Serves "echo", which takes `work` and gives back what it was asked.
inline void serve_echo(Node& node, Duration work) {
  Node* self = &node;
  node.serve_raw(
      "echo", [self, work](Bytes request) { return echo_after(self, work, std::move(request)); });
}

/// Calls once and keeps the answer.
inline sim::Task<void> call_once(Node* node, std::string server, std::string method, Bytes request,
                                 CallOptions options, std::vector<Result<Bytes>>* answers) {
  Result<Bytes> answer = co_await node->call_raw(server, method, std::move(request), options);
  answers->push_back(std::move(answer));
}

inline std::string outcome_of(const Result<Bytes>& answer) {
  return answer ? "ok " + text_of(*answer) : answer.error().message;
}

}  // namespace longarm::components::test

// SPDX-License-Identifier: Apache-2.0
// What the parts of a node share: its place in the world, its names, its complaints.
#pragma once

#include <coroutine>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/components/node.h"

namespace longarm::components {

/// After a peer or the name service was lost, and for datagrams that may have been.
inline constexpr Duration kRetryAfter{1'000'000'000};

struct NodeCore {
  NodeCore(sim::Kernel& on, Transport& by, Processor& with, NodeSetup as);

  sim::Kernel& kernel;
  sim::SourceId source;
  Transport& transport;
  Processor& processor;
  NodeSetup setup;
  std::string name;
  Address own_address;
  std::vector<std::string> complaints;
  /// Of the request whose handler runs at this moment; null: none, or nobody asks.
  Duration* core_wait = nullptr;

  Time now() const { return kernel.now(); }
  /// Keeps the newest hundred.
  void complain(std::string what);
  /// Complaints about names go to complain(). Cheap for names that have been asked for before.
  const std::string& resolve(std::string_view name);

 private:
  std::map<std::string, std::string, std::less<>> resolved_;
};

/// Tasks that wait for something that cannot be told to forget them.
class Waits {
 public:
  struct Token {
    std::uint32_t slot = UINT32_MAX;
    std::uint32_t generation = 0;
  };
  Token add(std::coroutine_handle<> frame);
  /// Both harmless if the wait is over.
  void forget(Token token);
  void wake(Token token);

 private:
  struct Slot {
    std::coroutine_handle<> frame;
    std::uint32_t generation = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

/// Tasks that nobody waits for; their frames are freed once they are over. They end with the node,
/// the newest first.
class Roots {
 public:
  explicit Roots(sim::Kernel& kernel) : kernel_(kernel) {}
  Roots(const Roots&) = delete;
  Roots& operator=(const Roots&) = delete;
  ~Roots();

  /// Runs it until it first waits.
  void start(sim::Task<void> task);
  /// Likewise, but as a delivery of the present instant.
  sim::TaskId spawn(sim::SourceId source, sim::Task<void> task);

 private:
  struct Root {
    sim::Task<void> task;
    sim::EventId begin{UINT32_MAX, 0};
  };

  Root& add(sim::Task<void> task);

  sim::Kernel& kernel_;
  std::list<Root> roots_;  // a list: events know where each is
  std::size_t sweep_at_ = 16;
  std::uint32_t spawned_ = 0;
};

}  // namespace longarm::components

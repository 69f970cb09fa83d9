// SPDX-License-Identifier: Apache-2.0
// Keeps a node's complaints, resolved names and unwatched tasks.
#include "longarm/components/node_core.h"

#include <algorithm>

namespace longarm::components {
namespace {

constexpr std::size_t kMostComplaints = 100;

}  // namespace

NodeCore::NodeCore(sim::Kernel& on, Transport& by, Processor& with, NodeSetup as)
    : kernel(on),
      source(on.add_source(as.name)),
      transport(by),
      processor(with),
      setup(std::move(as)),
      name(setup.name.starts_with('/') ? setup.name : "/" + setup.name) {}

void NodeCore::complain(std::string what) {
  if (complaints.size() >= kMostComplaints) {
    complaints.erase(complaints.begin());
  }
  complaints.push_back(std::move(what));
}

const std::string& NodeCore::resolve(std::string_view raw) {
  const auto known = resolved_.find(raw);
  if (known != resolved_.end()) {
    return known->second;
  }
  const std::string what = complaint_about_name(raw);
  if (!what.empty()) {
    complain(what);
  }
  return resolved_.emplace(std::string(raw), resolve_name(raw, name, setup.remap)).first->second;
}

Waits::Token Waits::add(std::coroutine_handle<> frame) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  slots_[slot].frame = frame;
  return {slot, slots_[slot].generation};
}

void Waits::forget(Token token) {
  if (token.slot < slots_.size() && slots_[token.slot].generation == token.generation) {
    ++slots_[token.slot].generation;
    free_.push_back(token.slot);
  }
}

void Waits::wake(Token token) {
  if (slots_[token.slot].generation == token.generation) {
    const std::coroutine_handle<> frame = slots_[token.slot].frame;
    forget(token);
    frame.resume();
  }
}

Roots::~Roots() {
  while (!roots_.empty()) {
    kernel_.cancel(roots_.back().begin);
    roots_.pop_back();
  }
}

Roots::Root& Roots::add(sim::Task<void> task) {
  // now and then, so that it costs little however many there are
  if (roots_.size() >= sweep_at_) {
    roots_.remove_if([](const Root& root) { return root.task.is_done(); });
    sweep_at_ = 2 * roots_.size() + 16;
  }
  return roots_.emplace_back(Root{std::move(task)});
}

void Roots::start(sim::Task<void> task) {
  add(std::move(task)).task.start();
}

sim::TaskId Roots::spawn(sim::SourceId source, sim::Task<void> task) {
  Root* root = &add(std::move(task));
  root->begin = kernel_.deliver(kernel_.now(), source, [root](Time) { root->task.start(); });
  return sim::TaskId(spawned_++);
}

}  // namespace longarm::components

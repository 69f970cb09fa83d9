// SPDX-License-Identifier: Apache-2.0
// The plain loop, with topics that may go through a server.
#include "longarm/actors/component_program.h"

#include <algorithm>
#include <utility>

#include "longarm/actors/component_statechart.h"

namespace longarm::actors {
namespace {

using components::Bytes;
using components::LoopPublication;

class LoopProgram final : public Program {
 public:
  explicit LoopProgram(const ProgramContext& context) : plain_(context, true) {}

  const std::vector<components::LoopCycle>& cycles() const override {
    return plain_.loop().cycles();
  }
  std::uint64_t overruns() const override { return plain_.loop().overruns(); }
  std::string last_failure() const override { return plain_.last_failure(); }

 private:
  PlainPart plain_;
};

/// A statechart whose calls are of the right size and mean nothing.
class StatechartProgram final : public Statechart {
 public:
  explicit StatechartProgram(const ProgramContext& context) : Statechart(context) { start(); }
};

Bytes zeros(const LoopPublication& publication) {
  return Bytes(static_cast<std::size_t>(publication.bytes));
}

}  // namespace

PlainPart::PlainPart(const ProgramContext& context, bool has_cycles,
                     const std::vector<std::string>& own_methods, Content content, Heard heard) {
  components::LoopConfig config = context.config;
  std::erase_if(config.serves, [&](const components::LoopMethod& method) {
    return std::find(own_methods.begin(), own_methods.end(), method.name) != own_methods.end();
  });
  if (!has_cycles) {
    config.calls.clear();
    config.period = Duration::zero();
  }
  // without a server the loop's own way is the same as in a process of its own
  const bool is_ours = !context.topics.server.empty() || content || heard || !has_cycles;
  if (is_ours) {
    config.publishes.clear();
    config.subscribes.clear();
    make_topics(context, content ? std::move(content) : zeros, std::move(heard));
  }
  loop_ =
      std::make_unique<components::LoopComponent>(context.node, std::move(config), context.seed);
}

void PlainPart::make_topics(const ProgramContext& context, Content content, Heard heard) {
  const ComponentConfig& config = context.config;
  const std::string& server = context.topics.server;
  const std::string& server_name = context.topics.server_node;
  if (!server.empty() && config.name == server) {
    server_ = std::make_unique<TopicServer>(context.node, context.subscribers);
  }
  for (const LoopPublication& publication : config.publishes) {
    const std::string& topic = publication.topic.empty() ? publication.name : publication.topic;
    publishers_.push_back(std::make_unique<TopicPublisher>(
        context.node, server_name, topic, Time{config.phase}, config.period, publication.every,
        [content, publication] { return content(publication); }));
  }
  for (const std::string& topic : config.subscribes) {
    subscribers_.push_back(std::make_unique<TopicSubscriber>(context.node, !server.empty(), topic,
                                                             context.topics.handling, context.seed,
                                                             [heard, topic](const Bytes& message) {
                                                               if (heard) {
                                                                 heard(topic, message);
                                                               }
                                                             }));
  }
}

std::string PlainPart::last_failure() const {
  if (!loop_->last_failure().empty()) {
    return loop_->last_failure();
  }
  for (const auto& publisher : publishers_) {
    if (!publisher->last_failure().empty()) {
      return publisher->last_failure();
    }
  }
  return server_ ? server_->last_failure() : "";
}

ProgramKinds built_in_programs() {
  ProgramKinds kinds;
  kinds["loop"] = {"calls, publishes, serves and subscribes as defined by its keys",
                   [](const ProgramContext& context) -> std::unique_ptr<Program> {
                     return std::make_unique<LoopProgram>(context);
                   }};
  ProgramKind statechart{"a statechart, defined by its states",
                         [](const ProgramContext& context) -> std::unique_ptr<Program> {
                           return std::make_unique<StatechartProgram>(context);
                         }};
  statechart.needs_period = true;
  statechart.states = StatechartVocabulary{};
  kinds["statechart"] = std::move(statechart);
  return kinds;
}

}  // namespace longarm::actors

// SPDX-License-Identifier: Apache-2.0
// Judges a system of components: names that exist, methods that somebody serves, and the like.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/actors/component_config.h"
#include "longarm/components/names.h"
#include "longarm/core/suggest.h"
#include "longarm/network/external/external_backend.h"

namespace longarm::actors {
namespace {

using network::KeyRemark;
using Remarks = std::vector<KeyRemark>;
using Names = std::vector<std::string>;

// what UDP over IPv4 carries at most, and what frames have around their content (see frame.h)
constexpr std::int64_t kLargestDatagramBytes = 65'507;
constexpr std::size_t kRequestBytes = 7;  // and the method's name
constexpr std::size_t kReplyBytes = 21;
constexpr std::size_t kDatumBytes = 9;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Methods that a component answers to.
Names methods_of(const ComponentConfig& component) {
  Names methods = component.own_methods;
  for (const components::LoopMethod& method : component.serves) {
    methods.push_back(method.name);
  }
  return methods;
}

class SystemJudge {
 public:
  SystemJudge(const ComponentSystem& system, std::string middleware)
      : system_(system),
        own_("actors." + std::move(middleware) + "."),
        names_(names_of(system.components)) {}

  Remarks remarks() && {
    judge_name(own_ + "measure", config().measure);
    judge_measured();
    judge_name(own_ + "topics.server", config().topics.server);
    judge_topics();
    for (const ComponentConfig& component : system_.components) {
      judge_component(component);
    }
    return std::move(remarks_);
  }

 private:
  const MiddlewareConfig& config() const { return system_.config; }

  void error(const std::string& key, std::string message, std::string hint) {
    remarks_.push_back({key, std::move(message), std::move(hint)});
  }

  void judge_name(const std::string& key, const std::string& name) {
    if (!name.empty() && !has(names_, name)) {
      error(key, fmt::format("there is no component '{}'", name), suggest(name, names_));
    }
  }

  void judge_measured() {
    for (const ComponentConfig& component : system_.components) {
      if (component.name == config().measure && !has_cycles(component)) {
        error(own_ + "measure", fmt::format("'{}' has no cycles to measure", component.name),
              "name a component with period and calls");
      }
    }
  }

  /// A datagram that IP does not carry would never arrive.
  void judge_datagram(const std::string& key, std::size_t frame_bytes, std::int64_t bytes) {
    const std::int64_t most = kLargestDatagramBytes - static_cast<std::int64_t>(frame_bytes);
    if (system_.is_udp && bytes > most) {
      error(key, fmt::format("{} bytes do not fit into a UDP datagram", bytes),
            fmt::format("use at most {}, or network.flows=tcp", most));
    }
  }

  void judge_topics() {
    std::set<std::string> published;
    for (const ComponentConfig& component : system_.components) {
      for (const components::LoopPublication& each : component.publishes) {
        const std::string& topic = each.topic.empty() ? each.name : each.topic;
        published.insert(topic);
        const std::string method = "topic/" + topic;
        judge_datagram(fmt::format("actors.{}.publishes.{}.bytes", component.name, each.name),
                       config().topics.server.empty() ? kDatumBytes : kRequestBytes + method.size(),
                       each.bytes);
      }
    }
    const Names topics(published.begin(), published.end());
    for (const ComponentConfig& component : system_.components) {
      const std::string key = "actors." + component.name;
      for (const std::string& topic : component.subscribes) {
        if (!published.contains(topic)) {
          error(key + ".subscribes", fmt::format("no component publishes '{}'", topic),
                topics.empty() ? "let a component publish it" : suggest(topic, topics));
        }
      }
      const bool has_topics = !component.publishes.empty() || !component.subscribes.empty();
      if (has_topics && component.name == config().topics.server) {
        error(key, "the topic server only forwards messages",
              "let another component publish or subscribe");
      }
    }
  }

  void judge_calls(const std::string& key, const std::vector<components::LoopCall>& calls,
                   const std::string& caller) {
    for (const components::LoopCall& call : calls) {
      const std::string at = key + "." + call.name;
      judge_name(at + ".to", call.to);
      judge_datagram(at + ".request_bytes",
                     kRequestBytes + (call.method.empty() ? call.name : call.method).size(),
                     call.request_bytes);
      if (call.to == caller) {
        error(at + ".to", "a component cannot call itself: it would wait forever",
              "call another component, or use a computing time");
      }
      const auto server =
          std::find_if(system_.components.begin(), system_.components.end(),
                       [&](const ComponentConfig& each) { return each.name == call.to; });
      if (server == system_.components.end() || server->program == kForeign) {
        continue;
      }
      const std::string& method = call.method.empty() ? call.name : call.method;
      const Names methods = methods_of(*server);
      if (!has(methods, method)) {
        error(at + (call.method.empty() ? "" : ".method"),
              fmt::format("'{}' serves no method '{}'", call.to, method), suggest(method, methods));
      }
    }
  }

  /// A slip of the keyboard makes a new component.
  bool does_nothing(const ComponentConfig& component) const {
    return component.program == "loop" && component.period == Duration::zero() &&
           component.serves.empty() && component.publishes.empty() &&
           component.subscribes.empty() && component.name != config().topics.server;
  }

  void judge_component(const ComponentConfig& component) {
    const std::string key = "actors." + component.name;
    if (const std::string complaint = components::complaint_about_name(component.name);
        !complaint.empty()) {
      error(key, complaint, "");
    }
    if (component.name == "NameService") {
      error(key, "a component of this name already exists", "choose another name");
    }
    if (does_nothing(component)) {
      Names others = names_;
      std::erase(others, component.name);
      const std::string near = nearest_name(component.name, others);
      error(key, fmt::format("'{}' does nothing", component.name),
            near.empty() ? "give it calls, publishes, serves or subscribes"
                         : fmt::format("did you mean '{}'?", near));
    }
    if (component.threads < 0) {
      error(key + ".threads", "a number of threads must not be negative", "0 means any number");
    }
    judge_program(component, key);
    judge_calls(key + ".calls", component.calls, component.name);
    for (const StateConfig& state : component.states) {
      judge_calls(key + ".states." + state.name + ".enter", state.enter, component.name);
      judge_calls(key + ".states." + state.name + ".calls", state.calls, component.name);
    }
    for (const components::LoopMethod& method : component.serves) {
      const std::string at = key + ".serves." + method.name;
      judge_datagram(at + ".reply_bytes", kReplyBytes, method.reply_bytes);
      judge_calls(at + ".calls", method.calls, component.name);
    }
  }

  void judge_program(const ComponentConfig& component, const std::string& key) {
    if (component.needs_period && component.period <= Duration::zero()) {
      error(key + ".period", "this program needs a period", "10ms is usual");
    }
  }

  const ComponentSystem& system_;
  std::string own_;
  Names names_;
  Remarks remarks_;
};

}  // namespace

Remarks judge_system(const ComponentSystem& system, const std::string& middleware) {
  return SystemJudge(system, middleware).remarks();
}

}  // namespace longarm::actors

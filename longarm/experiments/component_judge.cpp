// SPDX-License-Identifier: Apache-2.0
// Judges a system of components: names that exist, hosts enough, methods that somebody serves.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/components/names.h"
#include "longarm/core/suggest.h"
#include "longarm/experiments/component_config.h"
#include "longarm/network/external/external_backend.h"

namespace longarm::experiments {
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

void add(Remarks& out, const std::string& prefix, Remarks remarks) {
  for (KeyRemark& remark : remarks) {
    remark.key = remark.key.empty() ? prefix : prefix + "." + remark.key;
    out.push_back(std::move(remark));
  }
}

/// Methods that a component answers to.
Names methods_of(const ComponentConfig& component) {
  Names methods;
  for (const components::LoopMethod& method : component.serves) {
    methods.push_back(method.name);
  }
  if (component.program == "kinematic-unit") {
    methods.push_back("setJointVelocities");
  }
  if (component.program == "hand-control") {
    methods.push_back("setTCPVelocity");
  }
  return methods;
}

class Judge {
 public:
  explicit Judge(const ComponentsConfig& config) : config_(config), hosts_(host_names(config)) {
    for (const ComponentConfig& component : config.components) {
      names_.push_back(component.name);
    }
  }

  Remarks remarks() && {
    judge_placement();
    judge_name("measure", config_.measure);
    judge_measured();
    judge_name("topics.server", config_.topics.server);
    judge_topics();
    for (const ComponentConfig& component : config_.components) {
      judge_component(component);
    }
    return std::move(remarks_);
  }

 private:
  void error(const std::string& key, std::string message, std::string hint) {
    remarks_.push_back({key, std::move(message), std::move(hint)});
  }

  void judge_name(const std::string& key, const std::string& name) {
    if (!name.empty() && !has(names_, name)) {
      error(key, fmt::format("there is no component '{}'", name), suggest(name, names_));
    }
  }

  void judge_measured() {
    for (const ComponentConfig& component : config_.components) {
      if (component.name == config_.measure && !has_cycles(component)) {
        error("measure", fmt::format("'{}' has no cycles of calls to measure", component.name),
              "name a component with period and calls");
      }
    }
  }

  /// A datagram that IP does not carry would never arrive.
  void judge_datagram(const std::string& key, std::size_t frame_bytes, std::int64_t bytes) {
    const std::int64_t most = kLargestDatagramBytes - static_cast<std::int64_t>(frame_bytes);
    if (config_.network.flows.transport == network::Transport::kUdp && bytes > most) {
      error(key, fmt::format("{} bytes do not fit into a UDP datagram", bytes),
            fmt::format("at most {}, or use network.flows=tcp", most));
    }
  }

  void judge_host(const std::string& key, const std::string& host) {
    if (!host.empty() && !has(hosts_, host)) {
      error(key, fmt::format("there is no host '{}'", host), suggest(host, hosts_));
    }
  }

  void judge_placement() {
    judge_host("name_service_host", config_.name_service_host);
    const PlacementConfig& placement = config_.placement;
    for (const std::string& name : placement.isolated) {
      judge_name("placement.isolated", name);
    }
    const bool is_isolating = placement.rule == "isolate";
    if (is_isolating != !placement.isolated.empty()) {
      error("placement.isolated",
            is_isolating ? "nobody is isolated" : "these are not isolated: the rule is another",
            is_isolating ? "name the components of the second host" : "use placement.rule=isolate");
    }
    const std::size_t needed = placement.rule == "separate" ? names_.size() : is_isolating ? 2 : 1;
    if (hosts_.size() < needed) {
      error("placement.rule",
            fmt::format("this takes {} hosts, and there are {}", needed, hosts_.size()),
            "add hosts to the network, for example network.star.hosts");
    }
  }

  void judge_topics() {
    std::set<std::string> published;
    for (const ComponentConfig& component : config_.components) {
      for (const components::LoopPublication& each : component.publishes) {
        const std::string& topic = each.topic.empty() ? each.name : each.topic;
        published.insert(topic);
        const std::string method = "topic/" + topic;
        judge_datagram(fmt::format("components.{}.publishes.{}.bytes", component.name, each.name),
                       config_.topics.server.empty() ? kDatumBytes : kRequestBytes + method.size(),
                       each.bytes);
      }
    }
    const Names topics(published.begin(), published.end());
    for (const ComponentConfig& component : config_.components) {
      const std::string key = "components." + component.name;
      for (const std::string& topic : component.subscribes) {
        if (!published.contains(topic)) {
          error(key + ".subscribes", fmt::format("nobody publishes '{}'", topic),
                topics.empty() ? "let a component publish it" : suggest(topic, topics));
        }
      }
      const bool has_topics = !component.publishes.empty() || !component.subscribes.empty();
      if (has_topics && component.name == config_.topics.server) {
        error(key, "the server of topics passes messages on, it has none of its own",
              "let another component publish or subscribe");
      }
    }
  }

  void judge_calls(const std::string& key, const std::vector<components::LoopCall>& calls,
                   const std::string& caller) {
    for (const components::LoopCall& call : calls) {
      const std::string at = key + ".calls." + call.name;
      judge_name(at + ".to", call.to);
      judge_datagram(at + ".request_bytes",
                     kRequestBytes + (call.method.empty() ? call.name : call.method).size(),
                     call.request_bytes);
      if (call.to == caller) {
        error(at + ".to", "a component that calls itself would wait for itself",
              "let it call another, or compute");
      }
      const auto server =
          std::find_if(config_.components.begin(), config_.components.end(),
                       [&](const ComponentConfig& each) { return each.name == call.to; });
      if (server == config_.components.end() || server->program == "foreign") {
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
           component.subscribes.empty() && component.name != config_.topics.server;
  }

  void judge_component(const ComponentConfig& component) {
    const std::string key = "components." + component.name;
    if (const std::string complaint = components::complaint_about_name(component.name);
        !complaint.empty()) {
      error(key, complaint, "");
    }
    if (component.name == "NameService") {
      error(key, "there is a component of that name already", "choose another name");
    }
    if (does_nothing(component)) {
      Names others = names_;
      std::erase(others, component.name);
      const std::string near = nearest_name(component.name, others);
      error(key, fmt::format("'{}' does nothing", component.name),
            near.empty() ? "give it calls, publishes, serves or subscribes"
                         : fmt::format("did you mean '{}'?", near));
    }
    judge_host(key + ".host", component.host);
    if (component.threads < 0) {
      error(key + ".threads", "a number of threads cannot be negative", "0 means any number");
    }
    if (needs_arm(component.program) && config_.arm.model.empty()) {
      error(key + ".program", fmt::format("'{}' needs an arm", component.program),
            "name one: arm.model");
    }
    judge_program(component, key);
    judge_calls(key, component.calls, component.name);
    for (const components::LoopMethod& method : component.serves) {
      const std::string at = key + ".serves." + method.name;
      judge_datagram(at + ".reply_bytes", kReplyBytes, method.reply_bytes);
      judge_calls(at, method.calls, component.name);
    }
  }

  void judge_program(const ComponentConfig& component, const std::string& key) {
    const bool is_foreign = component.program == "foreign";
    if (!is_foreign && !component.command.empty()) {
      error(key + ".command", "only a foreign program is started by a command",
            "use program: foreign");
    }
    const bool has_loop = component.period > Duration::zero() || !component.serves.empty() ||
                          !component.publishes.empty() || !component.subscribes.empty();
    if (is_foreign && has_loop) {
      error(key, "what a foreign program does is not written here",
            "leave away period, calls, publishes, serves and subscribes");
    }
    const bool is_hand_loop =
        component.program == "hand-control" || component.program == "path-follower";
    if (is_hand_loop && component.period <= Duration::zero()) {
      error(key + ".period", "this program works in cycles", "10ms is usual");
    }
  }

  const ComponentsConfig& config_;
  Names hosts_;
  Names names_;
  Remarks remarks_;
};

}  // namespace

Remarks load(ComponentsConfig& config, InputFiles& files) {
  Remarks remarks;
  if (config.network.is_empty()) {
    remarks.push_back({"network", "there are no hosts", "for example network.star.hosts=3"});
    return remarks;
  }
  if (config.components.empty()) {
    remarks.push_back({"components", "there are no components", "see docs/components.md"});
    return remarks;
  }
  add(remarks, "network", network::load(config.network, files));
  add(remarks, "topics.handling", network::load(config.topics.handling, files));
  if (config.has_foreign()) {
    add(remarks, "lockstep", components::check_config(config.lockstep));
  }
  for (ComponentConfig& component : config.components) {
    add(remarks, "components." + component.name, components::load(component, files));
    component.command = network::with_found_files(component.command, files);
  }
  if (!has_errors(remarks)) {
    for (KeyRemark& remark : Judge(config).remarks()) {
      remarks.push_back(std::move(remark));
    }
  }
  return remarks;
}

}  // namespace longarm::experiments

// SPDX-License-Identifier: Apache-2.0
// Says who asks whom for what, and why that cannot be.
#include "longarm/cell/judge_wishes.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::cell {
namespace {

/// What metrics.json has besides the actors.
constexpr std::array kReserved{"format", "scenario",   "identity",   "files_hash",   "engine",
                               "seed",   "ended",      "failure",    "simulated_s",  "diverged",
                               "world",  "warnings",   "network",    "traffic_hash", "failures",
                               "link",   "part",       "machine",    "state_hash",   "reference",
                               "cell",   "world_hash", "experiment", "actors_hash",  "model_hash"};

void judge_name(const ActorEntry& actor, std::vector<KeyRemark>& remarks) {
  const std::string key = "actors." + actor.name;
  const auto is_reserved = [&](const char* word) { return actor.name == word; };
  if (std::any_of(kReserved.begin(), kReserved.end(), is_reserved)) {
    remarks.push_back(
        {key, fmt::format("'{}' is reserved and cannot be the name of an actor", actor.name),
         "choose another name"});
  } else if (actor.name.find_first_of(" \t./:\"") != std::string::npos) {
    remarks.push_back(
        {key,
         fmt::format("'{}' is not a valid name: it contains a space, dot, colon or slash",
                     actor.name),
         "use letters, digits, - and _"});
  }
}

std::string names_of_interfaces(const std::vector<Interface>& interfaces) {
  std::vector<std::string> names;
  for (const Interface& each : interfaces) {
    names.emplace_back(each.name);
  }
  return names.empty() ? "nothing" : join(names);
}

/// Of what is at host `at`.
bool is_too_far(const ActorEntry& actor, const std::string& at, const Interface& interface) {
  return interface.reach == Reach::kBody && !actor.host.empty() && !at.empty() && actor.host != at;
}

bool reaches(const ActorEntry& actor, const ActorEntry& other, const Interface& interface) {
  const std::string at = other.model->host_of(interface, other.host);
  return !is_too_far(actor, at, interface) &&
         (!interface.needs_hosts || (!actor.host.empty() && !at.empty()));
}

class WishJudge {
 public:
  WishJudge(const CellConfig& config, const ActorRegistry& kinds, std::vector<KeyRemark>& remarks)
      : config_(config), kinds_(kinds), remarks_(remarks) {}

  void judge(const ActorEntry& actor, const WishInfo& wish) {
    key_ = fmt::format("actors.{}.{}", actor.name, wish.key);
    const ActorEntry* other = config_.find(wish.of);
    if (wish.of == actor.name) {
      say(fmt::format("'{}' needs a {} and names itself", actor.name, wish.what.name),
          "name another actor");
    } else if (other == nullptr) {
      say(fmt::format("there is no actor '{}'", wish.of),
          config_.actors.size() < 2 ? fmt::format("add one that offers a {}", wish.what.name)
                                    : suggest(wish.of, names_of(config_.actors)));
    } else if (!offers(*other, wish.what)) {
      say(fmt::format("'{}' is a {}, which offers {}; '{}' needs a {}", other->name, other->kind,
                      names_of_interfaces(other->model->offers()), actor.name, wish.what.name),
          offering(wish.what));
    } else {
      judge_reach(actor, *other, wish.what);
    }
  }

 private:
  void say(std::string message, std::string hint) {
    remarks_.push_back({key_, std::move(message), std::move(hint)});
  }

  static bool offers(const ActorEntry& actor, const Interface& interface) {
    const std::vector<Interface> all = actor.model->offers();
    return std::find(all.begin(), all.end(), interface) != all.end();
  }

  /// "kinds that offer a belt: belt"
  std::string offering(const Interface& interface) const {
    std::vector<std::string> names;
    for (const std::string& kind : kinds_.names()) {
      const std::vector<Interface> all = kinds_.make(kind)->offers();
      if (std::find(all.begin(), all.end(), interface) != all.end()) {
        names.push_back(kind);
      }
    }
    return fmt::format("kinds that offer a {}: {}", interface.name,
                       names.empty() ? "none" : join(names));
  }

  void judge_reach(const ActorEntry& actor, const ActorEntry& other, const Interface& interface) {
    const std::string at = other.model->host_of(interface, other.host);
    const bool have_hosts = !actor.host.empty() && !at.empty();
    if (is_too_far(actor, at, interface)) {
      say(fmt::format("the {} of '{}' is on host '{}', but '{}' is on '{}', and this interface "
                      "does not cross the network",
                      interface.name, other.name, at, actor.name, actor.host),
          "put both on one host, or use an interface that crosses the network");
    }
    if (interface.needs_hosts && !have_hosts) {
      const ActorEntry& without = actor.host.empty() ? actor : other;
      say(fmt::format("'{}' uses the {} of '{}' across the network, but '{}' has no host",
                      actor.name, interface.name, other.name, without.name),
          fmt::format("set actors.{}.host", without.name));
    }
  }

  const CellConfig& config_;
  const ActorRegistry& kinds_;
  std::vector<KeyRemark>& remarks_;
  std::string key_;
};

/// Depth first; `path` is whoever is being looked at.
class OrderFinder {
 public:
  OrderFinder(const CellConfig& config, std::vector<KeyRemark>& remarks)
      : config_(config), remarks_(remarks) {}

  void visit(std::size_t number) {
    const ActorEntry& actor = config_.actors[number];
    const auto again = std::find(path_.begin(), path_.end(), number);
    if (again != path_.end()) {
      std::string circle;
      for (auto each = again; each != path_.end(); ++each) {
        circle += "'" + config_.actors[*each].name + "' needs ";
      }
      remarks_.push_back(
          {"actors." + actor.name,
           fmt::format("actors need each other in a cycle: {}'{}'", circle, actor.name),
           "remove one of these references"});
      return;
    }
    if (!done_.insert(number).second) {
      return;
    }
    path_.push_back(number);
    for (const WishInfo& wish : actor.model->wishes()) {
      for (std::size_t other = 0; other < config_.actors.size(); ++other) {
        if (config_.actors[other].name == wish.of && other != number) {
          visit(other);
        }
      }
    }
    path_.pop_back();
    order.push_back(number);
  }

  std::vector<std::size_t> order;

 private:
  const CellConfig& config_;
  std::vector<KeyRemark>& remarks_;
  std::vector<std::size_t> path_;
  std::set<std::size_t> done_;
};

}  // namespace

void complete_wishes(CellConfig& config) {
  for (const ActorEntry& actor : config.actors) {
    for (const WishInfo& wish : actor.model->wishes()) {
      if (!wish.of.empty() || (!wish.takes_only_one && !wish.takes_all)) {
        continue;
      }
      std::vector<std::string> offering;
      for (const ActorEntry& other : config.actors) {
        const std::vector<Interface> offers = other.model->offers();
        if (std::find(offers.begin(), offers.end(), wish.what) != offers.end() &&
            (wish.takes_only_one || reaches(actor, other, wish.what))) {
          offering.push_back(other.name);
        }
      }
      for (const std::string& name : offering) {
        if (wish.takes_all || offering.size() == 1) {
          actor.model->take(wish, name);
        }
      }
    }
  }
}

void judge_wishes(const CellConfig& config, const ActorRegistry& kinds,
                  std::vector<KeyRemark>& remarks) {
  const std::vector<std::string> hosts =
      config.network.is_empty() ? std::vector<std::string>() : host_names(config.network);
  const auto judge_host = [&](const ActorEntry& actor, const std::string& key,
                              const std::string& host) {
    const bool is_known = std::find(hosts.begin(), hosts.end(), host) != hosts.end();
    if (!host.empty() && !config.network.is_empty() && !is_known) {
      remarks.push_back({config.key_of(actor, key),
                         fmt::format("the network has no host '{}'", host), suggest(host, hosts)});
    }
  };
  WishJudge judge(config, kinds, remarks);
  for (const ActorEntry& actor : config.actors) {
    judge_name(actor, remarks);
    judge_host(actor, "host", actor.host);
    for (const auto& [key, host] : actor.model->more_hosts()) {
      judge_host(actor, key, host);
    }
    for (const WishInfo& wish : actor.model->wishes()) {
      if (!wish.of.empty()) {
        judge.judge(actor, wish);
      }
    }
  }
}

std::vector<std::size_t> making_order(const CellConfig& config, std::vector<KeyRemark>& remarks) {
  OrderFinder finder(config, remarks);
  for (std::size_t i = 0; i < config.actors.size(); ++i) {
    finder.visit(i);
  }
  return finder.order;
}

}  // namespace longarm::cell

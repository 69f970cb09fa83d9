// SPDX-License-Identifier: Apache-2.0
// What a device says to whoever asked to hear it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/cell/live_link.h"
#include "longarm/cell/world.h"
#include "longarm/devices/device_link.h"
#include "longarm/network/changeable_link.h"
#include "longarm/network/link_meter.h"

namespace longarm::actors {

/// What such messages are called: a constant for each type of message.
template <typename Message>
inline constexpr cell::Interface kSpokenBy{};

/// How they are recorded: specialised with kTopic, kType, properties() and to_json(message, names
/// of bodies) for messages that are.
template <typename Message>
struct TraceOf {};

/// How a device's messages got to a listener.
nlohmann::ordered_json link_json(const network::LinkReport& report);

/// Each listener has a port of its own: across the network where both have a host, else through the
/// link that the device's keys describe.
template <typename Message>
class Source {
 public:
  static constexpr cell::Interface kInterface = kSpokenBy<Message>;
  using Heard = std::function<void(const Message&, Time now)>;

  /// `period` is how often the device speaks at least; zero if there is no such thing.
  Source(cell::World& world, std::string name, devices::DeviceLinkConfig link, Duration period)
      : world_(world), name_(std::move(name)), link_(std::move(link)), period_(period) {
    if constexpr (requires { TraceOf<Message>::kTopic; }) {
      if (world.trace() != nullptr) {
        trace_ = world.trace()->add_json(fmt::format("/{}/{}", name_, TraceOf<Message>::kTopic),
                                         TraceOf<Message>::kType, TraceOf<Message>::properties());
        bodies_ = world.body_names();
      }
    }
  }

  void listen(const std::string& asker, const cell::Wish& wish, Heard heard) {
    std::unique_ptr<network::Link> wire;
    if (world_.is_networked(name_, asker)) {
      network::FlowOptions usual = world_.usual_flow();
      usual.transport = network::Transport::kUdp;
      wire = std::move(world_.open_flow(name_, asker, wish.options(usual)).from_opener);
    } else {
      wire = make_wire();
    }
    ports_.push_back({asker, std::make_unique<devices::DevicePort<Message>>(
                                 world_.kernel(), name_ + ".link", std::move(wire), period_,
                                 link_.requirements)});
    ports_.back().port->listen(std::move(heard));
  }

  /// A server of the device's own hears it, too: at its host, or behind its own link where it has
  /// none.
  void open_server(Heard heard) {
    if (world_.host_of(name_).empty()) {
      listen("server", {}, std::move(heard));
    } else {
      server_ = std::move(heard);
    }
  }

  void send(const Message& message, std::size_t size_bytes) {
    if (ports_.empty() && world_.host_of(name_).empty()) {
      listen("", {}, {});  // its own link leads somewhere, though nobody we know is there
    }
    if constexpr (requires { TraceOf<Message>::kTopic; }) {
      if (trace_) {
        trace_->write(world_.now(), TraceOf<Message>::to_json(message, bodies_));
      }
    }
    if (server_) {
      server_(message, world_.now());
    }
    for (const Listener& each : ports_) {
      each.port->send(message, size_bytes);
    }
  }

  /// What the first listener heard last.
  const std::optional<Message>* latest() const {
    return ports_.empty() ? nullptr : &ports_.front().port->latest();
  }

  /// Of the one listener; of several under their names.
  nlohmann::ordered_json results() const {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    for (const Listener& each : ports_) {
      nlohmann::ordered_json own = link_json(each.port->report(world_.now()));
      if (ports_.size() == 1) {
        return own;
      }
      out[each.name] = std::move(own);
    }
    return out;
  }

 private:
  struct Listener {
    std::string name;
    std::unique_ptr<devices::DevicePort<Message>> port;
  };

  /// By the device's own link, which may change while the run goes on.
  std::unique_ptr<network::Link> make_wire() {
    const network::LinkContext context{world_.seed(), name_ + ".link"};
    std::unique_ptr<network::Link> link = devices::make_link(link_, context);
    const std::optional<std::string> netem = link_.plugin ? link_.plugin->as_netem()
                                             : link_.model == "none"
                                                 ? std::optional<std::string>("")
                                                 : std::nullopt;
    if (!netem) {
      return link;
    }
    auto wire = std::make_unique<network::ChangeableLink>(std::move(link), context);
    wires_.push_back(wire.get());
    if (wires_.size() == 1) {
      cell::offer_link_keys(world_, name_ + "/link", *netem,
                            [this](const std::shared_ptr<const network::LinkModel>& model) {
                              for (network::ChangeableLink* each : wires_) {
                                each->change(*model);
                              }
                            });
    }
    return wire;
  }

  cell::World& world_;
  std::string name_;
  devices::DeviceLinkConfig link_;
  Duration period_;
  std::vector<Listener> ports_;
  std::vector<network::ChangeableLink*> wires_;  ///< of listeners that are not across the network
  Heard server_;
  std::unique_ptr<record::JsonTrace> trace_;  ///< null: not recorded
  std::vector<std::string> bodies_;           ///< where it is, all there are
};

/// The keys of a device's own link.
void list_link(Fields& fields, devices::DeviceLinkConfig& config);
/// As ActorModel::without_link() has it: a copy of the model, whose link `link_of` finds, is ideal.
template <typename Model, typename LinkOf>
std::shared_ptr<Model> without_link_of(const Model& model, const LinkOf& link_of) {
  auto copy = std::make_shared<Model>(model);
  devices::DeviceLinkConfig& link = link_of(*copy);
  if (link.model == "none") {
    return nullptr;
  }
  link.model = "none";
  link.plugin = network::built_in_link_models().make(link.model);
  return copy;
}
/// Reads the files that they name. A device on a host needs no link of its own.
std::vector<network::KeyRemark> load_link(devices::DeviceLinkConfig& config, InputFiles& files,
                                          const std::string& host);

}  // namespace longarm::actors

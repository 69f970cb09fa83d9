// SPDX-License-Identifier: Apache-2.0
// Puts engine and network on one clock, and steps them.
#include "longarm/cell/world.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/cell/door_on_network.h"
#include "longarm/cell/frame_trace.h"
#include "longarm/cell/live_link.h"
#include "longarm/components/transport.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/core/suggest.h"
#include "longarm/network/flow_link.h"
#include "longarm/network/network_json.h"
#include "longarm/network/watched_backend.h"
#include "longarm/programs/programs.h"

namespace longarm::cell {
namespace {

using Json = nlohmann::ordered_json;

// real clients count from 1, those inside the simulation from here
constexpr std::uint32_t kFirstInside = 1u << 30;

/// Where the scenario says nothing of a network, hosts are joined by an ideal one.
network::NetworkConfig complete(network::NetworkConfig config,
                                const std::map<std::string, std::string>& host_of) {
  if (!config.is_empty()) {
    return config;
  }
  for (const auto& [actor, host] : host_of) {
    const auto is_it = [&](const network::Host& each) { return each.name == host; };
    if (std::none_of(config.hosts.begin(), config.hosts.end(), is_it)) {
      config.hosts.push_back(config.host_defaults);
      config.hosts.back().name = host;
    }
  }
  // a host by itself has only its loopback, which programs can use as well
  config.backend = config.hosts.size() == 1 ? "builtin" : "ideal";
  return config;
}

}  // namespace

physics::JointId find_joint(const model::Cell& cell, const std::string& name) {
  std::vector<std::string> known;
  std::vector<int> found;
  int number = 0;
  for (const model::Placement& placement : cell.placements) {
    for (const model::TreeJoint& joint : placement.tree.joints) {
      known.push_back(placement.name + "::" + joint.name);
      if (name == joint.name || name == known.back()) {
        found.push_back(number);
      }
      ++number;
    }
  }
  if (found.size() == 1) {
    return static_cast<physics::JointId>(found.front());
  }
  throw InputError(Diagnostic{
      {},
      fmt::format("{} '{}'", found.empty() ? "there is no joint" : "several joints match", name),
      found.empty() ? suggest(name, known) : "write model::joint"});
}

std::optional<int> find_placement(const model::Cell& cell, const std::string& name) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    if (cell.placements[p].name == name) {
      return static_cast<int>(p);
    }
  }
  return std::nullopt;
}

World::World(WorldSetup setup)
    : setup_(std::move(setup)),
      // where nothing moves the cheapest engine will do
      engine_(setup_.engines.make(setup_.model.placements.empty() ? "kinematic" : setup_.engine,
                                  setup_.model, setup_.options)),
      source_(kernel_.add_source("world")),
      host_of_(setup_.hosts.begin(), setup_.hosts.end()) {
  // without contacts there is nothing to simplify
  if (!engine_->capabilities().has_contacts) {
    setup_.simplify.mode = "none";
  }
  make_network();
  simplifier_ = std::make_unique<mechanisms::Simplifier>(*engine_, setup_.model, setup_.simplify,
                                                         setup_.options.period);
  parts_ = std::make_unique<LooseParts>(*engine_, setup_.model, *simplifier_);
  hold_joints();
  kernel_.every(period(), Time{}, sim::Phase::kStep, source_, [this](Time now) { step(now); });
}

World::~World() = default;

void World::make_network() {
  setup_.network = complete(std::move(setup_.network), host_of_);
  if (setup_.network.is_empty()) {
    return;
  }
  topology_ = network::make_topology(setup_.network, setup_.length);
  for (const auto& name : setup_.name_streams) {
    name(topology_);
  }
  fail_cables(topology_, setup_.failures);
  network::BackendOptions options;
  options.seed = seed();
  if (setup_.network.capture && !folder().empty()) {
    const std::filesystem::path folder = std::filesystem::path(this->folder()) / "capture";
    std::filesystem::create_directories(folder);  // not every backend does
    options.capture_folder = folder;
  }
  if (setup_.run.records_packets) {
    frames_ = std::make_unique<FrameTrace>(setup_.run.frames_per_second);
    options.frame_watcher = frames_.get();
  }
  std::unique_ptr<network::Backend> backend =
      network::make_backend(setup_.network, topology_, options);
  if (setup_.run.records_packets) {
    backend = network::make_watched_backend(
        std::move(backend), [this](const network::MessageEvent& event) { record_packet(event); });
  }
  network_ = std::make_unique<network::Network>(kernel_, std::move(backend),
                                                network::make_hosts(setup_.network), seed());
  const std::vector<network::Host> all = network::make_hosts(setup_.network);
  if (std::any_of(all.begin(), all.end(),
                  [](const network::Host& host) { return host.stack_uses_cores; })) {
    hosts();  // packets need their cores, whether components run there or not
  }
  offer_cable_keys();
  if (!topology_.cables.empty()) {
    offer_diagnosis([this](Time now, std::vector<Diagnosis>& out) { diagnose_cables(now, out); });
  }
}

/// Other networks than the built-in one cannot change cables while the run goes on.
void World::offer_cable_keys() {
  if (setup_.network.backend != "builtin") {
    return;
  }
  for (const network::Cable& cable : topology_.cables) {
    const std::string prefix = "network/" + cable.name;
    const auto change = [this, name = cable.name](network::CableChange what) {
      what.at = now();
      change_cable(name, what);
      return true;
    };
    const auto offer_number = [&](LiveNumber key, double first,
                                  std::function<void(network::CableChange&, double)> set) {
      const auto value = std::make_shared<double>(first);
      offer_live_key(live_number(
          std::move(key), [value] { return *value; },
          [value, change, set = std::move(set)](double wanted) -> Result<bool> {
            *value = wanted;
            network::CableChange what;
            set(what, wanted);
            return change(std::move(what));
          }));
    };
    offer_number({prefix + "/propagation", "s", "delay of the cable, each way", 0.0, 1e6},
                 to_seconds(cable.propagation), [](network::CableChange& what, double wanted) {
                   what.propagation = to_duration(wanted);
                 });
    if (cable.rate_bit_s) {
      offer_number({prefix + "/rate", "bit/s", "rate of the cable", 1.0, 1e15}, *cable.rate_bit_s,
                   [](network::CableChange& what, double wanted) { what.rate_bit_s = wanted; });
    }
    const auto is_up = std::make_shared<bool>(true);
    offer_live_key({prefix + "/up", "", "whether the cable carries anything",
                    [is_up]() -> Json { return *is_up; },
                    [is_up, change](const Json& wanted) -> Result<bool> {
                      if (!wanted.is_boolean()) {
                        return Error{"give true or false"};
                      }
                      *is_up = wanted.get<bool>();
                      network::CableChange what;
                      what.is_up = *is_up;
                      return change(std::move(what));
                    }});
    const auto line_of = [](const std::shared_ptr<const network::LinkModel>& model) {
      return model ? model->as_netem() : std::optional<std::string>("");
    };
    const std::optional<std::string> first = line_of(cable.impairment[0]);
    if (first && first == line_of(cable.impairment[1])) {
      offer_link_keys(*this, prefix, *first,
                      [change](std::shared_ptr<const network::LinkModel> model) {
                        network::CableChange what;
                        what.impairment = std::move(model);
                        change(std::move(what));
                      });
    }
  }
}

void World::diagnose_cables(Time now, std::vector<Diagnosis>& out) const {
  const network::NetworkFigures figures = network_->backend().figures(now);
  for (const network::CableFigures& cable : figures.cables) {
    Diagnosis diagnosis;
    diagnosis.name = "network/" + cable.name;
    diagnosis.values = {{"packets", cable.packets},
                        {"bytes", cable.bytes},
                        {"dropped_queue", cable.dropped_queue},
                        {"dropped_loss", cable.dropped_loss},
                        {"longest_queue_packets", cable.longest_queue_packets},
                        {"busy_s", to_seconds(cable.busy)}};
    diagnosis.troubles = cable.dropped_queue + cable.dropped_loss;
    diagnosis.trouble = "packets were lost";
    out.push_back(std::move(diagnosis));
  }
}

std::vector<Diagnosis> World::diagnose() const {
  std::vector<Diagnosis> all;
  for (const Diagnose& each : diagnoses_) {
    each(now(), all);
  }
  return all;
}

void World::change_cable(const std::string& name, const network::CableChange& change) {
  for (std::size_t i = 0; i < topology_.cables.size(); ++i) {
    if (topology_.cables[i].name == name) {
      network_->backend().change(static_cast<network::CableId>(i), change);
      return;
    }
  }
  check(false, "a cable that is not there cannot change");
}

void World::set_trace(record::RosTrace* trace) {
  trace_ = trace;
  events_ = trace->add_json("/events", "longarm/Event",
                            {{"who", "string"}, {"kind", "string"}, {"text", "string"}});
  if (network_ && setup_.run.records_packets) {
    packets_ = trace->add_json("/network/packets", "longarm/Packet",
                               {{"event", "string"},
                                {"flow", "integer"},
                                {"from", "string"},
                                {"to", "string"},
                                {"message", "integer"},
                                {"size_bytes", "integer"},
                                {"reason", "string"}});
    for (const network::Node& node : topology_.nodes) {
      quoted_nodes_.push_back(Json(node.name).dump());
    }
    flows_ = trace->add_json("/network/flows", "longarm/Flows", {{"flows", "array"}}, true);
    if (network_->backend().name() == "builtin") {
      frames_->set_trace(*trace, topology_);
    }
  }
}

void World::finish_trace() {
  if (frames_) {
    frames_->finish();
  }
}

void World::note(const std::string& who, const std::string& kind, const std::string& text) {
  if (events_) {
    events_->write(now(), {{"who", who}, {"kind", kind}, {"text", text}});
  }
  for (const NoteListener& listener : note_listeners_) {
    listener(now(), who, kind, text);
  }
}

void World::record_packet(const network::MessageEvent& event) {
  if (!packets_) {
    return;
  }
  using What = network::MessageEvent::What;
  // as text: there may be ten thousands of them for each second of a run
  packet_text_.clear();
  const auto out = std::back_inserter(packet_text_);
  fmt::format_to(out, R"({{"event":"{}","flow":{},"from":{},"to":{})",
                 network::event_text(event.what), index_of(event.flow),
                 quoted_nodes_[index_of(event.from)], quoted_nodes_[index_of(event.to)]);
  if (event.what != What::kConnected && event.what != What::kReset) {
    fmt::format_to(out, R"(,"message":{})", static_cast<std::uint64_t>(event.message));
  }
  if (event.what == What::kSent) {
    fmt::format_to(out, R"(,"size_bytes":{})", event.size_bytes);
  }
  if (event.what == What::kLost) {
    using network::DropReason;
    fmt::format_to(out, R"(,"reason":"{}")",
                   event.reason == DropReason::kLoss        ? "lost"
                   : event.reason == DropReason::kQueueFull ? "queue_full"
                                                            : "corrupt");
  }
  packet_text_ += '}';
  packets_->write_text(event.at, packet_text_);
}

void World::hold_joints() {
  const double effort = setup_.hold_effort.value_or(std::numeric_limits<double>::infinity());
  int joint = 0;
  for (const model::Placement& placement : setup_.model.placements) {
    for (const model::TreeJoint& each : placement.tree.joints) {
      const auto id = static_cast<physics::JointId>(joint);
      if (!each.mimic) {
        engine_->set_position(id, engine_->positions()[static_cast<std::size_t>(joint)], effort);
      }
      ++joint;
    }
  }
}

std::unique_ptr<record::TraceSource> World::take_reference(const std::string& actor) {
  const auto found = setup_.run.references.find(actor);
  return found == setup_.run.references.end() ? nullptr : std::move(found->second);
}

std::shared_ptr<const control::LoopRecording> World::recording_of(const std::string& actor) const {
  const auto found = setup_.run.recordings.find(actor);
  return found == setup_.run.recordings.end() ? nullptr : found->second;
}

RandomStream World::stream(std::string_view actor, std::string_view name) const {
  return {seed(), fmt::format("{}.{}", actor, name)};
}

void World::on(Stage stage, std::function<void(Time now)> action) {
  stages_[static_cast<std::size_t>(stage)].push_back(std::move(action));
}

void World::run(Stage stage, Time now) const {
  for (const std::function<void(Time)>& action : stages_[static_cast<std::size_t>(stage)]) {
    action(now);
  }
}

void World::offer_door(const std::string& actor, protocols::Door& door, const std::string& part) {
  doors_.push_back(&door);
  door_of_[{actor, door.name()}] = {&door, part.empty() ? actor : actor + "." + part};
}

void World::keep_inside(const protocols::Door& door) {
  std::erase(doors_, &door);
}

NetworkClientLink& World::dial(const std::string& asker, const Wish& wish, const std::string& name,
                               Caller caller) {
  const auto door = door_of_.find({wish.name, name});
  check(door != door_of_.end(), "nobody is behind that door");
  ClientRequest request;
  request.client = node_of(asker);
  request.server = node_of(door->second.part);
  request.options = wish.options(usual_flow());
  request.connection =
      protocols::ConnectionId(kFirstInside + static_cast<std::uint32_t>(clients_.size()));
  request.is_call_out = caller == Caller::kDoor;
  clients_.push_back(
      std::make_unique<NetworkClientLink>(kernel_, *network_, *door->second.door, request));
  return *clients_.back();
}

void World::hang_up(protocols::ClientLink& link) {
  for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
    if (client.get() == &link) {
      client->close();
    }
  }
}

bool World::is_networked(const std::string& a, const std::string& b) const {
  return host_of_.contains(a) && host_of_.contains(b);
}

std::string World::host_of(const std::string& actor) const {
  const auto host = host_of_.find(actor);
  return host == host_of_.end() ? "" : host->second;
}

network::NodeId World::node_of(const std::string& actor) const {
  const std::optional<network::NodeId> node = topology_.find(host_of(actor));
  check(node.has_value(), "a host that the loader refused");
  return *node;
}

network::FlowLinks World::open_flow(const std::string& asker, const std::string& other,
                                    const network::FlowOptions& options) {
  Result<network::FlowLinks> flow =
      network::open_flow_links(*network_, kernel_, {node_of(asker), node_of(other), options});
  if (!flow) {
    refuse(flow.error().message, "");
  }
  if (flows_) {
    const Json opened{{"flow", static_cast<std::uint32_t>(flow->flow)},
                      {"opener", asker},
                      {"peer", other},
                      {"from", host_of(asker)},
                      {"to", host_of(other)}};
    opened_flows_ += (opened_flows_.empty() ? "" : ",") + opened.dump();
    // all of them: a client that joins late receives the newest message only
    flows_->write_text(now(), R"({"flows":[)" + opened_flows_ + "]}");
  }
  return std::move(flow).value();
}

void World::watch_robot(const std::string& name, std::vector<physics::BodyId> bodies) {
  robots_.push_back({name, std::move(bodies)});
}

programs::Programs& World::programs() {
  // of hosts, made when a program there computes for the first time
  using Processors = std::map<std::string, std::unique_ptr<components::Processor>>;
  if (!programs_) {
    const auto hosts = static_cast<std::size_t>(
        std::ranges::count(topology_.nodes, false, &network::Node::is_switch));
    Result<std::unique_ptr<programs::Programs>> made = programs::Programs::make(
        kernel_, *network_, hosts, seed(), usual_flow().tcp, log(),
        [this, processors = std::make_shared<Processors>()](
            const programs::Host& host, Duration work, std::function<void()> done) {
          std::unique_ptr<components::Processor>& processor = (*processors)[host.name];
          if (!processor) {
            processor = this->hosts().make_processor("programs", host.name);
          }
          processor->execute(work, std::move(done));
        });
    if (!made) {
      refuse(made.error().message, "");
    }
    programs_ = std::move(made).value();
    add_traffic([this] {
      Hash hash;
      hash.add(programs_->digest());
      return hash;
    });
  }
  return *programs_;
}

void World::open_doors_to_programs() {
  for (const auto& [name, offered] : door_of_) {
    if (!host_of_.contains(offered.part) || !std::ranges::count(doors_, offered.door)) {
      continue;  // it has no host, or serves somebody in the cell alone
    }
    const auto first =
        kFirstInside + (static_cast<std::uint32_t>(networked_doors_.size()) << 20) + (1u << 29);
    networked_doors_.push_back(std::make_unique<DoorOnNetwork>(
        kernel_, *programs_, node_of(offered.part), *offered.door, first));
  }
  add_traffic([this] {
    Hash hash;
    for (const std::unique_ptr<DoorOnNetwork>& door : networked_doors_) {
      hash.add(door->traffic_hash().value());
    }
    return hash;
  });
}

void World::start() {
  if (programs_) {
    open_doors_to_programs();
  }
  // an event costs as much as a part of a step: an arm by itself does without these
  const auto has = [this](Stage stage) {
    return !stages_[static_cast<std::size_t>(stage)].empty();
  };
  if (network_ || !doors_.empty() || has(Stage::kSpeak)) {
    kernel_.every(period(), Time{}, sim::Phase::kSample, source_, [this](Time now) {
      for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
        client->flush(now);
      }
      for (const std::unique_ptr<DoorOnNetwork>& door : networked_doors_) {
        door->flush(now);
      }
      run(Stage::kSpeak, now);
    });
  }
  if (network_ || !doors_.empty() || has(Stage::kGuard) || has(Stage::kServe)) {
    kernel_.every(period(), Time{}, sim::Phase::kControl, source_, [this](Time now) {
      run(Stage::kGuard, now);
      run(Stage::kServe, now);
    });
  }
  contact_watch_ = std::make_unique<ContactWatch>(setup_.model, robots_);
  for (const Failure& failure : setup_.failures) {
    if (failure.of == Failure::Of::kPart && is_built_in(failure)) {
      kernel_.at(failure.at, sim::Phase::kApply, source_,
                 [this, failure](Time) { parts_->fail(failure); });
    }
  }
}

void World::step(Time now) {
  run(Stage::kDrive, now);
  run(Stage::kOverride, now);
  parts_->before_step();
  run(Stage::kCarry, now);
  simplifier_->before_step();
  if (setup_.run.call_trace) {
    setup_.run.call_trace(now, "engine steps");
  }
  engine_->step();
  simplifier_->after_step();
  const std::uint64_t contacts = engine_->contacts().size();
  ++steps_;
  contact_sum_ += contacts;
  contact_max_ = std::max(contact_max_, contacts);
  if (!robots_.empty()) {
    contact_watch_->update(engine_->contacts());
  }
  const Time end = now + period();
  run(Stage::kCarried, end);
  run(Stage::kDriven, end);
  run(Stage::kMeasure, end);
}

Json World::results() const {
  Json out;
  out["contacts_mean"] =
      steps_ == 0 ? 0.0 : static_cast<double>(contact_sum_) / static_cast<double>(steps_);
  out["contacts_max"] = contact_max_;
  const mechanisms::SimplifierCounts& counts = simplifier_->counts();
  out["joints_made"] = counts.made;
  out["joints_removed"] = counts.removed;
  out["joints_at_end"] = counts.joined;
  const ContactCounts& touched = contact_watch_->counts();
  out["arm_contacts"] = touched.arm_contacts;
  out["arm_contact_s"] = static_cast<double>(touched.arm_contact_steps) * to_seconds(period());
  out["environment_hits"] = touched.environment_hits;
  if (!touched.first_arm_contact.empty()) {
    out["first_arm_contact"] = touched.first_arm_contact;
  }
  if (!touched.first_environment_hit.empty()) {
    out["first_environment_hit"] = touched.first_environment_hit;
  }
  return out;
}

std::string World::traffic_hash() const {
  if (clients_.empty() && traffic_.size() == 1) {
    return traffic_.front()().text();
  }
  Hash all;
  for (const std::unique_ptr<NetworkClientLink>& client : clients_) {
    all.add(client->traffic_hash().value());
  }
  for (const std::function<Hash()>& traffic : traffic_) {
    all.add(traffic().value());
  }
  return all.text();
}

components::SimulatedHosts& World::hosts() {
  if (!hosts_) {
    hosts_ = std::make_unique<components::SimulatedHosts>(kernel_, *network_, topology_, seed());
  }
  return *hosts_;
}

}  // namespace longarm::cell

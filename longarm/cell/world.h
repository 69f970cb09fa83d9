// SPDX-License-Identifier: Apache-2.0
// What actors act in: one clock, one model of everything that stands in the cell, its physics and
// its network.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/cell/contact_watch.h"
#include "longarm/cell/failures.h"
#include "longarm/cell/loose_parts.h"
#include "longarm/cell/network_client_link.h"
#include "longarm/cell/wish.h"
#include "longarm/components/simulation.h"
#include "longarm/control/loop_observer.h"
#include "longarm/control/loop_replay.h"
#include "longarm/core/check.h"
#include "longarm/core/hash.h"
#include "longarm/core/log.h"
#include "longarm/core/random.h"
#include "longarm/core/result.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/model/cell.h"
#include "longarm/network/config/network_config.h"
#include "longarm/network/flow_link.h"
#include "longarm/network/network.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/door.h"
#include "longarm/record/ros_trace.h"
#include "longarm/record/trace_source.h"
#include "longarm/sim/kernel.h"

namespace longarm::network {
struct MessageEvent;
}

namespace longarm::cell {

class FrameTrace;

/// What happens in each step, in this order; within a stage in the order in which actors were made.
/// Messages that are due at the instant arrive before the first, and between the groups.
enum class Stage {
  // sample, with devices that look
  kSpeak,  ///< what doors have to say since the last step leaves
  // control
  kGuard,  ///< safety decides
  kServe,  ///< doors look after what they were told to do
  // step
  kDrive,     ///< controllers drive joints
  kOverride,  ///< whoever speaks to a joint directly has it
  kCarry,     ///< belts and walkers
  // … the engine's step …
  kCarried,  ///< belts look at what came of it
  kDriven,   ///< controllers do
  kMeasure,  ///< figures are taken
  kCount,
};

/// What a run may be given beside its scenario.
struct RunSetup {
  std::string name{};    ///< of the scenario, for titles of figures
  std::string folder{};  ///< where it may write while it goes on; empty: nowhere
  std::string trace{};   ///< of trace.mcap; empty: none is written
  record::TraceListener* listener = nullptr;  ///< hears what is, or would be, in the trace
  bool records_packets = false;               ///< into the trace
  std::int64_t frames_per_second = 0;         ///< that are followed, if packets are recorded
  bool records_calls = false;                 ///< of components, likewise
  bool writes_csv = false;                    ///< of actors with probes, into the folder
  std::string reference_folder{};  ///< of a run that figures show beside this one; or empty
  Log log{};
  control::CallTrace call_trace{};  ///< of arms' controllers; may be empty
  /// Arms whose controllers do not run: what arrived in a recorded run arrives again.
  std::map<std::string, std::shared_ptr<const control::LoopRecording>> recordings{};
  /// What actors with probes are compared with.
  std::map<std::string, std::unique_ptr<record::TraceSource>> references{};
};

/// How a run stands, for those who tell what came out.
struct Outcome {
  bool is_over = false;
  bool is_diverged = false;
  std::optional<std::string> failure{};
};

/// What a world is made with.
struct WorldSetup {
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  Duration length{};  ///< of the run; schedules of cables repeat until then
  model::Cell model{};
  std::optional<double> hold_effort{};  ///< the most with which joints hold; nothing: what it takes
  mechanisms::SimplifierConfig simplify{};
  network::NetworkConfig network{};
  std::vector<std::pair<std::string, std::string>> hosts{};  ///< of actors that have one
  std::vector<Failure> failures{};
  bool is_short = false;  ///< its one actor has no prefix
  /// Who may have random streams of its own in place of cables'.
  std::vector<std::function<void(network::Topology&)>> name_streams{};
  RunSetup run{};
};

/// The number of the joint that a key names, as `joint` or `model::joint`; throws InputError.
physics::JointId find_joint(const model::Cell& cell, const std::string& name);
/// The number of a placement, by its name.
std::optional<int> find_placement(const model::Cell& cell, const std::string& name);

/// Made once per run, before the actors. Knows no kind of actor. Every joint stays where it starts
/// until an actor drives it.
class World {
 public:
  /// Throws InputError if engine or network refuse what they are to be made of.
  explicit World(WorldSetup setup);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  sim::Kernel& kernel() { return kernel_; }
  const sim::Kernel& kernel() const { return kernel_; }
  Time now() const { return kernel_.now(); }
  /// Of a step.
  Duration period() const { return setup_.options.period; }
  Duration length() const { return setup_.length; }
  physics::Engine& engine() { return *engine_; }
  const physics::Engine& engine() const { return *engine_; }
  const model::Cell& model() const { return setup_.model; }
  mechanisms::Simplifier& simplifier() { return *simplifier_; }
  const mechanisms::Simplifier& simplifier() const { return *simplifier_; }
  LooseParts& parts() { return *parts_; }
  /// Null where nobody has a host.
  const network::Network* network() const { return network_.get(); }
  const RunSetup& run_setup() const { return setup_.run; }
  const std::string& folder() const { return setup_.run.folder; }
  const Log& log() const { return setup_.run.log; }
  /// Null: nothing is recorded.
  record::RosTrace* trace() const { return trace_; }
  void set_trace(record::RosTrace* trace);
  /// The run is over: what is still held back goes to the trace.
  void finish_trace();
  /// Something that people look for in a recording, at this instant: a viewer marks it. Kinds are
  /// few: "failure", "fault", "setback", "stop", "resume", "grasp", "release", "replan".
  void note(const std::string& who, const std::string& kind, const std::string& text);
  /// What an actor is to be compared with, or replays; null: nothing.
  std::unique_ptr<record::TraceSource> take_reference(const std::string& actor);
  std::shared_ptr<const control::LoopRecording> recording_of(const std::string& actor) const;
  void set_outcome(Outcome outcome) { outcome_ = std::move(outcome); }
  const Outcome& outcome() const { return outcome_; }
  /// What stands in front of an actor's own names: of files, topics and random streams.
  std::string prefix(const std::string& actor) const { return setup_.is_short ? "" : actor + "."; }
  bool is_short() const { return setup_.is_short; }
  std::vector<std::string> body_names() const {
    return setup_.model.body_names(setup_.is_short ? 0 : -1);
  }
  const network::NetworkConfig& network_config() const { return setup_.network; }
  /// Empty: it has none.
  std::string host_of(const std::string& actor) const;
  const std::vector<Failure>& failures() const { return setup_.failures; }

  /// The only way to draw: streams of different actors have nothing in common.
  RandomStream stream(std::string_view actor, std::string_view name) const;
  std::uint64_t seed() const { return static_cast<std::uint64_t>(setup_.seed); }

  /// In each step from the next one on.
  void on(Stage stage, std::function<void(Time now)> action);

  /// `what` outlives everyone who asks for it.
  template <typename I>
  void offer(const std::string& actor, I& what) {
    offers_[{actor, std::string(I::kInterface.name)}] = &what;
  }
  /// Both were judged before: the actor offers it, and a body's interface is within reach.
  template <typename I>
  I& ask(const Wish& wish) const {
    const auto found = offers_.find({wish.name, std::string(I::kInterface.name)});
    check(found != offers_.end(), "an interface that nobody offers");
    return *static_cast<I*>(found->second);
  }

  /// Clients outside of the simulation may talk to it, between two steps, and actors across the
  /// network. It lives as long as the world. `part` is the one of the actor's more_hosts() that has
  /// the door; empty: its own host does.
  void offer_door(const std::string& actor, protocols::Door& door, const std::string& part = {});
  const std::vector<protocols::Door*>& doors() const { return doors_; }
  /// From the asker's host to a door of the actor that the wish names, or, where the door calls
  /// (Door::take_call), from there. The world owns the link. After a reset dial again.
  enum class Caller { kAsker, kDoor };
  NetworkClientLink& dial(const std::string& asker, const Wish& wish, const std::string& door,
                          Caller caller = Caller::kAsker);
  /// Whom this door calls is in the cell, not outside.
  void keep_inside(const protocols::Door& door);
  void hang_up(protocols::ClientLink& link);

  /// Whether what these two say to each other crosses the network: both have a host.
  bool is_networked(const std::string& a, const std::string& b) const;
  /// Both directions of a connection that `asker` opens to `other`; is_networked() is true.
  network::FlowLinks open_flow(const std::string& asker, const std::string& other,
                               const network::FlowOptions& options);
  /// Of components, which share the cores of their computers. There must be a network.
  components::SimulatedHosts& hosts();
  /// Of a cable of the network, from `change.at` on, which is not before now. There must be one of
  /// that name.
  void change_cable(const std::string& name, const network::CableChange& change);
  /// As the network's keys say.
  const network::FlowOptions& usual_flow() const { return setup_.network.flows; }

  /// Touches of these bodies with others' and with the furniture are counted.
  void watch_robot(const std::string& name, std::vector<physics::BodyId> bodies);
  /// After all actors were made, before the first step.
  void start();
  const ContactWatch& contacts() const { return *contact_watch_; }

  /// Runs everything before `until`. Fails on an endless zero-delay loop, and if the network does.
  Result<Time> advance(Time until) { return kernel_.run_until(until); }

  /// Of steps, contacts and network.
  nlohmann::ordered_json results() const;
  /// Whether anything but plain flows is said on the network.
  bool has_traffic() const { return !clients_.empty() || !traffic_.empty(); }
  /// Of all bytes that dialled links carried, and of what else was said.
  std::string traffic_hash() const;
  /// Somebody's own account of what was said; asked at the end.
  void add_traffic(std::function<Hash()> traffic) { traffic_.push_back(std::move(traffic)); }

 private:
  void make_network();
  void record_packet(const network::MessageEvent& event);
  void hold_joints();
  void step(Time now);
  void run(Stage stage, Time now) const;
  network::NodeId node_of(const std::string& actor) const;

  WorldSetup setup_;
  Outcome outcome_;
  record::RosTrace* trace_ = nullptr;
  std::unique_ptr<record::JsonTrace> events_;   ///< null: not recorded
  std::unique_ptr<record::JsonTrace> packets_;  ///< null: not recorded
  std::unique_ptr<record::JsonTrace> flows_;    ///< null: not recorded
  std::string opened_flows_;                    ///< as JSON, with commas between them
  std::vector<std::string> quoted_nodes_;       ///< names of the topology's, as JSON
  std::string packet_text_;                     ///< of the last one; its room is used again
  std::unique_ptr<FrameTrace> frames_;          ///< null: not recorded
  std::unique_ptr<physics::Engine> engine_;
  sim::Kernel kernel_;
  sim::SourceId source_;
  network::Topology topology_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<mechanisms::Simplifier> simplifier_;
  std::unique_ptr<LooseParts> parts_;
  std::map<std::string, std::string> host_of_;
  std::map<std::pair<std::string, std::string>, void*> offers_;
  std::vector<protocols::Door*> doors_;
  struct OfferedDoor {
    protocols::Door* door = nullptr;
    std::string part;  ///< who answers there, as the world knows it
  };
  std::map<std::pair<std::string, std::string>, OfferedDoor> door_of_;  ///< actor, name
  std::deque<std::unique_ptr<NetworkClientLink>> clients_;
  std::unique_ptr<components::SimulatedHosts> hosts_;
  std::vector<std::function<Hash()>> traffic_;
  std::vector<RobotBodies> robots_;
  std::unique_ptr<ContactWatch> contact_watch_;
  std::array<std::vector<std::function<void(Time)>>, static_cast<std::size_t>(Stage::kCount)>
      stages_;

  std::uint64_t steps_ = 0;
  std::uint64_t contact_sum_ = 0;
  std::uint64_t contact_max_ = 0;
};

}  // namespace longarm::cell

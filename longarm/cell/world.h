// SPDX-License-Identifier: Apache-2.0
// The world of a run, in which actors act: clock, model of the cell, physics engine, hosts,
// network.
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
#include "longarm/cell/diagnosis.h"
#include "longarm/cell/failures.h"
#include "longarm/cell/live_key.h"
#include "longarm/cell/loose_parts.h"
#include "longarm/cell/network_client_link.h"
#include "longarm/cell/pace.h"
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

namespace longarm::programs {
class Programs;
}

namespace longarm::cell {

class DoorOnNetwork;
class FrameTrace;

/// The stages of each physics step, in their order; within a stage, actions run in the order in
/// which actors were created. Messages due at that instant arrive before the first stage and
/// between the groups (sample, control, step).
enum class Stage {
  // sample; sensors look as well
  kSpeak,  ///< servers send what they have to send since the last step
  // control
  kGuard,  ///< safety controllers decide
  kServe,  ///< servers carry out what clients requested
  // step
  kDrive,     ///< controllers drive joints
  kOverride,  ///< direct commands to joints (joint topics) replace those
  kCarry,     ///< belts and walkers move
  // … the engine's step …
  kCarried,  ///< belts read the result of the step
  kDriven,   ///< controllers read it
  kMeasure,  ///< metrics and curves are updated
  kCount,
};

/// Settings of a run that are not part of its scenario: where it records what.
struct RunSetup {
  std::string name{};                         ///< of the scenario, for titles of figures
  std::string folder{};                       ///< into which it writes during the run; empty: none
  std::string trace{};                        ///< path of trace.mcap; empty: none is written
  record::TraceListener* listener = nullptr;  ///< receives what is, or would be, in the trace
  bool records_packets = false;               ///< `record.packets`
  std::int64_t frames_per_second = 0;         ///< `record.frames`
  bool records_calls = false;                 ///< `record.calls`
  bool writes_csv = false;                    ///< trace.csv of actors with probes
  std::string reference_folder{};             ///< of a run that figures also show; or empty
  Log log{};
  control::CallTrace call_trace{};  ///< traces calls of arms' controllers; may be empty
  /// Arms to replay: their controllers do not run; recorded messages arrive again.
  std::map<std::string, std::shared_ptr<const control::LoopRecording>> recordings{};
  /// Recorded runs with which actors with probes are compared.
  std::map<std::string, std::unique_ptr<record::TraceSource>> references{};
};

/// How a run ended, for actors that report results.
struct Outcome {
  bool is_over = false;
  bool is_diverged = false;
  std::optional<std::string> failure{};
};

/// What a World is created from; Run fills it in.
struct WorldSetup {
  const physics::EngineRegistry& engines;
  std::string engine;
  physics::EngineOptions options;
  std::int64_t seed = 1;
  Duration length{};  ///< of the run; schedules of cables repeat until its end
  model::Cell model{};
  std::optional<double> hold_effort{};  ///< limit for joints that hold still; no value: no limit
  mechanisms::SimplifierConfig simplify{};
  network::NetworkConfig network{};
  std::vector<std::pair<std::string, std::string>> hosts{};  ///< pairs of actor and host
  std::vector<Failure> failures{};
  bool is_short = false;  ///< the only actor: names have no prefix
  /// Functions that replace random streams of cables by those of actors.
  std::vector<std::function<void(network::Topology&)>> name_streams{};
  RunSetup run{};
};

/// The joint that a key names, as `joint` or `model::joint`. Throws InputError if there is none.
physics::JointId find_joint(const model::Cell& cell, const std::string& name);
/// Index of the placement (model in the cell) of that name.
std::optional<int> find_placement(const model::Cell& cell, const std::string& name);

/// Created once per run, before the actors, and independent of their kinds. An actor uses it to
/// schedule work (kernel(), on()), move things (engine()), connect to other actors (offer(), ask(),
/// dial(), open_flow()), draw random numbers (stream()) and record events (note()). Every joint
/// holds its initial position until an actor drives it.
class World {
 public:
  /// Throws InputError if the engine or the network cannot be created from `setup`.
  explicit World(WorldSetup setup);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  sim::Kernel& kernel() { return kernel_; }
  const sim::Kernel& kernel() const { return kernel_; }
  Time now() const { return kernel_.now(); }
  /// Length of a physics step.
  Duration period() const { return setup_.options.period; }
  Duration length() const { return setup_.length; }
  physics::Engine& engine() { return *engine_; }
  const physics::Engine& engine() const { return *engine_; }
  const model::Cell& model() const { return setup_.model; }
  mechanisms::Simplifier& simplifier() { return *simplifier_; }
  const mechanisms::Simplifier& simplifier() const { return *simplifier_; }
  LooseParts& parts() { return *parts_; }
  /// Null if no actor has a host.
  const network::Network* network() const { return network_.get(); }
  const RunSetup& run_setup() const { return setup_.run; }
  const std::string& folder() const { return setup_.run.folder; }
  const Log& log() const { return setup_.run.log; }
  /// Null if nothing is recorded.
  record::RosTrace* trace() const { return trace_; }
  void set_trace(record::RosTrace* trace);
  /// Writes what is still buffered to the trace, at the end of the run.
  void finish_trace();
  /// Records an event at this instant, which viewers mark. `kind` is one of "failure", "fault",
  /// "setback", "stop", "resume", "grasp", "release", "replan".
  void note(const std::string& who, const std::string& kind, const std::string& text);
  /// Called for each of them from now on, whether they are recorded or not.
  using NoteListener = std::function<void(Time now, const std::string& who, const std::string& kind,
                                          const std::string& text)>;
  void on_note(NoteListener listener) { note_listeners_.push_back(std::move(listener)); }
  /// Offers a value that clients may change during the run; cables offer theirs.
  void offer_live_key(LiveKey key) { live_keys_.push_back(std::move(key)); }
  const std::vector<LiveKey>& live_keys() const { return live_keys_; }
  /// Offers to say how an actor is whenever a client wants to know; cables say it, too.
  void offer_diagnosis(Diagnose diagnose) { diagnoses_.push_back(std::move(diagnose)); }
  std::vector<Diagnosis> diagnose() const;
  /// What clients want of who makes the world go on.
  Pace& pace() { return pace_; }
  /// The recorded run with which an actor is compared, or which it replays; null: none.
  std::unique_ptr<record::TraceSource> take_reference(const std::string& actor);
  std::shared_ptr<const control::LoopRecording> recording_of(const std::string& actor) const;
  void set_outcome(Outcome outcome) { outcome_ = std::move(outcome); }
  const Outcome& outcome() const { return outcome_; }
  /// Prefix of an actor's files, topics and random streams, e.g. "left.".
  std::string prefix(const std::string& actor) const { return setup_.is_short ? "" : actor + "."; }
  bool is_short() const { return setup_.is_short; }
  std::vector<std::string> body_names() const {
    return setup_.model.body_names(setup_.is_short ? 0 : -1);
  }
  const network::NetworkConfig& network_config() const { return setup_.network; }
  /// The host of an actor, or of a part ACTOR.KEY; empty: none.
  std::string host_of(const std::string& actor) const;
  const std::vector<Failure>& failures() const { return setup_.failures; }

  /// A random stream for one purpose of one actor, independent of all others. Actors must not draw
  /// random numbers in any other way.
  RandomStream stream(std::string_view actor, std::string_view name) const;
  std::uint64_t seed() const { return static_cast<std::uint64_t>(setup_.seed); }

  /// Calls `action` in this stage of every step, from the next step on.
  void on(Stage stage, std::function<void(Time now)> action);

  /// Offers the interface I to other actors. `what` must outlive all actors that ask for it.
  template <typename I>
  void offer(const std::string& actor, I& what) {
    offers_[{actor, std::string(I::kInterface.name)}] = &what;
  }
  /// The interface that a wish names. That it is offered, and within reach, was checked when the
  /// scenario was loaded.
  template <typename I>
  I& ask(const Wish& wish) const {
    const auto found = offers_.find({wish.name, std::string(I::kInterface.name)});
    check(found != offers_.end(), "an interface that nobody offers");
    return *static_cast<I*>(found->second);
  }

  /// Opens a server of an actor to external clients (`longarm serve`) and to other actors across
  /// the network. `door` must live as long as the world. `part`: which of the actor's more_hosts()
  /// has it; empty: its own host.
  void offer_door(const std::string& actor, protocols::Door& door, const std::string& part = {});
  const std::vector<protocols::Door*>& doors() const { return doors_; }
  /// Connects the asker's host to a server of the actor that the wish names; with kDoor the server
  /// makes the connection (Door::take_call). The world owns the link. After a reset, dial again.
  enum class Caller { kAsker, kDoor };
  NetworkClientLink& dial(const std::string& asker, const Wish& wish, const std::string& door,
                          Caller caller = Caller::kAsker);
  /// Connections that this server makes stay inside the simulation.
  void keep_inside(const protocols::Door& door);
  /// Closes a connection made with dial().
  void hang_up(protocols::ClientLink& link);

  /// Whether messages between these two actors cross the network, because both have a host.
  bool is_networked(const std::string& a, const std::string& b) const;
  /// Opens a connection from `asker` to `other` and returns a link per direction, for
  /// network::Channel. Requires is_networked().
  network::FlowLinks open_flow(const std::string& asker, const std::string& other,
                               const network::FlowOptions& options);
  /// Hosts of components, which share the cores of their computers. Requires a network.
  components::SimulatedHosts& hosts();
  /// Of existing programs in virtual time; made when first asked for, by actors that are being
  /// made. Throws InputError with what the machine or the network lacks.
  programs::Programs& programs();
  /// Changes rate, propagation or state of the cable `name` from `change.at` on, which must not be
  /// in the past. The cable must exist.
  void change_cable(const std::string& name, const network::CableChange& change);
  /// Default transport and options of connections (`network.flows`).
  const network::FlowOptions& usual_flow() const { return setup_.network.flows; }

  /// Counts contacts of these bodies with other robots and with the surroundings.
  void watch_robot(const std::string& name, std::vector<physics::BodyId> bodies);
  /// Called by Run after all actors were created, before the first step.
  void start();
  const ContactWatch& contacts() const { return *contact_watch_; }

  /// Runs all events before `until`. Fails on an endless zero-delay loop or if the network fails.
  Result<Time> advance(Time until) { return kernel_.run_until(until); }

  /// The groups `world` and `network` of metrics.json.
  nlohmann::ordered_json results() const;
  /// Whether traffic_hash() covers anything.
  bool has_traffic() const { return !clients_.empty() || !traffic_.empty(); }
  /// Hash of all bytes of dialled connections, and of what add_traffic() adds.
  std::string traffic_hash() const;
  /// Adds a hash of further messages to traffic_hash(); called at the end.
  void add_traffic(std::function<Hash()> traffic) { traffic_.push_back(std::move(traffic)); }

 private:
  void make_network();
  void offer_cable_keys();
  void diagnose_cables(Time now, std::vector<Diagnosis>& out) const;
  void open_doors_to_programs();
  void record_packet(const network::MessageEvent& event);
  void hold_joints();
  void step(Time now);
  void run(Stage stage, Time now) const;
  network::NodeId node_of(const std::string& actor) const;

  WorldSetup setup_;
  Outcome outcome_;
  std::vector<NoteListener> note_listeners_;
  std::vector<LiveKey> live_keys_;
  std::vector<Diagnose> diagnoses_;
  Pace pace_;
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
  std::unique_ptr<programs::Programs> programs_;  ///< null: there are none
  std::vector<std::unique_ptr<DoorOnNetwork>> networked_doors_;
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

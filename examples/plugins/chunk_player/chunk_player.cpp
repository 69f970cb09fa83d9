// SPDX-License-Identifier: Apache-2.0
// Actors of one's own: a joint that plays action chunks, and the remote policy that makes them.
//
// The player ticks at 0, T, 2T, …. At a tick it plays a target, if it has one; then, if at most
// `threshold` are left and no request is under way, it asks for the next chunk of H targets.
// Synchronous means a threshold of 0. What arrives at the instant of a tick is played at that tick.
//
// L is the time from a request to its chunk: two network delays and the inference. A chunk that was
// asked for at tick i can be played from tick i + m on, m = max(1, ceil(L/T)). At the n = m - 1
// ticks between, older targets are played, of which there are `threshold`, or none. So if L is
// constant,
// - synchronous: n idle ticks per chunk, and an idle share of n/(H + n);
// - asynchronous: starves if and only if min(threshold, H - 1) < n. A threshold k < n < H leaves
//   n - k idle ticks per chunk. If H <= n, no threshold is enough: H targets are played in less
//   time than a chunk takes.
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <longarm/cell/actor.h>
#include <longarm/cell/plugin.h>
#include <longarm/cell/world.h>
#include <longarm/network/channel.h>

namespace {

using namespace longarm;
using cell::World;

struct Request {
  std::int64_t first = 0;  ///< number of the first target that is wanted
};
struct Chunk {
  std::vector<double> targets_rad;
};

struct PolicyKeys {
  std::int64_t horizon = 20;
  Duration inference_min{80'000'000};
  Duration inference_max{120'000'000};
};

/// Stands for a learned policy: takes its time, one request after the other, and knows a sine.
/// It is itself what it offers, and what the player asks for.
class Policy final : public cell::Actor {
 public:
  static constexpr cell::Interface kInterface{"chunk policy", cell::Reach::kSpoken, true};
  using Answer = std::function<void(const Chunk&)>;

  Policy(const PolicyKeys& keys, World& world, const std::string& name)
      : keys_(keys),
        world_(world),
        source_(world.kernel().add_source(name)),
        inference_(world.stream(name, "inference")) {
    world.offer<Policy>(name, *this);
  }

  /// A request has arrived; `answer` is called when the chunk is ready.
  void infer(const Request& request, Answer answer) {
    waiting_.push_back({request, std::move(answer)});
    if (waiting_.size() == 1) {
      start();
    }
  }

  nlohmann::ordered_json results() const override { return {{"chunks", chunks_}}; }

 private:
  void start() {
    const double range_s = to_seconds(keys_.inference_max - keys_.inference_min);
    const Duration time = keys_.inference_min + to_duration(inference_.uniform() * range_s);
    world_.kernel().deliver(world_.now() + time, source_, [this](Time) { finish(); });
  }

  void finish() {
    const auto [request, answer] = std::move(waiting_.front());
    waiting_.pop_front();
    Chunk chunk;
    for (std::int64_t i = 0; i < keys_.horizon; ++i) {
      chunk.targets_rad.push_back(std::sin(0.05 * static_cast<double>(request.first + i)));
    }
    ++chunks_;
    if (!waiting_.empty()) {
      start();
    }
    answer(chunk);
  }

  PolicyKeys keys_;
  World& world_;
  sim::SourceId source_;
  RandomStream inference_;
  std::deque<std::pair<Request, Answer>> waiting_;  ///< the first one is being computed
  std::int64_t chunks_ = 0;
};

class PolicyModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    fields.field("horizon", keys_.horizon, "targets in a chunk");
    fields.field("inference_min", keys_.inference_min, "the shortest time that a chunk takes");
    fields.field("inference_max", keys_.inference_max, "the longest; drawn uniformly between");
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    std::vector<cell::KeyRemark> remarks;
    if (keys_.horizon < 1) {
      remarks.push_back({"horizon", "a chunk without targets", "use 1 or more"});
    }
    if (keys_.inference_min < Duration(0) || keys_.inference_max < keys_.inference_min) {
      remarks.push_back({"inference_max", "no time lies between inference_min and this",
                         "use 0s <= inference_min <= inference_max"});
    }
    return remarks;
  }
  std::vector<cell::Interface> offers() const override { return {Policy::kInterface}; }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<Policy>(keys_, world, name);
  }

 private:
  PolicyKeys keys_;
};

struct PlayerKeys {
  cell::Wish policy;
  std::string mode = "synchronous";
  std::int64_t threshold = 0;
  Duration period{20'000'000};
  std::int64_t observation_bytes = 64;
};

class Player final : public cell::Actor {
 public:
  Player(const PlayerKeys& keys, World& world, const std::string& name)
      : keys_(keys),
        engine_(world.engine()),
        joint_(cell::find_joint(world.model(), name + "::joint")) {
    // one connection: requests go there, chunks come back
    network::FlowLinks flow =
        world.open_flow(name, keys.policy.name, keys.policy.options(world.usual_flow()));
    chunks_ = std::make_unique<network::Channel<Chunk>>(
        world.kernel(), name + ".chunks", std::move(flow.from_peer),
        [this](const Chunk& chunk, Time) { take(chunk); });
    const auto send = [this](const Chunk& chunk) {
      chunks_->send(chunk, chunk.targets_rad.size() * sizeof(double));
    };
    requests_ = std::make_unique<network::Channel<Request>>(
        world.kernel(), name + ".requests", std::move(flow.from_opener),
        [send, &policy = world.ask<Policy>(keys.policy)](const Request& request, Time) {
          policy.infer(request, send);
        });
    // a clock of its own, which need not be a multiple of the physics'
    world.kernel().every(keys.period, Time{}, sim::Phase::kControl, world.kernel().add_source(name),
                         [this](Time) { tick(); });
  }

  void sample(std::span<double> out) const override {
    out[0] = engine_.positions()[static_cast<std::size_t>(joint_)];
    out[1] = static_cast<double>(left_.size());
  }
  nlohmann::ordered_json results() const override {
    const std::int64_t ticks = played_ + idle_;
    return {
        {"ticks", ticks},
        {"played", played_},
        {"idle_ticks", idle_},
        {"idle_share", ticks == 0 ? 0.0 : static_cast<double>(idle_) / static_cast<double>(ticks)},
        {"starved", starved_},
        {"requests", asked_}};
  }
  void add_to(Hash& hash) const override {
    hash.add(static_cast<std::uint64_t>(played_));
    hash.add(static_cast<std::uint64_t>(idle_));
    hash.add(static_cast<std::uint64_t>(left_.size()));
  }

 private:
  void tick() {
    if (!left_.empty()) {
      engine_.set_position(joint_, left_.front(), std::numeric_limits<double>::infinity());
      left_.pop_front();
      ++played_;
      is_dry_ = false;
    } else if (played_ > 0) {  // waiting for the first chunk does not count
      ++idle_;
      starved_ += is_dry_ ? 0 : 1;
      is_dry_ = true;
    }
    if (!is_asking_ && left_.size() <= static_cast<std::size_t>(keys_.threshold)) {
      is_asking_ = true;
      ++asked_;
      requests_->send({played_ + static_cast<std::int64_t>(left_.size())},
                      static_cast<std::size_t>(keys_.observation_bytes));
    }
  }

  void take(const Chunk& chunk) {
    left_.insert(left_.end(), chunk.targets_rad.begin(), chunk.targets_rad.end());
    is_asking_ = false;
  }

  PlayerKeys keys_;
  physics::Engine& engine_;
  physics::JointId joint_;
  std::unique_ptr<network::Channel<Chunk>> chunks_;
  std::unique_ptr<network::Channel<Request>> requests_;
  std::deque<double> left_;
  bool is_asking_ = false;
  bool is_dry_ = false;
  std::int64_t played_ = 0;
  std::int64_t idle_ = 0;
  std::int64_t starved_ = 0;
  std::int64_t asked_ = 0;
};

class PlayerModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "policy", keys_.policy, "the chunk-policy that it asks");
    fields.choice("mode", keys_.mode, {"synchronous", "asynchronous"},
                  "ask for the next chunk after the last target, or before");
    fields.field("threshold", keys_.threshold, "asynchronous: ask when at most so many are left");
    fields.field("period", keys_.period, "plays one target in each");
    fields.field("observation_bytes", keys_.observation_bytes, "size of a request");
  }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"policy", keys_.policy.name, Policy::kInterface, true}};
  }
  void take(const cell::WishInfo&, const std::string& actor) override { keys_.policy.name = actor; }
  std::vector<std::string> drives() const override { return {arm_.name}; }

  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext& context) override {
    // a base and an arm of 1 kg that turns on it
    arm_.name = arm_.tree.name = context.name;
    arm_.tree.bodies.resize(2);
    arm_.tree.bodies[0].name = "base";
    arm_.tree.bodies[1].name = "arm";
    arm_.tree.bodies[1].inertial.mass_kg = 1.0;
    arm_.tree.bodies[1].inertial.inertia_kg_m2 = 0.1 * model::Matrix3::Identity();
    arm_.tree.joints.resize(1);
    arm_.tree.joints[0].name = "joint";
    return judge();
  }
  std::vector<model::Placement> brings() const override { return {arm_}; }
  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<Player>(keys_, world, name);
  }
  cell::Figures figures() const override {
    return {{{"q", "joint", "rad"}, {"left", "targets left", ""}},
            {{"idle_share", "idle", "%", 100.0, 2}, {"starved", "ran dry", "", 1.0, 0}},
            ""};
  }

 private:
  std::vector<cell::KeyRemark> judge() const {
    std::vector<cell::KeyRemark> remarks;
    if (keys_.policy.is_empty()) {
      remarks.push_back({"policy", "there is no policy to ask", "name a chunk-policy"});
    }
    if (keys_.period <= Duration(0)) {
      remarks.push_back({"period", "a period must be positive", "for example 20ms"});
    }
    if (keys_.threshold < 0 || (keys_.threshold > 0 && keys_.mode == "synchronous")) {
      remarks.push_back({"threshold", "must be 0, or more if mode is asynchronous",
                         "use mode=asynchronous to ask ahead"});
    }
    if (keys_.observation_bytes < 1) {
      remarks.push_back({"observation_bytes", "an empty request", "use 1 or more"});
    }
    return remarks;
  }

  PlayerKeys keys_;
  model::Placement arm_;
};

}  // namespace

LONGARM_PLUGIN(plugins) {
  plugins.actors.add("chunk-policy", "makes chunks of joint targets on request, as remote policies",
                     [] { return std::make_unique<PolicyModel>(); });
  plugins.actors.add("chunk-player", "plays chunks of joint targets, and asks for the next",
                     [] { return std::make_unique<PlayerModel>(); });
}

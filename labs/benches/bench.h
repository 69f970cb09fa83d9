// SPDX-License-Identifier: Apache-2.0
// What the physics benches have in common: actors that bring a whole scene and measure one thing in
// it. Internal to the folder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "longarm/cell/actor.h"
#include "longarm/cell/world.h"

namespace longarm::benches {

/// Puts the scene of a bench where nothing else stands, so that nothing disturbs what it measures,
/// and bodies and joints have the numbers that the scene gives them.
std::vector<cell::KeyRemark> place_alone(model::Cell scene, model::Cell& cell,
                                         const cell::LoadContext& context);

/// Throws InputError if the engine knows no contacts; `so` says what does not happen then.
void require_contacts(const cell::World& world, const char* so);

/// The time in whole steps, rounded up.
Duration whole_steps(double time_s, Duration period);

/// What is wrong with keys.
struct Judge {
  std::vector<cell::KeyRemark> remarks;

  void require(bool is_good, const char* key, std::string message, std::string hint) {
    if (!is_good) {
      remarks.push_back({key, std::move(message), std::move(hint)});
    }
  }
};

/// A kind of bench: `Config` has the values of its keys, and `Bench` is the actor, made of them in
/// a world that has the scene.
template <typename Bench, typename Config>
class BenchModel : public cell::ActorModel {
 public:
  std::vector<cell::KeyRemark> place(model::Cell& cell, const cell::LoadContext& context) final {
    period_ = context.options.period;
    return place_alone(scene(context), cell, context);
  }
  std::unique_ptr<cell::Actor> make(cell::World& world, const std::string&) const final {
    return std::make_unique<Bench>(config_, world);
  }

 protected:
  Config config_;
  Duration period_{};  ///< of a step; after place()

 private:
  virtual model::Cell scene(const cell::LoadContext& context) const = 0;
};

std::unique_ptr<cell::ActorModel> make_belt_bench();
std::unique_ptr<cell::ActorModel> make_contact_bench();
std::unique_ptr<cell::ActorModel> make_gear_in_slot();
std::unique_ptr<cell::ActorModel> make_grasp_bench();
std::unique_ptr<cell::ActorModel> make_grasp_table();
std::unique_ptr<cell::ActorModel> make_vacuum_bench();

void add_benches(cell::ActorRegistry& kinds);

}  // namespace longarm::benches

// SPDX-License-Identifier: Apache-2.0
// The kind `kitting-judge`: looks at the world itself and says which kits are complete.
#include <chrono>
#include <map>
#include <string>

#include "labs/kitting/kitting_actors.h"
#include "labs/kitting/kitting_judge.h"
#include "longarm/cell/world.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
using cell::World;
using Json = nlohmann::ordered_json;

constexpr Duration kJudgeEvery = 10ms;
// after the maker is done: as long as the judge needs, and some more for what still settles
constexpr Duration kJudgeTime = 1500ms;

struct JudgeKeys {
  cell::Wish maker;
  bool ends_early = true;
};

/// "medium" for an object called medium_gear_3: what slots for it are called.
std::string size_of(const kitting::PartKind& kind) {
  return kind.objects.substr(0, kind.objects.find('_'));
}

KittingJudge judge_of(const KitMaker& maker, const World& world) {
  const kitting::Ontology& ontology = maker.ontology();
  std::map<std::string, std::string> sizes;
  std::vector<JudgedKits> kits;
  for (const kitting::KitRequest& kit : maker.request().kits) {
    JudgedKits& judged = kits.emplace_back(JudgedKits{kit.name, kit.count, {}, {}});
    for (const kitting::PartCount& part : kitting::contents_of(kit, ontology)) {
      if (const kitting::PartKind* kind = ontology.find_part(part.part)) {
        judged.contents[size_of(*kind)] += part.count;
      }
    }
  }
  for (const model::Placement& placement : world.model().placements) {
    if (const kitting::PartKind* part = ontology.part_of(placement.name)) {
      sizes[placement.name] = size_of(*part);
    }
    const kitting::TrayKind* tray = ontology.tray_of(placement.name);
    for (JudgedKits& each : kits) {
      if (tray != nullptr && tray->kit == each.kind) {
        each.trays.push_back(placement.name);
      }
    }
  }
  return {world.engine(), world.model(), std::move(kits), sizes};
}

class KittingJudgeActor final : public cell::Actor {
 public:
  KittingJudgeActor(const JudgeKeys& keys, World& world)
      : world_(world),
        maker_(world.ask<KitMaker>(keys.maker)),
        ends_early_(keys.ends_early),
        judge_(judge_of(maker_, world)) {
    world.on(cell::Stage::kMeasure, [this](Time now) {
      if (now.time_since_epoch() % kJudgeEvery < world_.period()) {
        judge_.look(now);
      }
    });
  }

  std::optional<bool> is_done() const override {
    const Time now = world_.now();
    const bool has_looked = now.time_since_epoch() % kJudgeEvery < world_.period();
    return ends_early_ && has_looked && has_decided(now);
  }

  void sample(std::span<double> out) const override {
    out[0] = static_cast<double>(judge_.slots_filled());
    out[1] = static_cast<double>(judge_.kits_completed());
  }

  Json results() const override {
    Json out;
    const std::int64_t completed = judge_.kits_completed();
    const std::int64_t requested = judge_.kits_requested();
    const std::optional<Time> last = judge_.completed_at();
    out["completion"] = completed == requested;
    out["kits_completed"] = completed;
    out["kits_requested"] = requested;
    out["makespan_s"] = last && completed == requested ? Json(to_seconds(*last)) : Json();
    out["last_kit_s"] = last ? Json(to_seconds(*last)) : Json();
    // a program outside keeps its journal to itself
    const kitting::Executor* executor = maker_.executor();
    const std::optional<Time> worked =
        executor != nullptr ? executor->journal().last_action() : last;
    out["kits_per_hour"] =
        worked ? static_cast<double>(completed) * 3600.0 / to_seconds(*worked) : 0.0;
    out["slots_filled"] = judge_.slots_filled();
    const std::optional<double> seat_error_m = judge_.seat_error_m();
    out["seat_error_m"] = seat_error_m ? Json(*seat_error_m) : Json();
    out["kits"] = judge_.report();
    return out;
  }

 private:
  bool has_decided(Time now) const {
    const bool is_complete = judge_.kits_completed() == judge_.kits_requested();
    if (maker_.executor() == nullptr) {
      return is_complete && !maker_.is_connected();  // it goes when it is done
    }
    const std::optional<Time> done = maker_.executor()->over_at();
    return done && (is_complete || now - *done >= kJudgeTime);
  }

  const World& world_;
  const KitMaker& maker_;
  bool ends_early_;
  KittingJudge judge_;
};

class KittingJudgeModel final : public cell::ActorModel {
 public:
  void list_fields(Fields& fields) override {
    cell::list_wish(fields, "maker", keys_.maker, "maker of the kits: an actor of kind kitting");
    fields.field("ends_early", keys_.ends_early, "whether the run ends when all work is done");
  }
  std::vector<cell::WishInfo> wishes() const override {
    return {{"maker", keys_.maker.name, KitMaker::kInterface}};
  }
  std::vector<cell::KeyRemark> load(InputFiles&, const cell::LoadContext&) override {
    if (keys_.maker.is_empty()) {
      return {{"maker", "the maker of the kits is missing", "name an actor of kind kitting"}};
    }
    return {};
  }
  std::unique_ptr<cell::Actor> make(World& world, const std::string&) const override {
    return std::make_unique<KittingJudgeActor>(keys_, world);
  }
  cell::Figures figures() const override {
    return {
        {{"slots_filled", "slots filled", ""}, {"kits_completed", "kits completed", ""}},
        {{"kits_completed", "kits completed", "", 1.0, 0},
         {"kits_per_hour", "kits per hour", "1/h", 1.0, 1},
         {"makespan_s", "all kits done after", "s", 1.0, 2},
         {"kits_requested", "kits requested", "", 1.0, 0},
         {"last_kit_s", "last complete kit after", "s", 1.0, 2},
         {"seat_error_m", "largest offset of a gear from the centre of its slot", "mm", 1e3, 2}},
        "completion"};
  }

 private:
  JudgeKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_kitting_judge() {
  return std::make_unique<KittingJudgeModel>();
}

}  // namespace longarm::kitting

// SPDX-License-Identifier: Apache-2.0
// The ready ontology agrees with the models, and wrong ones are refused at their place.
#include "labs/kitting/ontology.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "labs/kitting/domain_check.h"
#include "labs/kitting/request.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/model_file.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

model::BodyTree model_of(const std::string& kind) {
  Diagnostics diagnostics;
  model::BodyTree tree = model::make_body_tree(
      model::read_model_file(
          std::string(LONGARM_SOURCE_DIR) + "/models/" + kind + "/" + kind + ".sdf", diagnostics),
      diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

TEST(AprsOntology, HasTheSlotsOfTheModels) {
  const Ontology ontology = load_ontology("aprs");
  ASSERT_EQ(ontology.trays.size(), 5U);
  for (const TrayKind& tray : ontology.trays) {
    const model::BodyTree tree = model_of(tray.name);
    std::size_t slots = 0;
    for (const model::Frame& frame : tree.frames) {
      if (!frame.name.starts_with("slot_")) {
        continue;
      }
      // slot_N_SIZE is slot_N for sku_part_SIZE_gear
      const std::size_t end = frame.name.rfind('_');
      const auto slot = std::find_if(tray.slots.begin(), tray.slots.end(), [&](const auto& each) {
        return each.name == frame.name.substr(0, end);
      });
      ASSERT_NE(slot, tray.slots.end()) << tray.name << " " << frame.name;
      EXPECT_EQ(slot->part, "sku_part_" + frame.name.substr(end + 1) + "_gear");
      EXPECT_LT((slot->seat() - frame.X_BF.translation()).norm(), 1e-12);
      ++slots;
    }
    EXPECT_EQ(tray.slots.size(), slots) << tray.name;
  }
}

TEST(AprsOntology, TakesGearsByTheMiddleOfTheirPegs) {
  for (const PartKind& part : load_ontology("aprs").parts) {
    const model::BodyTree tree = model_of(part.name);
    const auto peg = static_cast<std::size_t>(tree.find_frame("peg").value());
    EXPECT_NEAR(part.grasp_height_m, tree.frames[peg].X_BF.translation().z(), 1e-12) << part.name;
  }
}

TEST(AprsOntology, KnowsObjectsByTheirNames) {
  const Ontology ontology = load_ontology("aprs");
  EXPECT_EQ(ontology.part_of("medium_gear_12")->name, "sku_part_medium_gear");
  EXPECT_EQ(ontology.part_of("medium_gear"), nullptr);
  EXPECT_EQ(ontology.part_of("medium_gear_"), nullptr);
  EXPECT_EQ(ontology.part_of("medium_gear_1b"), nullptr);
  EXPECT_EQ(ontology.part_of("m2l1_kit_1"), nullptr);
  EXPECT_EQ(ontology.tray_of("m2l1_kit_1")->kit, "m2l1");
  EXPECT_EQ(ontology.find_kit("s2l2")->objects, "s2l2_kit");
  EXPECT_EQ(ontology.find_kit(""), nullptr);  // vessels are no kits
}

TEST(AprsOntology, ReachesAsFarAsTheRobotsWristsGo) {
  // LR Mate: shoulder 0.05 m out and at 0.934191 + 0.33 m, wrist 0.301 m above the part; at the
  // height 0.914 it is 0.0492 m lower, so it gets √(0.667² - 0.0492²) + 0.05 = 0.71518 m out
  const Ontology ontology = load_ontology("aprs");
  const RobotAbility& fanuc = *ontology.find_robot("fanuc");
  const Vector3 base(-0.169, -1.14, 0.914);
  EXPECT_TRUE(fanuc.reaches(base + Vector3(0.7151, 0.0, 0.0)));
  EXPECT_FALSE(fanuc.reaches(base + Vector3(0.7153, 0.0, 0.0)));
  EXPECT_FALSE(fanuc.reaches(base));
  // the trays on the Fanuc's table are beyond the other's 0.91 m
  EXPECT_FALSE(ontology.find_robot("motoman")->reaches(Vector3(0.19, -1.05, 0.92)));
  EXPECT_TRUE(ontology.find_robot("motoman")->reaches(Vector3(-0.4, -0.712, 0.914)));
}

TEST(AprsOntology, MakesADomainThatReadsBack) {
  const pddl::Domain domain = make_domain(load_ontology("aprs"));
  const std::string text = pddl::write_domain(domain);
  Diagnostics diagnostics;
  const pddl::Domain again = pddl::read_domain(text, "domain.pddl", diagnostics);
  diagnostics.throw_if_errors();
  EXPECT_EQ(pddl::write_domain(again), text);
  EXPECT_TRUE(again.is_kind_of("sku_part_small_gear", "part"));
  EXPECT_TRUE(again.is_kind_of("sku_kit_m2l1_vessel", "kit"));
  EXPECT_TRUE(again.is_kind_of("sku_large_gear_vessel", "vessel"));
  EXPECT_EQ(again.actions.size(), 4U);
}

TEST(AprsOntology, HasItsDomainBesideIt) {
  // kitting/aprs-domain.pddl is there to be copied and edited; longarm plan --domain aprs writes it
  const pddl::Domain kept =
      pddl::load_domain(std::string(LONGARM_SOURCE_DIR) + "/kitting/aprs-domain.pddl");
  EXPECT_EQ(pddl::write_domain(kept), pddl::write_domain(make_domain(load_ontology("aprs"))));
}

std::string refusal_of(const std::string& text) {
  const std::string path = testing::TempDir() + "ontology.yaml";
  std::ofstream(path) << text;
  try {
    load_ontology(path);
  } catch (const InputError& problem) {
    return problem.what();
  }
  return "none";
}

TEST(Ontology, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal_of("parts: {gear: {objects: Gear}}"),
              HasSubstr(":1:25: error: 'Gear' is not a valid PDDL name"));
  EXPECT_THAT(refusal_of("parts: {gear: {objects: g}}\n"
                         "trays: {box: {objects: b, slots: {s: {part: geer, seat_m: [1, 2, 3]}}}}"),
              HasSubstr("unknown part 'geer'\n  hint: did you mean 'gear'?"));
  EXPECT_THAT(refusal_of("parts: {gear: {objects: g}}\n"
                         "trays: {box: {objects: b, slots: {s: {part: gear, seat_m: [1, .nan]}}}}"),
              HasSubstr("expected a number, found '.nan'"));
  EXPECT_THAT(refusal_of("parts: {gear: {objects: g}}\n"
                         "trays: {box: {objects: b, slots: {s: {part: gear, seat_m: [1, 2]}}}}"),
              HasSubstr("seat_m is 3 numbers"));
  EXPECT_THAT(refusal_of("robots: {arm: {reach_m: -1}}"), HasSubstr("reach_m must be more than 0"));
  EXPECT_THAT(refusal_of("zones: {a: {low_m: [0, 0], high_m: [0, 1]}}"),
              HasSubstr("zone 'a' is empty"));
  EXPECT_THAT(refusal_of("belt: {direction: 2}"), HasSubstr("the belt's direction is 1 or -1"));
  EXPECT_THAT(refusal_of("partz: {}"), HasSubstr("unknown key 'partz'"));
  EXPECT_THROW(load_ontology("no-such-cell"), InputError);
}

TEST(Request, ContentsAreTheTraysOwnOrThoseAskedFor) {
  const Ontology ontology = load_ontology("aprs");
  const auto text = [&](const KitRequest& kit) {
    std::vector<std::string> out;
    for (const PartCount& each : contents_of(kit, ontology)) {
      out.push_back(std::to_string(each.count) + " " + each.part);
    }
    return out;
  };
  EXPECT_THAT(text({"m2l1", 1, {}}),
              ElementsAre("2 sku_part_medium_gear", "1 sku_part_large_gear"));
  EXPECT_THAT(text({"s2l2", 1, {"2 small_gear"}}), ElementsAre("2 sku_part_small_gear"));
  EXPECT_THAT(text({"s2l2", 1, {"sku_part_large_gear"}}), ElementsAre("1 sku_part_large_gear"));
}

TEST(Request, SaysWhatCannotBeAskedFor) {
  const Ontology ontology = load_ontology("aprs");
  const auto remarks = check_request({{{"m2l2", 1, {}},
                                       {"m2l1", 1, {"3 medium_gear", "2 cogs", "2 "}},
                                       {"s2l2", 1, {"medium_gear"}}}},
                                     ontology);
  ASSERT_EQ(remarks.size(), 5U);
  EXPECT_EQ(remarks[0].message, "unknown kit 'm2l2'");
  EXPECT_EQ(remarks[0].key, "kits.m2l2");
  EXPECT_EQ(remarks[1].message, "a kit m2l1 has room for 2 more of sku_part_medium_gear, not 3");
  EXPECT_EQ(remarks[2].message, "'2 cogs' is not a count of a known part");
  EXPECT_EQ(remarks[3].message, "'2 ' is not a count of a known part");
  EXPECT_EQ(remarks[4].message, "a kit s2l2 has room for 0 more of sku_part_medium_gear, not 1");
}

TEST(DomainCheck, NamesEachMissingWordOnce) {
  const Ontology ontology = load_ontology("aprs");
  pddl::Domain domain = make_domain(ontology);
  EXPECT_THAT(what_domain_lacks(domain, ontology), testing::IsEmpty());
  std::erase_if(domain.predicates, [](const pddl::Symbol& each) { return each.name == "works"; });
  std::erase_if(domain.types,
                [](const pddl::TypedName& each) { return each.name == "sku_part_small_gear"; });
  domain.functions.clear();
  std::string said;
  for (const Diagnostic& each : what_domain_lacks(domain, ontology)) {
    said += each.message + "\n";
  }
  const std::string works = "unknown predicate 'works'\n";
  EXPECT_THAT(said, HasSubstr(works));
  EXPECT_EQ(said.find(works), said.rfind(works));
  EXPECT_THAT(said, HasSubstr("unknown type 'sku_part_small_gear'"));
  EXPECT_THAT(said, HasSubstr("unknown function"));
}

}  // namespace
}  // namespace longarm::kitting

// SPDX-License-Identifier: Apache-2.0
// PDDL in and out: the same again, and what is wrong is said at its place.
#include "longarm/pddl/read.h"

#include <gmock/gmock.h>

#include "longarm/core/random.h"
#include "longarm/pddl/ground.h"
#include "longarm/pddl/test/domains.h"
#include "longarm/pddl/write.h"

namespace longarm::pddl {
namespace {

using testing::ElementsAre;

std::vector<std::string> errors_of_domain(const std::string& text) {
  Diagnostics diagnostics;
  read_domain(text, "d.pddl", diagnostics);
  std::vector<std::string> all;
  for (const Diagnostic& each : diagnostics.all()) {
    all.push_back(each.format());
  }
  return all;
}

std::vector<std::string> errors_of_problem(const std::string& text) {
  Diagnostics diagnostics;
  read_problem(text, "p.pddl", rooms_domain(), diagnostics);
  std::vector<std::string> all;
  for (const Diagnostic& each : diagnostics.all()) {
    all.push_back(each.format());
  }
  return all;
}

TEST(Reader, WritesDomainsThatReadBackTheSame) {
  for (const Domain& domain : {blocks_domain(), rooms_domain(), roads_domain()}) {
    const std::string text = write_domain(domain, "made\nby a test");
    EXPECT_EQ(text.substr(0, 18), "; made\n; by a test");
    EXPECT_EQ(write_domain(domain_of(text), "made\nby a test"), text);
    const Domain again = domain_of(text);
    ASSERT_EQ(again.actions.size(), domain.actions.size());
    for (std::size_t i = 0; i < domain.actions.size(); ++i) {
      EXPECT_EQ(again.actions[i].preconditions, domain.actions[i].preconditions);
      EXPECT_EQ(again.actions[i].effects, domain.actions[i].effects);
      EXPECT_EQ(again.actions[i].cost.has_value(), domain.actions[i].cost.has_value());
    }
  }
}

TEST(Reader, WritesProblemsThatReadBackTheSame) {
  const Domain domain = roads_domain();
  const std::string text = R"((define (problem p)
  (:domain roads)
  (:objects
    a b - place
    t - truck)
  (:init
    (at t a)
    (road a b)
    (= (total-cost) 0)
    (= (length a b) 2.125))
  (:goal (and
    (at t b)
    (not (at t a))))
  (:metric minimize (total-cost)))
)";
  EXPECT_EQ(write_problem(problem_of(text, domain)), text);
}

TEST(Reader, KnowsTypesOfTypesAndEither) {
  const Domain domain = domain_of(R"((define (domain d)
    (:requirements :strips :typing)
    (:types gear peg - part part tray - object)
    (:predicates (near ?a - (either gear tray)))
    (:action a :parameters (?x - GEAR) :precondition (near ?x) :effect ())))");
  EXPECT_TRUE(domain.is_kind_of("gear", "part"));
  EXPECT_TRUE(domain.is_kind_of("gear", "object"));
  EXPECT_FALSE(domain.is_kind_of("part", "gear"));
  EXPECT_TRUE(domain.is_any_of("tray", domain.predicates[0].parameters[0].types));
  EXPECT_FALSE(domain.is_any_of("peg", domain.predicates[0].parameters[0].types));
}

TEST(Reader, SaysWhereParenthesesAreWrong) {
  EXPECT_THAT(errors_of_domain("\n  (define (domain d)\n"),
              ElementsAre("d.pddl:2:3: error: this '(' is never closed\n  hint: add a ')'"));
  EXPECT_THAT(errors_of_domain("(define (domain d)))"),
              ElementsAre("d.pddl:1:20: error: there is more after the end of the definition\n"
                          "  hint: a parenthesis may close too early"));
  EXPECT_THAT(errors_of_domain("; nothing"), ElementsAre("d.pddl:1:10: error: the file is empty\n"
                                                         "  hint: it begins with (define …"));
  EXPECT_EQ(errors_of_domain(std::string(1'000'000, '(')).size(), 1U);
}

TEST(Reader, SaysWhichNamesOfADomainAreUnknown) {
  EXPECT_THAT(
      errors_of_domain("(define (domain d)\n"
                       "  (:requirements :strips :durative-actions)\n"
                       "  (:types robot)\n"
                       "  (:predicates (free ?r - robott))\n"
                       "  (:action a :parameters (?r - robot)\n"
                       "    :precondition (and (fre ?r) (free ?q))\n"
                       "    :effect (free ?r ?r)))"),
      ElementsAre(
          "d.pddl:2:26: error: the planner does not support ':durative-actions'\n"
          "  hint: supported: :strips, :typing, :negative-preconditions, :equality, :action-costs",
          "d.pddl:4:22: error: unknown type 'robott' of '?r'\n"
          "  hint: did you mean 'robot'?",
          "d.pddl:6:24: error: unknown predicate 'fre'\n  hint: did you mean 'free'?",
          "d.pddl:6:33: error: unknown variable '?q' in (free ?q)\n"
          "  hint: did you mean '?r'?",
          "d.pddl:7:13: error: 'free' takes 1 argument, not 2\n"
          "  hint: see its declaration"));
}

TEST(Reader, RefusesWhatThePlannerCannotDo) {
  EXPECT_THAT(errors_of_domain("(define (domain d) (:predicates (p))\n"
                               "  (:action a :parameters ()\n"
                               "    :precondition (or (p) (p))\n"
                               "    :effect (increase (fuel) 2)))"),
              ElementsAre("d.pddl:3:19: error: 'or' is not supported here\n"
                          "  hint: only atoms, (not atom) and (and …) of these are supported: "
                          "write several actions instead",
                          "d.pddl:4:13: error: an action increases the total cost, once\n  hint: "
                          "write: (increase (total-cost) 3) or (increase (total-cost) (function "
                          "?x))"));
}

TEST(Reader, ChecksProblemsAgainstTheirDomain) {
  EXPECT_THAT(
      errors_of_problem("(define (problem p) (:domain room)\n"
                        " (:objects a - room x - ball x - ball)\n"
                        " (:init (robot-in x) (not (full x)) (ball-in x b))\n"
                        " (:metric minimize (fuel)))"),
      ElementsAre("p.pddl:1:21: error: the problem is of domain 'room', not 'rooms'\n"
                  "  hint: give the domain that it was written for",
                  "p.pddl:3:22: error: (not …) cannot be in :init\n"
                  "  hint: list only what is true; everything else is false",
                  "p.pddl:4:2: error: the planner supports one metric only\n"
                  "  hint: write: (:metric minimize (total-cost))",
                  "p.pddl:2:30: error: object 'x' is declared twice\n  hint: remove one",
                  "p.pddl:3:9: error: 'x' in (robot-in x) is a ball, not a room\n"
                  "  hint: see the declaration of 'robot-in'",
                  "p.pddl:3:37: error: unknown object 'b' in (ball-in x b)\n"
                  "  hint: did you mean 'a'?",
                  "p.pddl:1:1: error: the problem has no goal\n  hint: write: (:goal (and …))"));
}

TEST(Reader, SurvivesFilesThatAreCutOrScrambled) {
  // every beginning of a right file is an error with a place, and no word in place of another
  // makes more than errors
  const std::string text = write_domain(roads_domain());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    Diagnostics diagnostics;
    read_domain(text.substr(0, length), "d.pddl", diagnostics);
    EXPECT_TRUE(diagnostics.has_errors()) << length;
  }
  const RandomStream random(1, "scramble");
  const std::string letters = "() ?-=ab:";
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    std::string scrambled = text;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const auto at = static_cast<std::size_t>(random.bits_at(20 * trial + 2 * i) % text.size());
      const auto letter = static_cast<std::size_t>(random.bits_at(20 * trial + 2 * i + 1) % 9);
      scrambled[at] = letters[letter];
    }
    Diagnostics diagnostics;
    const Domain domain = read_domain(scrambled, "d.pddl", diagnostics);
    if (!diagnostics.has_errors()) {
      EXPECT_EQ(write_domain(domain_of(write_domain(domain))), write_domain(domain)) << scrambled;
    }
  }
}

TEST(Grounding, KeepsOnlyWhatCanHappenAndChange) {
  // roads a → b only: drives a→b, and loads and unloads at both: (at t a), (at t b), (at x a),
  // (in x t), (at x b) are facts; (road a b) is always true and none
  const Domain domain = roads_domain();
  const Problem problem = problem_of(R"((define (problem p) (:domain roads)
    (:objects a b c - place t - truck x - package)
    (:init (at t a) (at x a) (road a b) (= (length a b) 2)) (:goal (at x b))
    (:metric minimize (total-cost))))",
                                     domain);
  const Result<GroundProblem> grounded = ground(domain, problem, 1000);
  ASSERT_TRUE(grounded);
  EXPECT_EQ(grounded->operators.size(), 5U);
  EXPECT_THAT(grounded->facts, testing::UnorderedElementsAre("(at t a)", "(at t b)", "(at x a)",
                                                             "(at x b)", "(in x t)"));
}

TEST(Grounding, LeavesOutActionsWithoutACost) {
  const Domain domain = roads_domain();
  const Problem problem = problem_of(R"((define (problem p) (:domain roads)
    (:objects a b - place t - truck) (:init (at t a) (road a b)) (:goal (at t b))
    (:metric minimize (total-cost))))",
                                     domain);
  const Result<GroundProblem> grounded = ground(domain, problem, 1000);
  EXPECT_THAT(grounded->unreachable, ElementsAre("(at t b)"));
}

TEST(Grounding, UnderstandsEqualityAndConstants) {
  const Domain domain = domain_of(R"((define (domain d) (:requirements :typing :equality)
    (:types spot) (:constants home - spot)
    (:predicates (at ?s - spot))
    (:action go :parameters (?a ?b - spot)
      :precondition (and (at ?a) (not (= ?a ?b)) (not (= ?b home)))
      :effect (and (at ?b) (not (at ?a))))))");
  const Problem problem = problem_of(R"((define (problem p) (:domain d) (:objects x y - spot)
    (:init (at home)) (:goal (at y))))",
                                     domain);
  // to x from home and y, to y from home and x
  EXPECT_EQ(ground(domain, problem, 1000)->operators.size(), 4U);
}

}  // namespace
}  // namespace longarm::pddl

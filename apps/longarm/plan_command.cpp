// SPDX-License-Identifier: Apache-2.0
// `longarm plan`: plans for PDDL problems, and for what a kitting scenario asks for.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "labs/kitting/kitting_actors.h"
#include "labs/kitting/problem.h"
#include "labs/kitting/rehearsal.h"
#include "labs/kitting/schedule.h"
#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/config/config_reader.h"
#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"
#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/pddl/plan_file.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/validate.h"
#include "longarm/pddl/write.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct PlanArguments {
  std::string what;
  std::string problem;
  std::string check;
  std::string out;
  std::vector<std::string> sets;
  std::vector<std::string> plugins;
  bool prints_domain = false;
  pddl::PlannerOptions options;
};

/// What to say when there is no plan.
int explain(const pddl::Plan& plan) {
  if (plan.outcome == pddl::PlanOutcome::kSolved) {
    return kDone;
  }
  if (!plan.unreachable.empty()) {
    fmt::print("no plan: no action can achieve {}\n", join(plan.unreachable));
  } else if (plan.outcome == pddl::PlanOutcome::kUnsolvable) {
    fmt::print("no plan: all {} states were tried\n", plan.evaluated);
  } else {
    fmt::print("no plan found among {} states; try --greedy with more\n", plan.evaluated);
  }
  return kCheckFailed;
}

void print_effort(const pddl::Plan& plan) {
  fmt::print("; {} facts, {} operators, {} states explored\n", plan.facts, plan.operators,
             plan.evaluated);
}

int check_plan(const pddl::Domain& domain, const pddl::Problem& problem, const std::string& file) {
  Diagnostics diagnostics;
  const Result<std::string> text = read_file(file);
  if (!text) {
    throw InputError(Diagnostic{{file}, text.error().message, "give a file that contains a plan"});
  }
  const std::vector<pddl::Step> steps = pddl::read_plan(*text, file, diagnostics);
  diagnostics.throw_if_errors();
  const Result<pddl::Cost> cost = pddl::validate(domain, problem, steps);
  if (!cost) {
    fmt::print("not a plan: {}\n", cost.error().message);
    return kCheckFailed;
  }
  fmt::print("a plan of {} steps that costs {}\n", steps.size(), pddl::cost_text(*cost));
  return kDone;
}

int plan_files(const PlanArguments& arguments) {
  const pddl::Domain domain = pddl::load_domain(arguments.what);
  const pddl::Problem problem = pddl::load_problem(arguments.problem, domain);
  if (!arguments.check.empty()) {
    return check_plan(domain, problem, arguments.check);
  }
  const pddl::Plan plan = pddl::make_plan(domain, problem, arguments.options);
  if (plan.outcome == pddl::PlanOutcome::kSolved) {
    fmt::print("{}", pddl::write_plan(plan));
  }
  print_effort(plan);
  return explain(plan);
}

/// The actor of a cell that makes kits, if there is one.
std::optional<kitting::KittingQuestion> question_of(const cell::CellConfig& cell) {
  for (const cell::ActorEntry& actor : cell.actors) {
    if (auto question = kitting::find_kitting(*actor.model)) {
      return question;
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_without_kits(const std::string& name) {
  refuse(
      {name}, "this scenario requests no kits, so there is nothing to plan",
      "use aprs-kitting, a scenario with an actor of kind kitting, or a PDDL domain and problem");
}

/// Everything where it stands at first, as perfect cameras would show it.
devices::CameraFrame first_picture(const model::Cell& cell) {
  devices::CameraFrame frame;
  for (const model::Placement& placement : cell.placements) {
    frame.detections.push_back({placement.name, placement.X_WR, 1.0});
  }
  return frame;
}

/// Before there is anything to lose.
void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(
        Diagnostic{{"--out"},
                   fmt::format("cannot create folder '{}': {}", folder, error.message()),
                   "choose another one"});
  }
}

void write_files(const std::string& folder, const pddl::Domain& domain,
                 const kitting::KittingPlan& made, const kitting::Rehearsal& rehearsal) {
  config::write_text_file(fs::path(folder) / "domain.pddl", pddl::write_domain(domain));
  config::write_text_file(fs::path(folder) / "problem.pddl",
                          pddl::write_problem(made.question.problem));
  config::write_text_file(fs::path(folder) / "plan.txt", pddl::write_plan(made.plan));
  config::write_text_file(fs::path(folder) / "schedule.txt",
                          kitting::schedule_text(rehearsal.schedule));
  for (const kitting::PlanFile& file : kitting::program_files(rehearsal.programs, "program")) {
    config::write_text_file(fs::path(folder) / file.name, file.content);
  }
}

int plan_scenario(const PlanArguments& arguments) {
  cell::LoadOptions options;
  options.overrides = arguments.sets;
  options.plugins = arguments.plugins;
  const cell::PreparedScenario prepared =
      cell::load_scenario(arguments.what, options, labs::built_in_plugins());
  const auto question = question_of(prepared.cell());
  if (!question) {
    refuse_without_kits(arguments.what);
  }
  if (!arguments.out.empty()) {
    make_folder(arguments.out);
  }
  const kitting::Ontology& ontology = question->ontology;
  const pddl::Domain& domain = question->domain;
  kitting::WorldModel world(ontology, {});
  world.update("first camera frame", first_picture(prepared.model), Time{});
  kitting::Circumstances circumstances;
  circumstances.carried_tools = kitting::first_tools(ontology);
  const kitting::KittingPlan made = kitting::plan_kits(ontology, domain, question->request, world,
                                                       circumstances, arguments.options);
  for (const kitting::LeftOut& each : made.question.left_out) {
    fmt::print("cannot make {}: {}\n", each.kit, each.reason);
  }
  if (made.plan.outcome != pddl::PlanOutcome::kSolved) {
    return explain(made.plan);
  }
  const kitting::Rehearsal rehearsal =
      kitting::rehearse(kitting::make_schedule(domain, made.question.problem, made.plan, ontology),
                        ontology, world, question->executor, circumstances.carried_tools);
  fmt::print("{}", pddl::write_plan(made.plan));
  print_effort(made.plan);
  fmt::print("\n{}", kitting::schedule_text(rehearsal.schedule));
  if (!arguments.out.empty()) {
    write_files(arguments.out, domain, made, rehearsal);
  }
  return made.question.left_out.empty() ? kDone : kCheckFailed;
}

/// Options that mean nothing for what is asked.
void refuse_strangers(const PlanArguments& arguments) {
  Diagnostics diagnostics;
  const auto refuse = [&](bool is_given, const char* option, const char* message,
                          const char* hint) {
    if (is_given) {
      diagnostics.error({option}, message, hint);
    }
  };
  const bool has_problem = !arguments.problem.empty();
  if (arguments.prints_domain) {
    const char* message = "--domain only prints the domain of an ontology";
    const char* hint = "remove one of the two";
    refuse(has_problem, "problem", message, hint);
    refuse(!arguments.check.empty(), "--check", message, hint);
    refuse(!arguments.out.empty(), "--out", message, "redirect its output");
    refuse(!arguments.sets.empty(), "--set", message, hint);
  } else if (has_problem) {
    refuse(!arguments.out.empty(), "--out", "the domain and the problem are already files",
           "redirect the plan: longarm plan DOMAIN PROBLEM > plan.txt");
    refuse(!arguments.sets.empty(), "--set", "PDDL files have no keys", "edit the files");
  } else {
    refuse(!arguments.check.empty(), "--check", "a plan is checked against a domain and a problem",
           "longarm plan SCENARIO --out FOLDER writes both");
  }
  diagnostics.throw_if_errors();
}

int plan(const PlanArguments& arguments) {
  refuse_strangers(arguments);
  if (arguments.prints_domain) {
    const kitting::Ontology ontology = kitting::load_ontology(arguments.what);
    fmt::print("{}", pddl::write_domain(kitting::make_domain(ontology), ontology.title));
    return kDone;
  }
  if (arguments.problem.empty()) {
    return plan_scenario(arguments);
  }
  return plan_files(arguments);
}

}  // namespace

Command add_plan_command(CLI::App& word) {
  const auto arguments = std::make_shared<PlanArguments>();
  word.add_option("what", arguments->what,
                  "a PDDL domain, a kitting scenario, or with --domain an ontology")
      ->required();
  word.add_option("problem", arguments->problem, "a PDDL problem of that domain");
  word.add_flag("--domain", arguments->prints_domain, "print the PDDL domain of an ontology");
  word.add_option("--check", arguments->check, "check this plan instead of searching for one")
      ->type_name("FILE");
  word.add_option("--out", arguments->out,
                  "folder for domain, problem, plan, schedule and one CRCL program per robot")
      ->type_name("FOLDER");
  word.add_option("--set", arguments->sets, "change a key of the scenario: --set a.b=value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--optimal", arguments->options.optimal_states,
                  "states to explore for a provably optimal plan; 0: skip this search")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  word.add_option("--greedy", arguments->options.greedy_states,
                  "states to explore for any plan after that; 0: skip this search")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  add_plugin_option(word, arguments->plugins);
  word.footer(
      "Exit code 1: no plan, or some kits cannot be planned.\n"
      "  longarm plan domain.pddl problem.pddl\n"
      "  longarm plan aprs-kitting --out plans");
  return [arguments] { return plan(*arguments); };
}

}  // namespace longarm::app

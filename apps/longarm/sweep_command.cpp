// SPDX-License-Identifier: Apache-2.0
// `longarm sweep`: a study from its question to its table and report.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/study_words.h"
#include "apps/longarm/sweep_progress.h"
#include "labs/labs.h"
#include "longarm/study/mpi_job.h"
#include "longarm/study/report/summary.h"
#include "longarm/study/sweep.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  std::string study;
  std::vector<std::string> axes;
  cell::LoadOptions load;
  std::string out;
  int threads = 0;
  bool has_no_report = false;

  /// Ranks are as many as the user wants at work at once; a process alone takes every core.
  int threads_of(const study::MpiJob* job) const {
    return threads > 0 ? threads : job != nullptr ? 1 : study::available_threads();
  }
};

/// The command line that asks the same again.
std::string command_text(const SweepArguments& arguments, bool measures_speed) {
  std::string text = "longarm sweep " + quoted(arguments.study);
  for (const std::string& each : arguments.load.overrides) {
    text += " --set " + quoted(each);
  }
  for (const std::string& each : arguments.axes) {
    text += " --axis " + quoted(each);
  }
  for (const std::string& each : arguments.load.plugins) {
    text += " --plugin " + quoted(each);
  }
  for (const std::string& each : arguments.load.allow) {
    text += " --allow " + quoted(each);
  }
  // how many run at once decides how fast each is
  if (measures_speed && arguments.threads > 0) {
    text += fmt::format(" --threads {}", arguments.threads);
  }
  return arguments.out.empty() ? text : text + " --out " + quoted(arguments.out);
}

/// An axis would win over --set without a word.
void refuse_if_set(const std::string& key, const std::vector<std::string>& overrides) {
  for (const std::string& each : overrides) {
    if (each.starts_with(key + "=")) {
      throw InputError(Diagnostic{{"--set " + each},
                                  "'" + key + "' is varied by an axis",
                                  "remove this --set or the axis"});
    }
  }
}

/// Those of the command line take the place of the file's of the same name.
std::vector<study::Axis> all_axes(const study::StudySource& source,
                                  const std::vector<std::string>& texts,
                                  const std::vector<std::string>& overrides) {
  std::vector<study::Axis> axes = source.axes;
  for (const std::string& text : texts) {
    study::Axis axis = study::parse_axis(text);
    const auto same = std::find_if(axes.begin(), axes.end(), [&](const study::Axis& each) {
      return each.name() == axis.name() && !each.where.path.starts_with("--axis");
    });
    if (same != axes.end()) {
      *same = std::move(axis);
    } else {
      axes.push_back(std::move(axis));
    }
  }
  for (const study::Axis& axis : axes) {
    for (const std::string& key : axis.keys) {
      refuse_if_set(key, overrides);
    }
  }
  if (axes.empty()) {
    throw InputError(Diagnostic{{},
                                "nothing to vary: '" + source.name + "' has no axes",
                                "add some: --axis link.delay=0ms,5ms,10ms --axis seed=1..20"});
  }
  return axes;
}

void print_failures(const study::SweepResult& result) {
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < std::min(kMost, result.failures.size()); ++i) {
    fmt::print(stderr, "{}:\n{}\n", fmt::join(result.failures[i].assignments, " "),
               result.failures[i].message);
  }
  fmt::print(stderr, "{} of {} points could not be simulated{}; results of the others are kept\n",
             result.failures.size(), result.progress.asked,
             result.failures.size() > kMost ? " (the first 5 are above)" : "");
}

/// A study says a thing once, not at each of its points.
void print_warnings(const study::SweepResult& result) {
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < std::min(kMost, result.warnings.size()); ++i) {
    const study::SweepWarning& warning = result.warnings[i];
    fmt::print(stderr, "{}\n", warning.text);
    if (warning.points < result.progress.ran) {
      fmt::print(stderr, "  at {} of {} points\n", warning.points, result.progress.ran);
    }
  }
  if (result.warnings.size() > kMost) {
    fmt::print(stderr, "and {} more warnings; run a point with longarm run to see all of them\n",
               result.warnings.size() - kMost);
  }
}

/// What a rank works on, or why it cannot.
struct Ready {
  study::StudySource source;
  std::unique_ptr<study::PointRunner> runner;
  std::exception_ptr problem;
};

Ready get_ready(const SweepArguments& arguments, const cell::Plugins& plugins) {
  Ready ready;
  try {
    ready.source = study::read_study(arguments.study);
    const study::Grid grid(all_axes(ready.source, arguments.axes, arguments.load.overrides));
    ready.runner =
        std::make_unique<study::PointRunner>(ready.source, grid, arguments.load, plugins);
  } catch (const InputError&) {
    ready.problem = std::current_exception();
  }
  return ready;
}

/// Rank 0: a study makes sense only if all ranks mean the same scenario, wherever they are.
void check_ranks(study::MpiJob& job, const std::string& base_hash) {
  const std::vector<study::MpiJob::Word> words = job.gather(base_hash);
  for (std::size_t rank = 1; rank < words.size(); ++rank) {
    if (words[rank].text != base_hash) {
      throw InputError(
          Diagnostic{{},
                     fmt::format("rank {} on {} {}", rank, words[rank].host,
                                 words[rank].text.empty()
                                     ? "cannot load the scenario"
                                     : "loaded a different scenario or model than rank 0"),
                     "every rank loads the files: put them in a folder shared by all machines"});
    }
  }
}

/// Simulates what is open. `job` may be null.
study::SweepResult answer_all(const SweepArguments& arguments, const Ready& ready,
                              study::Store& store, study::MpiJob* job) {
  SweepBar bar;
  // points that were begun are finished and kept
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  study::SweepOptions options;
  options.command = command_text(arguments, !ready.runner->first().prepared().cell().is_short);
  options.is_interrupted = [] { return is_interrupted != 0; };
  options.progress = [&](const study::SweepProgress& p) { bar.show(p.answered, p.asked, p.ran); };
  options.workers = [&](const study::Work& work) {
    job != nullptr ? job->work(work, arguments.threads_of(job))
                   : study::work_in_threads(work, arguments.threads_of(job));
  };
  study::SweepResult result = study::sweep(ready.source, *ready.runner, store, options);
  bar.clear();
  std::signal(SIGINT, SIG_DFL);
  return result;
}

/// The file keeps every run, but its tables show what was asked last.
void note_other_question(const study::Store& store, const Ready& ready) {
  const std::optional<study::StudyQuestion> before = store.question();
  if (before && before->scenario != ready.runner->first().prepared().name) {
    fmt::print(
        stderr,
        "note: {} was a study of {}; its runs are kept, its tables and report are replaced\n",
        store.file().parent_path().string(), before->scenario);
  }
}

int show(const SweepArguments& arguments, const Ready& ready, const study::Store& store,
         const study::SweepResult& result) {
  const study::StudySource& source = ready.source;
  const std::string& title =
      source.title.empty() ? ready.runner->first().prepared().scenario.title : source.title;
  fmt::print("{}: {}\n\n", source.name, title);
  fmt::print("{}\n", study::format_summary_table(study::summarise(store)));
  fmt::print("  {} of {} points done, {} of them new\n", result.progress.answered,
             result.progress.asked, result.progress.ran - result.failures.size());
  const bool has_report = result.progress.answered > 0 && !arguments.has_no_report;
  fmt::print("  results in {}{}\n", store.file().string(),
             has_report ? write_report(store.file().parent_path()) : "");
  print_warnings(result);
  if (is_interrupted != 0) {
    fmt::print(stderr, "interrupted; run the same command again to continue\n");
    return kInterrupted;
  }
  if (!result.failures.empty()) {
    print_failures(result);
    return kBadInput;
  }
  return kDone;
}

int sweep(const SweepArguments& arguments) {
  const std::unique_ptr<study::MpiJob> job = study::MpiJob::join();
  const cell::Plugins plugins = labs::built_in_plugins();
  const Ready ready = get_ready(arguments, plugins);
  const std::string base_hash = ready.runner ? ready.runner->base_hash() : "";
  if (job && job->rank() != 0) {
    job->gather(base_hash);
    job->serve([&](std::size_t index) { return ready.runner->run(index); },
               arguments.threads_of(job.get()));
    return kDone;  // whatever happened, rank 0 says it
  }
  if (job) {
    check_ranks(*job, base_hash);
  }
  if (ready.problem) {
    std::rethrow_exception(ready.problem);
  }
  const fs::path folder = arguments.out.empty() ? fs::path("runs") / (ready.source.name + "-sweep")
                                                : fs::path(arguments.out);
  study::Store store(folder / "study.db", study::Store::Mode::kWrite);
  note_other_question(store, ready);
  const study::SweepResult result = answer_all(arguments, ready, store, job.get());
  return show(arguments, ready, store, result);
}

}  // namespace

Command add_sweep_command(CLI::App& word) {
  const auto arguments = std::make_shared<SweepArguments>();
  word.add_option("study", arguments->study,
                  "name of a built-in study or scenario, or a YAML file of either")
      ->required();
  word.add_option("--axis", arguments->axes,
                  "what to vary, e.g. link.delay=0ms,2ms,5ms or seed=1..20 or gain=5..50:5; "
                  "several axes make a grid; replaces the study's axis of the same key")
      ->type_name("KEY=VALUE,…")
      ->allow_extra_args(false);
  word.add_option("--set", arguments->load.overrides, "change a key for every run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->out, "folder for the study; default: runs/NAME-sweep")
      ->type_name("DIR");
  word.add_option("--threads", arguments->threads,
                  "parallel runs; default: one per core, or one per rank of an MPI job")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "ignore this lint finding")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_flag("--no-report", arguments->has_no_report,
                "print the table only, without writing report.html");
  word.footer(
      "Finished runs are kept in study.db (SQLite). Run the same command again to continue a "
      "study\n"
      "that was stopped or killed; new values run only the new points. Every run of an arm is "
      "compared\n"
      "with the same run without a link. Runs that differ only in their seed are averaged. To "
      "measure\n"
      "speed use --threads 1, because parallel runs slow each other down.\n"
      "Examples:\n"
      "  longarm sweep ur5-latency\n"
      "  longarm sweep ur5-waypoints --axis link.preset=wifi,lte --axis seed=1..20\n"
      "  longarm sweep belt-bench --axis actors.bench.speed_m_s=0.1,0.2,0.5 --axis "
      "engine=mujoco,ode\n"
      "Over several machines: mpirun -n 8 longarm sweep … (docs/how-to/studies.md).");
  return [arguments] { return sweep(*arguments); };
}

}  // namespace longarm::app

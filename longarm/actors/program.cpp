// SPDX-License-Identifier: Apache-2.0
// The kind `program`: an existing Linux program on a host, unmodified, whose clock is the
// simulation's and whose packets cross the simulated network.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "longarm/actors/kinds.h"
#include "longarm/cell/actor.h"
#include "longarm/cell/cell_config.h"
#include "longarm/cell/unrepeatable.h"
#include "longarm/cell/world.h"
#include "longarm/config/data_files.h"
#include "longarm/programs/programs.h"
#include "longarm/record/ros_trace.h"

namespace longarm::actors {
namespace {

using cell::World;
using Json = nlohmann::ordered_json;

/// What is kept of its output for the run's folder; the rest is counted.
constexpr std::size_t kMostOutput = 64 << 20;

struct ProgramKeys {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string folder;
  Duration start{0};
  std::string restart = "never";
  Duration restart_after{1'000'000'000};
  std::optional<double> expect_exit;

  /// A programs::Charge as users write it.
  struct Charge {
    std::string name;
    std::string on = "receive";
    std::vector<std::string> contains;
    network::VaryingTime time;
  };
  std::vector<Charge> charges;
  double cpu_factor = 0.0;
};

/// Null: it computes in no time.
std::shared_ptr<programs::Computing> computing_of(const ProgramKeys& keys, std::uint64_t seed,
                                                  const std::string& name) {
  if (keys.charges.empty() && keys.cpu_factor == 0.0) {
    return nullptr;
  }
  using On = programs::Charge::On;
  std::vector<programs::Charge> charges;
  for (const ProgramKeys::Charge& written : keys.charges) {
    programs::Charge& charge = charges.emplace_back();
    charge.name = written.name;
    charge.on = written.on == "wake"      ? On::kWake
                : written.on == "receive" ? On::kReceive
                                          : On::kCall;
    charge.call = programs::number_of_call(written.on);
    charge.contains = written.contains;
    charge.time = written.time;
  }
  return std::make_shared<programs::Computing>(std::move(charges), keys.cpu_factor, seed, name);
}

/// One program over all its starts. Shared with what it does, which may outlast the actor.
struct ProgramRun : std::enable_shared_from_this<ProgramRun> {
  ProgramRun(const ProgramKeys& of_keys, World& of_world, std::string of_name)
      : keys(of_keys),
        world(of_world),
        name(std::move(of_name)),
        source(world.kernel().add_source(name)),
        computing(computing_of(of_keys, of_world.seed(), name)) {
    if (world.trace() != nullptr) {
      lines = world.trace()->add_json("/" + name + "/output", "longarm/Output",
                                      {{"stream", "string"}, {"line", "string"}});
    }
  }

  void start() {
    if (is_closed) {
      return;
    }
    programs::Program program;
    program.name = name;
    program.command = keys.command;
    program.environment = keys.environment;
    program.folder = keys.folder;
    program.computing = computing;
    program.written = [self = shared_from_this()](int stream, std::string_view bytes) {
      self->written(stream, bytes);
    };
    program.ended = [self = shared_from_this()](int how) { self->ended(how); };
    const std::optional<network::NodeId> host = world.programs().find_host(world.host_of(name));
    Result<programs::Process*> started = world.programs().start(*host, std::move(program));
    if (!started) {
      world.kernel().fail({fmt::format("actors.{}: {}", name, started.error().message)});
      return;
    }
    process = *started;
    ++starts;
    status.reset();
  }

  void written(int stream, std::string_view bytes) {
    std::string& all = output[stream - 1];
    written_bytes[stream - 1] += bytes.size();
    all.append(bytes.substr(0, kMostOutput - std::min(kMostOutput, all.size())));
    std::string& line = rest[stream - 1];
    for (const char c : bytes) {
      if (c == '\n') {
        say(stream, line);
        line.clear();
      } else {
        line += c;
      }
    }
  }

  void say(int stream, const std::string& line) {
    ++line_count;
    const bool is_error = stream == 2;
    world.log().info(world.now(), name, line);
    if (lines && !is_closed) {
      lines->write(world.now(), {{"stream", is_error ? "stderr" : "stdout"}, {"line", line}});
    }
  }

  void ended(int how) {
    process = nullptr;
    if (is_closed) {
      return;  // the run is over, and we ended it
    }
    status = how;
    ended_at = world.now();
    for (const int stream : {1, 2}) {
      if (!rest[stream - 1].empty()) {
        say(stream, std::exchange(rest[stream - 1], {}));
      }
    }
    const bool is_failure = !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    world.note(name, is_failure ? "fault" : "stop",
               fmt::format("{}: {}", name, programs::describe_status(how)));
    if (keys.restart == "always" || (keys.restart == "on-failure" && is_failure)) {
      world.kernel().at(world.now() + keys.restart_after, sim::Phase::kControl, source,
                        [self = shared_from_this()](Time) { self->start(); });
      return;
    }
    if (keys.expect_exit && (!WIFEXITED(how) || WEXITSTATUS(how) != *keys.expect_exit)) {
      world.kernel().fail({fmt::format("actors.{}: {} at {:.6f} s, but expect_exit is {}{}", name,
                                       programs::describe_status(how), to_seconds(world.now()),
                                       *keys.expect_exit, last_words())});
    }
  }

  /// What it wrote last, if anything.
  std::string last_words() const {
    const std::string& errors = output[1].empty() ? output[0] : output[1];
    if (errors.empty()) {
      return {};
    }
    const std::size_t end = errors.find_last_not_of('\n');
    const std::size_t begin = errors.rfind('\n', end);
    return fmt::format("; it wrote last: {}",
                       errors.substr(begin == std::string::npos ? 0 : begin + 1,
                                     end - (begin == std::string::npos ? 0 : begin + 1) + 1));
  }

  const ProgramKeys& keys;
  World& world;
  std::string name;
  sim::SourceId source;
  std::shared_ptr<programs::Computing> computing;  ///< null: it takes no time
  std::unique_ptr<record::JsonTrace> lines;        ///< null: not recorded
  programs::Process* process = nullptr;            ///< null: it does not run
  std::optional<int> status;
  Time ended_at{};
  std::uint64_t starts = 0;
  std::uint64_t line_count = 0;
  std::uint64_t written_bytes[2] = {0, 0};
  std::string output[2];
  std::string rest[2];  ///< of lines that have not ended
  bool is_closed = false;
  bool has_outlived = false;  ///< the run, whose end ended it
};

class ProgramActor final : public cell::Actor {
 public:
  ProgramActor(const ProgramKeys& keys, World& world, const std::string& name)
      : keys_(keys), world_(world), run_(std::make_shared<ProgramRun>(keys, world, name)) {
    world.programs();  // what the machine lacks shows before anything begins
    world.kernel().at(Time(keys.start), sim::Phase::kSample, run_->source,
                      [run = run_](Time) { run->start(); });
  }
  ~ProgramActor() override { close(); }

  Json results() const override {
    Json out;
    out["starts"] = run_->starts;
    out["is_running"] = run_->process != nullptr || run_->has_outlived;
    if (run_->status && WIFEXITED(*run_->status)) {
      out["exit_code"] = WEXITSTATUS(*run_->status);
    } else if (run_->status) {
      out["signal"] = WTERMSIG(*run_->status);
    }
    if (run_->status) {
      out["ended_s"] = to_seconds(run_->ended_at);
    }
    out["lines"] = run_->line_count;
    out["stdout_bytes"] = run_->written_bytes[0];
    out["stderr_bytes"] = run_->written_bytes[1];
    if (const programs::Computing* computing = run_->computing.get()) {
      const auto in_words = [](const programs::Computing::Sum& sum) {
        return Json{{"count", sum.count}, {"total_s", to_seconds(sum.time)}};
      };
      for (std::size_t i = 0; i < computing->charges().size(); ++i) {
        out["charges"][computing->charges()[i].name] = in_words(computing->sum(i));
      }
      if (computing->is_measured()) {
        out["measured_computing"] = in_words(computing->measured());
      }
    }
    return out;
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < keys_.charges.size(); ++i) {
      if (run_->computing->sum(i).count == 0) {
        warnings.push_back(
            fmt::format("{}: the charge '{}' never applied", run_->name, keys_.charges[i].name));
      }
    }
    if (run_->has_outlived && keys_.expect_exit) {
      warnings.push_back(fmt::format("{} still ran at the end, {:.6f} s, but expect_exit is {}",
                                     run_->name, to_seconds(world_.now()), *keys_.expect_exit));
    }
    if (run_->status && (!WIFEXITED(*run_->status) || WEXITSTATUS(*run_->status) != 0) &&
        !keys_.expect_exit) {
      warnings.push_back(fmt::format("{} ended with {} at {:.6f} s{}", run_->name,
                                     programs::describe_status(*run_->status),
                                     to_seconds(run_->ended_at), run_->last_words()));
    }
    return warnings;
  }

  std::optional<bool> is_done() const override {
    if (!keys_.expect_exit) {
      return std::nullopt;
    }
    return run_->status.has_value() && run_->process == nullptr;
  }

  std::vector<cell::ResultFile> files() const override {
    std::vector<cell::ResultFile> files;
    for (const int stream : {1, 2}) {
      if (!run_->output[stream - 1].empty()) {
        files.push_back({world_.prefix(run_->name) + (stream == 1 ? "stdout.txt" : "stderr.txt"),
                         run_->output[stream - 1]});
      }
    }
    return files;
  }

  void fail(const cell::Failure&) override {
    if (run_->process != nullptr) {
      world_.programs().kill(*run_->process);
    }
  }

  void close() override {
    run_->is_closed = true;
    if (run_->process != nullptr) {
      run_->has_outlived = true;
      world_.programs().end(*std::exchange(run_->process, nullptr));
    }
  }

 private:
  const ProgramKeys& keys_;
  World& world_;
  std::shared_ptr<ProgramRun> run_;
};

class ProgramModel final : public cell::ActorModel, public cell::Unrepeatable {
 public:
  void list_fields(Fields& fields) override {
    fields.field("command", keys_.command,
                 "program and arguments; files are looked for beside the scenario first");
    fields.field("environment", keys_.environment,
                 "variables as NAME=value; PATH and HOME are yours, LANG is C.UTF-8, TZ is UTC");
    fields.field("folder", keys_.folder, "working folder; default: the scenario's");
    fields.field("start", keys_.start, "when it is started");
    fields.choice("restart", keys_.restart, {"never", "on-failure", "always"},
                  "whether it is started again when it ends");
    fields.field("restart_after", keys_.restart_after, "time between its end and the next start");
    fields.field("expect_exit", keys_.expect_exit,
                 "exit code with which it must end; the run ends when all such programs have, and "
                 "fails if one ends otherwise");
    named(fields, "charges", "computing time that it is charged; without any, computing takes none",
          keys_.charges, [](Fields& group, ProgramKeys::Charge& charge) {
            group.field("on", charge.on,
                        "wake: it continues after waiting; receive: it has read bytes; call: any "
                        "intercepted system call; or the name of a system call, such as sendto");
            group.field("contains", charge.contains,
                        "only bytes that contain these texts, in this order; with receive");
            network::list_fields(group, "time", "computing time, each time", charge.time);
          });
    fields.field(
        "cpu_factor", keys_.cpu_factor,
        "factor for the processor time that it really takes, which is then simulated time, "
        "too; 0: none. Every run differs");
  }

  std::vector<cell::FailureVerb> failures() const override {
    return {{"crashes", "it is killed (SIGKILL)"}};
  }

  std::vector<cell::KeyRemark> load(InputFiles& files, const cell::LoadContext& context) override {
    std::vector<cell::KeyRemark> remarks;
    if (keys_.command.empty() || keys_.command.front().empty()) {
      remarks.push_back(
          {"command", "a program needs a command", "for example command: [python3, server.py]"});
    }
    if (context.host.empty()) {
      remarks.push_back({"host", "a program runs on a host",
                         fmt::format("actors.{}: {{kind: program, host: …}}", context.name)});
    }
    for (const std::string& entry : keys_.environment) {
      if (entry.find('=') == std::string::npos || entry.front() == '=') {
        remarks.push_back({"environment", fmt::format("'{}' is not NAME=value", entry),
                           "for example environment: [PORT=8080]"});
      }
    }
    if (keys_.start < Duration{0} || keys_.restart_after < Duration{0}) {
      remarks.push_back({keys_.start < Duration{0} ? "start" : "restart_after",
                         "a time must not be negative", "0s is at once"});
    }
    for (ProgramKeys::Charge& charge : keys_.charges) {
      const std::string key = "charges." + charge.name;
      const std::optional<std::int64_t> call = programs::number_of_call(charge.on);
      if (charge.on != "wake" && charge.on != "receive" && charge.on != "call" && !call) {
        remarks.push_back({key + ".on", fmt::format("unknown system call '{}'", charge.on),
                           "use wake, receive, call, or the name of a system call"});
      } else if (call && programs::class_of(*call) == programs::CallClass::kNative) {
        remarks.push_back(
            {key + ".on", fmt::format("Longarm does not intercept the system call '{}'", charge.on),
             "choose a call about time, waiting or communication"});
      }
      if (!charge.contains.empty() && charge.on != "receive") {
        remarks.push_back(
            {key + ".contains", "only received bytes are searched", "use on: receive"});
      }
      for (const network::KeyRemark& remark : network::load(charge.time, context.link_files)) {
        remarks.push_back({key + ".time." + remark.key, remark.message, remark.hint});
      }
    }
    if (!(keys_.cpu_factor >= 0.0 && keys_.cpu_factor <= 1e6)) {
      remarks.push_back({"cpu_factor", "a factor must be between 0 and 1e6", "1 is this machine"});
    }
    const double code = keys_.expect_exit.value_or(0);
    if (code != static_cast<int>(code) || code < 0 || code > 255) {
      remarks.push_back({"expect_exit", "an exit code is a whole number from 0 to 255", "use 0"});
    }
    const network::NetworkConfig& network = context.cell.network;
    const bool has_other_hosts =
        std::ranges::any_of(context.cell.actors, [&](const cell::ActorEntry& actor) {
          return !actor.host.empty() && actor.host != context.host;
        });
    if (network.is_empty() && has_other_hosts) {
      remarks.push_back({"host", "programs need a network between their hosts",
                         "describe it below network, for example hosts: [a, b], links: {cable: "
                         "{between: [a, b], propagation: 1ms}}"});
    }
    if (!network.is_empty() && network.backend != "builtin") {
      remarks.push_back(
          {"kind", fmt::format("programs need the built-in network, not '{}'", network.backend),
           "use network.backend: builtin"});
    }
    if (keys_.folder.empty()) {
      keys_.folder = context.folder;
    }
    (void)files;
    return remarks;
  }

  bool writes_while_running() const override { return false; }
  std::string why_unrepeatable() const override {
    return keys_.cpu_factor > 0.0 ? "cpu_factor counts real processor time" : "";
  }

  std::unique_ptr<cell::Actor> make(World& world, const std::string& name) const override {
    return std::make_unique<ProgramActor>(keys_, world, name);
  }

  cell::Figures figures() const override {
    return {{}, {{"lines", "lines of output", "", 1.0, 0}}, ""};
  }

 private:
  ProgramKeys keys_;
};

}  // namespace

std::unique_ptr<cell::ActorModel> make_program() {
  return std::make_unique<ProgramModel>();
}

}  // namespace longarm::actors

// SPDX-License-Identifier: Apache-2.0
// `longarm crcl`: runs CRCL programs on a robot, one command after the other, or shows its status.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/core/text.h"
#include "longarm/protocols/crcl/client.h"
#include "longarm/robots/crcl/program.h"
#include "longarm/serve/socket_link.h"
#include "longarm/system/address.h"

namespace longarm::app {
namespace {

using namespace std::chrono_literals;
namespace crcl = protocols::crcl;

struct CrclArguments {
  std::string address;
  std::vector<std::string> programs;
  std::string poll = "50ms";
  std::string patience = "10s";
};

struct CrclProgramFile {
  std::string path;
  std::shared_ptr<const crcl::Program> program;
};

Duration read_span(const char* option, const std::string& text, Diagnostics& problems) {
  const Result<Duration> span = parse_duration(text);
  if (!span || *span <= Duration::zero()) {
    problems.error({option}, fmt::format("'{}' is not a time", text), "for example 50ms, or 10s");
    return 1s;
  }
  return *span;
}

CrclProgramFile read_program(const std::string& path, Diagnostics& problems) {
  const Result<std::string> text = read_file(path);
  if (!text) {
    problems.error({path}, text.error().message, "give a file that contains a CRCLProgram");
    return {};
  }
  Result<crcl::Program> program = crcl::decode_program(*text);
  if (!program) {
    problems.error({path}, program.error().message,
                   "the file must contain a CRCLProgram that follows the 2019 or 2021 schemas");
    return {};
  }
  CrclProgramFile file{path, std::make_shared<const crcl::Program>(std::move(program).value())};
  robots::CrclProgramRun run(file.program);
  if (const Result<bool> good = run.check_loops(); !good) {
    problems.error(
        {path}, fmt::format("command {}: {}", run.here().command.id, good.error().message),
        "each LoopBlockStart needs a LoopBlockEnd of the same name and a MaxCount of at least 1");
  }
  return file;
}

/// "MoveTo" of "MoveToType".
std::string word_of(const crcl::CommandBody& body) {
  std::string_view name = crcl::type_name(body);
  name.remove_suffix(std::string_view("Type").size());
  return std::string(name);
}

enum class Outcome { kDone, kError, kSilent, kClosed, kInterrupted };

/// A conversation with one robot, in real time.
class RobotTalk {
 public:
  RobotTalk(system::Reactor& reactor, const system::SocketAddress& to, Duration poll,
            Duration patience)
      : reactor_(reactor),
        link_(reactor, to, [&reactor] { return reactor.now(); }),
        poll_(poll),
        patience_(patience) {
    link_.listen([this](std::string_view bytes, Time now) {
      client_.receive(bytes);
      heard_ = now;
    });
  }

  /// The robot's first words. Its own commands are numbered from there on.
  Outcome greet() {
    client_.ask_status();
    flush();
    heard_ = reactor_.now();
    while (!client_.last_status()) {
      if (const Outcome outcome = wait(); outcome != Outcome::kDone) {
        return outcome;
      }
    }
    const crcl::Status status = *client_.last_status();
    client_ = crcl::Client(std::max<std::int64_t>(0, status.command.command_id) + 1);
    first_ = status;
    return Outcome::kDone;
  }

  /// Sends it together with a question, and asks again until it is over.
  Outcome run(const crcl::Command& command) {
    const Result<std::int64_t> id = client_.send(command.body, command.guards);
    if (!id) {
      words_ = id.error().message;
      return Outcome::kError;
    }
    ask();
    heard_ = reactor_.now();
    while (!client_.is_over(*id)) {
      if (client_.open_questions() == 0 && reactor_.now() >= asked_ + poll_) {
        ask();
      }
      if (const Outcome outcome = wait(); outcome != Outcome::kDone) {
        return outcome;
      }
    }
    const crcl::Progress progress = client_.progress(*id);
    words_ = progress == crcl::Progress::kOvertaken ? "another client is commanding this robot"
                                                    : client_.description(*id);
    return progress == crcl::Progress::kDone ? Outcome::kDone : Outcome::kError;
  }

  /// What was told to stop is not waited for.
  void stop() {
    (void)client_.send(crcl::StopMotion{crcl::StopCondition::kNormal});
    flush();
    const Time until = reactor_.now() + 100ms;
    while (reactor_.now() < until) {
      reactor_.run_once(until);
    }
  }

  const std::optional<crcl::Status>& first() const { return first_; }
  const std::string& words() const { return words_; }

 private:
  void ask() {
    client_.ask_status();
    asked_ = reactor_.now();
    flush();
  }
  void flush() { link_.send(client_.take_output()); }

  /// For something to happen; kDone: go on.
  Outcome wait() {
    const Time now = reactor_.now();
    reactor_.run_once(std::min(now + 20ms, std::max(now + 1ms, asked_ + poll_)));
    if (is_interrupted != 0) {
      return Outcome::kInterrupted;
    }
    if (!link_.is_up()) {
      words_ = link_.problem();
      return Outcome::kClosed;
    }
    if (reactor_.now() - heard_ > patience_) {
      words_ = client_.unreadable() > 0
                   ? "cannot read its answers: " + client_.last_failure()
                   : fmt::format("no answer within {:g} s", to_seconds(patience_));
      return Outcome::kSilent;
    }
    return Outcome::kDone;
  }

  system::Reactor& reactor_;
  serve::SocketLink link_;
  Duration poll_;
  Duration patience_;
  crcl::Client client_;
  std::optional<crcl::Status> first_;
  Time asked_{};
  Time heard_{};
  std::string words_;
};

void print_status(const crcl::Status& status) {
  fmt::print("{} after command {}{}{}\n", crcl::name_of(status.command.state),
             status.command.command_id, status.command.description ? ": " : "",
             status.command.description.value_or(""));
  if (status.joints) {
    fmt::print("joints");
    for (const crcl::JointStatus& joint : *status.joints) {
      fmt::print("  {}: {:.6g}", joint.joint, joint.position.value_or(0.0));
    }
    fmt::print("\n");
  }
  if (status.pose) {
    const crcl::Point& p = status.pose->pose.point;
    fmt::print("controlled point  {:.6g}, {:.6g}, {:.6g}\n", p.x, p.y, p.z);
  }
  if (status.gripper) {
    fmt::print("gripper {}{}\n", status.gripper->name,
               status.gripper->is_holding.value_or(false) ? ", holding an object" : "");
  }
}

/// Exit code; the program ends with its first error.
int run_program(const CrclProgramFile& file, RobotTalk& talk, system::Reactor& reactor) {
  fmt::print("{}: {} commands\n", file.path, file.program->commands.size());
  robots::CrclProgramRun run(file.program);
  (void)run.check_loops();
  std::size_t done = 0;
  const Time begin = reactor.now();
  while (true) {
    const Result<std::optional<crcl::CommandInstance>> next = run.next();
    if (next && !next->has_value()) {
      break;
    }
    const crcl::Command command = run.here().command;
    if (!next) {
      fmt::print(stderr, "error: command {}: {}\n", command.id, next.error().message);
      return kCheckFailed;
    }
    if (const auto* message = std::get_if<crcl::Message>(&command.body)) {
      fmt::print("{:8.2f} s  {}\n", to_seconds(reactor.now() - begin), message->text);
      std::fflush(stdout);
    }
    const Outcome outcome = talk.run(command);
    if (outcome == Outcome::kInterrupted) {
      talk.stop();
      return kInterrupted;
    }
    if (outcome == Outcome::kClosed) {
      fmt::print(stderr,
                 "error: the server closed the connection during command {} ({}): {}\n"
                 "  hint: a served cell closes its connections when its run ends\n",
                 command.id, word_of(command.body), talk.words());
      return kCheckFailed;
    }
    if (outcome != Outcome::kDone) {
      fmt::print(stderr, "error: command {} ({}) {}: {}\n", command.id, word_of(command.body),
                 outcome == Outcome::kError ? "failed" : "was not answered", talk.words());
      return kCheckFailed;
    }
    ++done;
  }
  fmt::print("{} commands done in {:.2f} s\n", done, to_seconds(reactor.now() - begin));
  return kDone;
}

int talk_crcl(const CrclArguments& arguments) {
  Diagnostics problems;
  const Duration poll = read_span("--poll", arguments.poll, problems);
  const Duration patience = read_span("--patience", arguments.patience, problems);
  const Result<system::Address> address = system::parse_address(arguments.address);
  if (!address) {
    problems.error({"address"}, address.error().message, "for example 127.0.0.1:64444");
  }
  std::vector<CrclProgramFile> programs;
  for (const std::string& path : arguments.programs) {
    programs.push_back(read_program(path, problems));
  }
  problems.throw_if_errors();
  const Result<system::SocketAddress> to = system::resolve(*address);
  if (!to) {
    refuse({"address"}, to.error().message, "check the spelling of the host name");
  }
  Result<std::unique_ptr<system::Reactor>> reactor = system::Reactor::make();
  if (!reactor) {
    refuse(reactor.error().message, "close other programs");
  }
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  RobotTalk talk(**reactor, *to, poll, patience);
  const Outcome met = talk.greet();
  if (met == Outcome::kInterrupted) {
    return kInterrupted;
  }
  if (met != Outcome::kDone) {
    refuse({arguments.address}, talk.words(), "check that a CRCL server listens at this address");
  }
  if (programs.empty()) {
    print_status(*talk.first());
    return kDone;
  }
  for (const CrclProgramFile& file : programs) {
    if (const int code = run_program(file, talk, **reactor); code != kDone) {
      return code;
    }
  }
  return kDone;
}

}  // namespace

Command add_crcl_command(CLI::App& word) {
  const auto arguments = std::make_shared<CrclArguments>();
  word.add_option("address", arguments->address, "HOST:PORT of a robot's CRCL server")->required();
  word.add_option("programs", arguments->programs,
                  "CRCLProgram files; without any, show the robot's status");
  word.add_option("--poll", arguments->poll,
                  "how often to ask whether a command is done; default: 50ms")
      ->type_name("TIME");
  word.add_option("--patience", arguments->patience,
                  "how long to wait for an answer of the robot; default: 10s")
      ->type_name("TIME");
  word.footer(
      "Sends the commands of each program one at a time, waits until each is done, and stops at "
      "the\n"
      "first error. Ctrl-C sends StopMotion. Exit code 1: a command failed, or the robot stopped\n"
      "answering; 2: bad input, or no server answers.\n"
      "  longarm plan aprs-kitting --out plans\n"
      "  longarm crcl 127.0.0.1:64444 plans/program_fanuc.xml");
  return [arguments] { return talk_crcl(*arguments); };
}

}  // namespace longarm::app

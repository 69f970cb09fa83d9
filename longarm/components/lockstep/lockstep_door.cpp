// SPDX-License-Identifier: Apache-2.0
// Joining, collecting, and ending with who and when.
#include "longarm/components/lockstep/lockstep_door.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/system/socket.h"
#include "longarm/system/wait.h"

namespace longarm::components {
namespace {

using system::WallClock;

constexpr Duration kLookEvery{50'000'000};
constexpr Duration kFarewell{2'000'000'000};
constexpr Duration kGrace{500'000'000};  // for programs that do not end by themselves

std::string describe(const system::ChildProcess::Ending& ending) {
  return fmt::format("{} {}", ending.is_signal ? "signal" : "exit code", ending.code);
}

std::string with_slash(const std::string& name) {
  return name.starts_with('/') ? name : "/" + name;
}

Error refuse(system::LineStream& stream, std::string why) {
  LockstepMessage refused;
  refused.type = "refused";
  refused.error = why;
  (void)stream.write_line(to_line(refused), kLookEvery);
  return Error{std::move(why)};
}

}  // namespace

LockstepDoor::LockstepDoor(sim::Kernel& kernel, LockstepConfig config)
    : kernel_(kernel), config_(std::move(config)), source_(kernel.add_source("lockstep")) {
  const bool is_path = config_.socket.find('/') != std::string::npos;
  const Result<Address> address =
      is_path ? Result<Address>(Address{}) : system::parse_address(config_.socket);
  Result<system::Descriptor> listener = !address  ? Result<system::Descriptor>(address.error())
                                        : is_path ? system::bind_unix_socket(config_.socket)
                                                  : system::bind_socket(*address, SOCK_STREAM);
  if (!listener) {
    throw InputError(Diagnostic{{},
                                "lockstep.socket: " + listener.error().message,
                                "127.0.0.1:0 picks a free port; a path must not exist yet"});
  }
  listener_ = std::move(listener).value();
  path_ = is_path ? config_.socket : "";
  address_ = is_path ? config_.socket : system::to_text(system::local_address(listener_.number()));
}

LockstepDoor::~LockstepDoor() {
  close();
  if (!path_.empty()) {
    ::unlink(path_.c_str());
  }
}

void LockstepDoor::add(Node& node, std::string host, std::string command) {
  guests_.emplace_back(
      Guest{ForeignComponent(kernel_, node, std::move(host), *this), std::move(command), {}});
}

void LockstepDoor::fail(const std::string& who, const std::string& what) {
  if (failure_) {
    return;
  }
  std::string program;
  for (Guest& guest : guests_) {
    if (guest.component.name() == who && guest.process) {
      const auto ending = guest.process->wait(kLookEvery);
      program = ending ? fmt::format(" (its program ended with {})", describe(*ending)) : "";
    }
  }
  // when is known to the kernel, and said by whoever reports the end of the run
  failure_ = Error{fmt::format("foreign component {}: {}{}", who, what, program)};
  kernel_.fail(*failure_);
}

// --- joining

Result<bool> LockstepDoor::start_programs() {
  for (Guest& guest : guests_) {
    if (guest.command.empty()) {
      continue;
    }
    // as the shell would start it
    Result<system::ChildProcess> process =
        system::ChildProcess::start({"/bin/sh", "-c", guest.command},
                                    {.variables = {{"LONGARM_LOCKSTEP", address_},
                                                   {"LONGARM_COMPONENT", guest.component.name()}},
                                     .has_input = true,
                                     .grace = kGrace});
    if (!process) {
      return process.error();
    }
    guest.process = std::move(process).value();
  }
  return true;
}

std::string LockstepDoor::missing() const {
  std::vector<std::string> names;
  for (const Guest& guest : guests_) {
    if (!guest.component.has_joined()) {
      names.push_back(guest.component.name());
    }
  }
  return join(names);
}

void LockstepDoor::say_what_to_start() const {
  for (const Guest& guest : guests_) {
    if (guest.command.empty()) {
      const std::string& name = guest.component.name();
      fmt::print(stderr,
                 "waiting {} s for {} at {}; start it with LONGARM_LOCKSTEP={} "
                 "LONGARM_COMPONENT={}\n",
                 to_seconds(config_.join_within), name, address_, address_, name);
    }
  }
}

Result<bool> LockstepDoor::look_for_dead_programs() {
  for (Guest& guest : guests_) {
    if (!guest.component.has_joined() && guest.process) {
      if (const auto ending = guest.process->wait(Duration::zero())) {
        return Error{fmt::format("foreign component {}: its program ended with {} before it joined",
                                 guest.component.name(), describe(*ending))};
      }
    }
  }
  return true;
}

Result<bool> LockstepDoor::welcome(system::Descriptor socket) {
  system::set_nodelay(socket.number(), true);
  system::LineStream stream(std::move(socket));
  const Result<std::optional<std::string>> line = stream.read_line(config_.answer_timeout);
  if (!line || !*line) {
    return Error{"a client connected to the lock-step socket without a hello message: " +
                 (line ? std::string("it sent nothing") : line.error().message)};
  }
  const Result<LockstepMessage> hello = parse_lockstep(**line);
  if (!hello || hello->type != "hello") {
    return refuse(stream, "a client connected to the lock-step socket without a hello message: " +
                              (hello ? "it sent " + hello->type : hello.error().message));
  }
  const std::string name = with_slash(hello->component);
  if (hello->version != kLockstepVersion) {
    return refuse(
        stream,
        fmt::format(
            "foreign component {} uses version {} of the lock-step protocol, this is version {}",
            name, hello->version, kLockstepVersion));
  }
  if (is_exact() && !hello->announces_idle) {
    return refuse(stream, fmt::format("foreign component {} does not report when it is idle, which "
                                      "needs lockstep.mode: collect",
                                      name));
  }
  for (Guest& guest : guests_) {
    if (guest.component.name() == name && !guest.component.has_joined()) {
      guest.component.join(std::move(stream));
      return true;
    }
  }
  return refuse(stream,
                fmt::format("unexpected foreign component {}; missing: {}", name, missing()));
}

Result<bool> LockstepDoor::open() {
  say_what_to_start();
  Result<bool> result = start_programs();
  const auto deadline = WallClock::now() + config_.join_within;
  while (result && !missing().empty()) {
    if (WallClock::now() >= deadline) {
      return Error{fmt::format("{} did not connect to {} within {} s", missing(), address_,
                               to_seconds(config_.join_within))};
    }
    system::wait_for(listener_.number(), POLLIN, kLookEvery);
    system::Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    result = socket.is_open() ? welcome(std::move(socket)) : look_for_dead_programs();
  }
  if (!result) {
    return result;
  }
  for (Guest& guest : guests_) {
    kernel_.deliver(kernel_.now(), source_, [&guest](Time) { guest.component.begin(); });
  }
  if (!is_exact() && !guests_.empty()) {
    kernel_.every(config_.step, kernel_.now() + config_.step, sim::Phase::kControl, source_,
                  [this](Time) {
                    LockstepMessage step;
                    step.type = "step";
                    for (Guest& guest : guests_) {
                      guest.component.send(step);
                    }
                    collect(CollectionPhase::kStep);
                  });
  }
  return true;
}

// --- collecting

Duration LockstepDoor::timeout(CollectionPhase phase) const {
  const CollectionTimeouts& timeouts = config_.timeouts;
  switch (phase) {
    case CollectionPhase::kStep:
      return timeouts.step.value_or(timeouts.all);
    case CollectionPhase::kRequest:
      return timeouts.request.value_or(timeouts.all);
    case CollectionPhase::kExecution:
      return timeouts.execution.value_or(timeouts.all);
    case CollectionPhase::kReply:
      return timeouts.reply.value_or(timeouts.all);
  }
  return timeouts.all;
}

void LockstepDoor::collect(CollectionPhase phase) {
  ++figures_.collections;
  const auto start = WallClock::now();
  const auto deadline = start + timeout(phase);
  while (!has_failed()) {
    std::vector<pollfd> waiting;
    for (Guest& guest : guests_) {
      waiting.push_back({guest.component.descriptor(), POLLIN, 0});  // poll skips negative ones
    }
    const auto left = std::chrono::duration_cast<Duration>(deadline - WallClock::now());
    if (left <= Duration::zero()) {
      break;
    }
    const timespec span = system::to_timespec(left);
    if (ppoll(waiting.data(), waiting.size(), &span, nullptr) > 0) {
      for (Guest& guest : guests_) {
        guest.component.listen();
      }
    }
  }
  figures_.waited_s += std::chrono::duration<double>(WallClock::now() - start).count();
  for (Guest& guest : guests_) {
    guest.component.obey();
  }
}

LockstepFigures LockstepDoor::figures() const {
  LockstepFigures result = figures_;
  for (const Guest& guest : guests_) {
    result.turns += static_cast<std::uint64_t>(guest.component.turns());
    result.waited_s += guest.component.waited_s();
  }
  return result;
}

void LockstepDoor::close() {
  for (Guest& guest : guests_) {
    guest.component.say_end();
  }
  for (Guest& guest : guests_) {
    if (guest.process) {
      guest.process->wait(failure_ ? Duration::zero() : kFarewell);
      guest.process.reset();
    }
  }
}

}  // namespace longarm::components

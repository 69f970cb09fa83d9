// SPDX-License-Identifier: Apache-2.0
// Dials, listens, and lets the executor's kernel follow the cell's clock.
#include "labs/kitting/outside_executor.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "labs/kitting/frame_clock.h"
#include "labs/kitting/line.h"
#include "longarm/actors/device_lines.h"
#include "longarm/core/check.h"
#include "longarm/protocols/byte_queue.h"
#include "longarm/serve/socket_link.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

// of real time: how long a wait for sockets may be, so that wishes to stop are heard
constexpr Duration kLongestWait = 20ms;
// and how long words of farewell may take to get there
constexpr Duration kFarewell = 200ms;
// a frame of a cell with hundreds of parts is a tenth of it
constexpr std::size_t kLongestLine = 1024 * 1024;

/// A device's lines, out of pieces of any size.
class LineCutter {
 public:
  template <typename Take>
  void feed(std::string_view bytes, const Take& take) {
    queue_.add(bytes);
    for (auto end = queue_.rest().find('\n'); end != std::string_view::npos;
         end = queue_.rest().find('\n')) {
      take(queue_.rest().substr(0, end));
      queue_.drop(end + 1);
    }
    if (queue_.rest().size() > kLongestLine) {
      queue_.drop(queue_.rest().size());
    }
  }

 private:
  protocols::ByteQueue queue_;
};

}  // namespace

class OutsideExecutor::Process {
 public:
  Process(KittingJob job, OutsideOptions options)
      : job_(std::move(job)), options_(std::move(options)), clock_(options_.speed) {}

  Result<bool> run() {
    Result<std::unique_ptr<system::Reactor>> reactor = system::Reactor::make();
    if (!reactor) {
      return reactor.error();
    }
    reactor_ = std::move(reactor).value();
    if (const Result<bool> found = find_doors(); !found) {
      return found;
    }
    open_ears();
    if (const Result<bool> seen = wait_for_frame(); !seen || !*seen) {
      return seen;
    }
    begin();
    while (!executor_->is_over() && failure_.empty()) {
      if (is_asked_to_stop()) {
        halt();
        return false;
      }
      pump();
      wait();
    }
    if (!failure_.empty()) {
      return Error{failure_};
    }
    return true;
  }

  const Executor* executor() const { return executor_.get(); }

  Json results() const {
    Json out;
    out["kits_requested"] = kits_requested();
    out["kits_made"] = nullptr;  // nobody knows
    if (!executor_) {
      return out;
    }
    const auto undone = static_cast<std::int64_t>(executor_->undone().size());
    if (executor_->is_over() && (undone > 0 || executor_->causes().empty())) {
      out["kits_made"] = kits_requested() - undone;
    }
    out["is_over"] = executor_->is_over();
    out["started_s"] = to_seconds(started_);
    out["over_s"] = executor_->over_at() ? Json(to_seconds(*executor_->over_at())) : Json();
    out.update(executor_->json());
    out["frames"] = Json::object();
    for (const auto& [name, ear] : cameras_) {
      out["frames"][name] = ear->lines;
    }
    out["bad_lines"] = bad_lines_;
    return out;
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> warnings =
        executor_ ? warnings_of(*executor_) : std::vector<std::string>();
    if (bad_lines_ > 0) {
      warnings.push_back(
          fmt::format("{} lines could not be read; the first: {}", bad_lines_, first_bad_line_));
    }
    return warnings;
  }

 private:
  /// One who listens to a device.
  struct Ear {
    Ear(Dial dial, Line::Heard heard) : line(std::move(dial), std::move(heard)) {}
    Line line;
    LineCutter cutter{};
    std::uint64_t lines = 0;
  };
  using Ears = std::map<std::string, std::unique_ptr<Ear>>;

  std::int64_t kits_requested() const {
    std::int64_t sum = 0;
    for (const KitRequest& kit : job_.request.kits) {
      sum += kit.count;
    }
    return sum;
  }

  bool is_asked_to_stop() const { return options_.is_asked_to_stop && options_.is_asked_to_stop(); }

  /// Names of hosts are looked up once, before anything moves.
  Result<bool> find_doors() {
    std::vector<const protocols::Door*> doors;
    for (const KittingJob::DoorOf* group : {&job_.robots, &job_.cameras, &job_.curtains}) {
      for (const auto& [name, door] : *group) {
        doors.push_back(door);
      }
    }
    if (job_.plc != nullptr) {
      doors.push_back(job_.plc);
    }
    for (const protocols::Door* door : doors) {
      const system::Address address = options_.address_of(*door);
      const Result<system::SocketAddress> found = system::resolve(address);
      if (!found) {
        return Error{fmt::format("{}: {}", door->name(), found.error().message)};
      }
      addresses_[door] = *found;
    }
    return true;
  }

  Dial dial_to(const protocols::Door* door) {
    return [this, door](protocols::ClientLink*) -> protocols::ClientLink& {
      auto& link = links_[door];  // in place of a lost one
      link = std::make_unique<serve::SocketLink>(*reactor_, addresses_.at(door), [this] {
        pump();
        return kernel_.now();
      });
      return *link;
    };
  }

  template <typename Message, typename Read, typename Tell>
  void listen_to(Ears& ears, const KittingJob::DoorOf& doors, const Read& read, const Tell& tell) {
    for (const auto& [name, door] : doors) {
      auto& ear = ears[name];
      ear = std::make_unique<Ear>(
          dial_to(door), [this, name = name, &ear, read, tell](std::string_view bytes, Time) {
            ear->cutter.feed(bytes, [&](std::string_view line) {
              const Result<Message> message = read(line);
              if (!message) {
                first_bad_line_ = bad_lines_++ == 0 ? message.error().message : first_bad_line_;
                return;
              }
              ++ear->lines;
              tell(name, *message);
            });
          });
    }
  }

  void open_ears() {
    listen_to<devices::CameraFrame>(
        cameras_, job_.cameras, actors::read_camera_line,
        [this](const std::string& camera, const devices::CameraFrame& frame) {
          clock_.hear(frame.stamp, reactor_->now());
          if (executor_) {
            pump();
            executor_->see(camera, frame, kernel_.now());
          }
        });
    listen_to<devices::CurtainReport>(
        curtains_, job_.curtains, actors::read_curtain_line,
        [this](const std::string& curtain, const devices::CurtainReport& report) {
          if (executor_) {
            executor_->see(curtain, report, kernel_.now());
          }
        });
  }

  void redial() {
    for (Ears* ears : {&cameras_, &curtains_}) {
      for (const auto& [name, ear] : *ears) {
        ear->line.open(reactor_->now());
      }
    }
  }

  Result<bool> wait_for_frame() {
    const Time give_up = reactor_->now() + options_.patience;
    while (!clock_.has_begun()) {
      if (is_asked_to_stop()) {
        return false;
      }
      if (reactor_->now() >= give_up) {
        return Error{fmt::format("no camera has sent a frame within {:g} s{}",
                                 to_seconds(options_.patience), problems())};
      }
      redial();
      reactor_->run_once(reactor_->now() + kLongestWait);
    }
    return true;
  }

  std::string problems() const {
    for (const auto& [name, door] : job_.cameras) {
      const auto link = links_.find(door);
      if (link != links_.end() && !link->second->problem().empty()) {
        return fmt::format("; {} at {}: {}", door->name(), system::to_text(addresses_.at(door)),
                           link->second->problem());
      }
    }
    return {};
  }

  void begin() {
    pump();
    started_ = kernel_.now();
    const std::string file = options_.folder.empty() ? "" : options_.folder + "/world.db";
    world_model_ = std::make_unique<WorldModel>(job_.ontology, job_.world_model, file);
    ExecutorPorts ports;
    ports.robot = [this](const std::string& robot) { return dial_to(job_.robots.at(robot)); };
    if (job_.plc != nullptr) {
      ports.plc = dial_to(job_.plc);
    }
    executor_ = std::make_unique<Executor>(kernel_, job_.ontology, job_.request, job_.domain,
                                           *world_model_, job_.executor, ports);
    executor_->start();
    if (options_.tell) {
      options_.tell(fmt::format("the cell is at {:.1f} s; making {} kits", to_seconds(started_),
                                kits_requested()));
    }
  }

  /// Everything that is due by the cell's clock. What arrives within an instant belongs to the
  /// next: time goes on by a nanosecond at least.
  void pump() {
    if (is_pumping_ || !clock_.has_begun()) {
      return;
    }
    is_pumping_ = true;
    const Time until = std::max(clock_.now(reactor_->now()), kernel_.now() + 1ns);
    if (const Result<Time> reached = kernel_.run_until(until); !reached) {
      failure_ = reached.error().message;
    }
    is_pumping_ = false;
    tell_news();
  }

  /// What was told to move would move on when nobody is there any more.
  void halt() {
    is_pumping_ = true;  // from here on nothing is due
    executor_->halt();
    const Time until = reactor_->now() + kFarewell;
    while (reactor_->now() < until) {
      reactor_->run_once(until);
    }
    if (options_.tell) {
      options_.tell("stopped: sent stop commands to arms and belt");
    }
  }

  void tell_news() {
    if (!executor_ || !options_.tell) {
      return;
    }
    const std::vector<JournalEntry>& entries = executor_->journal().entries();
    for (; told_ < entries.size(); ++told_) {
      const JournalEntry& entry = entries[told_];
      options_.tell(fmt::format("{:8.2f} s  {}{}{}", to_seconds(entry.end), entry.what,
                                entry.is_done ? "" : " failed: ", entry.words));
    }
  }

  void wait() {
    redial();
    const Duration ahead = std::min<Duration>(kernel_.next_time() - kernel_.now(), 1s);
    const auto real =
        Duration(static_cast<std::int64_t>(static_cast<double>(ahead.count()) / options_.speed));
    reactor_->run_once(reactor_->now() + std::clamp<Duration>(real, 100us, kLongestWait));
  }

  KittingJob job_;
  OutsideOptions options_;
  FrameClock clock_;
  std::unique_ptr<system::Reactor> reactor_;
  std::map<const protocols::Door*, system::SocketAddress> addresses_;
  std::map<const protocols::Door*, std::unique_ptr<serve::SocketLink>> links_;
  Ears cameras_;
  Ears curtains_;
  sim::Kernel kernel_;
  Time started_{};
  std::unique_ptr<WorldModel> world_model_;
  std::unique_ptr<Executor> executor_;
  std::size_t told_ = 0;
  std::uint64_t bad_lines_ = 0;
  std::string first_bad_line_;
  std::string failure_;
  bool is_pumping_ = false;
};

OutsideExecutor::OutsideExecutor(KittingJob job, OutsideOptions options)
    : process_(std::make_unique<Process>(std::move(job), std::move(options))) {}
OutsideExecutor::~OutsideExecutor() = default;

Result<bool> OutsideExecutor::run() {
  return process_->run();
}
const Executor* OutsideExecutor::executor() const {
  return process_->executor();
}
Json OutsideExecutor::results() const {
  return process_->results();
}
std::vector<std::string> OutsideExecutor::warnings() const {
  return process_->warnings();
}

}  // namespace longarm::kitting

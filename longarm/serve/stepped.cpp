// SPDX-License-Identifier: Apache-2.0
// Lines in, steps out.
#include "longarm/serve/stepped.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/core/text.h"

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHelp = "use: step [N], run 2s, or quit";
constexpr std::uint64_t kMostSteps = 1'000'000'000;
// a line that goes on without end is no command
constexpr std::size_t kLongestLine = 4096;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, last - first + 1);
}

/// Lines of a descriptor that is read when there is something.
class Lines {
 public:
  explicit Lines(int input) : input_(input) {}

  void read() {
    std::array<char, 512> piece{};
    const ssize_t size = ::read(input_, piece.data(), piece.size());
    if (size <= 0) {
      is_ended_ = true;
      return;
    }
    if (text_.size() < kLongestLine) {
      text_.append(piece.data(), static_cast<std::size_t>(size));
    }
  }
  std::optional<std::string> next() {
    const auto end = text_.find('\n');
    if (end == std::string::npos) {
      return std::nullopt;
    }
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
  }
  bool is_ended() const { return is_ended_; }

 private:
  int input_;
  std::string text_;
  bool is_ended_ = false;
};

}  // namespace

Result<SteppedWords> parse_stepped(std::string_view line) {
  line = trimmed(line);
  const auto space = line.find_first_of(" \t");
  const std::string_view word = line.substr(0, space);
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : trimmed(line.substr(space));
  if (word == "quit" && rest.empty()) {
    return SteppedWords{QuitWords{}};
  }
  if (word == "step") {
    StepWords words;
    const auto [end, problem] =
        std::from_chars(rest.data(), rest.data() + rest.size(), words.steps);
    const bool is_number = problem == std::errc{} && end == rest.data() + rest.size();
    if (!rest.empty() && (!is_number || words.steps < 1 || words.steps > kMostSteps)) {
      return Error{fmt::format("'{}' is not a number of steps; {}", rest, kHelp)};
    }
    return SteppedWords{words};
  }
  if (word == "run") {
    const Result<Duration> length = parse_duration(rest);
    if (!length || *length <= Duration::zero()) {
      return Error{fmt::format("'{}' is not a duration; {}", rest, kHelp)};
    }
    return SteppedWords{RunWords{*length}};
  }
  return Error{line.empty() ? std::string(kHelp)
                            : fmt::format("unknown command '{}'; {}", word, kHelp)};
}

void run_stepped(LiveRun& run, const World& world, Time end, int input,
                 const std::function<void(const std::string&)>& tell,
                 const LiveRun::Asked& is_asked_to_stop) {
  Lines lines(input);
  const auto prompt = [&] {
    tell(fmt::format("{:.6f} s> ", to_seconds(run.now().time_since_epoch())));
  };
  prompt();
  while (!is_asked_to_stop() && !world.is_over() && run.now() < end) {
    const std::optional<std::string> line = lines.next();
    if (!line) {
      if (lines.is_ended()) {
        return;
      }
      if (run.idle(input, 100ms)) {
        lines.read();
      }
      continue;
    }
    const Result<SteppedWords> words = parse_stepped(*line);
    if (!words) {
      tell(words.error().message + "\n");
    } else if (std::holds_alternative<QuitWords>(*words)) {
      return;
    } else if (const auto* steps = std::get_if<StepWords>(&*words)) {
      for (std::uint64_t i = 0;
           i < steps->steps && !world.is_over() && run.now() < end && !is_asked_to_stop(); ++i) {
        run.step();
      }
    } else {
      run.run_until(std::min(end, run.now() + std::get<RunWords>(*words).length), is_asked_to_stop);
    }
    prompt();
  }
}

}  // namespace longarm::serve

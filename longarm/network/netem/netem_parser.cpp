// SPDX-License-Identifier: Apache-2.0
// Reads netem lines word by word; the first word that does not fit ends it with a message.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/network/netem/netem_config.h"
#include "longarm/network/netem/netem_words.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

constexpr const char* kTimeExample = "a time such as 100ms, 250us or 1.5s";
constexpr const char* kPercentExample = "a percentage from 0% to 100%";

class Parser {
 public:
  Parser(std::vector<std::string> words, NetemConfig& config)
      : words_(std::move(words)), config_(config) {}

  std::optional<NetemMistake> run() {
    skip_command();
    while (!mistake_ && has_word()) {
      read_option();
    }
    if (!mistake_) {
      check_whole();
    }
    return mistake_;
  }

 private:
  bool has_word() const { return next_ < words_.size(); }
  bool next_is(std::string_view word) const { return has_word() && words_[next_] == word; }
  bool next_is_number() const { return has_word() && looks_like_number(words_[next_]); }

  void fail(std::string message, std::string hint = {}) {
    if (mistake_) {
      return;
    }
    if (hint.empty()) {
      hint = netem_usage(option_);
    }
    mistake_ = NetemMistake{std::move(message), std::move(hint)};
  }

  /// "tc qdisc add dev eth0 root handle 1: netem" from any word on, and what `tc qdisc show`
  /// prints.
  void skip_command() {
    if (!has_word() || !is_command_word(words_[next_])) {
      return;
    }
    const auto netem = std::find(words_.begin(), words_.end(), "netem");
    if (netem == words_.end()) {
      fail("there is no 'netem' in this tc command", "tc qdisc add dev eth0 root netem delay 10ms");
      return;
    }
    if (std::find(words_.begin(), netem, "del") != netem) {
      fail("this tc command removes a netem; it does not describe one",
           "tc qdisc add dev eth0 root netem delay 10ms");
      return;
    }
    next_ = static_cast<std::size_t>(netem - words_.begin()) + 1;
    // `tc qdisc show` lists other qdiscs, too; with -s it counts packets
    words_.erase(
        std::find_if(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end(),
                     [](const std::string& word) { return word == "qdisc" || word == "Sent"; }),
        words_.end());
    // `qdisc netem 8001: dev eth0 root refcnt 2 limit …`
    while (has_word()) {
      const std::string& word = words_[next_];
      if (word == "dev" || word == "refcnt" || word == "parent" || word == "handle") {
        next_ += 2;
      } else if (word == "root" || word.ends_with(':')) {
        ++next_;
      } else {
        break;
      }
    }
    next_ = std::min(next_, words_.size());
  }

  void read_option() {
    const std::string word = words_[next_++];
    option_ = whole_netem_option(word);
    if (option_.empty()) {
      if (looks_like_number(word) && next_ > 1) {
        fail(fmt::format("unexpected value '{}'", word),
             "options are: limit, delay, distribution, loss, corrupt, duplicate, reorder, gap, "
             "rate, slot");
      } else {
        fail(fmt::format("'{}' is not a netem option", word), suggest(word, netem_options()));
      }
      return;
    }
    if (!seen_.insert(option_).second) {
      fail(fmt::format("'{}' is given twice", option_), "keep one of them");
      return;
    }
    dispatch();
  }

  void dispatch() {
    if (option_ == "limit") {
      config_.limit_packets = take_integer("a whole number of packets", 1, 1'000'000'000);
    } else if (option_ == "delay") {
      read_delay();
    } else if (option_ == "distribution") {
      config_.delay.distribution = take_distribution();
    } else if (option_ == "loss") {
      read_loss();
    } else if (option_ == "corrupt") {
      config_.corrupt = take_chance();
    } else if (option_ == "duplicate") {
      config_.duplicate = take_chance();
    } else if (option_ == "reorder") {
      config_.reorder = take_chance();
    } else if (option_ == "gap") {
      config_.reorder_gap = take_integer("a whole number of packets", 1, 1'000'000'000);
    } else if (option_ == "rate") {
      read_rate();
    } else if (option_ == "slot") {
      read_slot();
    } else if (option_ == "ecn") {
      fail("'ecn' is not supported: packets are dropped instead of marked", "remove 'ecn'");
    } else {
      read_seed();
    }
  }

  void read_delay() {
    config_.delay.mean = take_time();
    if (next_is_number()) {
      config_.delay.jitter = take_time();
      if (next_is_number()) {
        config_.delay.correlation_percent = take_percent();
      }
    }
  }

  /// tc prints one; draws here follow the scenario's.
  void read_seed() {
    const std::string word = take_word("a whole number");
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      fail(fmt::format("'{}' after 'seed' is not a whole number", word),
           "remove it and set the scenario's key 'seed'");
    }
    config_.has_seed = true;
  }

  void read_loss() {
    NetemConfig::Loss& loss = config_.loss;
    if (next_is("state")) {
      ++next_;
      loss.model = NetemConfig::LossModel::kState;
      skip_label("p13");
      loss.p13_percent = take_percent();
      loss.p31_percent = 100.0 - loss.p13_percent;
      loss.p23_percent = 100.0;
      take_optional({{"p31", &loss.p31_percent},
                     {"p32", &loss.p32_percent},
                     {"p23", &loss.p23_percent},
                     {"p14", &loss.p14_percent}});
      if (loss.p13_percent + loss.p14_percent > 100.0 ||
          loss.p31_percent + loss.p32_percent > 100.0) {
        fail("the chances to leave a state of 'loss state' exceed 100%",
             "P13 + P14 and P31 + P32 may each be 100% at most");
      }
    } else if (next_is("gemodel")) {
      ++next_;
      loss.model = NetemConfig::LossModel::kGilbertElliott;
      skip_label("p");
      loss.p_percent = take_percent();
      loss.r_percent = 100.0 - loss.p_percent;
      loss.bad_loss_percent = 100.0;
      take_optional({{"r", &loss.r_percent},
                     {"1-h", &loss.bad_loss_percent},
                     {"1-k", &loss.good_loss_percent}});
    } else {
      next_ += next_is("random") ? 1 : 0;
      loss.model = NetemConfig::LossModel::kRandom;
      const NetemConfig::Chance chance = take_chance();
      loss.percent = chance.percent;
      loss.correlation_percent = chance.correlation_percent;
    }
  }

  void read_rate() {
    const std::string word = take_word("a rate such as 1mbit or 100kbit");
    const std::optional<std::int64_t> rate = parse_tc_rate(word);
    if (!mistake_ && (!rate || *rate <= 0 || *rate > 1'000'000'000'000'000)) {
      fail(fmt::format("'{}' after 'rate' is not a rate such as 1mbit or 100kbit", word));
    }
    config_.rate.bits_per_second = rate.value_or(0);
    // in this order; tc prints those that are not 0, with their names
    NetemConfig::Rate& values = config_.rate;
    take_bytes("packetoverhead", -65535, values.packet_overhead_bytes);
    take_bytes("cellsize", 0, values.cell_bytes);
    take_bytes("celloverhead", -65535, values.cell_overhead_bytes);
    if (!mistake_ && config_.rate.cell_bytes + config_.rate.cell_overhead_bytes < 0) {
      fail("the cell size must not be negative", "CELLSIZE + CELLOVERHEAD must be 0 or more");
    }
  }

  void take_bytes(const char* label, std::int64_t lowest, std::int64_t& value) {
    const bool is_named = skip_label(label);
    if (is_named || (has_word() && looks_signed(words_[next_]))) {
      value = take_integer("a number of bytes", lowest, 65535);
    }
  }

  void read_slot() {
    NetemConfig::Slot slot;
    if (next_is("distribution")) {
      ++next_;
      slot.distribution = take_distribution();
      slot.delay = take_time();
      slot.jitter = take_time();
      if (!mistake_ && slot.jitter == Duration(0)) {
        fail("the jitter of 'slot distribution' is 0", "use slot MIN MAX for slots without jitter");
      }
    } else {
      slot.minimum = take_time();
      slot.maximum = next_is_number() ? take_time() : slot.minimum;
      if (!mistake_ && slot.maximum < slot.minimum) {
        fail("the longest slot delay is shorter than the shortest");
      }
    }
    if (next_is("packets")) {
      ++next_;
      slot.packets = take_integer("a whole number of packets", 0, 1'000'000'000);
    }
    if (next_is("bytes")) {
      ++next_;
      const std::string word = take_word("a size such as 1500 or 10k");
      const std::optional<std::int64_t> bytes = parse_tc_size(word);
      if (!bytes) {
        fail(fmt::format("'{}' after 'bytes' is not a size such as 1500 or 10k", word));
      }
      slot.bytes = bytes.value_or(0);
    }
    config_.slot = slot;
  }

  /// What only makes sense together.
  void check_whole() {
    if (seen_.contains("gap") && !seen_.contains("reorder")) {
      config_.reorder.percent = 100.0;  // as in Linux: every packet at that distance
    }
    if (config_.reorder.percent > 0.0 && config_.delay.mean == Duration(0)) {
      option_ = "reorder";
      fail("nothing can be reordered without a delay: packets that are reordered skip it");
    }
    if (seen_.contains("distribution") &&
        (config_.delay.mean == Duration(0) || config_.delay.jitter == Duration(0))) {
      option_ = "distribution";
      fail("a distribution needs a delay and a jitter");
    }
    if (config_.reorder.percent > 0.0) {
      config_.reorder_gap = std::max<std::int64_t>(config_.reorder_gap, 1);
    } else {
      config_.reorder_gap = 0;  // nothing to do at that distance
    }
  }

  std::string take_word(std::string_view expected) {
    if (mistake_) {
      return "";
    }
    if (!has_word()) {
      fail(fmt::format("the line ends after '{}'; {} is missing", words_[next_ - 1], expected));
      return "";
    }
    return words_[next_++];
  }

  /// A value that `parse` accepts, or a message that names it and the word before it.
  template <typename T, typename Parse>
  T take(const char* expected, Parse parse) {
    const std::string word = take_word(expected);
    if (mistake_) {
      return T{};
    }
    const std::optional<T> value = parse(word);
    if (!value) {
      fail(fmt::format("'{}' after '{}' is not {}", word, words_[next_ - 2], expected));
    }
    return value.value_or(T{});
  }

  Duration take_time() {
    if (has_word() && is_time_too_long(words_[next_])) {
      fail(fmt::format("'{}' after '{}' is too long: 24 hours at most", words_[next_],
                       words_[next_ - 1]));
    }
    return take<Duration>(kTimeExample, parse_tc_time);
  }

  double take_percent() { return take<double>(kPercentExample, parse_tc_percent); }

  std::int64_t take_integer(const char* expected, std::int64_t lowest, std::int64_t highest) {
    return take<std::int64_t>(expected, [&](const std::string& word) {
      const std::optional<std::int64_t> number = parse_tc_integer(word);
      return number && *number >= lowest && *number <= highest ? number : std::nullopt;
    });
  }

  NetemConfig::Chance take_chance() {
    NetemConfig::Chance chance;
    chance.percent = take_percent();
    if (!mistake_ && next_is_number()) {
      chance.correlation_percent = take_percent();
    }
    if (chance.percent == 0.0) {
      chance.correlation_percent = 0.0;  // of nothing
    }
    return chance;
  }

  /// tc prints names before some values.
  bool skip_label(std::string_view label) {
    const bool is_there = !mistake_ && next_is(label);
    next_ += is_there ? 1 : 0;
    return is_there;
  }

  struct Labelled {
    const char* label;
    double* percent;
  };
  void take_optional(std::initializer_list<Labelled> values) {
    for (const Labelled& value : values) {
      if (!skip_label(value.label) && (mistake_ || !next_is_number())) {
        continue;
      }
      *value.percent = take_percent();
    }
  }

  NetemDistribution take_distribution() {
    static const std::vector<std::string> names{"uniform", "normal", "pareto", "paretonormal"};
    const std::string word = take_word("the name of a distribution");
    const auto found = std::find(names.begin(), names.end(), word);
    if (!mistake_ && found == names.end()) {
      fail(fmt::format("unknown distribution '{}'", word),
           looks_like_number(word) ? "tc does not print its name: write it before the times"
                                   : suggest(word, names));
      return NetemDistribution::kUniform;
    }
    return static_cast<NetemDistribution>(mistake_ ? 0 : found - names.begin());
  }

  std::vector<std::string> words_;
  NetemConfig& config_;
  std::size_t next_ = 0;
  std::string option_;
  std::set<std::string> seen_;
  std::optional<NetemMistake> mistake_;
};

}  // namespace

std::optional<NetemMistake> read_netem(std::string_view line, NetemConfig& config) {
  config = NetemConfig{};
  std::vector<std::string> words = split_words(line);
  if (words.empty()) {
    return NetemMistake{"the netem line is empty", "for example: delay 10ms 2ms loss 0.1%"};
  }
  return Parser(std::move(words), config).run();
}

Result<NetemConfig> parse_netem(std::string_view line) {
  NetemConfig config;
  if (const std::optional<NetemMistake> mistake = read_netem(line, config)) {
    return Error{mistake->hint.empty() ? mistake->message
                                       : mistake->message + "; " + mistake->hint};
  }
  return config;
}

}  // namespace longarm::network

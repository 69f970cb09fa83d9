// SPDX-License-Identifier: Apache-2.0
// What a correct netem line does that its author may not expect.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/network/netem/netem_link.h"
#include "longarm/network/netem/netem_random.h"

namespace longarm::network {
namespace {

/// What may be said about one line, in the order of its options.
class Remarks {
 public:
  explicit Remarks(std::string key) : key_(std::move(key)) {}

  void warn(std::string message, std::string hint) {
    all_.push_back({key_, std::move(message), std::move(hint), Severity::kWarning});
  }

  void on_correlation(const char* option, const NetemConfig::Chance& chance) {
    const double percent = chance.percent;
    const double correlation_percent = chance.correlation_percent;
    if (percent <= 0.0 || percent >= 100.0 || correlation_percent <= 0.0) {
      return;
    }
    const bool is_loss = option == std::string_view("loss");
    if (correlation_percent >= 99.0) {
      warn(fmt::format("'{}' with a correlation of {}% is decided by its first draw", option,
                       correlation_percent),
           is_loss ? "use a lower correlation, or loss gemodel for bursts"
                   : "use a lower correlation");
      return;
    }
    const double real = correlated_probability(percent / 100.0, correlation_percent / 100.0);
    if (std::abs(real * 100.0 - percent) > 0.05 * percent) {
      warn(fmt::format("netem's correlation changes the rate: '{} {}% {}%' happens to {:.3g}% of "
                       "packets",
                       option, percent, correlation_percent, real * 100.0),
           is_loss ? "use loss gemodel P R for bursts: it loses P/(P+R)"
                   : fmt::format("for {}% of packets, remove the correlation", percent));
    }
  }

  void on_jitter_correlation(const NetemConfig::Delay& delay, bool keeps_correlation) {
    if (delay.jitter == Duration(0) || delay.correlation_percent == 0.0) {
      return;
    }
    if (keeps_correlation) {
      const double rho = delay.correlation_percent / 100.0;
      warn(fmt::format(
               "with 'jitter_correlation: kept' successive delays are correlated and spread {:.2g} "
               "times as far as without a correlation; in the kernel they are and do neither",
               std::sqrt((1.0 - rho) / (1.0 + rho))),
           "remove jitter_correlation to get the behaviour of tc netem");
      return;
    }
    warn(fmt::format("the correlation of {}% has almost no effect on the jitter, as in the kernel: "
                     "delays are independent and use the whole jitter range",
                     delay.correlation_percent),
         "set jitter_correlation: kept for correlated delays");
  }

  void on_delay(const NetemConfig::Delay& delay, bool keeps_correlation) {
    if (delay.jitter == Duration(0)) {
      return;
    }
    const auto mean = static_cast<double>(delay.mean.count());
    const auto jitter = static_cast<double>(delay.jitter.count());
    // midpoints of as many equal parts of all draws as netem's tables have
    constexpr int kParts = 4096;
    double negative = 0.0;
    double real = 0.0;
    for (int i = 0; i < kParts; ++i) {
      const double u = (i + 0.5) / kParts;
      const double one = mean + jitter * distribution_quantile(delay.distribution, u);
      negative += one < 0.0 ? 1.0 / kParts : 0.0;
      real += std::max(one, 0.0) / kParts;
    }
    if (delay.distribution == NetemDistribution::kUniform && jitter > mean) {
      negative = (jitter - mean) / (2.0 * jitter);
      real = (mean + jitter) * (mean + jitter) / (4.0 * jitter);
    }
    if (negative < 0.01) {
      return;  // rare: the mean hardly moves
    }
    // a correlation that is kept narrows the spread, and the numbers above hold no more
    const std::string figures =
        delay.correlation_percent > 0.0 && keeps_correlation
            ? "delays below 0 count as 0"
            : fmt::format(
                  "{:.3g}% of the delays fall below 0 and count as 0, and their mean is "
                  "{:.4g} ms rather than {:.4g} ms",
                  negative * 100.0, real * 1e-6, mean * 1e-6);
    warn("the jitter is too large for the delay: " + figures, "use a smaller jitter");
  }

  std::vector<KeyRemark> take() { return std::move(all_); }

 private:
  std::string key_;
  std::vector<KeyRemark> all_;
};

}  // namespace

std::vector<KeyRemark> remarks_on_netem(const std::string& key, const NetemConfig& config) {
  Remarks remarks(key);
  remarks.on_delay(config.delay, config.keeps_jitter_correlation);
  remarks.on_jitter_correlation(config.delay, config.keeps_jitter_correlation);
  remarks.on_correlation("loss", {config.loss.percent, config.loss.correlation_percent});
  remarks.on_correlation("corrupt", config.corrupt);
  remarks.on_correlation("duplicate", config.duplicate);
  remarks.on_correlation("reorder", config.reorder);
  if (config.has_seed) {
    remarks.warn("the 'seed' of the netem line is ignored: draws follow the scenario's seed",
                 "set the scenario's key 'seed'");
  }
  return remarks.take();
}

KeyRemark as_one(const std::vector<KeyRemark>& remarks) {
  KeyRemark one = remarks.front();
  for (std::size_t i = 1; i < remarks.size(); ++i) {
    one.message += "; " + remarks[i].message;
    one.hint += "; " + remarks[i].hint;
  }
  return one;
}

}  // namespace longarm::network

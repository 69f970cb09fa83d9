// SPDX-License-Identifier: Apache-2.0
// All keys of a link are views of one configuration.
#include "longarm/cell/live_link.h"

#include <utility>

#include "longarm/cell/world.h"
#include "longarm/core/check.h"
#include "longarm/network/netem/netem_config.h"
#include "longarm/network/netem/netem_link.h"

namespace longarm::cell {
namespace {

using network::NetemConfig;
using Json = nlohmann::ordered_json;

constexpr double kLongest_s = 3600.0;

/// Without options nothing happens to packets.
Result<NetemConfig> conditions_of(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos ? NetemConfig{}
                                                            : network::parse_netem(line);
}

}  // namespace

void offer_link_keys(World& world, const std::string& prefix, const std::string& first,
                     std::function<void(std::shared_ptr<const network::LinkModel>)> apply) {
  const Result<NetemConfig> begin = conditions_of(first);
  check(begin.has_value(), "a link that is no line of tc netem");
  const auto now = std::make_shared<NetemConfig>(*begin);
  const auto change = [now, apply = std::move(apply)](const NetemConfig& config) {
    *now = config;
    apply(network::make_netem_model(config));
    return true;
  };
  world.offer_live_key(
      {prefix + "/netem", "", "what happens to its packets, as options of tc netem",
       [now]() -> Json {
         return *now == NetemConfig{} ? std::string() : network::format_netem(*now);
       },
       [now, change](const Json& wanted) -> Result<bool> {
         if (!wanted.is_string()) {
           return Error{"give a text such as \"delay 10ms 2ms loss 1%\""};
         }
         const Result<NetemConfig> read = conditions_of(wanted.get<std::string>());
         if (!read) {
           return read.error();
         }
         NetemConfig config = *read;
         config.keeps_jitter_correlation = now->keeps_jitter_correlation;
         return change(config);
       }});
  const auto offer = [&](const char* key, const char* unit, const char* doc, double most,
                         std::function<double(const NetemConfig&)> get,
                         std::function<void(NetemConfig&, double)> set) {
    world.offer_live_key(live_number(
        {prefix + key, unit, doc, 0.0, most}, [now, get] { return get(*now); },
        [now, change, set](double value) -> Result<bool> {
          NetemConfig config = *now;
          set(config, value);
          return change(config);
        }));
  };
  offer(
      "/delay", "s", "mean delay of its packets beside its propagation", kLongest_s,
      [](const NetemConfig& config) { return to_seconds(config.delay.mean); },
      [](NetemConfig& config, double value) { config.delay.mean = to_duration(value); });
  offer(
      "/jitter", "s", "how far delays differ from their mean", kLongest_s,
      [](const NetemConfig& config) { return to_seconds(config.delay.jitter); },
      [](NetemConfig& config, double value) { config.delay.jitter = to_duration(value); });
  offer(
      "/loss", "", "share of its packets that get lost, each by itself", 1.0,
      [](const NetemConfig& config) {
        return config.loss.model == NetemConfig::LossModel::kRandom ? config.loss.percent / 100.0
                                                                    : 0.0;
      },
      [](NetemConfig& config, double value) {
        config.loss = {};
        if (value > 0.0) {
          config.loss.model = NetemConfig::LossModel::kRandom;
          config.loss.percent = 100.0 * value;
        }
      });
}

}  // namespace longarm::cell

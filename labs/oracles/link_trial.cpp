// SPDX-License-Identifier: Apache-2.0
// Each sending schedules the next, so that a long stream costs no memory in the kernel.
#include "labs/oracles/link_trial.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace longarm::oracles {

using std::chrono::hours;

double LinkTrial::mean_delay_s() const {
  double sum = 0.0;
  double count = 0.0;
  for (const std::optional<Duration>& delay : delays) {
    sum += delay ? to_seconds(*delay) : 0.0;
    count += delay ? 1.0 : 0.0;
  }
  return sum / count;
}

LinkTrial send_over(std::unique_ptr<network::Link> link, std::vector<Sending> sendings) {
  LinkTrial trial;
  trial.sent = std::move(sendings);
  trial.delays.resize(trial.sent.size());
  sim::Kernel kernel;
  network::Channel<std::size_t> channel(kernel, "link", std::move(link),
                                        [&](const std::size_t& index, Time now) {
                                          if (!trial.delays[index]) {
                                            trial.delays[index] = now - trial.sent[index].at;
                                          }
                                        });
  const sim::SourceId source = kernel.add_source("sender");
  std::size_t next = 0;
  const std::function<void(Time)> send = [&](Time) {
    const std::size_t index = next++;
    if (next < trial.sent.size()) {
      kernel.at(trial.sent[next].at, sim::Phase::kControl, source, send);
    }
    channel.send(index, trial.sent[index].size_bytes);
  };
  kernel.at(trial.sent.front().at, sim::Phase::kControl, source, send);
  const Result<Time> end = kernel.run_until(trial.sent.back().at + hours(1));
  if (!end) {
    throw std::runtime_error(end.error().message);
  }
  trial.report = channel.report(*end);
  return trial;
}

std::vector<Sending> regular(int count, Duration period, std::size_t size_bytes) {
  std::vector<Sending> sendings;
  for (int i = 0; i < count; ++i) {
    sendings.push_back({Time(i * period), size_bytes});
  }
  return sendings;
}

Estimate batch_means(const std::vector<double>& values) {
  constexpr std::size_t kBatches = 100;
  const std::size_t size = values.size() / kBatches;
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(batch * size);
    const double mean = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(size), 0.0) /
                        static_cast<double>(size);
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / kBatches;
  const double variance = (squares / kBatches - mean * mean) * kBatches / (kBatches - 1.0);
  return {mean, std::sqrt(variance / kBatches)};
}

}  // namespace longarm::oracles

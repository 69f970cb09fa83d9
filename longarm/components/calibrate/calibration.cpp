// SPDX-License-Identifier: Apache-2.0
// Measures round trips with and without our components, and splits them.
#include "longarm/components/calibrate/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "longarm/components/calibrate/forked_process.h"
#include "longarm/components/real/real_process.h"

namespace longarm::components {
namespace {

constexpr const char* kEcho = "calibration_echo";

Bytes to_bytes(const std::string& text) {
  Bytes bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char letter) { return static_cast<std::byte>(letter); });
  return bytes;
}

sim::Task<Bytes> give_back(Bytes bytes) {
  co_return bytes;
}

/// Where the plain echo is, then all round trips through our components.
struct FramedPing {
  Node& node;
  RealTimeLoop& loop;
  const PingPlan& plan;
  std::vector<PingSample> samples;
  std::string raw_address;
  std::string problem;
  bool is_done = false;

  sim::Task<void> run() {
    // variables of their own: g++ 12 destroys temporaries twice where they are awaited
    sim::Task<Result<Bytes>> asked = node.call_raw(kEcho, "raw_address", {});
    const Result<Bytes> address = co_await std::move(asked);
    if (!address) {
      problem = address.error().message;
      is_done = true;
      co_return;
    }
    for (const std::byte each : *address) {
      raw_address += std::to_integer<char>(each);
    }
    for (std::int64_t i = -plan.warm_up; i < plan.count && problem.empty(); ++i) {
      for (const std::size_t size : plan.sizes) {
        co_await once(size, i >= 0);
      }
    }
    is_done = true;
  }

  sim::Task<void> once(std::size_t size, bool counts) {
    if (plan.pause > Duration::zero()) {
      co_await node.sleep_until(loop.wall_now() + plan.pause);
    }
    const Time start = loop.wall_now();
    sim::Task<Result<Bytes>> asked = node.call_raw(kEcho, "echo", Bytes(size));
    const Result<Bytes> reply = co_await std::move(asked);
    const Time end = loop.wall_now();
    if (!reply) {
      problem = reply.error().message;
    } else if (counts) {
      samples.push_back({size, end - start, Duration::zero()});
    }
  }
};

std::map<std::size_t, std::vector<double>> by_size(
    const std::vector<PingSample>& samples, const std::function<double(const PingSample&)>& of) {
  std::map<std::size_t, std::vector<double>> result;
  for (const PingSample& sample : samples) {
    result[sample.bytes].push_back(of(sample));
  }
  return result;
}

/// Without the largest hundredth: a program that was put aside says nothing about the stack.
double trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = std::max<std::size_t>(1, values.size() - values.size() / 100);
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0) /
         static_cast<double>(count);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Line {
  double at_zero = 0.0;
  double slope = 0.0;  ///< never negative
};

/// Least squares.
Line fit(const std::map<std::size_t, double>& points) {
  const double n = static_cast<double>(points.size());
  double sum_x = 0.0;
  double sum_y = 0.0;
  for (const auto& [x, y] : points) {
    sum_x += static_cast<double>(x);
    sum_y += y;
  }
  double xx = 0.0;
  double xy = 0.0;
  for (const auto& [x, y] : points) {
    const double dx = static_cast<double>(x) - sum_x / n;
    xx += dx * dx;
    xy += dx * (y - sum_y / n);
  }
  const double slope = xx > 0.0 ? std::max(0.0, xy / xx) : 0.0;
  return {std::max(0.0, sum_y / n - slope * sum_x / n), slope};
}

template <typename Of>
Line fit(const std::map<std::size_t, std::vector<double>>& values, const Of& of) {
  std::map<std::size_t, double> points;
  for (const auto& [size, each] : values) {
    points[size] = of(each);
  }
  return fit(points);
}

}  // namespace

Result<bool> serve_calibration(const Address& listen,
                               const std::function<void(const Address&)>& say_ready) {
  const Result<ForkedProcess> plain = ForkedProcess::start([&](const auto& say_plain_ready) {
    (void)serve_echo({listen.host, 0}, say_plain_ready);
  });
  if (!plain) {
    return plain.error();
  }
  RealProcessConfig config;
  config.listen_host = listen.host;
  config.name_service = listen;
  config.serves_names = true;
  const Result<std::unique_ptr<RealProcess>> process = RealProcess::make(config);
  if (!process) {
    return process.error();
  }
  const Result<Node*> node = (*process)->add_node(kEcho);
  if (!node) {
    return node.error();
  }
  const std::string where = to_text(plain->address());
  (*node)->serve_raw("echo", give_back);
  (*node)->serve_raw("raw_address", [where](Bytes) { return give_back(to_bytes(where)); });
  // it must be known before anybody asks for it
  const Result<Time> registered = (*process)->run(std::chrono::milliseconds(50));
  if (!registered) {
    return registered.error();
  }
  say_ready((*process)->name_service());
  const Result<Time> ended = (*process)->loop().run(Time::max());
  return ended ? Result<bool>(true) : Result<bool>(ended.error());
}

Result<Calibration> measure(const Address& server, const CalibrationPlan& plan) {
  Calibration result;
  std::string raw_address;
  {
    RealProcessConfig config;
    config.listen_host = plan.listen_host;
    config.name_service = server;
    const Result<std::unique_ptr<RealProcess>> process = RealProcess::make(config);
    if (!process) {
      return process.error();
    }
    const Result<Node*> node = (*process)->add_node("calibration");
    if (!node) {
      return node.error();
    }
    FramedPing framed{**node, (*process)->loop(), plan.ping, {}, {}, {}, false};
    (*node)->spawn(framed.run());
    const Result<Time> reached =
        (*process)->loop().run(Time::max(), [&] { return framed.is_done; });
    if (!reached || !framed.problem.empty()) {
      return Error{!reached ? reached.error().message : framed.problem};
    }
    raw_address = framed.raw_address;
    result.framed = std::move(framed.samples);
  }
  const Result<Address> echo = parse_address(raw_address);
  if (!echo) {
    return echo.error();
  }
  Result<std::vector<PingSample>> raw = ping(*echo, plan.ping);
  if (!raw) {
    return raw.error();
  }
  result.raw = std::move(raw).value();
  analyse(result, plan);
  return result;
}

void analyse(Calibration& calibration, const CalibrationPlan& plan) {
  const auto seconds = [](Duration span) { return to_seconds(span); };
  const auto one_way = [&](const PingSample& s) {
    return seconds(s.round_trip) / 2 - plan.wire_fixed_s -
           plan.wire_ns_per_byte * 1e-9 * static_cast<double>(s.bytes);
  };
  const auto write = [&](const PingSample& s) { return seconds(s.write); };
  const Line write_line = fit(by_size(calibration.raw, write), median);
  const Line way_line = fit(by_size(calibration.raw, one_way), median);
  calibration.stack_send.per_byte_ns = write_line.slope * 1e9;
  calibration.stack_receive.per_byte_ns = std::max(0.0, way_line.slope - write_line.slope) * 1e9;

  // what is left once the size is accounted for
  for (const PingSample& sample : calibration.raw) {
    const double bytes = static_cast<double>(sample.bytes);
    calibration.stack_send.seconds.push_back(
        std::max(0.0, write(sample) - write_line.slope * bytes));
    calibration.stack_receive.seconds.push_back(std::max(
        0.0,
        one_way(sample) - write(sample) - calibration.stack_receive.per_byte_ns * 1e-9 * bytes));
  }
  // two independent draws make a round trip: half of one has too little spread by sqrt(2)
  std::vector<double>& receive = calibration.stack_receive.seconds;
  const double mean = receive.empty() ? 0.0
                                      : std::accumulate(receive.begin(), receive.end(), 0.0) /
                                            static_cast<double>(receive.size());
  for (double& each : receive) {
    each = std::max(0.0, mean + std::sqrt(2.0) * (each - mean));
  }

  // of what our components add to a round trip, each of two senders and two receivers has a quarter
  const auto round_trip = [&](const PingSample& s) { return seconds(s.round_trip); };
  const auto plain = by_size(calibration.raw, round_trip);
  std::map<std::size_t, double> added;
  for (const auto& [size, values] : by_size(calibration.framed, round_trip)) {
    const auto other = plain.find(size);
    if (other != plain.end()) {
      added[size] = (trimmed_mean(values) - trimmed_mean(other->second)) / 4;
    }
  }
  const Line added_line = fit(added);
  calibration.serialise = {{added_line.at_zero}, added_line.slope * 1e9};
  calibration.deserialise = calibration.serialise;
}

}  // namespace longarm::components

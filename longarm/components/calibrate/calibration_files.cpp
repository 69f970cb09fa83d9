// SPDX-License-Identifier: Apache-2.0
// What calibration writes: CSV files of measured values and the keys that name them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

#include "longarm/components/calibrate/calibration.h"

namespace longarm::components {
namespace {

namespace fs = std::filesystem;

// more values say no more about a distribution, and take long to read
constexpr std::size_t kMostValues = 4000;

std::string with_underscores(const std::string& name) {
  std::string result = name.starts_with('/') ? name.substr(1) : name;
  std::replace(result.begin(), result.end(), '/', '_');
  return result;
}

bool write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  return static_cast<bool>(stream.flush());
}

bool write_column(const fs::path& file, const std::vector<double>& values) {
  std::string text = "seconds\n";
  const std::size_t stride = values.size() / kMostValues + 1;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    text += fmt::format("{:.9f}\n", values[i]);
  }
  return write_text(file, text);
}

bool write_samples(const fs::path& file, const std::vector<PingSample>& samples) {
  std::string text = "bytes,round_trip_s,write_s\n";
  for (const PingSample& sample : samples) {
    text += fmt::format("{},{:.9f},{:.9f}\n", sample.bytes, to_seconds(sample.round_trip),
                        to_seconds(sample.write));
  }
  return write_text(file, text);
}

struct NamedTime {
  const char* key;
  const MeasuredTime& time;
};

std::vector<NamedTime> host_times(const Calibration& calibration) {
  return {{"stack_send", calibration.stack_send},
          {"stack_receive", calibration.stack_receive},
          {"serialise", calibration.serialise},
          {"deserialise", calibration.deserialise}};
}

std::string method_file(const MeasuredMethod& method) {
  return fmt::format("execution_{}_{}.csv", with_underscores(method.component),
                     with_underscores(method.method));
}

std::string make_yaml(const Calibration& calibration) {
  std::string text =
      "# Measured by `longarm calibrate`. Put these keys into a scenario in this folder.\n";
  for (const std::string& warning : calibration.warnings) {
    text += "# Warning: " + warning + "\n";
  }
  text += "network:\n  host_defaults:\n";
  for (const auto& [key, time] : host_times(calibration)) {
    text +=
        fmt::format("    {}: {{file: {}.csv, per_byte_ns: {:.4f}}}\n", key, key, time.per_byte_ns);
  }
  std::string last;
  for (const MeasuredMethod& method : calibration.methods) {
    text += last.empty() ? "actors:\n" : "";
    if (method.component != last) {
      text += fmt::format("  {}:\n    serves:\n", with_underscores(method.component));
      last = method.component;
    }
    text += fmt::format(
        "      {}: {{execution: {{fixed: 0s, file: {}}}}}  # messages up to {} and {} bytes\n",
        method.method, method_file(method), method.request_bytes, method.reply_bytes);
  }
  return text;
}

std::string make_options(const Calibration& calibration, const fs::path& folder) {
  std::string text;
  for (const auto& [key, time] : host_times(calibration)) {
    text += fmt::format("--set network.host_defaults.{}.file={}\n", key,
                        (folder / (std::string(key) + ".csv")).string());
    text +=
        fmt::format("--set network.host_defaults.{}.per_byte_ns={:.4f}\n", key, time.per_byte_ns);
  }
  for (const MeasuredMethod& method : calibration.methods) {
    const std::string key = fmt::format("actors.{}.serves.{}.execution",
                                        with_underscores(method.component), method.method);
    text += fmt::format("--set {}.fixed=0s\n--set {}.file={}\n", key, key,
                        (folder / method_file(method)).string());
  }
  return text;
}

std::string row(const std::string& name, std::vector<double> values, double per_byte_ns) {
  if (values.empty()) {
    return "";
  }
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * (n - 1.0))] * 1e6;
  };
  return fmt::format("{:<34} {:>8} {:>9.1f} {:>9.1f} {:>9.1f} {:>10.3f}\n", name, values.size(),
                     mean * 1e6, at(0.5), at(0.99), per_byte_ns);
}

}  // namespace

Result<bool> write_calibration(const Calibration& calibration, const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  const fs::path where = fs::absolute(folder, problem);
  bool is_written = write_samples(where / "round_trips_raw.csv", calibration.raw) &&
                    write_samples(where / "round_trips_components.csv", calibration.framed);
  for (const auto& [key, time] : host_times(calibration)) {
    is_written = is_written && write_column(where / (std::string(key) + ".csv"), time.seconds);
  }
  for (const MeasuredMethod& method : calibration.methods) {
    is_written = is_written && write_column(where / method_file(method), method.execution_s);
  }
  is_written = is_written && write_text(where / "calibration.yaml", make_yaml(calibration)) &&
               write_text(where / "options.txt", make_options(calibration, where));
  if (!is_written) {
    return Error{fmt::format("cannot write to {}", folder)};
  }
  return true;
}

std::string describe(const Calibration& calibration) {
  std::string text = fmt::format("{:<34} {:>8} {:>9} {:>9} {:>9} {:>10}\n", "", "values", "mean/us",
                                 "p50/us", "p99/us", "ns/byte");
  for (const auto& [key, time] : host_times(calibration)) {
    text += row(key, time.seconds, time.per_byte_ns);
  }
  for (const MeasuredMethod& method : calibration.methods) {
    text += row(fmt::format("{} {}", with_underscores(method.component), method.method),
                method.execution_s, 0.0);
  }
  return text;
}

}  // namespace longarm::components

// SPDX-License-Identifier: Apache-2.0
// Execution times and sizes: the components run as processes and their callers take notes.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "longarm/components/calibrate/calibration.h"
#include "longarm/components/calibrate/forked_process.h"
#include "longarm/components/real/real_process.h"

namespace longarm::components {
namespace {

namespace fs = std::filesystem;

constexpr Duration kTimeToStart{300'000'000};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

/// Of a file that RealProcess::write() made.
void read_calls(const fs::path& file,
                std::map<std::pair<std::string, std::string>, MeasuredMethod>& methods) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 7 || cells[6] != "0") {
      continue;  // cut short, or the call failed
    }
    MeasuredMethod& method = methods[{cells[0], cells[1]}];
    method.component = cells[0];
    method.method = cells[1];
    method.request_bytes = std::max(method.request_bytes, std::int64_t{std::stoll(cells[2])});
    method.reply_bytes = std::max(method.reply_bytes, std::int64_t{std::stoll(cells[3])});
    method.execution_s.push_back(std::stod(cells[5]));
  }
}

}  // namespace

Result<std::vector<MeasuredMethod>> measure_methods(const std::vector<LoopConfig>& components,
                                                    Duration length, const std::string& folder) {
  RealProcessConfig own;
  own.serves_names = true;
  own.name_service = {"127.0.0.1", 0};
  const Result<std::unique_ptr<RealProcess>> names = RealProcess::make(own);
  if (!names) {
    return names.error();
  }
  std::vector<ForkedProcess> processes;
  for (const LoopConfig& component : components) {
    Result<ForkedProcess> process = ForkedProcess::start([&](const auto& say_ready) {
      RealProcessConfig config;
      config.name_service = (*names)->name_service();
      const Result<std::unique_ptr<RealProcess>> body = RealProcess::make(config);
      LoopConfig late = component;
      late.phase += kTimeToStart;  // everybody must be known first
      if (body && (*body)->add(late)) {
        say_ready(config.name_service);
        (void)(*body)->run(kTimeToStart + length);
        (void)(*body)->write(folder);
      }
    });
    if (!process) {
      return process.error();
    }
    processes.push_back(std::move(process).value());
  }
  // others may still be at work when the first has ended: names are there for longer
  const Result<Time> reached =
      (*names)->loop().run((*names)->loop().wall_now() + kTimeToStart + length + kTimeToStart);
  if (!reached) {
    return reached.error();
  }
  std::map<std::pair<std::string, std::string>, MeasuredMethod> methods;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with("calls_")) {
      read_calls(entry.path(), methods);
    }
  }
  std::vector<MeasuredMethod> result;
  for (auto& [key, method] : methods) {
    result.push_back(std::move(method));
  }
  return result;
}

}  // namespace longarm::components

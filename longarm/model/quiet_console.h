// SPDX-License-Identifier: Apache-2.0
// Keeps the parsing libraries off the console and out of each other's way. Internal to the folder.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <console_bridge/console.h>

namespace longarm::model {

/// While it lives, errors that urdfdom would print are kept in complaints(). The handler belongs to
/// the whole process, and libsdformat has statics of its own, so threads that read models take
/// turns.
class QuietConsole : public console_bridge::OutputHandler {
 public:
  QuietConsole();
  ~QuietConsole() override;
  QuietConsole(const QuietConsole&) = delete;
  QuietConsole& operator=(const QuietConsole&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char* file,
           int line) override;
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::lock_guard<std::mutex> only_one_;
  std::vector<std::string> complaints_;
};

}  // namespace longarm::model

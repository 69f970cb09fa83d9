// SPDX-License-Identifier: Apache-2.0
// The process-wide turnstile and the handler that listens instead of printing.
#include "longarm/model/quiet_console.h"

namespace longarm::model {
namespace {

/// Static because what it guards is: the libraries' own process-wide state.
std::mutex& turnstile() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

QuietConsole::QuietConsole() : only_one_(turnstile()) {
  console_bridge::useOutputHandler(this);
}

QuietConsole::~QuietConsole() {
  console_bridge::restorePreviousOutputHandler();
}

void QuietConsole::log(const std::string& text, console_bridge::LogLevel level, const char*, int) {
  if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) {
    complaints_.push_back(text);
  }
}

}  // namespace longarm::model

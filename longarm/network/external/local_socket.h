// SPDX-License-Identifier: Apache-2.0
// A local socket on which one program is expected, and lines of text over it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/system/line_stream.h"

namespace longarm::network::external {

/// The error when the other side is gone.
inline constexpr std::string_view kClosed = "closed its connection";

/// Patience is of the wall clock. Errors are parts of a sentence about the other side: "has not
/// answered for 10 s".
class LocalSocket {
 public:
  /// Listens in a folder of its own, which only this user can enter.
  static Result<std::unique_ptr<LocalSocket>> listen();
  ~LocalSocket() { remove_path(); }
  LocalSocket(const LocalSocket&) = delete;
  LocalSocket& operator=(const LocalSocket&) = delete;

  const std::string& path() const { return path_; }

  /// Waits for the one that connects; `ended` may say in between that nobody will.
  Result<bool> accept(Duration patience, const std::function<std::optional<std::string>()>& ended);
  Result<bool> write(std::string_view text, Duration patience);
  /// Without its end.
  Result<std::string> read_line(Duration patience);

 private:
  LocalSocket() = default;
  void remove_path();

  std::string folder_;
  std::string path_;
  system::Descriptor listening_;
  std::optional<system::LineStream> connected_;
};

}  // namespace longarm::network::external

// SPDX-License-Identifier: Apache-2.0
// A path that nobody else knows, the one who comes to it, and what is said about them.
#include "longarm/network/external/local_socket.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "longarm/system/socket.h"
#include "longarm/system/wait.h"

namespace longarm::network::external {
namespace {

using system::WallClock;

constexpr std::size_t kLongestLine = std::size_t{256} << 20;
constexpr Duration kGlance = std::chrono::milliseconds(20);  // looks whether a process has ended

}  // namespace

Result<std::unique_ptr<LocalSocket>> LocalSocket::listen() {
  std::unique_ptr<LocalSocket> made(new LocalSocket());
  // paths of sockets are short: a long TMPDIR will not do
  const char* const wanted = std::getenv("TMPDIR");
  const std::string where = wanted != nullptr && std::strlen(wanted) < 64 ? wanted : "/tmp";
  std::string pattern = where + "/longarm-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return Error{
        fmt::format("cannot create a folder in {}: {}", where, system::last_system_error())};
  }
  made->folder_ = pattern;
  made->path_ = pattern + "/socket";
  Result<system::Descriptor> listening = system::bind_unix_socket(made->path_);
  if (!listening) {
    return listening.error();
  }
  made->listening_ = std::move(listening).value();
  return made;
}

void LocalSocket::remove_path() {
  if (!folder_.empty()) {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
    folder_.clear();
  }
}

Result<bool> LocalSocket::accept(Duration patience,
                                 const std::function<std::optional<std::string>()>& ended) {
  const auto end = WallClock::now() + patience;
  while (!system::wait_for(listening_.number(), POLLIN,
                           std::min<Duration>(kGlance, end - WallClock::now()))) {
    if (const std::optional<std::string> how = ended()) {
      return Error{*how + " without connecting"};
    }
    if (WallClock::now() >= end) {
      return Error{fmt::format("has not connected for {:g} s", to_seconds(patience))};
    }
  }
  system::Descriptor socket(accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.is_open()) {
    return Error{"could not connect: " + system::last_system_error()};
  }
  connected_.emplace(std::move(socket), kLongestLine);
  listening_.reset();
  remove_path();
  return true;
}

Result<bool> LocalSocket::write(std::string_view text, Duration patience) {
  const Result<bool> written = connected_->write(text, patience);
  if (!written) {
    return Error{std::string(kClosed)};
  }
  if (!*written) {
    return Error{fmt::format("has not read for {:g} s", to_seconds(patience))};
  }
  return true;
}

Result<std::string> LocalSocket::read_line(Duration patience) {
  Result<std::optional<std::string>> line = connected_->read_line(patience);
  if (!line) {
    const bool is_endless = line.error().message == system::LineStream::kEndless;
    return Error{is_endless ? "sent a line that is too long" : std::string(kClosed)};
  }
  if (!*line) {
    return Error{fmt::format("has not answered for {:g} s", to_seconds(patience))};
  }
  return *std::move(line).value();
}

}  // namespace longarm::network::external

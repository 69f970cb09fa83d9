// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Blocking reads and writes: this program has nothing to do but to answer.
#include "apps/longarm-ns3/line_socket.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace longarm_ns3 {

LineSocket::LineSocket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::runtime_error("socket path too long: " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0 ||
      connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int why = errno;
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
    throw std::runtime_error(path + ": " + std::strerror(why));
  }
}

LineSocket::~LineSocket() {
  close(descriptor_);
}

std::optional<std::string> LineSocket::read() {
  std::size_t searched = read_;
  while (true) {
    const std::size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = received_.substr(read_, end - read_);
      read_ = end + 1;
      return line;
    }
    received_.erase(0, read_);
    read_ = 0;
    searched = received_.size();
    char buffer[65536];
    const ssize_t count = recv(descriptor_, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return std::nullopt;
    }
    received_.append(buffer, static_cast<std::size_t>(count));
  }
}

bool LineSocket::write(const std::string& line) {
  const std::string text = line + '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count =
        send(descriptor_, text.data() + written, text.size() - written, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return false;
    }
    written += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace longarm_ns3

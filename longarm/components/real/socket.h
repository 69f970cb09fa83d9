// SPDX-License-Identifier: Apache-2.0
// Sockets that close themselves, and the few ways we make them. Nothing here raises SIGPIPE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "longarm/components/transport.h"
#include "longarm/core/result.h"

namespace longarm::components {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void reset();

 private:
  int number_ = -1;
};

/// A socket's address as the system calls want it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  auto bytes() const { return std::string_view(reinterpret_cast<const char*>(&storage), length); }
};

/// Looks the host up; "localhost" and numbers are answered without asking anybody.
Result<SocketAddress> resolve(const Address& address);
/// "10.0.0.1:7000", "[::1]:7000". The port may not be missing.
Result<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);
/// Where a bound socket is.
Address local_address(int socket);

/// Non-blocking, bound; port 0 takes a free one. `kind` is SOCK_STREAM (then it listens) or
/// SOCK_DGRAM.
Result<Descriptor> bind_socket(const Address& address, int kind);
/// Listens at a path, which must not exist yet. Whoever made it removes it.
Result<Descriptor> bind_unix_socket(const std::string& path);
/// Non-blocking, under way to `to`; writable once it stands.
Result<Descriptor> begin_connect(const SocketAddress& to, int kind);
/// Waits for the connection, at most so long. Blocking from then on.
Result<Descriptor> connect_stream(const Address& to, Duration patience);
Result<Descriptor> connect_unix_stream(const std::string& path);

void set_nodelay(int socket, bool is_nodelay);
/// Why the last system call failed: "Connection refused".
std::string last_system_error();
/// Of an asynchronous connect; empty if it stands.
std::string connect_error(int socket);

/// Sends all or says why not; for blocking sockets.
Result<bool> send_all(int socket, std::span<const std::byte> bytes);

/// On a stream each message follows its length, the most significant byte first.
inline constexpr std::size_t kLengthBytes = 4;
void write_length(std::size_t length, std::span<std::byte> to);
std::size_t read_length(std::span<const std::byte> from);

}  // namespace longarm::components

// SPDX-License-Identifier: Apache-2.0
// What sockets of all families have in common, and what their calls hand to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <sys/socket.h>

#include "longarm/core/time.h"
#include "longarm/programs/kernel/file.h"
#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

/// A descriptor on its way to another process.
using Passed = std::variant<std::shared_ptr<File>, std::shared_ptr<NativeFile>>;

/// The bytes of a sockaddr; empty: none was given.
using SocketName = std::string;

struct Outgoing {
  std::span<const std::byte> bytes;
  SocketName to;
  int flags = 0;
  std::vector<Passed> passed;
};

struct Incoming {
  std::span<std::byte> room;
  int flags = 0;
  // the answer
  SocketName from;
  int result_flags = 0;
  std::vector<Passed> passed;
  std::vector<std::pair<std::pair<int, int>, std::string>> control;  ///< level, type; data
};

class Socket : public File {
 public:
  Socket(Kernel& kernel, Host& host, int family, int type)
      : File(kernel), host_(host), family_(family), type_(type) {}

  Placeholder placeholder() const override { return Placeholder::kSocket; }
  bool is_stream() const override { return type_ == SOCK_STREAM; }
  std::optional<Duration> read_limit() const override { return receive_timeout_; }
  std::optional<Duration> write_limit() const override { return send_timeout_; }
  std::int64_t read(std::span<std::byte> out) final;
  std::int64_t write(std::span<const std::byte> bytes) final;

  int family() const { return family_; }
  int type() const { return type_; }
  virtual int protocol() const { return 0; }
  Host& host() const { return host_; }

  // all: 0 or what it says, or an error number below zero; -EAGAIN: not now
  virtual std::int64_t bind(Thread& thread, const SocketName& name) = 0;
  /// -EINPROGRESS: it is under way; wait for connect_result().
  virtual std::int64_t connect(Thread& thread, const SocketName& name) = 0;
  /// Of a connect under way; nothing: still under way.
  virtual std::optional<std::int64_t> connect_result() { return 0; }
  virtual std::int64_t listen(Thread&, int) { return -EOPNOTSUPP; }
  /// Null: nobody is there now. Only listening sockets are asked.
  virtual std::shared_ptr<Socket> accept() { return nullptr; }
  virtual bool is_listening() const { return false; }
  virtual std::int64_t send(Outgoing& message) = 0;
  virtual std::int64_t receive(Incoming& message) = 0;
  virtual std::int64_t shut_down(int how) = 0;
  virtual SocketName name() const = 0;
  /// Nothing: it has no peer.
  virtual std::optional<SocketName> peer_name() const = 0;
  /// Nothing: not one of its own.
  virtual std::optional<std::int64_t> set_option(int level, int option, const std::string& value);
  virtual std::optional<std::string> option(int level, int option);
  std::int64_t control(Thread& thread, std::uint64_t request, std::uint64_t argument) override;
  /// For SIOCINQ.
  virtual std::int64_t readable_bytes() const { return 0; }
  virtual std::int64_t unsent_bytes() const { return 0; }

  /// A native bind(2) of the placeholder makes the name visible in the file system.
  virtual bool binds_natively(const SocketName&) const { return false; }

  const std::optional<Duration>& receive_timeout() const { return receive_timeout_; }
  const std::optional<Duration>& send_timeout() const { return send_timeout_; }

 protected:
  int take_error();
  void set_error(int error) { error_ = error; }
  int error() const { return error_; }
  bool reuses_address() const { return reuses_address_; }
  bool reuses_port() const { return reuses_port_; }
  bool may_broadcast() const { return may_broadcast_; }
  std::int64_t send_buffer() const { return send_buffer_; }
  std::int64_t receive_buffer() const { return receive_buffer_; }
  bool has_credentials() const { return passes_credentials_; }
  bool has_timestamps() const { return has_timestamps_; }
  /// SO_LINGER with no time: closing it is a reset.
  bool lingers_for_nothing() const;
  /// An accepted socket has the options of the one that listened.
  void take_options(const Socket& listener);

 private:
  Host& host_;
  int family_;
  int type_;
  int error_ = 0;
  bool reuses_address_ = false;
  bool reuses_port_ = false;
  bool may_broadcast_ = false;
  bool keeps_alive_ = false;
  bool passes_credentials_ = false;
  bool has_timestamps_ = false;
  std::string linger_ = std::string(8, '\0');
  std::int64_t priority_ = 0;
  std::int64_t send_buffer_ = 212'992;
  std::int64_t receive_buffer_ = 212'992;
  std::optional<Duration> receive_timeout_;
  std::optional<Duration> send_timeout_;
};

/// As an option's value.
std::string option_of(int value);
int int_of(const std::string& value);

/// Null: no such family or type; `error` says which.
std::shared_ptr<Socket> make_socket(Kernel& kernel, Host& host, int family, int type, int protocol,
                                    int& error);
/// Both ends of a connection within a host.
std::pair<std::shared_ptr<Socket>, std::shared_ptr<Socket>> make_socket_pair(Kernel& kernel,
                                                                             const Thread& thread,
                                                                             int type);

}  // namespace longarm::programs

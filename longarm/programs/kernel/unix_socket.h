// SPDX-License-Identifier: Apache-2.0
// A socket of the Unix family: streams, datagrams and records within a host, and descriptors that
// are passed along.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "longarm/programs/kernel/socket.h"

namespace longarm::programs {

class UnixSocket final : public Socket {
 public:
  UnixSocket(Kernel& kernel, Host& host, int type) : Socket(kernel, host, AF_UNIX, type) {}
  ~UnixSocket() override;

  /// Makes them the two ends of a connection by this process.
  static void join(UnixSocket& first, UnixSocket& second, pid_t process);

  std::uint32_t readiness() const override;
  std::int64_t bind(Thread& thread, const SocketName& name) override;
  std::int64_t connect(Thread& thread, const SocketName& name) override;
  std::int64_t listen(Thread& thread, int backlog) override;
  std::shared_ptr<Socket> accept() override;
  bool is_listening() const override { return is_listening_; }
  std::int64_t send(Outgoing& message) override;
  std::int64_t receive(Incoming& message) override;
  std::int64_t shut_down(int how) override;
  SocketName name() const override;
  std::optional<SocketName> peer_name() const override;
  std::optional<std::string> option(int level, int option) override;
  std::int64_t readable_bytes() const override;
  bool binds_natively(const SocketName& name) const override;

 private:
  /// What one send(2) brought.
  struct Piece {
    std::string bytes;
    std::size_t taken = 0;  ///< of a stream's bytes, those that were read
    std::string from;
    pid_t sender = 0;
    std::vector<Passed> passed;
  };

  bool keeps_records() const { return type() != SOCK_STREAM; }
  bool has_room_from(const UnixSocket& sender) const;
  void push(Piece piece);
  void pop();
  std::int64_t wait_for_room(UnixSocket& to);
  std::int64_t throw_away(int why);
  /// The bytes of an address without the family, if it names one.
  static std::string path_of(const SocketName& name);
  std::shared_ptr<UnixSocket> find(const std::string& path) const;
  std::int64_t connect_stream(UnixSocket& listener, pid_t process);

  std::string path_;
  bool is_bound_ = false;
  bool is_listening_ = false;
  bool was_connected_ = false;
  bool reads_nothing_ = false;
  bool writes_nothing_ = false;
  std::size_t backlog_ = 0;
  std::weak_ptr<UnixSocket> peer_;
  std::string peer_path_;
  pid_t process_ = 0;       ///< who connected, listened or made the pair
  pid_t peer_process_ = 0;  ///< the same at the other end
  bool peer_is_gone_ = false;
  std::deque<std::shared_ptr<UnixSocket>> waiting_;
  std::deque<Piece> pieces_;
  std::size_t pieces_bytes_ = 0;
  std::size_t pieces_memory_ = 0;  ///< what Linux would charge the senders for them
  std::vector<std::weak_ptr<UnixSocket>> wanting_room_;  ///< whose messages had none
};

}  // namespace longarm::programs

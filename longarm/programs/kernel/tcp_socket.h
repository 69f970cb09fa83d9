// SPDX-License-Identifier: Apache-2.0
// A TCP socket: it listens, or has one end of a stream of the simulated network.
#pragma once

#include <deque>
#include <memory>

#include "longarm/network/flow.h"
#include "longarm/programs/kernel/internet.h"

namespace longarm::programs {

class TcpSocket final : public InetSocket, private network::StreamListener {
 public:
  TcpSocket(Kernel& kernel, Host& host, int family)
      : InetSocket(kernel, host, family, SOCK_STREAM) {}
  ~TcpSocket() override;

  int protocol() const override;
  std::uint32_t readiness() const override;
  std::int64_t connect(Thread& thread, const SocketName& name) override;
  std::optional<std::int64_t> connect_result() override;
  std::int64_t listen(Thread& thread, int backlog) override;
  std::shared_ptr<Socket> accept() override;
  bool is_listening() const override { return state_ == State::kListening; }
  std::int64_t send(Outgoing& message) override;
  std::int64_t receive(Incoming& message) override;
  std::int64_t shut_down(int how) override;
  std::optional<std::int64_t> set_option(int level, int option, const std::string& value) override;
  std::optional<std::string> option(int level, int option) override;
  std::int64_t readable_bytes() const override;
  std::int64_t unsent_bytes() const override;

  // for the host's ports
  bool has_room_in_backlog() const { return coming_ + waiting_.size() <= backlog_; }
  void called() { ++coming_; }
  void arrived(std::unique_ptr<network::Stream> stream);
  const network::TcpOptions& tcp_options() const { return options_; }

 private:
  enum class State : std::uint8_t { kNew, kListening, kConnecting, kConnected, kFailed };

  void connected() override;
  void readable() override;
  void writable() override;
  void failed(network::StreamFailure why) override;

  std::string info() const;

  State state_ = State::kNew;
  network::TcpOptions options_ = default_options();
  std::unique_ptr<network::Stream> stream_;
  bool reads_nothing_ = false;  ///< after SHUT_RD
  bool writes_nothing_ = false;
  bool is_corked_ = false;
  std::uint32_t low_water_ = 1;
  std::size_t backlog_ = 0;
  std::size_t coming_ = 0;  ///< handshakes under way
  std::deque<std::shared_ptr<TcpSocket>> waiting_;

  static network::TcpOptions default_options();
};

}  // namespace longarm::programs

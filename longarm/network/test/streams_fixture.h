// SPDX-License-Identifier: Apache-2.0
// For tests of streams: hosts with programs that write, read and note what they hear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/streams.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {

/// Byte number i of every stream.
inline std::byte byte_at(std::uint64_t i) {
  return std::byte(static_cast<std::uint8_t>((i * 2'654'435'761U) >> 24U));
}

inline std::vector<std::byte> bytes_from(std::uint64_t begin, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = byte_at(begin + i);
  }
  return bytes;
}

/// One end of a stream in a program's hands. It writes what it was told to as far as there is room,
/// and checks what it reads.
class Program final : public StreamListener {
 public:
  Program(sim::Kernel& kernel, std::string name) : kernel_(kernel), name_(std::move(name)) {}

  std::unique_ptr<Stream> stream;
  bool reads_at_once = true;
  bool closes_at_end = false;  ///< and when it has written everything
  std::vector<std::pair<std::string, Duration>> heard;
  std::uint64_t to_write = 0;
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  std::function<void()> on_readable;
  std::function<void()> on_connected;

  void own(std::unique_ptr<Stream> given) {
    stream = std::move(given);
    stream->set_listener(*this);
  }
  void write(std::uint64_t bytes) {
    to_write += bytes;
    write_on();
  }
  void write_on() {
    while (stream && written < to_write) {
      const auto bytes = bytes_from(written, to_write - written);
      const std::size_t taken = stream->write(bytes);
      written += taken;
      if (taken < bytes.size()) {
        return;
      }
    }
  }
  std::size_t read_on(std::size_t most = SIZE_MAX) {
    std::size_t sum = 0;
    while (stream && sum < most && stream->readable() > 0) {
      std::vector<std::byte> out(std::min<std::size_t>(most - sum, 100'000));
      out.resize(stream->read(out));
      EXPECT_EQ(out, bytes_from(read, out.size())) << name_;
      read += out.size();
      sum += out.size();
    }
    return sum;
  }
  std::vector<Duration> times_of(const std::string& what) const {
    std::vector<Duration> times;
    for (const auto& [each, time] : heard) {
      if (each == what) {
        times.push_back(time);
      }
    }
    return times;
  }

  void connected() override {
    note("connected");
    if (on_connected) {
      on_connected();
    }
  }
  void readable() override {
    if (stream->has_fin() && !has_fin_) {
      has_fin_ = true;
      note("fin");
    } else {
      note("readable");
    }
    if (reads_at_once) {
      read_on();
    }
    if (on_readable) {
      on_readable();
    }
    if (closes_at_end && stream && stream->is_at_end() && written == to_write) {
      stream.reset();
    }
  }
  void writable() override {
    note("writable");
    write_on();
  }
  void failed(StreamFailure why) override {
    note(why == StreamFailure::kRefused    ? "refused"
         : why == StreamFailure::kTimedOut ? "timed out"
                                           : "reset");
  }

 private:
  void note(std::string what) {
    heard.emplace_back(std::move(what), kernel_.now().time_since_epoch());
  }

  sim::Kernel& kernel_;
  std::string name_;
  bool has_fin_ = false;
};

/// Answers at every port as it is told to.
class TestDoorman final : public Doorman {
 public:
  using Arrived = std::function<void(HostPort from, std::unique_ptr<Stream>)>;

  Answer answer = Answer::kAccept;
  TcpOptions options;
  bool has_options = false;
  bool takes_datagrams = true;
  int calls = 0;
  Arrived on_arrived;
  std::function<void(HostPort at, HostPort from, std::span<const std::byte>)> on_datagram;
  std::function<void(HostPort from, HostPort to)> on_unreachable;

  Answer called(HostPort, HostPort, Label, TcpOptions& asked) override {
    ++calls;
    asked = has_options ? options : asked;
    return answer;
  }
  void arrived(HostPort at, std::unique_ptr<Stream> stream) override {
    EXPECT_EQ(stream->local(), at);
    if (on_arrived) {
      const HostPort from = stream->remote();
      on_arrived(from, std::move(stream));
    }
  }
  bool datagram(HostPort at, HostPort from, Label, std::span<const std::byte> bytes) override {
    if (takes_datagrams && on_datagram) {
      on_datagram(at, from, bytes);
    }
    return takes_datagrams;
  }
  void unreachable(HostPort from, HostPort to) override {
    if (on_unreachable) {
      on_unreachable(from, to);
    }
  }
};

/// Two hosts, h0 and h1; a server at h1 (and, by loopback, at h0).
class StreamsFixture : public ::testing::Test {
 protected:
  StreamsFixture() : client(kernel_, "client"), server(kernel_, "server") {}
  ~StreamsFixture() override {
    client.stream.reset();
    server.stream.reset();
  }

  void start(const Topology& topology, const BackendOptions& backend_options = {}) {
    topology_ = topology;
    for (const Node& node : topology_.nodes) {
      hosts_.emplace_back();
      hosts_.back().name = node.name;
    }
    if (on_hosts) {
      on_hosts(hosts_);
    }
    network_ = std::make_unique<Network>(kernel_, make_builtin_backend(topology_, backend_options),
                                         hosts_, backend_options.seed);
    source_ = kernel_.add_source("test");
    Result<std::unique_ptr<Streams>> made = make_streams(kernel_, *network_);
    ASSERT_TRUE(made);
    streams_ = std::move(made).value();
    for (TestDoorman& doorman : doormen_) {
      doorman.on_arrived = [this](HostPort, std::unique_ptr<Stream> stream) {
        arrived_.push_back(kernel_.now().time_since_epoch());
        server.own(std::move(stream));
      };
    }
    streams_->set_doorman(host(0), doormen_[0]);
    streams_->set_doorman(far(), doormen_[1]);
  }

  static NodeId host(std::uint32_t index) { return NodeId{index}; }
  NodeId far() const {  // the other end of a chain
    return host(static_cast<std::uint32_t>(topology_.nodes.size() - 1));
  }

  void connect(bool is_loopback = false) {
    Result<std::unique_ptr<Stream>> made = streams_->connect(
        {host(0), 40'000}, {is_loopback ? host(0) : far(), 80}, 0, options, 0, client);
    ASSERT_TRUE(made);
    client.own(std::move(made).value());
  }

  void at_time(Duration when, std::function<void()> action) {
    kernel_.at(at(when), sim::Phase::kControl, source_, [action](Time) { action(); });
  }
  void run(Duration until = 100s) {
    const Result<Time> ran = kernel_.run_until(at(until));
    ASSERT_TRUE(ran) << ran.error().message;
  }

  Topology topology_;
  std::vector<Host> hosts_;
  std::function<void(std::vector<Host>&)> on_hosts;
  sim::Kernel kernel_;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Streams> streams_;
  sim::SourceId source_{};
  TestDoorman doormen_[2];
  TcpOptions options;
  std::vector<Duration> arrived_;
  Program client;
  Program server;
};

}  // namespace longarm::network

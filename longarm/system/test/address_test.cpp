// SPDX-License-Identifier: Apache-2.0
// Addresses in and out of text, and as sockets have them.
#include "longarm/system/address.h"

#include <gtest/gtest.h>

#include "longarm/system/socket.h"

namespace longarm::system {
namespace {

TEST(Address, IsAHostAndAPort) {
  EXPECT_EQ(parse_address("10.0.0.1:7000").value(), (Address{"10.0.0.1", 7000}));
  EXPECT_EQ(parse_address("[::1]:7000").value(), (Address{"::1", 7000}));
  EXPECT_EQ(to_text(Address{"::1", 7000}), "[::1]:7000");
  for (const char* bad : {"", "host", "host:", ":1", "host:70000", "host:-1", "host:1x"}) {
    EXPECT_FALSE(parse_address(bad).has_value()) << bad;
  }
}

TEST(SocketAddress, KnowsTheLoopback) {
  EXPECT_TRUE(is_loopback(*resolve({"127.0.0.1", 1})));
  EXPECT_TRUE(is_loopback(*resolve({"127.3.2.1", 1})));
  EXPECT_TRUE(is_loopback(*resolve({"::1", 1})));
  EXPECT_FALSE(is_loopback(*resolve({"0.0.0.0", 1})));
  EXPECT_FALSE(is_loopback(*resolve({"10.0.0.1", 1})));
  EXPECT_EQ(to_text(*resolve({"127.0.0.1", 7})), "127.0.0.1:7");
  EXPECT_EQ(to_text(*resolve({"::1", 7})), "[::1]:7");
}

TEST(SocketAddress, IsTheSameHoweverItIsAskedFor) {
  const Descriptor socket = std::move(bind_socket({"127.0.0.1", 0}, SOCK_STREAM)).value();
  const Address here = local_address(socket.number());
  EXPECT_EQ(here.host, "127.0.0.1");
  EXPECT_NE(here.port, 0);
  EXPECT_EQ(to_text(here), to_text(local_socket_address(socket.number())));
  EXPECT_EQ(peer_socket_address(socket.number()).length, 0U);
}

TEST(Socket, SaysWhichPortIsTaken) {
  const Descriptor socket = std::move(bind_socket({"127.0.0.1", 0}, SOCK_STREAM)).value();
  const Address taken = local_address(socket.number());
  const Result<Descriptor> second = bind_socket(taken, SOCK_STREAM);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message,
            "cannot listen at " + to_text(taken) + ": Address already in use");
}

}  // namespace
}  // namespace longarm::system

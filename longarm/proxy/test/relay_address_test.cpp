// SPDX-License-Identifier: Apache-2.0
// Addresses as users write them.
#include "longarm/proxy/relay_address.h"

#include <gtest/gtest.h>

namespace longarm::proxy {
namespace {

TEST(RelayAddress, HasATransportAHostAndAPort) {
  const Result<AddressText> all = parse_address_text("udp:robot.local:30003");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->transport, RelayTransport::kUdp);
  EXPECT_EQ(all->host, "robot.local");
  EXPECT_EQ(all->port, 30003);
}

TEST(RelayAddress, IsTcpUnlessItSaysOtherwise) {
  EXPECT_EQ(parse_address_text("127.0.0.1:1")->transport, RelayTransport::kTcp);
  EXPECT_FALSE(parse_address_text("127.0.0.1:1")->has_transport);
}

TEST(RelayAddress, MayLeaveOutHostOrPort) {
  EXPECT_EQ(parse_address_text("30003")->port, 30003);
  EXPECT_EQ(parse_address_text("30003")->host, "");
  EXPECT_EQ(parse_address_text(":30003")->port, 30003);
  EXPECT_EQ(parse_address_text("robot")->host, "robot");
  EXPECT_FALSE(parse_address_text("robot")->has_port);
  EXPECT_EQ(parse_address_text("[::1]")->host, "::1");
}

TEST(RelayAddress, TakesIpv6InBrackets) {
  const Result<AddressText> all = parse_address_text("tcp:[fe80::1]:80");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->host, "fe80::1");
  EXPECT_EQ(all->port, 80);
}

TEST(RelayAddress, RefusesWhatIsNone) {
  EXPECT_FALSE(parse_address_text(""));
  EXPECT_FALSE(parse_address_text("udp:"));
  EXPECT_FALSE(parse_address_text("host:"));
  EXPECT_FALSE(parse_address_text("host:65536"));
  EXPECT_FALSE(parse_address_text("host:1x"));
  EXPECT_FALSE(parse_address_text("::1:80"));
}

}  // namespace
}  // namespace longarm::proxy

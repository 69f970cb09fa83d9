// SPDX-License-Identifier: Apache-2.0
// Which sets of routes lead back to themselves.
#include "longarm/proxy/relay_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::proxy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RelayRoute tcp(Address listen, Address to) {
  return {RelayTransport::kTcp, std::move(listen), std::move(to)};
}

TEST(RelayLoops, ARouteToItself) {
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7100}, {"localhost", 7100})}),
              ElementsAre(ElementsAre(0)));
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7100}, {"127.0.0.1", 7101})}), IsEmpty());
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7100}, {"127.0.0.2", 7100})}), IsEmpty());
}

TEST(RelayLoops, AWildcardListensAtEveryAddressOfThisMachine) {
  EXPECT_THAT(find_loops({tcp({"0.0.0.0", 7100}, {"127.0.0.1", 7100})}),
              ElementsAre(ElementsAre(0)));
  EXPECT_THAT(find_loops({tcp({"0.0.0.0", 7100}, {"127.0.0.7", 7100})}),
              ElementsAre(ElementsAre(0)));
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7100}, {"0.0.0.0", 7100})}),
              ElementsAre(ElementsAre(0)));
  // an address for documents, of nobody (RFC 5737)
  EXPECT_THAT(find_loops({tcp({"0.0.0.0", 7100}, {"192.0.2.1", 7100})}), IsEmpty());
}

TEST(RelayLoops, RoutesInACircle) {
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7099}, {"127.0.0.1", 7100}),  // leads into it
                          tcp({"127.0.0.1", 7100}, {"127.0.0.1", 7101}),
                          tcp({"0.0.0.0", 7101}, {"127.0.0.1", 7100}),
                          tcp({"127.0.0.1", 7102}, {"127.0.0.1", 7101})}),
              ElementsAre(ElementsAre(1, 2)));
}

TEST(RelayLoops, AChainOfRelaysIsNone) {
  EXPECT_THAT(find_loops({tcp({"127.0.0.1", 7100}, {"127.0.0.1", 7101}),
                          tcp({"127.0.0.1", 7101}, {"127.0.0.1", 7102}),
                          {RelayTransport::kUdp, {"127.0.0.1", 7102}, {"127.0.0.1", 7100}}}),
              IsEmpty());
}

}  // namespace
}  // namespace longarm::proxy

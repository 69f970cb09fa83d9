// SPDX-License-Identifier: Apache-2.0
// A program for tests and benchmarks, with ZeroC's Ice: `serve PORT` prints its port (0: a free
// one) and answers; `call HOST PORT COUNT [PAUSE_S]` connects, waits so long, calls that often and
// prints the shortest and the longest time of a call, in nanoseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <string>

#include <Ice/Ice.h>

#include "echo.h"

namespace {

class EchoServant final : public Test::Echo {
 public:
  void poke(const Ice::Current&) override {}
};

long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    return 2;
  }
  const Ice::CommunicatorHolder ice = Ice::initialize();
  if (std::strcmp(words[1], "serve") == 0) {
    const auto adapter =
        ice->createObjectAdapterWithEndpoints("echo", std::string("tcp -p ") + words[2]);
    adapter->add(std::make_shared<EchoServant>(), Ice::stringToIdentity("echo"));
    adapter->activate();
    const Ice::EndpointInfoPtr endpoint = adapter->getEndpoints().front()->getInfo();
    const auto tcp = std::dynamic_pointer_cast<Ice::TCPEndpointInfo>(endpoint);
    std::printf("%d\n", tcp->port);
    std::fflush(stdout);
    ice->waitForShutdown();
    return 0;
  }
  const auto echo = Ice::uncheckedCast<Test::EchoPrx>(
      ice->stringToProxy(std::string("echo:tcp -h ") + words[2] + " -p " + words[3]));
  echo->ice_getConnection();
  if (count > 5) {
    const timespec pause{std::atol(words[5]), 0};
    nanosleep(&pause, nullptr);
  }
  long shortest = std::numeric_limits<long>::max();
  long longest = 0;
  for (long left = std::atol(words[4]); left > 0; --left) {
    const long began = now_ns();
    echo->poke();
    const long took = now_ns() - began;
    shortest = std::min(shortest, took);
    longest = std::max(longest, took);
  }
  std::printf("%ld %ld\n", shortest, longest);
}

// SPDX-License-Identifier: Apache-2.0
// Whatever programs do at whatever times, over whatever links: contents arrive whole and in order,
// and no more than the buffers hold is under way.
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/test/link_fixture.h"
#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

class StreamsProperty : public StreamsFixture, public ::testing::WithParamInterface<int> {
 protected:
  std::uint64_t below(std::uint64_t limit) { return random_.bits() % limit; }
  Program& any() { return below(2) == 0 ? client : server; }

  void check_buffers() {
    const auto receive = static_cast<std::uint64_t>(options.receive_buffer_bytes);
    const auto send = static_cast<std::uint64_t>(options.send_buffer_bytes);
    for (const auto& [from, to] : {std::pair(&client, &server), std::pair(&server, &client)}) {
      if (from->stream && to->stream) {
        EXPECT_LE(from->stream->unacknowledged(), send);
        EXPECT_LE(from->written - to->read, send + 2 * receive);
        EXPECT_LE(to->stream->readable(), 2 * receive);
      }
    }
  }

  RandomStream random_{static_cast<std::uint64_t>(GetParam()), "property"};
};

TEST_P(StreamsProperty, ContentsArriveWholeAndInOrder) {
  const bool is_loopback = GetParam() % 5 == 0;
  Cable rough = cable(1e7, 2ms);
  rough.impairment[0] = netem("delay 3ms 2ms loss 3% duplicate 1%");
  rough.impairment[1] = netem("delay 3ms 2ms loss 3% reorder 2%");
  on_hosts = [](std::vector<Host>& hosts) {
    hosts[0].loopback.fixed = 10us;
    hosts[0].stack_send.per_byte_ns = 1.0;
    hosts[1].stack_receive.fixed = 20us;
  };
  start(chain(rough), {static_cast<std::uint64_t>(GetParam()), {}, nullptr});
  options.receive_buffer_bytes = static_cast<std::int64_t>(3'000 + below(60'000));
  options.send_buffer_bytes = static_cast<std::int64_t>(3'000 + below(60'000));
  options.is_nodelay = below(2) == 0;
  options.has_sack = below(4) != 0;
  connect(is_loopback);
  client.reads_at_once = below(2) == 0;
  server.reads_at_once = below(2) == 0;
  for (int i = 0; i < 300; ++i) {
    at_time(Duration(static_cast<std::int64_t>(below(3'000'000'000))), [this] {
      Program& program = any();
      if (!program.stream) {
        return;
      }
      switch (below(8)) {
        case 0:
        case 1:
          program.write(1 + below(200));
          break;
        case 2:
          program.write(1 + below(50'000));
          break;
        case 3:
          program.stream->set_cork(below(2) == 0);
          break;
        case 4:
          program.stream->set_nodelay(below(2) == 0);
          break;
        case 5:
          program.stream->set_quick_ack(below(2) == 0);
          break;
        default:
          program.read_on(1 + below(20'000));
          break;
      }
      check_buffers();
    });
  }
  at_time(3s, [this] {
    for (Program* program : {&client, &server}) {
      program->reads_at_once = true;
      program->read_on();
      program->stream->set_cork(false);
    }
  });
  // whatever waits for room is written first
  for (int i = 4; i < 100; ++i) {
    at_time(i * 1s, [this] {
      for (Program* program : {&client, &server}) {
        if (program->written == program->to_write) {
          program->stream->shut_down_writing();
        }
      }
    });
  }
  run(2000s);
  EXPECT_GT(client.written + server.written, 0U);
  EXPECT_EQ(client.written, client.to_write);
  EXPECT_EQ(server.written, server.to_write);
  EXPECT_EQ(server.read, client.written);
  EXPECT_EQ(client.read, server.written);
  EXPECT_TRUE(client.stream->is_at_end());
  EXPECT_TRUE(server.stream->is_at_end());
  client.stream.reset();
  server.stream.reset();
  run(4000s);
  EXPECT_EQ(network_->backend().next_event(), Time::max());
}

TEST_P(StreamsProperty, WhoeverEndsWhenever) {
  Cable rough = cable(1e7, 2ms);
  rough.impairment[0] = rough.impairment[1] = netem("delay 3ms 2ms loss 5%");
  start(chain(rough), {static_cast<std::uint64_t>(GetParam()), {}, nullptr});
  connect(GetParam() % 5 == 0);
  for (int i = 0; i < 50; ++i) {
    at_time(Duration(static_cast<std::int64_t>(below(100'000'000))), [this] {
      Program& program = any();
      if (!program.stream) {
        return;
      }
      switch (below(16)) {
        case 0:
          program.stream.reset();
          break;
        case 1:
          program.stream->reset();
          break;
        case 2:
          program.stream->shut_down_writing();
          program.to_write = program.written;
          break;
        case 3:
          program.reads_at_once = !program.reads_at_once;
          break;
        default:
          if (program.to_write == program.written) {
            program.write(1 + below(30'000));
          }
          break;
      }
    });
  }
  run(2000s);
  EXPECT_LE(server.read, client.written);
  EXPECT_LE(client.read, server.written);
  client.stream.reset();
  server.stream.reset();
  // nothing keeps on trying; the windows of those who do not read were asked after until now
  run(10'000s);
  EXPECT_EQ(network_->backend().next_event(), Time::max());
}

INSTANTIATE_TEST_SUITE_P(Seeds, StreamsProperty, ::testing::Range(1, 41));

TEST_F(StreamsFixture, AHundredMegabytesArriveWholeThoughAPercentIsLost) {
  Cable lossy = cable(1e9, 100us);
  lossy.impairment[0] = netem("loss 1%");
  start(chain(lossy));
  connect();
  server.closes_at_end = true;
  at_time(1ms, [&] { client.write(100'000'000); });
  at_time(900s, [&] { client.stream->shut_down_writing(); });
  run(1000s);
  EXPECT_EQ(server.read, 100'000'000U);  // each byte was compared
  EXPECT_FALSE(server.stream);
  EXPECT_TRUE(client.stream->is_at_end());
}

}  // namespace
}  // namespace longarm::network

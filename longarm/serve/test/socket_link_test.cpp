// SPDX-License-Identifier: Apache-2.0
// A client of a served cell on a real socket: it connects without waiting, hears, and is lost.
#include "longarm/serve/socket_link.h"

#include <gtest/gtest.h>

#include "longarm/protocols/lines_door.h"
#include "longarm/serve/test/served_world.h"

namespace longarm::serve {
namespace {

/// Says a line every 10 ms; repeats what it hears at another door.
class LinesWorld final : public World {
 public:
  Duration period() const override { return 1ms; }
  std::vector<Door*> doors() override { return {&lines, &echo}; }
  Time now() const override { return now_; }
  void step() override {
    now_ += period();
    if (now_.time_since_epoch() % 10ms == 0ms) {
      lines.say(std::string(line_bytes, '.'));
    }
  }
  bool is_over() const override { return false; }
  std::string hash() const override { return "none"; }

  protocols::LinesDoor lines{"camera.frames", std::uint16_t{0}};
  EchoDoor echo;
  std::size_t line_bytes = 3;

 private:
  Time now_{};
};

class SocketLinks : public testing::Test {
 protected:
  SocketLinks() : folder_(std::filesystem::temp_directory_path() / "longarm-socket-links") {
    std::filesystem::create_directories(folder_);
    reactor_ = std::move(system::Reactor::make()).value();
  }

  system::SocketAddress address_of(std::size_t door) const {
    return *system::resolve({"127.0.0.1", server_->addresses().at(door).port});
  }
  std::unique_ptr<SocketLink> connect(std::size_t door) {
    auto link = std::make_unique<SocketLink>(*reactor_, address_of(door), [] { return Time(7s); });
    link->listen([this](std::string_view bytes, Time now) {
      heard_ += bytes;
      EXPECT_EQ(now, Time(7s));
    });
    return link;
  }
  /// One step of the world, as fast as it goes, and one look at the sockets.
  void go_on() {
    live_->step();
    reactor_->run_once(reactor_->now() + 1ms);
  }
  template <typename Claim>
  bool comes_true(const Claim& claim) {
    for (int i = 0; i < 5000 && !claim(); ++i) {
      go_on();
    }
    return claim();
  }
  void serve() {
    server_ = std::move(DoorServer::make(world_.doors(), config_, inbox_)).value();
    recording_ = std::make_unique<RecordingWriter>(
        std::move(
            RecordingWriter::make(folder_ / "received.jsonl", {1ms, {"camera.frames", "echo"}, ""}))
            .value());
    live_ =
        std::make_unique<LiveRun>(world_, LiveConfig{.speed = 0.0}, inbox_,
                                  std::vector<Carrier*>{server_.get(), server_.get()}, *recording_);
  }

  std::filesystem::path folder_;
  LinesWorld world_;
  ServerConfig config_{};
  Inbox inbox_;
  std::unique_ptr<system::Reactor> reactor_;
  std::unique_ptr<DoorServer> server_;
  std::unique_ptr<RecordingWriter> recording_;
  std::unique_ptr<LiveRun> live_;
  std::string heard_;
};

TEST_F(SocketLinks, SendWhatWasSaidBeforeTheyStood) {
  serve();
  const auto link = connect(1);
  EXPECT_TRUE(link->is_up());
  link->send("hello\n");
  ASSERT_TRUE(comes_true([&] { return heard_.ends_with(" hello\n"); })) << heard_;
  link->send("bye\n");
  ASSERT_TRUE(comes_true([&] { return !link->is_up(); }));
  EXPECT_EQ(link->problem(), "the other side has closed the connection");
  EXPECT_TRUE(heard_.ends_with(" bye\n")) << heard_;
  link->send("is lost\n");
}

TEST_F(SocketLinks, HearTheLinesOfADevice) {
  serve();
  auto link = connect(0);
  ASSERT_TRUE(comes_true([&] { return heard_.size() >= 40; }));
  EXPECT_TRUE(heard_.starts_with("...\n...\n")) << heard_;
  EXPECT_EQ(world_.lines.clients(), 1u);
  link.reset();
  ASSERT_TRUE(comes_true([&] { return world_.lines.clients() == 0; })) << "gone";
}

TEST_F(SocketLinks, SayWhyNobodyIsThere) {
  serve();
  const system::SocketAddress gone = address_of(0);
  server_.reset();
  SocketLink link(*reactor_, gone, [] { return Time{}; });
  for (int i = 0; i < 100 && link.is_up(); ++i) {
    reactor_->run_once(reactor_->now() + 10ms);
  }
  EXPECT_FALSE(link.is_up());
  EXPECT_EQ(link.problem(), "Connection refused");
}

// 80 MB in 400 lines for somebody who reads none of them: the world goes on, and remembers nothing
TEST_F(SocketLinks, DoNotKeepTheWorldWaiting) {
  serve();
  world_.line_bytes = 200'000;
  TestClient lazy(server_->addresses().at(0).port);
  const auto good = connect(0);
  ASSERT_TRUE(comes_true([&] { return world_.lines.clients() == 2; }));
  const Time begin = world_.now();
  while (world_.now() - begin < 4s) {
    go_on();
  }
  EXPECT_GT(server_->figures().cyclic_skipped, 100u) << "for the lazy one";
  EXPECT_LT(server_->figures().most_output, 3 * 200'001u);
  EXPECT_EQ(server_->figures().dropped, 0u);
  EXPECT_GT(heard_.size(), 20'000'000u) << "the other one hears most of them";
  EXPECT_TRUE(good->is_up());
}

TEST_F(SocketLinks, AreSentAwayWhenThereAreTooMany) {
  config_.max_clients = 1;
  serve();
  const auto first = connect(0);
  ASSERT_TRUE(comes_true([&] { return world_.lines.clients() == 1; }));
  const auto second = connect(0);
  ASSERT_TRUE(comes_true([&] { return !second->is_up(); }));
  EXPECT_TRUE(first->is_up());
  EXPECT_EQ(server_->figures().refused, 1u);
}

}  // namespace
}  // namespace longarm::serve

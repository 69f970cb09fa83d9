// SPDX-License-Identifier: Apache-2.0
// Processes that are not ours, in lock-step: exact times, topics, and clients that misbehave.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "longarm/components/test/lockstep_fixture.h"

namespace longarm::components {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHello = R"({"type":"hello","version":1,"component":"Client"})";
constexpr const char* kIdle = R"({"type":"idle","turn":1})";

sim::Task<Bytes> give_back(Bytes bytes) {
  co_return bytes;
}

void run_echo_client(LockstepClient& client) {
  client.serve("echo", [](const Bytes& request) { return LockstepClient::Answer{request, 0ms}; });
  (void)client.run();
}

class Lockstep : public LockstepTest {
 protected:
  // what a client's thread found out; to be read after finish()
  std::vector<Duration> found_;
  int failures_ = 0;
};

TEST_F(Lockstep, EveryRoundTripIsTwiceTheWayToTheNanosecond) {
  add_client("Server", "far", run_echo_client);
  add_client("Client", "near", [this](LockstepClient& client) {
    (void)client.call("Server", "echo", Bytes(8));  // makes the connection
    for (int i = 0; i < 200; ++i) {
      const Time start = client.now();
      const Bytes request(8, static_cast<std::byte>(i));
      const Result<Bytes> reply = client.call("Server", "echo", request);
      failures_ += !reply || *reply != request ? 1 : 0;
      found_.push_back(client.now() - start);
    }
  });
  EXPECT_EQ(failure_of_run(10s), "");
  finish();
  EXPECT_EQ(failures_, 0);
  EXPECT_EQ(found_, std::vector<Duration>(200, 20ms));
}

TEST_F(Lockstep, ExecutionTakesTheSimulatedTimeThatTheClientSays) {
  add_client("Server", "far", [](LockstepClient& client) {
    client.serve("echo", [](const Bytes& request) { return LockstepClient::Answer{request, 3ms}; });
    (void)client.run();
  });
  Node& caller = add_node("Caller", "near");
  Time done{};
  struct Call {
    static sim::Task<void> make(Node& node, Time& done) {
      co_await node.sleep_until(Time(500ms));
      sim::Task<Result<Bytes>> first = node.call_raw("Server", "echo", {});  // finds and connects
      (void)co_await std::move(first);
      const Time start = node.now();
      sim::Task<Result<Bytes>> second = node.call_raw("Server", "echo", {});
      (void)co_await std::move(second);
      done = Time(node.now() - start);
    }
  };
  caller.spawn(Call::make(caller, done));
  EXPECT_EQ(failure_of_run(2s), "");
  EXPECT_EQ(done, Time(23ms));  // 10 ms there, 3 ms of computing, 10 ms back
}

TEST_F(Lockstep, OpensAtAPathAsWellAndCleansUpBehindItself) {
  // a socket's path has 107 bytes at most
  const std::string path =
      std::filesystem::relative(testing::TempDir() + "lockstep_door.socket").string();
  config_.socket = path;
  add_client("Client", "near", [this](LockstepClient& client) {
    failures_ += client.sleep_until(Time(5ms)) ? 0 : 1;
    found_.push_back(client.now().time_since_epoch());
  });
  EXPECT_EQ(failure_of_run(1s), "");
  finish();
  EXPECT_EQ(failures_, 0);
  EXPECT_THAT(found_, testing::ElementsAre(5ms));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Lockstep, WakesAClientWhenItAskedToBeWoken) {
  add_client("Client", "near", [this](LockstepClient& client) {
    found_.push_back(client.now().time_since_epoch());
    (void)client.sleep_until(Time(123ms));
    found_.push_back(client.now().time_since_epoch());
    (void)client.sleep_until(Time(1ms));  // is over: at once
    found_.push_back(client.now().time_since_epoch());
  });
  EXPECT_EQ(failure_of_run(1s), "");
  finish();
  EXPECT_THAT(found_, testing::ElementsAre(0ms, 123ms, 123ms));
}

TEST_F(Lockstep, CarriesTopicsBetweenForeignAndOwnComponents) {
  Node& own = add_node("Own", "near");
  std::vector<std::pair<Time, Bytes>> heard;
  own.subscribe_raw("news", Blob::kTypeName,
                    [&](const Bytes& message) { heard.emplace_back(own.now(), message); });
  add_client("Client", "far", [](LockstepClient& client) {
    client.advertise("news", "longarm/Blob");
    (void)client.sleep_until(Time(1s));  // connecting takes its time
    client.publish("news", Bytes(5));
  });
  EXPECT_EQ(failure_of_run(2s), "");
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].first, Time(1010ms));
  EXPECT_EQ(heard[0].second, Bytes(5));
}

TEST_F(Lockstep, TellsACallerWhyThereIsNoReply) {
  add_client("Client", "near", [this](LockstepClient& client) {
    const Result<Bytes> reply = client.call("Nobody", "echo", {});
    failures_ += reply ? 0 : 1;
    const Result<Bytes> late = client.call("Slow", "wait", {}, 50ms);
    failures_ += late ? 0 : 1;
  });
  Node& slow = add_node("Slow", "far");
  struct Wait {
    static sim::Task<Bytes> long_time(Node* node) {
      co_await node->sleep_for(10s);
      co_return Bytes{};
    }
  };
  slow.serve_raw("wait", [&slow](Bytes) { return Wait::long_time(&slow); });
  EXPECT_EQ(failure_of_run(2s), "");
  finish();
  EXPECT_EQ(failures_, 2);
}

// --- clients that misbehave end the run with who and why

TEST_F(Lockstep, EndsWhenAClientSpeaksAnotherVersion) {
  add_rude_client("Client", "near", {R"({"type":"hello","version":2,"component":"Client"})"});
  EXPECT_EQ(
      failure_of_run(1s),
      "foreign component /Client uses version 2 of the lock-step protocol, this is version 1");
}

TEST_F(Lockstep, EndsWhenAClientSendsGarbage) {
  add_rude_client("Client", "near", {kHello, "garbage"});
  EXPECT_EQ(failure_of_run(1s),
            "foreign component /Client: the line \"garbage\" is not a JSON object");
}

TEST_F(Lockstep, EndsWhenAClientHangs) {
  config_.answer_timeout = 100ms;
  add_rude_client("Client", "near", {kHello});
  EXPECT_EQ(failure_of_run(1s), "foreign component /Client: it has not answered for 0.1 s");
}

TEST_F(Lockstep, EndsWhenAClientAnswersWhatNobodyAsked) {
  add_rude_client("Client", "near", {kHello, R"({"type":"answer","id":9})", kIdle});
  EXPECT_EQ(failure_of_run(1s),
            "foreign component /Client: it answered request 9, which is not pending");
}

TEST_F(Lockstep, EndsWhenAClientEndsATurnThatIsNotItsOwn) {
  add_rude_client("Client", "near", {kHello, R"({"type":"idle","turn":4})"});
  EXPECT_EQ(failure_of_run(1s), "foreign component /Client: it ended turn 4 in turn 1");
}

TEST_F(Lockstep, EndsWhenAClientUsesANumberTwice) {
  add_rude_client("Client", "near",
                  {kHello, R"({"type":"sleep_until","id":1,"time_ns":5})",
                   R"({"type":"sleep_until","id":1,"time_ns":6})", kIdle});
  EXPECT_THAT(failure_of_run(1s), HasSubstr("reused the number 1"));
}

TEST_F(Lockstep, EndsWhenAClientSaysWhatOnlyLongarmMay) {
  add_rude_client("Client", "near", {kHello, R"({"type":"end","time_ns":5})", kIdle});
  EXPECT_THAT(failure_of_run(1s), HasSubstr("it sent 'end', which only Longarm may send"));
}

TEST_F(Lockstep, EndsWhenSomebodyWhoIsNotExpectedSaysHello) {
  config_.join_within = 5s;
  add_rude_client("Client", "near", {R"({"type":"hello","version":1,"component":"Stranger"})"});
  EXPECT_EQ(failure_of_run(1s), "unexpected foreign component /Stranger; missing: /Client");
}

TEST_F(Lockstep, EndsWhenNobodyJoins) {
  config_.join_within = 60ms;
  door().add(add_node("Client", "near"), "near");
  EXPECT_THAT(failure_of_run(1s), StartsWith("/Client did not connect to 127.0.0.1:"));
}

TEST_F(Lockstep, EndsWhenAClientCannotSayThatItIsIdleAndTheModeNeedsIt) {
  add_rude_client("Client", "near",
                  {R"({"type":"hello","version":1,"component":"Client","announces_idle":false})"});
  EXPECT_THAT(failure_of_run(1s), HasSubstr("needs lockstep.mode: collect"));
}

TEST_F(Lockstep, SaysHowAProgramEndedThatItStarted) {
  door().add(add_node("Client", "near"), "near", "exit 3");
  EXPECT_EQ(failure_of_run(1s),
            "foreign component /Client: its program ended with exit code 3 before it joined");
}

TEST_F(Lockstep, RefusesASocketThatIsTaken) {
  const system::Descriptor other =
      std::move(system::bind_socket({"127.0.0.1", 0}, SOCK_STREAM)).value();
  config_.socket = system::to_text(system::local_address(other.number()));
  EXPECT_THROW(door(), InputError);
}

// --- collecting

TEST_F(Lockstep, CollectsFromClientsThatNeverSayTheyAreIdle) {
  config_.mode = "collect";
  config_.step = 100ms;
  config_.timeouts.all = 20ms;
  Node& server = add_node("Server", "far");
  server.serve_raw("echo", give_back);
  door().add(add_node("Client", "near"), "near");
  threads_.emplace_back([this, address = door().address()] {
    ClientOptions options;
    options.component = "Client";
    options.address = address;
    options.announces_idle = false;
    auto client = std::move(LockstepClient::join(options)).value();
    failures_ += client->call("Server", "echo", Bytes(3)) ? 0 : 1;
    (void)client->run();
  });
  EXPECT_EQ(failure_of_run(300ms), "");
  // joined, two steps, and one reply at least: 20 ms each
  EXPECT_GE(door().figures().collections, 4U);
  EXPECT_GE(door().figures().waited_s, 4 * 0.020);
  finish();
  EXPECT_EQ(failures_, 0);
}

/// How long a run with two steps and one call of a foreign client listens, by the wall clock.
class LockstepTimeouts : public LockstepTest {
 protected:
  double waited_s(const CollectionTimeouts& timeouts) {
    config_.mode = "collect";
    config_.step = 100ms;
    config_.timeouts = timeouts;
    Node& server = add_node("Server", "far");
    server.serve_raw("echo", give_back);
    door().add(add_node("Client", "near"), "near");
    threads_.emplace_back([address = door().address()] {
      ClientOptions options;
      options.component = "Client";
      options.address = address;
      options.announces_idle = false;
      auto client = std::move(LockstepClient::join(options)).value();
      (void)client->call("Server", "echo", Bytes(3));
      (void)client->run();
    });
    EXPECT_EQ(failure_of_run(250ms), "");
    return door().figures().waited_s;
  }
};

TEST_F(LockstepTimeouts, OfAllHoldWhereNoOtherIsGiven) {
  EXPECT_LT(waited_s({.all = 20ms, .step = {}, .request = {}, .execution = {}, .reply = {}}), 0.4);
}

TEST_F(LockstepTimeouts, OfAStepHoldForEachStep) {
  EXPECT_GE(waited_s({.all = 20ms, .step = 200ms, .request = {}, .execution = {}, .reply = {}}),
            2 * 0.2);
}

TEST_F(LockstepTimeouts, OfAReplyHoldForTheReply) {
  const double waited =
      waited_s({.all = 20ms, .step = {}, .request = {}, .execution = {}, .reply = 400ms});
  EXPECT_GE(waited, 0.4);
}

TEST(LockstepConfig, SaysWhatMakesNoSense) {
  LockstepConfig config;
  EXPECT_THAT(check_config(config), testing::IsEmpty());
  config.socket = "nowhere";
  config.answer_timeout = Duration::zero();
  config.timeouts.reply = -1ms;
  std::vector<std::string> keys;
  for (const network::KeyRemark& remark : check_config(config)) {
    keys.push_back(remark.key);
  }
  EXPECT_THAT(keys, testing::ElementsAre("socket", "answer_timeout", "timeouts.reply"));
}

// --- Python

class PythonLockstep : public LockstepTest {
 protected:
  static std::string example(const std::string& program) {
    return "exec python3 " LONGARM_SOURCE_DIR "/examples/lockstep_python/" + program;
  }
};

TEST_F(PythonLockstep, EveryRoundTripIsExactBetweenTwoPythonPrograms) {
  const std::string csv = testing::TempDir() + "lockstep_python.csv";
  door().add(add_node("Server", "far"), "far", example("server.py"));
  door().add(add_node("Client", "near"), "near", example("client.py --calls 500 --csv " + csv));
  EXPECT_EQ(failure_of_run(20s), "");
  door_->close();
  std::ifstream file(csv);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "seconds");
  std::getline(file, line);  // the first one makes the connection, too
  int count = 0;
  while (std::getline(file, line)) {
    EXPECT_EQ(line, "0.020000000");
    ++count;
  }
  EXPECT_EQ(count, 499);
}

TEST_F(PythonLockstep, EndsWithWhoAndWhyIfAPythonProgramDies) {
  const std::string dies =
      "exec python3 -c \"import sys, os; sys.path.insert(0, '" LONGARM_SOURCE_DIR
      "/clients/python'); import longarm_client; me = longarm_client.join(); "
      "me.sleep_until(250_000_000); os._exit(7)\"";
  door().add(add_node("Client", "near"), "near", dies);
  EXPECT_EQ(failure_of_run(1s),
            "foreign component /Client: it closed its connection (its program "
            "ended with exit code 7)");
}

}  // namespace
}  // namespace longarm::components

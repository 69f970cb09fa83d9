// SPDX-License-Identifier: Apache-2.0
// For C++ programs that want to be a component of somebody else's simulation, in lock-step with its
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "longarm/components/lockstep/lockstep_message.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/system/line_stream.h"

namespace longarm::components {

struct ClientOptions {
  std::string component;  ///< empty: LONGARM_COMPONENT of the environment
  std::string address;    ///< "127.0.0.1:40123" or a path; empty: LONGARM_LOCKSTEP
  bool announces_idle = true;
  Duration patience{3'600'000'000'000};  ///< wall-clock time for the simulation to say something
};

/// One thread. While a call or a sleep is waited for, requests and messages are handled. Errors
/// mean that the simulation is over or gone; has_ended() tells the two apart.
class LockstepClient {
 public:
  struct Answer {
    Bytes data;
    Duration execution{0};  ///< simulated
  };
  using Handler = std::function<Answer(const Bytes& request)>;
  using Receiver = std::function<void(const Bytes& message)>;

  static Result<std::unique_ptr<LockstepClient>> join(ClientOptions options);
  /// Leaves.
  ~LockstepClient();
  LockstepClient(const LockstepClient&) = delete;
  LockstepClient& operator=(const LockstepClient&) = delete;

  Time now() const { return now_; }
  const std::string& host() const { return host_; }
  bool has_ended() const { return has_ended_; }

  void serve(const std::string& method, Handler handler);
  Result<Bytes> call(const std::string& server, const std::string& method, Bytes request,
                     Duration timeout = Duration::zero());
  void advertise(const std::string& topic, const std::string& message_type);
  void publish(const std::string& topic, Bytes message);
  void subscribe(const std::string& topic, const std::string& message_type, Receiver receiver);
  Result<Time> sleep_until(Time when);
  /// Serves until the simulation ends. An error: it broke off.
  Result<bool> run();

 private:
  LockstepClient(system::LineStream stream, ClientOptions options);

  LockstepMessage& say(const std::string& type);
  Result<bool> flush();
  Result<bool> handle_next();
  Result<bool> handle(const LockstepMessage& message);

  system::LineStream stream_;
  ClientOptions options_;
  Time now_{};
  std::string host_;
  bool has_ended_ = false;
  bool owes_idle_ = false;
  std::int64_t turn_ = 0;
  std::int64_t last_id_ = 0;
  std::vector<LockstepMessage> unsent_;
  std::map<std::int64_t, LockstepMessage> replies_;
  std::set<std::int64_t> awake_;
  std::map<std::string, Handler> handlers_;
  std::map<std::string, Receiver> receivers_;
};

}  // namespace longarm::components

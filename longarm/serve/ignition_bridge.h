// SPDX-License-Identifier: Apache-2.0
// Topics on ignition-transport: what others publish goes to a door, what it says is published.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/protocols/jointcmd/messages.h"
#include "longarm/serve/carrier.h"
#include "longarm/serve/inbox.h"

namespace longarm::serve {

struct BridgeFigures {
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;  ///< because the inbox was full
  std::uint64_t published = 0;
};

/// For every door named "jointcmd.TOPIC": subscribes to TOPIC (ignition.msgs.JointCmd) and
/// publishes TOPIC/states (ignition.msgs.Model) and TOPIC/refusals (ignition.msgs.StringMsg). A
/// "~/" in front of a topic, Gazebo's word for the world, becomes "/". All publishers of a topic
/// are one client to its door. For every door named "topic.TOPIC": publishes each line that it says
/// at TOPIC (ignition.msgs.StringMsg).
///
/// Keeps to the loopback by setting IGN_IP for this process, which must not have used
/// ignition-transport before; other programs on this computer need not set it. Which programs hear
/// each other is a matter of IGN_PARTITION, by default computer and user.
class IgnitionBridge final : public Carrier {
 public:
  struct Topic {
    std::size_t door = 0;
    std::string name;
  };

  /// Null if no door is a topic. The error names the topic that cannot be had.
  static Result<std::unique_ptr<IgnitionBridge>> make(const std::vector<Door*>& doors,
                                                      bool is_open_to_all, Inbox& inbox);
  ~IgnitionBridge() override;

  const std::vector<Topic>& topics() const { return topics_; }
  BridgeFigures figures() const;

  void send(ConnectionId client, std::string bytes) override;
  void end(ConnectionId client) override;

 private:
  struct Node;  // of ignition-transport, whose headers stay in the source
  struct Line;
  struct Ear;

  explicit IgnitionBridge(Inbox& inbox);
  bool add(std::size_t door, const std::string& topic, bool is_text);
  void publish_lines(Line& line, std::string_view bytes);

  Inbox& inbox_;
  std::vector<Topic> topics_;
  std::uint64_t published_ = 0;
  std::map<ConnectionId, std::unique_ptr<Line>> lines_;
  std::unique_ptr<Node> node_;
  // shared with callbacks, of which the library may still run one when its node is gone
  std::shared_ptr<Ear> ear_;
};

/// "/fanuc/joints" for the door "jointcmd.~/fanuc/joints", "/camera_1/frames" for
/// "topic./camera_1/frames", nothing for other doors.
std::string topic_of(const std::string& door);

}  // namespace longarm::serve

// SPDX-License-Identifier: Apache-2.0
// What DDS has of a ROS 2 node: a participant with writers, readers, and the message that names
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <dds/dds.h>

#include "apps/longarm-ros2/ros_types.h"

namespace longarm::ros2 {

struct DdsSettings {
  std::uint32_t domain = 0;
  bool is_open = false;  ///< to other computers; otherwise at 127.0.0.1 alone
  bool is_for_humble = false;
  std::string node = "longarm";
};

/// A topic's last messages, and for whom they are kept.
struct Depth {
  std::int32_t messages = 10;
  bool is_transient_local = false;  ///< who comes later hears them, too
};

/// Sends messages of one type to one topic.
class Writer {
 public:
  Writer() = default;
  explicit Writer(dds_entity_t entity) : entity_(entity) {}
  /// A message that nobody fetches in time is lost, and the next one is tried again.
  void write(const void* message) const { (void)dds_write(entity_, message); }

 private:
  dds_entity_t entity_ = 0;
};

/// Makes writers and readers, says once whose they are, and hands on what is read.
class DdsNode {
 public:
  /// Throws std::runtime_error where DDS has no network or the domain cannot be.
  explicit DdsNode(const DdsSettings& settings);
  ~DdsNode();
  DdsNode(const DdsNode&) = delete;
  DdsNode& operator=(const DdsNode&) = delete;

  /// Topics as ROS names them: "/joint_states".
  Writer write_to(const std::string& topic, const RosType& type, Depth depth);
  template <typename Message>
  void read_from(const std::string& topic, const RosType& type,
                 std::function<void(const Message&)> take) {
    add_reader(topic, type, [take = std::move(take)](const void* message) {
      take(*static_cast<const Message*>(message));
    });
  }
  /// After the last writer and reader: ROS 2 hears whose they are, and messages are handed on, in a
  /// thread of its own.
  void begin();

 private:
  using Take = std::function<void(const void*)>;
  struct Reader {
    dds_entity_t entity = 0;
    Take take;
  };

  dds_entity_t topic(const std::string& dds_name, const RosType& type);
  dds_entity_t make_writer(const std::string& dds_name, const RosType& type, Depth depth);
  void add_reader(const std::string& topic, const RosType& type, Take take);
  void say_whose(bool is_here);
  void hand_on();

  DdsSettings settings_;
  dds_entity_t domain_ = 0;
  dds_entity_t participant_ = 0;
  dds_entity_t discovery_ = 0;
  std::vector<dds_entity_t> writers_;
  std::vector<Reader> readers_;
  dds_entity_t end_ = 0;  ///< a guard condition: the thread is to end
  std::thread thread_;
};

}  // namespace longarm::ros2

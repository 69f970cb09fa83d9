// SPDX-License-Identifier: Apache-2.0
// By CycloneDDS's C interface, in the way of ROS 2's own rmw_cyclonedds.
#include "apps/longarm-ros2/dds_node.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "apps/longarm-ros2/loopback.h"
#include "messages.h"

namespace longarm::ros2 {
namespace {

/// A reader that is slow must not hold up the others for longer.
constexpr dds_duration_t kLongestWrite = DDS_MSECS(10);

dds_entity_t checked(dds_entity_t entity, const std::string& what) {
  if (entity < 0) {
    throw std::runtime_error(fmt::format("DDS: {}: {}", what, dds_strretcode(-entity)));
  }
  return entity;
}

struct QosDeleter {
  void operator()(dds_qos_t* qos) const { dds_delete_qos(qos); }
};
using Qos = std::unique_ptr<dds_qos_t, QosDeleter>;

/// What ROS 2 asks for, but for the depth.
Qos reliable(const RosType& type, Depth depth) {
  Qos qos(dds_create_qos());
  dds_qset_reliability(qos.get(), DDS_RELIABILITY_RELIABLE, kLongestWrite);
  dds_qset_history(qos.get(), DDS_HISTORY_KEEP_LAST, depth.messages);
  dds_qset_writer_data_lifecycle(qos.get(), false);
  if (depth.is_transient_local) {
    dds_qset_durability(qos.get(), DDS_DURABILITY_TRANSIENT_LOCAL);
    dds_qset_durability_service(qos.get(), 0, DDS_HISTORY_KEEP_LAST, depth.messages,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  if (*type.hash != '\0') {
    const std::string data = fmt::format("typehash=RIHS01_{};", type.hash);
    dds_qset_userdata(qos.get(), data.data(), data.size());
  }
  return qos;
}

/// "/joint_states" is rt/joint_states in DDS.
std::string dds_name_of(const std::string& topic) {
  return "rt" + topic;
}

/// Humble's identifiers have more bytes than there are to be had; the last ones are 0.
template <typename Gid>
Gid gid_of(dds_entity_t entity) {
  dds_guid_t guid{};
  checked(dds_get_guid(entity, &guid), "cannot tell the identifier of a reader or writer");
  Gid out{};
  static_assert(sizeof out.data >= sizeof guid.v);
  std::memcpy(out.data, guid.v, sizeof guid.v);
  return out;
}

}  // namespace

DdsNode::DdsNode(const DdsSettings& settings) : settings_(settings) {
  if (!settings.is_open) {
    listen_at_loopback_only();
  }
  domain_ = checked(dds_create_domain(settings.domain, dds_settings(settings.is_open).c_str()),
                    fmt::format("cannot make domain {}", settings.domain));
  const Qos qos(dds_create_qos());
  const std::string data = "enclave=/;";  // ROS 2 takes those without it for no nodes
  dds_qset_userdata(qos.get(), data.data(), data.size());
  participant_ = checked(dds_create_participant(settings.domain, qos.get(), nullptr),
                         fmt::format("cannot join domain {}", settings.domain));
  end_ = checked(dds_create_guardcondition(participant_), "cannot make a condition");
}

DdsNode::~DdsNode() {
  if (thread_.joinable()) {
    dds_set_guardcondition(end_, true);
    thread_.join();
    say_whose(false);
  }
  dds_delete(domain_);
}

dds_entity_t DdsNode::topic(const std::string& dds_name, const RosType& type) {
  return checked(
      dds_create_topic(participant_, &type.descriptor, dds_name.c_str(), nullptr, nullptr),
      fmt::format("cannot make topic {}", dds_name));
}

dds_entity_t DdsNode::make_writer(const std::string& dds_name, const RosType& type, Depth depth) {
  const Qos qos = reliable(type, depth);
  return checked(dds_create_writer(participant_, topic(dds_name, type), qos.get(), nullptr),
                 fmt::format("cannot write to topic {}", dds_name));
}

Writer DdsNode::write_to(const std::string& topic, const RosType& type, Depth depth) {
  writers_.push_back(make_writer(dds_name_of(topic), type, depth));
  return Writer(writers_.back());
}

void DdsNode::add_reader(const std::string& name, const RosType& type, Take take) {
  const std::string dds_name = dds_name_of(name);
  const Qos qos = reliable(type, {});
  const dds_entity_t entity =
      checked(dds_create_reader(participant_, topic(dds_name, type), qos.get(), nullptr),
              fmt::format("cannot read from topic {}", dds_name));
  readers_.push_back({entity, std::move(take)});
}

void DdsNode::begin() {
  const RosType& type =
      settings_.is_for_humble ? kParticipantEntitiesInfoOfHumble : kParticipantEntitiesInfo;
  discovery_ = make_writer("ros_discovery_info", type, {1, true});
  say_whose(true);
  thread_ = std::thread([this] { hand_on(); });
}

void DdsNode::say_whose(bool is_here) {
  // the two layouts differ in the length of identifiers alone
  const auto say = [&]<typename Info, typename Node, typename Gid>(Info info, Node node, Gid) {
    std::vector<Gid> read, written;
    for (const Reader& reader : readers_) {
      read.push_back(gid_of<Gid>(reader.entity));
    }
    for (const dds_entity_t writer : writers_) {
      written.push_back(gid_of<Gid>(writer));
    }
    node.node_namespace[0] = '/';
    settings_.node.copy(node.node_name, sizeof node.node_name - 1);
    node.reader_gid_seq._buffer = read.data();
    node.reader_gid_seq._length = static_cast<std::uint32_t>(read.size());
    node.writer_gid_seq._buffer = written.data();
    node.writer_gid_seq._length = static_cast<std::uint32_t>(written.size());
    info.gid = gid_of<Gid>(participant_);
    info.node_entities_info_seq._buffer = &node;
    info.node_entities_info_seq._length = is_here ? 1 : 0;
    Writer(discovery_).write(&info);
  };
  if (settings_.is_for_humble) {
    say(humble_rmw_dds_common_msg_dds__ParticipantEntitiesInfo_{},
        humble_rmw_dds_common_msg_dds__NodeEntitiesInfo_{}, humble_rmw_dds_common_msg_dds__Gid_{});
  } else {
    say(rmw_dds_common_msg_dds__ParticipantEntitiesInfo_{},
        rmw_dds_common_msg_dds__NodeEntitiesInfo_{}, rmw_dds_common_msg_dds__Gid_{});
  }
}

void DdsNode::hand_on() {
  const dds_entity_t waiting = dds_create_waitset(participant_);
  dds_waitset_attach(waiting, end_, 0);
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    dds_set_status_mask(readers_[i].entity, DDS_DATA_AVAILABLE_STATUS);
    dds_waitset_attach(waiting, readers_[i].entity, static_cast<dds_attach_t>(i + 1));
  }
  while (true) {
    dds_waitset_wait(waiting, nullptr, 0, DDS_INFINITY);
    bool is_over = false;
    if (dds_read_guardcondition(end_, &is_over) != DDS_RETCODE_OK || is_over) {
      return;
    }
    for (const Reader& reader : readers_) {
      void* message = nullptr;
      dds_sample_info_t info{};
      while (dds_take(reader.entity, &message, &info, 1, 1) > 0) {
        if (info.valid_data) {
          reader.take(message);
        }
        dds_return_loan(reader.entity, &message, 1);
        message = nullptr;
      }
    }
  }
}

}  // namespace longarm::ros2

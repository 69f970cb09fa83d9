// SPDX-License-Identifier: Apache-2.0
// Somebody else's DDS (Fast DDS, of another maker than longarm-ros2's) in the way that ROS 2 uses
// it: reads and writes topics as it is told on standard input, and prints all that it finds, as
// lines of JSON.
//
//   fastdds_peer DOMAIN localhost|localhost-only|default
//   {"read": "/joint_states", "type": "sensor_msgs/JointState", "is_latched": false}
//   {"write": "/chatter", "type": "std_msgs/String", "message": {"data": "hello"}}    once somebody
//   listens
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <nlohmann/json.hpp>

namespace {

using namespace eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using Json = nlohmann::ordered_json;
using eprosima::fastcdr::Cdr;

/// Fields as ROS lists them, one after another.
const std::map<std::string, std::string> kFields = {
    {"builtin_interfaces/Time", "int32 sec uint32 nanosec"},
    {"builtin_interfaces/Duration", "int32 sec uint32 nanosec"},
    {"std_msgs/Header", "builtin_interfaces/Time stamp string frame_id"},
    {"std_msgs/String", "string data"},
    {"std_msgs/MultiArrayDimension", "string label uint32 size uint32 stride"},
    {"std_msgs/MultiArrayLayout", "std_msgs/MultiArrayDimension[] dim uint32 data_offset"},
    {"std_msgs/Float64MultiArray", "std_msgs/MultiArrayLayout layout float64[] data"},
    {"geometry_msgs/Vector3", "float64 x float64 y float64 z"},
    {"geometry_msgs/Quaternion", "float64 x float64 y float64 z float64 w"},
    {"geometry_msgs/Transform",
     "geometry_msgs/Vector3 translation geometry_msgs/Quaternion rotation"},
    {"geometry_msgs/TransformStamped",
     "std_msgs/Header header string child_frame_id geometry_msgs/Transform transform"},
    {"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms"},
    {"sensor_msgs/JointState",
     "std_msgs/Header header string[] name float64[] position float64[] velocity float64[] effort"},
    {"rosgraph_msgs/Clock", "builtin_interfaces/Time clock"},
    {"trajectory_msgs/JointTrajectoryPoint",
     "float64[] positions float64[] velocities float64[] accelerations float64[] effort "
     "builtin_interfaces/Duration time_from_start"},
    {"trajectory_msgs/JointTrajectory",
     "std_msgs/Header header string[] joint_names trajectory_msgs/JointTrajectoryPoint[] points"},
    {"rmw_dds_common/Gid", "byte[16] data"},
    {"rmw_dds_common/NodeEntitiesInfo",
     "string node_namespace string node_name rmw_dds_common/Gid[] reader_gid_seq "
     "rmw_dds_common/Gid[] writer_gid_seq"},
    {"rmw_dds_common/ParticipantEntitiesInfo",
     "rmw_dds_common/Gid gid rmw_dds_common/NodeEntitiesInfo[] node_entities_info_seq"},
    {"humble/Gid", "byte[24] data"},
    {"humble/NodeEntitiesInfo",
     "string node_namespace string node_name humble/Gid[] reader_gid_seq humble/Gid[] "
     "writer_gid_seq"},
    {"humble/ParticipantEntitiesInfo",
     "humble/Gid gid humble/NodeEntitiesInfo[] node_entities_info_seq"},
};

std::string dds_type_of(std::string type) {
  if (type == "humble/ParticipantEntitiesInfo") {
    type = "rmw_dds_common/ParticipantEntitiesInfo";
  }
  const std::size_t slash = type.find('/');
  return type.substr(0, slash) + "::msg::dds_::" + type.substr(slash + 1) + "_";
}

// --- JSON to CDR and back

template <typename Value>
Value taken(Cdr& cdr) {
  Value value{};
  cdr >> value;
  return value;
}

Json read(Cdr& cdr, const std::string& type) {
  if (const std::size_t bracket = type.find('['); bracket != std::string::npos) {
    const std::string length = type.substr(bracket + 1, type.size() - bracket - 2);
    const std::uint32_t count =
        length.empty() ? taken<std::uint32_t>(cdr) : static_cast<std::uint32_t>(std::stoul(length));
    Json all = Json::array();
    for (std::uint32_t i = 0; i < count; ++i) {
      all.push_back(read(cdr, type.substr(0, bracket)));
    }
    return all;
  }
  if (type == "int32") {
    return taken<std::int32_t>(cdr);
  }
  if (type == "uint32") {
    return taken<std::uint32_t>(cdr);
  }
  if (type == "byte") {
    return taken<std::uint8_t>(cdr);
  }
  if (type == "float64") {
    return taken<double>(cdr);
  }
  if (type == "string") {
    return taken<std::string>(cdr);
  }
  Json object = Json::object();
  std::istringstream fields(kFields.at(type));
  for (std::string kind, name; fields >> kind >> name;) {
    object[name] = read(cdr, kind);
  }
  return object;
}

void write(Cdr& cdr, const std::string& type, const Json& value) {
  if (const std::size_t bracket = type.find('['); bracket != std::string::npos) {
    if (type[bracket + 1] == ']') {
      cdr << static_cast<std::uint32_t>(value.size());
    }
    for (const Json& each : value) {
      write(cdr, type.substr(0, bracket), each);
    }
  } else if (type == "int32") {
    cdr << value.get<std::int32_t>();
  } else if (type == "uint32") {
    cdr << value.get<std::uint32_t>();
  } else if (type == "float64") {
    cdr << value.get<double>();
  } else if (type == "string") {
    cdr << value.get<std::string>();
  } else {
    std::istringstream fields(kFields.at(type));
    for (std::string kind, name; fields >> kind >> name;) {
      write(cdr, kind, value.at(name));
    }
  }
}

/// What Fast DDS asks of a type; a message is a Json.
class RosType final : public TopicDataType {
 public:
  explicit RosType(std::string type) : type_(std::move(type)) {
    setName(dds_type_of(type_).c_str());
    m_typeSize = 1024;  // more is made when needed
    m_isGetKeyDefined = false;
    auto_fill_type_information(false);
    auto_fill_type_object(false);
  }

 private:
  static std::size_t fill(eprosima::fastcdr::FastBuffer& buffer, const std::string& type,
                          const Json& message) {
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    cdr.serialize_encapsulation();
    write(cdr, type, message);
    return cdr.getSerializedDataLength();
  }

  bool serialize(void* message, rtps::SerializedPayload_t* payload) override {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->max_size);
    payload->encapsulation = CDR_LE;
    payload->length = static_cast<std::uint32_t>(fill(buffer, type_, *static_cast<Json*>(message)));
    return true;
  }
  bool deserialize(rtps::SerializedPayload_t* payload, void* message) override {
    eprosima::fastcdr::FastBuffer buffer(reinterpret_cast<char*>(payload->data), payload->length);
    Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
    try {
      cdr.read_encapsulation();
      *static_cast<Json*>(message) = read(cdr, type_);
    } catch (const std::exception& error) {
      *static_cast<Json*>(message) = {{"error", error.what()}};
    }
    return true;
  }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* message) override {
    return [this, message] {
      eprosima::fastcdr::FastBuffer buffer;
      return static_cast<std::uint32_t>(fill(buffer, type_, *static_cast<Json*>(message)));
    };
  }
  void* createData() override { return new Json; }
  void deleteData(void* message) override { delete static_cast<Json*>(message); }
  bool getKey(void*, rtps::InstanceHandle_t*, bool) override { return false; }

  std::string type_;
};

// --- what is found and heard

void print(const Json& line) {
  static std::mutex printing;
  const std::lock_guard lock(printing);
  std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

template <typename Bytes>
std::string hex_of(const Bytes& bytes) {
  std::string out;
  for (const auto byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(byte));
    out += two;
  }
  return out;
}

std::string hex_of(const rtps::GUID_t& guid) {
  return hex_of(guid.guidPrefix.value) + hex_of(guid.entityId.value);
}

template <typename Octets>
std::string text_of(const Octets& octets) {
  return {octets.begin(), octets.end()};
}

class Discovery final : public DomainParticipantListener {
  template <typename Endpoint>
  static void print_endpoint(const char* what, const Endpoint& info) {
    print({{what, info.topicName().to_string()},
           {"type", info.typeName().to_string()},
           {"guid", hex_of(info.guid())},
           {"user_data", text_of(info.m_qos.m_userData.getValue())},
           {"is_reliable", info.m_qos.m_reliability.kind == RELIABLE_RELIABILITY_QOS},
           {"is_latched", info.m_qos.m_durability.kind == TRANSIENT_LOCAL_DURABILITY_QOS}});
  }

  void on_participant_discovery(DomainParticipant*,
                                rtps::ParticipantDiscoveryInfo&& info) override {
    if (info.status == rtps::ParticipantDiscoveryInfo::DISCOVERED_PARTICIPANT) {
      print({{"participant", hex_of(info.info.m_guid)},
             {"user_data", text_of(info.info.m_userData.getValue())}});
    } else if (info.status != rtps::ParticipantDiscoveryInfo::CHANGED_QOS_PARTICIPANT) {
      print({{"participant_gone", hex_of(info.info.m_guid)}});
    }
  }
  void on_publisher_discovery(DomainParticipant*, rtps::WriterDiscoveryInfo&& info) override {
    if (info.status == rtps::WriterDiscoveryInfo::DISCOVERED_WRITER) {
      print_endpoint("writer", info.info);
    }
  }
  void on_subscriber_discovery(DomainParticipant*, rtps::ReaderDiscoveryInfo&& info) override {
    if (info.status == rtps::ReaderDiscoveryInfo::DISCOVERED_READER) {
      print_endpoint("reader", info.info);
    }
  }
};

class Hearer final : public DataReaderListener {
 public:
  explicit Hearer(std::string topic) : topic_(std::move(topic)) {}

 private:
  void on_data_available(DataReader* reader) override {
    Json message;
    SampleInfo info;
    while (reader->take_next_sample(&message, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data) {
        print({{"topic", topic_}, {"message", message}});
      }
    }
  }
  std::string topic_;
};

class Matches final : public DataWriterListener {
 public:
  void wait() {
    std::unique_lock lock(changing_);
    changed_.wait(lock, [this] { return is_matched_; });
  }

 private:
  void on_publication_matched(DataWriter*, const PublicationMatchedStatus& status) override {
    const std::lock_guard lock(changing_);
    is_matched_ = status.current_count > 0;
    changed_.notify_all();
  }
  std::mutex changing_;
  std::condition_variable changed_;
  bool is_matched_ = false;
};

/// As ROS 2 sets it for its own nodes.
DomainParticipantQos qos_of(const std::string& range) {
  DomainParticipantQos qos;
  rtps::BuiltinAttributes& builtin = qos.wire_protocol().builtin;
  if (range == "default") {
    return qos;
  }
  const auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  if (range == "localhost") {  // ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST, since Iron
    builtin.metatrafficMulticastLocatorList.clear();
    builtin.metatrafficUnicastLocatorList.push_back(rtps::Locator_t());
    udp->maxInitialPeersRange = 32;
    rtps::Locator_t peer;
    rtps::IPLocator::setIPv4(peer, "127.0.0.1");
    builtin.initialPeersList.push_back(peer);
  } else if (range == "localhost-only") {  // ROS_LOCALHOST_ONLY=1, in Humble
    udp->interfaceWhiteList.emplace_back("127.0.0.1");
  } else {
    throw std::runtime_error("unknown range " + range);
  }
  return qos;
}

class Peer {
 public:
  Peer(std::uint32_t domain, const std::string& range)
      : participant_(DomainParticipantFactory::get_instance()->create_participant(
            domain, qos_of(range), &discovery_, StatusMask::none())) {
    if (participant_ == nullptr) {
      throw std::runtime_error("no participant");
    }
    subscriber_ = participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
    publisher_ = participant_->create_publisher(PUBLISHER_QOS_DEFAULT);
  }
  ~Peer() {
    participant_->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }

  void obey(const Json& command) {
    if (command.contains("read")) {
      const std::string topic = command["read"];
      DataReaderQos qos;
      qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
      qos.history().depth = 10;
      qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
      if (command.value("is_latched", false)) {
        qos.durability().kind = TRANSIENT_LOCAL_DURABILITY_QOS;
      }
      hearers_.push_back(std::make_unique<Hearer>(topic));
      subscriber_->create_datareader(topic_of(topic, command["type"]), qos, hearers_.back().get());
    } else {
      const std::string topic = command["write"];
      Writer& writer = writers_[topic];
      if (writer.writer == nullptr) {
        DataWriterQos qos;
        qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
        qos.durability().kind = VOLATILE_DURABILITY_QOS;
        qos.endpoint().history_memory_policy = rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
        writer.writer =
            publisher_->create_datawriter(topic_of(topic, command["type"]), qos, &writer.matches);
      }
      writer.matches.wait();
      Json message = command["message"];
      print({{"written", topic}, {"is_done", writer.writer->write(&message)}});
    }
  }

 private:
  struct Writer {
    Matches matches;
    DataWriter* writer = nullptr;
  };

  Topic* topic_of(const std::string& topic, const std::string& type) {
    TypeSupport support(new RosType(type));
    support.register_type(participant_);
    // ros_discovery_info is no topic of a node
    const std::string name = topic.front() == '/' ? "rt" + topic : topic;
    return participant_->create_topic(name, support.get_type_name(), TOPIC_QOS_DEFAULT);
  }

  Discovery discovery_;
  std::vector<std::unique_ptr<Hearer>> hearers_;
  std::map<std::string, Writer> writers_;
  DomainParticipant* participant_;
  Subscriber* subscriber_ = nullptr;
  Publisher* publisher_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    return 2;
  }
  Peer peer(static_cast<std::uint32_t>(std::stoul(words[1])), words[2]);
  for (std::string line; std::getline(std::cin, line);) {
    peer.obey(Json::parse(line));
  }
  return 0;
}

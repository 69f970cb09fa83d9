// SPDX-License-Identifier: Apache-2.0
// Documents as other clients write them are read, and what we write is valid by a schema: small
// ones of our own, for machines that have not the published ones of crcl_schema_test.cpp.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "crcl_random.h"
#include "longarm/protocols/crcl/client.h"

namespace longarm::protocols::crcl {
namespace {

namespace fs = std::filesystem;

// With what documents may have beside their elements: a declaration, comments, blank lines, a
// prefix of its own for xsi, the place of a schema, names.
constexpr const char* kMoveDocument = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- to the tray -->
<CRCLCommandInstance xmlns:i="http://www.w3.org/2001/XMLSchema-instance"
    i:noNamespaceSchemaLocation="small.xsd">
  <Name>Order7</Name>
  <CRCLCommand i:type="MoveToType">
    <Name>ToTray</Name>
    <CommandID>7</CommandID>

    <MoveStraight>true</MoveStraight>
    <EndPosition>
      <Point><X>0.25</X><Y>-0.5</Y><Z>1e-1</Z></Point>
      <XAxis><I>1</I><J>0</J><K>0</K></XAxis>
      <ZAxis><I>0</I><J>0</J><K>-1</K></ZAxis>
    </EndPosition>
  </CRCLCommand>
</CRCLCommandInstance>
)";

constexpr const char* kProgramDocument = R"(<CRCLProgram
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <InitCanon><CommandID>1</CommandID></InitCanon>
  <MiddleCommand xsi:type="MessageType"><CommandID>2</CommandID>
    <Message>a &lt; b</Message></MiddleCommand>
  <MiddleCommand xsi:type="DwellType"><CommandID>3</CommandID>
    <DwellTime>0.5</DwellTime></MiddleCommand>
  <MiddleCommand xsi:type="SetEndEffectorType"><CommandID>4</CommandID>
    <Setting>1.0</Setting></MiddleCommand>
  <EndCanon><CommandID>5</CommandID></EndCanon>
</CRCLProgram>
)";

constexpr const char* kStatusDocument = R"(<?xml version="1.0"?>
<CRCLStatus xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <CommandStatus>
    <CommandID>7</CommandID><StatusID>41</StatusID><CommandState>CRCL_Working</CommandState>
  </CommandStatus>
  <JointStatuses>
    <JointStatus><JointNumber>1</JointNumber><JointPosition>0.5</JointPosition></JointStatus>
    <JointStatus><JointNumber>2</JointNumber><JointVelocity>-0.25</JointVelocity></JointStatus>
  </JointStatuses>
  <GripperStatus xsi:type="ParallelGripperStatusType">
    <GripperName>jaws</GripperName><HoldingObject>true</HoldingObject><Separation>0.04</Separation>
  </GripperStatus>
</CRCLStatus>
)";

TEST(CrclDocuments, ACommandIsReadAndComesBackTheSame) {
  const Result<CommandInstance> read = decode_command(kMoveDocument);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->command.name, "ToTray");
  EXPECT_EQ(read->command.id, 7);
  const auto& move = std::get<MoveTo>(read->command.body);
  EXPECT_TRUE(move.is_straight);
  EXPECT_EQ(move.end.pose.point, (Point{0.25, -0.5, 0.1}));
  EXPECT_EQ(move.end.pose.z_axis, (Vector{0.0, 0.0, -1.0}));
  EXPECT_EQ(decode_command(encode(*read).value()).value(), *read);
}

TEST(CrclDocuments, AProgramIsReadAndComesBackTheSame) {
  const Result<Program> read = decode_program(kProgramDocument);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(read->commands.size(), 5U);
  EXPECT_EQ(std::get<Message>(read->commands[1].body).text, "a < b");
  EXPECT_EQ(std::get<Dwell>(read->commands[2].body).time_s, 0.5);
  EXPECT_EQ(std::get<SetEndEffector>(read->commands[3].body).setting, 1.0);
  EXPECT_EQ(decode_program(encode(*read).value()).value(), *read);
}

TEST(CrclDocuments, AStatusGoesThroughTheClient) {
  Client client;
  EXPECT_EQ(client.receive(kStatusDocument), 1U);
  EXPECT_EQ(client.unreadable(), 0U) << client.last_failure();
  const Status read = decode_status(kStatusDocument).value();
  EXPECT_EQ(read.command.state, CommandState::kWorking);
  EXPECT_EQ(read.joints->at(1).velocity, -0.25);
  EXPECT_EQ(std::get<ParallelGripper>(read.gripper->kind).separation, 0.04);
  EXPECT_EQ(decode_status(encode(read).value()).value(), read);
}

// --- validity
// -------------------------------------------------------------------------------------

// The envelopes, the status without settings, sensors and guards, and some commands.
constexpr const char* kSmallSchema = R"(<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="Fraction"><xs:restriction base="xs:decimal">
    <xs:minInclusive value="0"/><xs:maxInclusive value="1"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="State"><xs:restriction base="xs:NMTOKEN">
    <xs:enumeration value="CRCL_Ready"/><xs:enumeration value="CRCL_Working"/>
    <xs:enumeration value="CRCL_Done"/><xs:enumeration value="CRCL_Error"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="Point"><xs:sequence>
    <xs:element name="X" type="xs:double"/><xs:element name="Y" type="xs:double"/>
    <xs:element name="Z" type="xs:double"/></xs:sequence></xs:complexType>
  <xs:complexType name="Vector"><xs:sequence>
    <xs:element name="I" type="xs:double"/><xs:element name="J" type="xs:double"/>
    <xs:element name="K" type="xs:double"/></xs:sequence></xs:complexType>
  <xs:complexType name="PoseType"><xs:sequence>
    <xs:element name="Point" type="Point"/><xs:element name="XAxis" type="Vector"/>
    <xs:element name="ZAxis" type="Vector"/></xs:sequence></xs:complexType>

  <xs:complexType name="Command" abstract="true"><xs:sequence>
    <xs:element name="Name" type="xs:ID" minOccurs="0"/>
    <xs:element name="CommandID" type="xs:long"/></xs:sequence></xs:complexType>
  <xs:complexType name="InitCanonType"><xs:complexContent><xs:extension base="Command"/>
  </xs:complexContent></xs:complexType>
  <xs:complexType name="EndCanonType"><xs:complexContent><xs:extension base="Command"/>
  </xs:complexContent></xs:complexType>
  <xs:complexType name="GetStatusType"><xs:complexContent><xs:extension base="Command"/>
  </xs:complexContent></xs:complexType>
  <xs:complexType name="MoveToType"><xs:complexContent><xs:extension base="Command"><xs:sequence>
    <xs:element name="MoveStraight" type="xs:boolean"/>
    <xs:element name="EndPosition" type="PoseType"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:complexType name="MessageType"><xs:complexContent><xs:extension base="Command"><xs:sequence>
    <xs:element name="Message" type="xs:string"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:complexType name="DwellType"><xs:complexContent><xs:extension base="Command"><xs:sequence>
    <xs:element name="DwellTime" type="xs:double"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>

  <xs:element name="CRCLCommandInstance"><xs:complexType><xs:sequence>
    <xs:element name="Name" type="xs:ID" minOccurs="0"/>
    <xs:element name="CRCLCommand" type="Command"/>
    <xs:element name="ProgramFile" type="xs:string" minOccurs="0"/>
    <xs:element name="ProgramIndex" type="xs:int" minOccurs="0"/>
    <xs:element name="ProgramLength" type="xs:int" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="CRCLProgram"><xs:complexType><xs:sequence>
    <xs:element name="Name" type="xs:ID" minOccurs="0"/>
    <xs:element name="InitCanon" type="InitCanonType"/>
    <xs:element name="MiddleCommand" type="Command" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="EndCanon" type="EndCanonType"/>
  </xs:sequence></xs:complexType></xs:element>

  <xs:complexType name="Gripper" abstract="true"><xs:sequence>
    <xs:element name="GripperName" type="xs:NMTOKEN"/>
    <xs:element name="HoldingObject" type="xs:boolean" minOccurs="0"/></xs:sequence></xs:complexType>
  <xs:complexType name="ParallelGripperStatusType"><xs:complexContent><xs:extension base="Gripper">
    <xs:sequence><xs:element name="Separation" type="xs:double"/></xs:sequence>
  </xs:extension></xs:complexContent></xs:complexType>
  <xs:complexType name="VacuumGripperStatusType"><xs:complexContent><xs:extension base="Gripper">
    <xs:sequence><xs:element name="IsPowered" type="xs:boolean"/></xs:sequence>
  </xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="CRCLStatus"><xs:complexType><xs:sequence>
    <xs:element name="Name" type="xs:ID" minOccurs="0"/>
    <xs:element name="CommandStatus"><xs:complexType><xs:sequence>
      <xs:element name="CommandID" type="xs:long"/><xs:element name="StatusID" type="xs:long"/>
      <xs:element name="CommandState" type="State"/>
      <xs:element name="StateDescription" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="JointStatuses" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:element name="JointStatus" maxOccurs="unbounded"><xs:complexType><xs:sequence>
        <xs:element name="JointNumber" type="xs:int"/>
        <xs:element name="JointPosition" type="xs:double" minOccurs="0"/>
        <xs:element name="JointTorqueOrForce" type="xs:double" minOccurs="0"/>
        <xs:element name="JointVelocity" type="xs:double" minOccurs="0"/>
      </xs:sequence></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="PoseStatus" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:element name="Pose" type="PoseType"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="GripperStatus" type="Gripper" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
)";

class CrclValidity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v xmllint >/dev/null") != 0) {
      GTEST_SKIP() << "xmllint is not installed";
    }
    folder_ = fs::temp_directory_path() / ("longarm-crcl-small-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "small.xsd") << kSmallSchema;
  }
  void TearDown() override {
    if (!folder_.empty()) {
      fs::remove_all(folder_);
    }
  }

  void write(const Result<std::string>& document) {
    ASSERT_TRUE(document.has_value()) << document.error().message;
    std::ofstream(folder_ / (std::to_string(count_++) + ".xml"), std::ios::binary) << *document;
  }

  /// What xmllint says of all documents at once; empty if all are valid.
  std::string complaints() const {
    const std::string command =
        "cd '" + folder_.string() + "' && xmllint --noout --schema small.xsd *.xml >said 2>&1";
    if (std::system(command.c_str()) == 0) {
      return {};
    }
    std::ostringstream said;
    said << std::ifstream(folder_ / "said").rdbuf();
    return said.str();
  }

  fs::path folder_;
  int count_ = 0;
};

TEST_F(CrclValidity, CommandsAndAProgramOfThemAreValid) {
  Filler filler(3);
  Program program{"all", {}};
  for (int round = 0; round < 4; ++round) {
    for (const char* type :
         {"InitCanonType", "MessageType", "DwellType", "GetStatusType", "EndCanonType"}) {
      CommandInstance instance;
      take_alternative(type, kCommandTypes, instance.command.body);
      list_fields(filler, instance);
      instance.command.guards.clear();
      write(encode(instance));
      const bool is_first = program.commands.empty();
      const bool is_edge =
          std::string_view(type) == "InitCanonType" || std::string_view(type) == "EndCanonType";
      if (is_first || !is_edge) {
        program.commands.push_back(instance.command);
      }
    }
  }
  program.commands.push_back({});
  program.commands.back().body = EndCanon{};
  write(encode(program));
  write(encode(*decode_command(kMoveDocument)));
  EXPECT_EQ(complaints(), "");
}

TEST_F(CrclValidity, StatusesAreValid) {
  Filler filler(5);
  for (int round = 0; round < 20; ++round) {
    Status status;
    list_fields(filler, status);
    status.command.program_file.reset();
    status.command.program_index.reset();
    status.command.program_length.reset();
    status.command.override_percent.reset();
    status.settings.reset();
    status.sensors.reset();
    status.guards.reset();
    if (status.pose) {
      status.pose = PoseStatus{status.pose->pose, {}, {}, {}};
    }
    if (status.gripper && std::holds_alternative<ThreeFingerGripper>(status.gripper->kind)) {
      status.gripper->kind = VacuumGripper{true};
    }
    if (status.gripper) {
      status.gripper->options.clear();
    }
    write(encode(status));
  }
  EXPECT_EQ(complaints(), "");
}

// That the oracle can say no.
TEST_F(CrclValidity, XmllintNoticesWhatIsNotValid) {
  std::string out_of_order = kStatusDocument;
  const std::string first = "<CommandID>7</CommandID>";
  out_of_order.erase(out_of_order.find(first), first.size());
  write(out_of_order);
  EXPECT_NE(complaints(), "");
}

}  // namespace
}  // namespace longarm::protocols::crcl

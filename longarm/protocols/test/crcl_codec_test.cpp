// SPDX-License-Identifier: Apache-2.0
// What the CRCL codec reads, what it refuses and why; what it writes, reads back the same.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "crcl_random.h"
#include "longarm/protocols/crcl/codec.h"

namespace longarm::protocols::crcl {
namespace {

std::string instance_of(const std::string& type, const std::string& fields) {
  return "<CRCLCommandInstance xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
         "<CRCLCommand xsi:type=\"" +
         type + "\"><CommandID>5</CommandID>" + fields + "</CRCLCommand></CRCLCommandInstance>";
}

std::string pose_with_x(const std::string& x) {
  return "<Point><X>" + x +
         "</X><Y>2</Y><Z>3</Z></Point><XAxis><I>1</I><J>0</J><K>0</K></XAxis>"
         "<ZAxis><I>0</I><J>0</J><K>-1</K></ZAxis>";
}

std::string decoding_failure(const std::string& document) {
  const Result<CommandInstance> read = decode_command(document);
  return read.has_value() ? "" : read.error().message;
}

CommandBody body_of(const std::string& document) {
  const Result<CommandInstance> read = decode_command(document);
  EXPECT_TRUE(read.has_value()) << read.error().message;
  return read->command.body;
}

// --- reading
// --------------------------------------------------------------------------------------

// As a NIST client sends it: the prefix is declared on the inner element, no line ends.
TEST(CrclCodec, ReadsWhatTheReferenceClientSends) {
  const std::string document =
      "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?><CRCLCommandInstance>"
      "<CRCLCommand xsi:type=\"MoveToType\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><CommandID>8</CommandID>"
      "<MoveStraight>false</MoveStraight><EndPosition>" +
      pose_with_x("-1.2E-16") + "</EndPosition></CRCLCommand></CRCLCommandInstance>";
  const Result<CommandInstance> read = decode_command(document);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->command.id, 8);
  const auto& move = std::get<MoveTo>(read->command.body);
  EXPECT_FALSE(move.is_straight);
  EXPECT_EQ(move.end.pose, (Pose{{-1.2e-16, 2.0, 3.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}}));
  EXPECT_FALSE(move.end.settings.has_value());
}

TEST(CrclCodec, TakesXsiTypeByAnyPrefix) {
  const std::string document =
      "<CRCLCommandInstance><CRCLCommand xmlns:i='http://www.w3.org/2001/XMLSchema-instance' "
      "i:type=' DwellType '><CommandID>1</CommandID>"
      "<DwellTime> 1 </DwellTime></CRCLCommand></CRCLCommandInstance>";
  EXPECT_EQ(body_of(document), CommandBody(Dwell{1.0}));
}

TEST(CrclCodec, ReadsNumbersAsXmlSchemaWritesThem) {
  const auto dwell = [](const std::string& number) {
    return std::get<Dwell>(
               body_of(instance_of("DwellType", "<DwellTime>" + number + "</DwellTime>")))
        .time_s;
  };
  EXPECT_EQ(dwell("1"), 1.0);
  EXPECT_EQ(dwell("+1.5"), 1.5);
  EXPECT_EQ(dwell(".5"), 0.5);
  EXPECT_EQ(dwell("5."), 5.0);
  EXPECT_EQ(dwell("-1.2E-2"), -0.012);
  EXPECT_EQ(dwell("\n 1e+2\t"), 100.0);
  EXPECT_EQ(dwell("0.1<!-- and -->5"), 0.15);
  EXPECT_EQ(dwell("<![CDATA[7]]>"), 7.0);
  EXPECT_EQ(dwell("&#49;&#x32;"), 12.0);
  // too small for a double is zero; a mantissa with its zeros and an exponent that undo each other
  EXPECT_EQ(dwell("1e-400"), 0.0);
  EXPECT_EQ(dwell("0." + std::string(400, '0') + "1e10"), 0.0);
}

TEST(CrclCodec, RefusesWhatIsNoNumberOrNotFinite) {
  for (const std::string number :
       {"nan", "inf", "-inf", "0x10", "1,5", "", ".", "1e", "e5", "+-1", "1 2", "--1", "1f"}) {
    EXPECT_EQ(decoding_failure(instance_of("DwellType", "<DwellTime>" + number + "</DwellTime>")),
              "CRCLCommand/DwellTime: '" + number + "' is not a number");
  }
  for (const std::string number : {"INF", "-INF", "NaN", "1e400"}) {
    EXPECT_EQ(decoding_failure(instance_of("DwellType", "<DwellTime>" + number + "</DwellTime>")),
              "CRCLCommand/DwellTime: '" + number + "' is not a finite number");
  }
}

TEST(CrclCodec, TakesNonFiniteNumbersInStatusesOfOthers) {
  const Result<Status> read = decode_status(
      "<CRCLStatus><CommandStatus><CommandID>0</CommandID><StatusID>1</StatusID>"
      "<CommandState>CRCL_Ready</CommandState></CommandStatus><JointStatuses><JointStatus>"
      "<JointNumber>1</JointNumber><JointPosition>NaN</JointPosition>"
      "<JointVelocity>-INF</JointVelocity></JointStatus></JointStatuses></CRCLStatus>");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_TRUE(std::isnan(*read->joints->front().position));
  EXPECT_EQ(*read->joints->front().velocity, -std::numeric_limits<double>::infinity());
}

TEST(CrclCodec, ReadsBooleansInBothSpellings) {
  for (const auto& [text, value] :
       {std::pair{"true", true}, {"1", true}, {"false", false}, {" 0 ", false}}) {
    const std::string fields = std::string("<Coordinated>") + text + "</Coordinated>";
    EXPECT_EQ(body_of(instance_of("SetMotionCoordinationType", fields)),
              CommandBody(SetMotionCoordination{value}));
  }
  EXPECT_EQ(
      decoding_failure(instance_of("SetMotionCoordinationType", "<Coordinated>yes</Coordinated>")),
      "CRCLCommand/Coordinated: 'yes' is neither true nor false");
}

TEST(CrclCodec, TakesAStatusReportOfFourFlagsFromOlderClients) {
  const std::string four =
      "<ReportJointStatuses>true</ReportJointStatuses><ReportPoseStatus>true</ReportPoseStatus>"
      "<ReportGripperStatus>false</ReportGripperStatus>"
      "<ReportSettingsStatus>true</ReportSettingsStatus>";
  EXPECT_EQ(body_of(instance_of("ConfigureStatusReportType", four)),
            CommandBody(ConfigureStatusReport{true, true, false, true, {}, {}}));
}

TEST(CrclCodec, ReadsWhatTheSchemaOf2021Added) {
  EXPECT_EQ(body_of(instance_of("LoopBlockStartType", "<LoopName>a b</LoopName>")),
            CommandBody(LoopBlockStart{"a b"}));
  EXPECT_EQ(
      body_of(instance_of("LoopBlockEndType", "<LoopName>l</LoopName><MaxCount>3</MaxCount>")),
      CommandBody(LoopBlockEnd{"l", 3}));
  const Result<CommandInstance> guarded = decode_command(
      "<CRCLCommandInstance xmlns:x='http://www.w3.org/2001/XMLSchema-instance'>"
      "<Name>not an id</Name><CRCLCommand x:type='DwellType'>"
      "<CommandID>1</CommandID><Guard><SensorID>ft</SensorID><LimitType>OVER_MAX</LimitType>"
      "<LimitValue>3</LimitValue><RequireTrigger>true</RequireTrigger>"
      "<ErrorOnTrigger>false</ErrorOnTrigger></Guard><DwellTime>1</DwellTime></CRCLCommand>"
      "</CRCLCommandInstance>");
  ASSERT_TRUE(guarded.has_value()) << guarded.error().message;
  EXPECT_EQ(guarded->name, "not an id");
  EXPECT_EQ(guarded->command.guards.at(0).requires_trigger, true);
  EXPECT_EQ(guarded->command.guards.at(0).is_error_on_trigger, false);
}

TEST(CrclCodec, ReadsOverNamesInsideACommand) {
  const std::string fields =
      "<MoveStraight>true</MoveStraight><EndPosition><Name>p</Name><Point><Name>q</Name>"
      "<X>1</X><Y>2</Y><Z>3</Z></Point><XAxis><Name>v</Name><I>1</I><J>0</J><K>0</K></XAxis>"
      "<ZAxis><I>0</I><J>0</J><K>-1</K></ZAxis></EndPosition>";
  const CommandBody body = body_of(instance_of("MoveToType", fields));
  EXPECT_EQ(std::get<MoveTo>(body).end.pose.point, (Point{1.0, 2.0, 3.0}));
}

// Of a seed server: it sends the poses of all parts after what the schema knows.
TEST(CrclCodec, ReadsOverExtensionsAtTheEndOfAStatus) {
  const std::string status =
      "<CRCLStatus><CommandStatus><CommandID>4</CommandID><StatusID>1</StatusID>"
      "<CommandState>CRCL_Done</CommandState></CommandStatus>"
      "<ModelStatus><Name>gear</Name></ModelStatus></CRCLStatus>";
  const Result<Status> read = decode_status(status);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->command.command_id, 4);
}

// --- refusing
// -------------------------------------------------------------------------------------

TEST(CrclCodec, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      decoding_failure(instance_of("MoveToType", "<MoveStraight>true</MoveStraight><EndPosition>" +
                                                     pose_with_x("nan") + "</EndPosition>")),
      "CRCLCommand/EndPosition/Point/X: 'nan' is not a number");
  EXPECT_EQ(decoding_failure(instance_of("MoveToType", "<MoveStraight>true</MoveStraight>")),
            "CRCLCommand: 'EndPosition' is missing");
  EXPECT_EQ(decoding_failure(instance_of("FlyToType", "")),
            "CRCLCommand: xsi:type 'FlyToType' is not known here");
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance><CRCLCommand/></CRCLCommandInstance>"),
            "CRCLCommand: says no xsi:type");
  EXPECT_EQ(decoding_failure(instance_of("DwellType", "<Pause>1</Pause>")),
            "CRCLCommand: 'DwellTime' was expected before 'Pause'");
  EXPECT_EQ(decoding_failure(instance_of("DwellType", "<DwellTime>1</DwellTime><Extra/>")),
            "CRCLCommand: 'Extra' is not expected here");
  EXPECT_EQ(decoding_failure(instance_of("DwellType", "<DwellTime>1</DwellTime>text")),
            "CRCLCommand: text 'text' is not expected here");
  EXPECT_EQ(decoding_failure(instance_of("DwellType", "<DwellTime><X>1</X></DwellTime>")),
            "CRCLCommand/DwellTime: 'X' is not expected here");
  EXPECT_EQ(decoding_failure(instance_of("SetLengthUnitsType", "<UnitName>MM</UnitName>")),
            "CRCLCommand/UnitName: 'MM' is none of meter, millimeter, inch");
  EXPECT_EQ(decoding_failure(instance_of("SetEndEffectorType", "<Setting>1.5</Setting>")),
            "CRCLCommand/Setting: '1.5' is not between 0 and 1");
  EXPECT_EQ(decoding_failure(instance_of("DisableGripperType", "<GripperName>a b</GripperName>")),
            "CRCLCommand/GripperName: 'a b' is not one word");
  EXPECT_EQ(decoding_failure(instance_of(
                "MoveThroughToType",
                "<MoveStraight>true</MoveStraight><Waypoint>" + pose_with_x("1") + "</Waypoint>")),
            "CRCLCommand: 'Waypoint' is missing");
  EXPECT_EQ(decoding_failure("<CRCLStatus></CRCLStatus>"),
            "the root is 'CRCLStatus' where 'CRCLCommandInstance' was expected");
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance></CRCLCommandInstance><a/>"),
            "'a' follows the end of the document");
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance>\xFF</CRCLCommandInstance>"),
            "not XML: bytes that are no UTF-8 text");
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance>\a</CRCLCommandInstance>"),
            "not XML: control character 0x07 at byte 21, which XML forbids");
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance><a></CRCLCommandInstance>").substr(0, 9),
            "not XML: ");
  EXPECT_NE(decoding_failure(""), "");
}

TEST(CrclCodec, RefusesDocumentTypesAndEntities) {
  EXPECT_EQ(decoding_failure("<!DOCTYPE a [<!ENTITY b 'c'>]><CRCLCommandInstance/>"),
            "a document type (<!DOCTYPE …>) is not allowed");
  EXPECT_EQ(decoding_failure(instance_of("MessageType", "<Message>&lol9;</Message>")),
            "CRCLCommand/Message: '&amp;lol9;' names an entity that XML does not have");
  EXPECT_EQ(decoding_failure(instance_of("MessageType", "<Message>a & b</Message>")),
            "CRCLCommand/Message: 'a &amp; b' names an entity that XML does not have");
  EXPECT_NE(decoding_failure(instance_of("MessageType", "<Message>&#0;</Message>")), "");
}

// Nothing in here may go down into elements by calling itself.
TEST(CrclCodec, RefusesElementsInsideEachOtherAHundredThousandDeep) {
  std::string inside;
  for (int i = 0; i < 100000; ++i) {
    inside += "<a>";
  }
  for (int i = 0; i < 100000; ++i) {
    inside += "</a>";
  }
  EXPECT_EQ(decoding_failure("<CRCLCommandInstance>" + inside + "</CRCLCommandInstance>"),
            "elements within elements, more than 32 deep");
}

TEST(CrclCodec, RefusesInitCanonInTheMiddleOfAProgram) {
  const Result<Program> read = decode_program(
      "<CRCLProgram xmlns:x='http://www.w3.org/2001/XMLSchema-instance'>"
      "<InitCanon><CommandID>1</CommandID></InitCanon><MiddleCommand "
      "x:type='InitCanonType'><CommandID>2</CommandID></MiddleCommand>"
      "<EndCanon><CommandID>3</CommandID></EndCanon></CRCLProgram>");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().message, "MiddleCommand: xsi:type 'InitCanonType' is not known here");
}

// --- defects of the seed servers that a codec can have
// ---------------------------------------------

TEST(CrclCodec, KeepsIdsBeyondAByteAndBeyond32Bits) {
  for (const std::int64_t id : {std::int64_t{256}, std::int64_t{257}, std::int64_t{1} << 40,
                                std::numeric_limits<std::int64_t>::max()}) {
    Status status;
    status.command.command_id = id;
    status.command.status_id = id;
    EXPECT_EQ(decode_status(encode(status).value()).value(), status);
  }
}

TEST(CrclCodec, LeavesNanInNamesAlone) {
  Status status;
  status.command.description = "banana nan NaN";
  status.gripper = GripperStatus{"nanogripper", {{"nan", "inf"}}, {}, ParallelGripper{0.1}};
  EXPECT_EQ(decode_status(encode(status).value()).value(), status);
}

TEST(CrclCodec, ReadsMillimetresAndFractionsAsTheyAre) {
  EXPECT_EQ(body_of(instance_of("SetLengthUnitsType", "<UnitName>millimeter</UnitName>")),
            CommandBody(SetLengthUnits{LengthUnit::kMillimeter}));
  const std::string fields =
      "<RotSpeed xsi:type='RotSpeedRelativeType'><Fraction>0.25</Fraction></RotSpeed>";
  EXPECT_EQ(body_of(instance_of("SetRotSpeedType", fields)),
            CommandBody(SetRotSpeed{Rate{true, 0.25}}));
  // the type of another quantity is no type of this one
  EXPECT_EQ(decoding_failure(instance_of(
                "SetRotSpeedType",
                "<RotSpeed xsi:type='TransSpeedRelativeType'><Fraction>1</Fraction></RotSpeed>")),
            "CRCLCommand/RotSpeed: xsi:type 'TransSpeedRelativeType' is not known here");
}

// --- writing
// --------------------------------------------------------------------------------------

TEST(CrclCodec, RefusesToWriteWhatTheSchemaOf2019DoesNotAllow) {
  const auto failure = [](CommandBody body) {
    CommandInstance instance;
    instance.command.body = std::move(body);
    const Result<std::string> written = encode(instance);
    return written.has_value() ? "" : written.error().message;
  };
  EXPECT_EQ(failure(LoopBlockStart{"l"}), "LoopBlockStartType is not in the schema of 2019");
  EXPECT_EQ(failure(Dwell{std::numeric_limits<double>::infinity()}),
            "DwellTime: inf is not a finite number");
  EXPECT_EQ(failure(SetEndEffector{1.01}), "Setting: 1.01 is not between 0 and 1");
  EXPECT_EQ(failure(DisableGripper{"two words"}),
            "GripperName: 'two words' is not a name of letters, digits and .-_:");
  EXPECT_EQ(failure(MoveThroughTo{}), "Waypoint: there must be at least 2");
  Status status;
  status.joints.emplace();
  EXPECT_EQ(encode(status).error().message, "JointStatus: there must be at least 1");
  EXPECT_EQ(encode(Program{}).error().message,
            "a program begins with InitCanon and ends with EndCanon");
}

TEST(CrclCodec, LeavesOutNamesThatAreNoIdsOrNotUnique) {
  CommandInstance instance;
  instance.name = "same";
  instance.command.name = "same";
  EXPECT_EQ(decode_command(encode(instance).value()).value().command.name, "");
  instance.command.name = "has a space";
  EXPECT_EQ(decode_command(encode(instance).value()).value().command.name, "");
  instance.command.name = "other";
  EXPECT_EQ(decode_command(encode(instance).value()).value(), instance);
}

TEST(CrclCodec, WritesUnprintableBytesAsReplacementCharacters) {
  CommandInstance instance;
  instance.command.body = Message{std::string("a\x01") + "b\xFF"};
  const CommandBody read = decode_command(encode(instance).value()).value().command.body;
  EXPECT_EQ(std::get<Message>(read).text,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(CrclCodec, EveryCommandComesBackTheSame) {
  Filler filler(1);
  for (int round = 0; round < 50; ++round) {
    // all but the two of 2021
    for (std::size_t type = 0; type + 2 < kCommandTypes.size(); ++type) {
      CommandInstance instance;
      take_alternative(kCommandTypes[type], kCommandTypes, instance.command.body);
      list_fields(filler, instance);
      const Result<std::string> written = encode(instance);
      ASSERT_TRUE(written.has_value()) << written.error().message;
      const Result<CommandInstance> read = decode_command(*written);
      ASSERT_TRUE(read.has_value()) << read.error().message << "\n" << *written;
      EXPECT_EQ(*read, instance) << *written;
      EXPECT_EQ(kind_of(*written), DocumentKind::kCommand);
      EXPECT_EQ(command_id_in(*written), instance.command.id);
    }
  }
}

TEST(CrclCodec, EveryStatusComesBackTheSame) {
  Filler filler(2);
  for (int round = 0; round < 500; ++round) {
    filler.fill_all(round % 5 == 0);
    Status status;
    list_fields(filler, status);
    const Result<std::string> written = encode(status);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    const Result<Status> read = decode_status(*written);
    ASSERT_TRUE(read.has_value()) << read.error().message << "\n" << *written;
    EXPECT_EQ(*read, status) << *written;
  }
}

TEST(CrclCodec, KnowsADocumentByItsRoot) {
  EXPECT_EQ(kind_of("<?xml version='1.0'?><!-- <CRCLStatus> --><CRCLProgram a='b'>"),
            DocumentKind::kProgram);
  EXPECT_EQ(kind_of("<CRCLStatus/>"), DocumentKind::kStatus);
  EXPECT_EQ(kind_of("<CRCLStatuses>"), DocumentKind::kUnknown);
  EXPECT_EQ(kind_of("<!-- "), DocumentKind::kUnknown);
  EXPECT_EQ(command_id_in("<CommandID> 12 </CommandID"), 12);
  EXPECT_EQ(command_id_in("<CommandID>x</CommandID>"), std::nullopt);
}

// --- units
// ----------------------------------------------------------------------------------------

TEST(CrclUnits, AreWhatStandardsSayTheyAre) {
  EXPECT_EQ(metres_in(LengthUnit::kInch), 0.0254);
  EXPECT_EQ(metres_in(LengthUnit::kMillimeter), 0.001);
  EXPECT_DOUBLE_EQ(180.0 * radians_in(AngleUnit::kDegree), std::numbers::pi);
  // NIST SP 811: 1 lbf = 4.448 222 N, 1 ozf = 0.278 013 9 N, 1 ft·lbf = 1.355 818 N·m
  EXPECT_NEAR(newtons_in(ForceUnit::kPound), 4.448222, 5e-7);
  EXPECT_NEAR(newtons_in(ForceUnit::kOunce), 0.2780139, 5e-8);
  EXPECT_NEAR(newton_metres_in(TorqueUnit::kFootPound), 1.355818, 5e-7);
  EXPECT_EQ(name_of(TorqueUnit::kFootPound), "footPound");
}

// --- namespaces
// -----------------------------------------------------------------------------------

std::string namespaces_failure(const std::string& root, const std::string& command) {
  const Result<CommandInstance> read =
      decode_command("<CRCLCommandInstance " + root + "><CRCLCommand " + command +
                     "><CommandID>1</CommandID></CRCLCommand></CRCLCommandInstance>");
  return read ? "" : read.error().message;
}

TEST(CrclNamespaces, AreThoseOfTheSchema) {
  const std::string xsi = "http://www.w3.org/2001/XMLSchema-instance";
  EXPECT_EQ(namespaces_failure("xmlns:xsi='" + xsi + "'", "xsi:type='InitCanonType'"), "");
  EXPECT_EQ(namespaces_failure("", "xmlns:i='" + xsi + "' i:type='InitCanonType'"), "");
  EXPECT_EQ(namespaces_failure("xmlns='' xmlns:xsi='" + xsi +
                                   "' xsi:noNamespaceSchemaLocation='../CRCLCommandInstance.xsd'",
                               "xsi:type='InitCanonType'"),
            "");
}

TEST(CrclNamespaces, OfAnotherKindAreRefused) {
  const std::string xsi = "http://www.w3.org/2001/XMLSchema-instance";
  EXPECT_EQ(namespaces_failure("", "xsi:type='InitCanonType'"),
            "the prefix of 'xsi:type' is not declared; declare xmlns:xsi=\"" + xsi + "\"");
  EXPECT_EQ(namespaces_failure("xmlns:xsi='http://example.org'", "xsi:type='InitCanonType'"),
            "'xsi:type' is in the namespace 'http://example.org', not in '" + xsi + "'");
  EXPECT_EQ(
      namespaces_failure("xmlns='http://example.org' xmlns:xsi='" + xsi + "'",
                         "xsi:type='InitCanonType'"),
      "'CRCLCommandInstance' is in the namespace 'http://example.org', and CRCL's elements are "
      "in none");
  EXPECT_EQ(namespaces_failure("xmlns:xsi='" + xsi + "'", "xsi:type='c:InitCanonType'"),
            "xsi:type 'c:InitCanonType': types are in no namespace, and have no prefix");
}

}  // namespace
}  // namespace longarm::protocols::crcl

// SPDX-License-Identifier: Apache-2.0
// xacro files as robots are written with them, and what is said about those that are wrong.
#include "longarm/model/xacro.h"

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "longarm/model/model_file.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"
#include "longarm/model/xacro_expression.h"

namespace longarm::model {
namespace {

const std::string kRobot = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n";

class Xacro : public testing::Test {
 protected:
  /// What `content`, from line 2 on, expands to, on one line; else what is wrong. F stands for the
  /// scratch folder.
  std::string expanded(const std::string& content, const ModelSearch& search = {}) {
    const std::string path = folder.write("r.urdf.xacro", kRobot + content + "</robot>\n");
    InputFiles files;
    ModelResources resources(search, files);
    Diagnostics diagnostics;
    const Result<std::string> text = read_file(path);
    const auto result = expand_xacro(*text, path, resources, diagnostics);
    std::string all =
        result ? all_text(diagnostics) + one_line(result->text) : all_text(diagnostics);
    return without_folder(all);
  }

  std::string without_folder(std::string text) const {
    const std::string f = folder.path().string();
    for (std::size_t at = text.find(f); at != std::string::npos; at = text.find(f)) {
      text.replace(at, f.size(), "F");
    }
    return text;
  }

  /// Without the declaration and the robot around it.
  static std::string one_line(const std::string& text) {
    std::string line;
    bool is_start = true;
    for (const char c : text) {
      if (c == '\n') {
        is_start = true;
      } else if (!is_start || c != ' ') {
        line += c;
        is_start = false;
      }
    }
    const std::string head = "<?xml version=\"1.0\"?><robot name=\"r\">";
    const std::string tail = "</robot>";
    return line.starts_with(head) && line.ends_with(tail)
               ? line.substr(head.size(), line.size() - head.size() - tail.size())
               : line;
  }

  ScratchFolder folder;
};

std::string value(const std::string& expression) {
  try {
    return evaluate_xacro(expression, {}).text();
  } catch (const XacroProblem& problem) {
    return "problem: " + problem.message;
  }
}

TEST(XacroExpression, CalculatesAsPythonDoes) {
  EXPECT_EQ(value("1 + 2 * 3"), "7");
  EXPECT_EQ(value("7 / 2"), "3.5");
  EXPECT_EQ(value("4 / 2"), "2.0");
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("-7 % 3"), "2");
  EXPECT_EQ(value("-2 ** 2"), "-4");
  EXPECT_EQ(value("2 ** -1"), "0.5");
  EXPECT_EQ(value("0.1 + 0.2"), "0.30000000000000004");
  EXPECT_EQ(value("1e-5"), "1e-05");
  EXPECT_EQ(value("1.5e3"), "1500.0");
  EXPECT_EQ(value("pi / 2"), "1.5707963267948966");
  EXPECT_EQ(value("radians(180.0)"), "3.141592653589793");
  EXPECT_EQ(value("math.cos(0) + python.abs(-2)"), "3.0");
  EXPECT_EQ(value("round(2.5) + int('3') + float('0.5')"), "5.5");
  EXPECT_EQ(value("1 / 0"), "problem: 1 / 0 divides by zero");
}

TEST(XacroExpression, ComparesAndDecides) {
  EXPECT_EQ(value("1 < 2 <= 2.0 and not 'a' == 'b'"), "True");
  EXPECT_EQ(value("'b' not in ['a', 'c']"), "True");
  EXPECT_EQ(value("'ur5' in 'ur5e'"), "True");
  EXPECT_EQ(value("'left' if 1 > 2 else 'right' if 0 else 'none'"), "none");
  // what need not be worked out may be nonsense
  EXPECT_EQ(value("1 if True else 1 / 0"), "1");
  EXPECT_EQ(value("False and undefined"), "False");
  EXPECT_EQ(value("'' or 'default'"), "default");
}

TEST(XacroExpression, TakesThingsApart) {
  EXPECT_EQ(value("'1 2 3'.split()[-1]"), "3");
  EXPECT_EQ(value("'left_arm'[:4].upper() + '_'"), "LEFT_");
  EXPECT_EQ(value("dict(a=1, b=[2, 3])['b'][1]"), "3");
  EXPECT_EQ(value("{'a': {'b': 4}}.get('a').b"), "4");
  EXPECT_EQ(value("len([1, 2]) + max(1, 5, 3)"), "7");
  EXPECT_EQ(value("' '.join(['1', '2'])"), "1 2");
  EXPECT_EQ(value("['a', 1.5, True]"), "['a', 1.5, True]");
}

TEST(XacroExpression, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(value("1 +"), "problem: the expression '1 +' is not complete");
  EXPECT_EQ(value("[x for x in [1]]"),
            "problem: unexpected 'for' in the expression '[x for x in [1]]'");
  EXPECT_EQ(value("a * 2"), "problem: there is no property 'a'");
  EXPECT_EQ(value("'a' * 'b'"), "problem: 'a' * 'b' is not possible: a text and a text");
  EXPECT_EQ(value("open('x')"), "problem: the function 'open' is not supported");
  EXPECT_EQ(value("sqrt(-1)"), "problem: sqrt() has no value");
}

TEST_F(Xacro, PropertiesAreWorkedOutWhenTheyAreUsed) {
  EXPECT_EQ(expanded("<xacro:property name='area' value='${width * 2}'/>\n"
                     "<xacro:property name='width' value='0.25'/>\n"
                     "<box size='${area} $${plain} ${width}m'/>"),
            "<box size=\"0.5 ${plain} 0.25m\" />");
}

TEST_F(Xacro, MacrosTakeValuesDefaultsAndBlocks) {
  EXPECT_EQ(expanded("<xacro:macro name='part' params=\"name parent:=base mass:=${1 + 1} "
                     "side:=^|left *origin **more\">\n"
                     "<link name='${side}_${name}' on='${parent}' m='${mass}'>"
                     "<xacro:insert_block name='origin'/><xacro:insert_block name='more'/></link>\n"
                     "</xacro:macro>\n"
                     "<xacro:part name='a'><origin x='${1 + 2}'/><all><b/><c/></all></xacro:part>"
                     "<xacro:property name='side' value='right'/>"
                     "<xacro:call macro='part' name='b' mass='5'><o/><none/></xacro:call>"),
            "<link name=\"left_a\" on=\"base\" m=\"2\"><origin x=\"3\" /><b /><c /></link>"
            "<link name=\"right_b\" on=\"base\" m=\"5\"><o /></link>");
}

TEST_F(Xacro, ConditionsArgumentsAndElements) {
  const std::string content =
      "<xacro:arg name='tool' default='false'/>\n"
      "<xacro:if value='$(arg tool)'><tool/></xacro:if>"
      "<xacro:unless value=\"${'$(arg tool)' == 'true'}\"><bare/></xacro:unless>"
      "<xacro:element xacro:name='${\"li\" + \"nk\"}'>"
      "<xacro:attribute name='name' value='x'/>text ${1 + 1}</xacro:element>";
  EXPECT_EQ(expanded(content), "<bare /><link name=\"x\">text 2</link>");
  EXPECT_EQ(expanded(content, {{}, {{"tool", "true"}}}), "<tool /><link name=\"x\">text 2</link>");
}

TEST_F(Xacro, CallsThatAnExpansionLeftOverAreIgnored) {
  const std::string link =
      "<link name='a'><visual><geometry><sphere radius='1'/></geometry>\n"
      "<xacro:grey/></visual></link>\n";
  const auto read = [&](const std::string& name, const std::string& content) {
    const std::string path = folder.write(name, kRobot + content + "</robot>\n");
    InputFiles files;
    Diagnostics diagnostics;
    const Model model = read_model_file(path, {}, files, diagnostics);
    return without_folder(fmt::format("{} links\n{}", model.links.size(), all_text(diagnostics)));
  };
  EXPECT_EQ(read("r.urdf", link),
            "1 links\n"
            "F/r.urdf:3:1: warning: <xacro:grey> is ignored: the file does not define a macro "
            "'grey'\n"
            "  hint: remove it, or expand the original xacro file again\n");
  // whoever still has to expand the file needs the macro
  const std::string error =
      ":3:1: error: there is no macro 'grey'\n"
      "  hint: include the file that defines it before it is used\n";
  EXPECT_EQ(read("r.urdf.xacro", link), "0 links\nF/r.urdf.xacro" + error);
  const std::string size = "<xacro:property name='size' value='2'/>\n";
  const std::string later =
      ":4:1: error: there is no macro 'grey'\n"
      "  hint: include the file that defines it before it is used\n";
  EXPECT_EQ(read("r.urdf", size + link), "0 links\nF/r.urdf" + later);
  EXPECT_EQ(read("r.urdf", "<link name='${n}'/>\n" + link).substr(0, 7), "0 links");
}

TEST_F(Xacro, PropertiesReachTheirScope) {
  EXPECT_EQ(expanded("<xacro:macro name='m'><xacro:property name='inner' value='1'/>"
                     "<xacro:property name='up' value='${inner + 1}' scope='parent'/></xacro:macro>"
                     "<xacro:property name='kept' value='1'/>"
                     "<xacro:property name='kept' default='2'/>"
                     "<xacro:m/><a v='${up} ${kept}'/>"),
            "<a v=\"2 1\" />");
}

TEST_F(Xacro, IncludesFilesAndYaml) {
  folder.write("bot/package.xml", "<package><name>bot</name></package>");
  folder.write("bot/config/joints.yaml",
               "joints: {elbow: {max: !degrees 90, turns: yes}}\n"
               "names: [one, two]\n");
  folder.write("bot/urdf/parts.xacro", kRobot +
                                           "<xacro:property name='wide' value='2'/>"
                                           "<xacro:macro name='p' params='n'>"
                                           "<p n='${n}' w='${wide}'/></xacro:macro></robot>");
  EXPECT_EQ(expanded("<xacro:include filename='bot/urdf/parts.xacro' ns='one'/>\n"
                     "<xacro:include filename='$(find bot)/urdf/parts.xacro'/>\n"
                     "<xacro:include filename='nowhere.xacro' optional='true'/>\n"
                     "<xacro:property name='config'"
                     " value=\"${xacro.load_yaml('$(find bot)/config/joints.yaml')}\"/>\n"
                     "<xacro:p n='${config[\"names\"][1]}'/><xacro:one.p n='${one.wide}'/>"
                     "<j max='${config.joints.elbow.max}' t='${config[\"joints\"].elbow.turns}'/>"),
            "<p n=\"two\" w=\"2\" /><p n=\"2\" w=\"2\" />"
            "<j max=\"1.5707963267948966\" t=\"True\" />");
}

TEST_F(Xacro, SaysWhereAndInWhichCall) {
  EXPECT_EQ(expanded("<xacro:macro name='inner' params='a'>\n  <x v='${a + b}'/></xacro:macro>\n"
                     "<xacro:inner a='1'/>"),
            "F/r.urdf.xacro:3:3: error: there is no property 'b'\n"
            "  hint: define it with <xacro:property name=\"b\" value=\"…\"/> before it is used; "
            "in macro 'inner', called at F/r.urdf.xacro:4\n");
  EXPECT_EQ(expanded("<xacro:macro name='arm' params='a'/>\n<xacro:arn a='1'/>"),
            "F/r.urdf.xacro:3:1: error: there is no macro 'arn'\n"
            "  hint: did you mean 'xacro:arm'?\n");
  EXPECT_EQ(expanded("<xacro:macro name='arm' params='a *o'/>\n<xacro:arm a='1' b='2'/>"),
            "F/r.urdf.xacro:3:1: error: the macro has no parameter 'b'\n"
            "  hint: valid names are: *o\n");
  EXPECT_EQ(expanded("<xacro:macro name='arm' params='a *o'/>\n<xacro:arm a='1'/>"),
            "F/r.urdf.xacro:3:1: error: the macro needs a block 'o'\n"
            "  hint: write it between the tags of the call\n");
  EXPECT_EQ(expanded("<xacro:include filename='no.xacro'/>"),
            "F/r.urdf.xacro:2:1: error: cannot read 'no.xacro'\n"
            "  hint: check that the path is right and that it is a file\n");
  EXPECT_EQ(expanded("<xacro:if value='perhaps'/>"),
            "F/r.urdf.xacro:2:1: error: the condition 'perhaps' is 'perhaps', which is neither "
            "true nor false\n  hint: write true, false, or a comparison: ${type == 'ur5'}\n");
  EXPECT_EQ(expanded("<a v='$(arg type)'/>"),
            "F/r.urdf.xacro:2:1: error: the argument 'type' has no value\n"
            "  hint: give it one: robot.xacro_args: [\"type:=…\"] in the scenario, type:=… behind "
            "the file on the command line\n");
}

TEST_F(Xacro, EndsWhatWouldNotEnd) {
  EXPECT_EQ(expanded("<xacro:property name='a' value='${b}'/>\n"
                     "<xacro:property name='b' value='${a}'/>\n<x v='${a}'/>"),
            "F/r.urdf.xacro:4:1: error: property 'a': property 'b': property 'a' depends on "
            "itself\n");
  EXPECT_NE(expanded("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>")
                .find("macro 'm' is called too deeply"),
            std::string::npos);
  EXPECT_NE(expanded("<xacro:include filename='r.urdf.xacro'/>").find("is included too deeply"),
            std::string::npos);
  EXPECT_NE(expanded("<xacro:macro name='only' params='x'/>")
                .find("the file defines macros but does not use any: only"),
            std::string::npos);
}

TEST_F(Xacro, RobotsAreReadWithPlacesInTheirOwnFiles) {
  folder.write("link.xacro", kRobot +
                                 "<xacro:macro name='bar' params='name mass'>\n"
                                 "  <link name='${name}'><inertial><mass value='${mass}'/>\n"
                                 "    <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
                                 "</inertial></link>\n</xacro:macro></robot>");
  const std::string text = kRobot +
                           "<xacro:include filename='link.xacro'/>\n"
                           "<xacro:bar name='base' mass='${2 * 3}'/>\n"
                           "<xacro:bar name='arm' mass='heavy'/>\n"
                           "<joint name='j' type='continuous'><parent link='base'/>"
                           "<child link='arm'/></joint></robot>";
  Diagnostics diagnostics;
  read_model_file(folder.write("a.xacro", text), diagnostics);
  EXPECT_EQ(without_folder(all_text(diagnostics)),
            "F/link.xacro:3:34: error: link 'arm': <mass> attribute 'value' is not a finite "
            "number: 'heavy'\n  hint: for example <mass value=\"1.5\"/>\n");

  Diagnostics fine;
  std::string mended = text;
  mended.replace(mended.find("heavy"), 5, "${1}");
  const Model model = read_model_file(folder.write("b.xacro", mended), fine);
  EXPECT_EQ(all_text(fine), "");
  ASSERT_EQ(model.links.size(), 2U);
  EXPECT_EQ(model.links[0].inertial->mass_kg, 6.0);
  EXPECT_EQ(without_folder(model.links[1].where.path), "F/link.xacro");
  EXPECT_EQ(model.links[1].where.line, 3);
  EXPECT_EQ(model.joints[0].where.line, 5);
}

}  // namespace
}  // namespace longarm::model

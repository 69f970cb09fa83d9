// SPDX-License-Identifier: Apache-2.0
// What hardware takes, as files of ROS say it.
#include "longarm/model/transmissions.h"

#include <gtest/gtest.h>

namespace longarm::model {
namespace {

std::string transmission(const std::string& joint, const std::string& of_joint,
                         const std::string& of_actuator = "") {
  return "<transmission name='" + joint + "_t'><type>transmission_interface/SimpleTransmission" +
         "</type><joint name='" + joint + "'>" + of_joint + "</joint><actuator name='motor'>" +
         of_actuator + "</actuator></transmission>";
}

std::string takes(const std::string& what) {
  return "<hardwareInterface>" + what + "</hardwareInterface>";
}

TEST(Transmissions, SayWhatAJointTakes) {
  using Commands = std::map<std::string, std::string>;
  const std::string text = "<robot name='r'>" +
                           transmission("a", takes(" hardware_interface/PositionJointInterface ")) +
                           transmission("b", takes("VelocityJointInterface")) +
                           // as it was written before ROS Indigo
                           transmission("c", "", takes("EffortJointInterface")) +
                           // states are no command
                           transmission("d", takes("hardware_interface/JointStateInterface") +
                                                 takes("hardware_interface/EffortJointInterface")) +
                           "</robot>";
  EXPECT_EQ(read_transmissions(text),
            (Commands{{"a", "position"}, {"b", "velocity"}, {"c", "effort"}, {"d", "effort"}}));
}

TEST(Transmissions, SayNothingWhereTheyAreAmbiguous) {
  const std::string two = takes("PositionJointInterface") + takes("EffortJointInterface");
  EXPECT_TRUE(read_transmissions("<robot name='r'>" + transmission("a", two) +
                                 transmission("b", takes("PosVelJointInterface")) +
                                 transmission("c", "") + "</robot>")
                  .empty());
  EXPECT_TRUE(read_transmissions("<sdf version='1.9'><model name='m'/></sdf>").empty());
  EXPECT_TRUE(read_transmissions("no XML").empty());
}

}  // namespace
}  // namespace longarm::model

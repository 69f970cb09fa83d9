// SPDX-License-Identifier: Apache-2.0
// ROS's names of hardware interfaces, as users' files have them.
#include "longarm/model/transmissions.h"

#include <set>

#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

/// Empty: it only tells states. What is no word of ours comes back as it is.
std::string command_word(std::string interface) {
  if (const std::size_t package = interface.rfind('/'); package != std::string::npos) {
    interface.erase(0, package + 1);
  }
  return interface == "PositionJointInterface"   ? "position"
         : interface == "VelocityJointInterface" ? "velocity"
         : interface == "EffortJointInterface"   ? "effort"
         : interface == "JointStateInterface"    ? ""
                                                 : interface;
}

}  // namespace

std::map<std::string, std::string> read_transmissions(const std::string& text) {
  Diagnostics ignored;
  const XmlSource source(text, "", ignored);
  std::map<std::string, std::set<std::string>> said;
  for (const pugi::xml_node transmission : source.root().children("transmission")) {
    // until ROS Indigo the actuator said it
    for (const pugi::xml_node joint : transmission.children("joint")) {
      for (const pugi::xml_node part : {joint, transmission.child("actuator")}) {
        for (const pugi::xml_node interface : part.children("hardwareInterface")) {
          said[joint.attribute("name").value()].insert(
              command_word(trimmed(interface.child_value())));
        }
        if (part.child("hardwareInterface")) {
          break;
        }
      }
    }
  }
  std::map<std::string, std::string> commands;
  for (auto& [joint, words] : said) {
    words.erase("");
    const bool is_known =
        words.contains("position") || words.contains("velocity") || words.contains("effort");
    if (words.size() == 1 && is_known) {
      commands[joint] = *words.begin();
    }
  }
  return commands;
}

}  // namespace longarm::model

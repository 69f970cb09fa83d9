// SPDX-License-Identifier: Apache-2.0
// One of the programs around ARMAR-III's arm: armar_ice NAME --Ice.Config=FILE
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "labs/armar/ice/component.h"

int main(int argc, char** argv) {
  using namespace longarm::armar::ice;
  const std::map<std::string, std::function<void(Component&)>> programs = {
      {"KinematicUnit", run_kinematic_unit},
      {"RobotState", run_robot_state},
      {"TCPControlUnit", run_tcp_control_unit},
      {"Rectangle", run_rectangle},
      {"KinematicUnitObserver", run_observer},
      {"Echo1", run_echo},
      {"Echo2", run_echo},
      {"Asker", run_asker}};
  try {
    const Ice::CommunicatorHolder holder(argc, argv);
    const auto found = programs.find(argc == 2 ? argv[1] : "");
    if (found == programs.end()) {
      std::fprintf(stderr, "usage: armar_ice NAME --Ice.Config=FILE; NAME is one of:\n");
      for (const auto& [name, run] : programs) {
        std::fprintf(stderr, "  %s\n", name.c_str());
      }
      return 2;
    }
    Component component(found->first, holder.communicator());
    found->second(component);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argc > 1 ? argv[1] : "armar_ice", problem.what());
    return 1;
  }
  return 0;
}

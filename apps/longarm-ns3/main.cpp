// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// longarm-ns3 --socket PATH: answers a Longarm that listens there; docs/how-to/backends.md has the
// protocol.
#include <cstdio>
#include <cstring>
#include <memory>

#include "apps/longarm-ns3/line_socket.h"
#include "apps/longarm-ns3/world.h"

namespace {

using longarm_ns3::World;
using nlohmann::json;

constexpr int kVersion = 1;

json hello(const json& command) {
  if (command.at("protocol") != "longarm-network" || command.at("version") != kVersion) {
    throw std::runtime_error("this longarm-ns3 supports version 1 of longarm-network, not " +
                             command.at("version").dump() + " of " + command.at("protocol").dump());
  }
  return {{"reply", "hello"},
          {"protocol", "longarm-network"},
          {"version", kVersion},
          {"backend", "ns-3 3.37"},
          {"capabilities", {"udp", "tcp", "fates", "changes", "capture"}}};
}

json refused(const std::exception& why) {
  return {{"reply", "refused"}, {"message", why.what()}};
}

/// The answer, if the command has one.
json obey(const json& command, std::unique_ptr<World>& world) {
  const auto what = command.at("do").get<std::string>();
  if (what == "hello") {
    return hello(command);
  }
  if (what == "build") {
    try {
      world = std::make_unique<World>(command);
    } catch (const std::exception& why) {
      return refused(why);
    }
    return {{"reply", "built"}};
  }
  if (!world) {
    throw std::runtime_error("'" + what + "' comes before 'build'");
  }
  if (what == "open") {
    try {
      world->open(command);
    } catch (const std::exception& why) {
      return refused(why);
    }
    return {{"reply", "opened"}, {"flow", command.at("flow")}};
  }
  if (what == "advance") {
    return world->advance(command);
  }
  if (what == "figures") {
    return world->figures(command);
  }
  using Order = void (World::*)(const json&);
  const std::pair<const char*, Order> orders[] = {{"send", &World::send},
                                                  {"fates", &World::fates},
                                                  {"close", &World::close},
                                                  {"reset", &World::reset},
                                                  {"change", &World::change}};
  for (const auto& [name, order] : orders) {
    if (what == name) {
      (world.get()->*order)(command);
      return {};
    }
  }
  throw std::runtime_error("unknown command '" + what + "'");
}

void serve(longarm_ns3::LineSocket& socket) {
  std::unique_ptr<World> world;
  while (const std::optional<std::string> line = socket.read()) {
    json answer;
    try {
      const json command = json::parse(*line);
      if (command.at("do") == "quit") {
        return;
      }
      answer = obey(command, world);
    } catch (const std::exception& why) {
      answer = {{"reply", "error"}, {"message", why.what()}};
    }
    if (!answer.is_null() && !socket.write(answer.dump())) {
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--socket") != 0) {
    const bool is_asked = argc == 2 && std::strcmp(argv[1], "--help") == 0;
    std::fprintf(is_asked ? stdout : stderr,
                 "Usage: longarm-ns3 --socket PATH\n"
                 "\n"
                 "ns-3 as a network backend for Longarm. Longarm starts it for scenarios with\n"
                 "`network.backend: ns3`. It connects to the local socket PATH.\n");
    return is_asked ? 0 : 2;
  }
  try {
    longarm_ns3::LineSocket socket(argv[2]);
    serve(socket);
  } catch (const std::exception& why) {
    std::fprintf(stderr, "longarm-ns3: %s\n", why.what());
    return 1;
  }
  return 0;
}

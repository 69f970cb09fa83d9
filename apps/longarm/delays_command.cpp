// SPDX-License-Identifier: Apache-2.0
// `longarm delays`: a picture of how long the messages of runs took.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/config/text_file.h"
#include "longarm/record/delay_figure.h"

namespace longarm::app {
namespace {

struct DelaysArguments {
  record::DelayFigureOptions figure;
  std::string out = "delays.svg";
};

int draw(const DelaysArguments& arguments) {
  config::write_text_file(arguments.out, record::draw_delay_figure(arguments.figure));
  fmt::print("{}\n", arguments.out);
  return kDone;
}

}  // namespace

Command add_delays_command(CLI::App& word) {
  const auto arguments = std::make_shared<DelaysArguments>();
  word.add_option("runs", arguments->figure.folders, "run folders that contain a trace.mcap")
      ->required()
      ->type_name("RUN");
  word.add_option("--direction", arguments->figure.direction,
                  "direction to draw: states or commands")
      ->check(CLI::IsMember({"states", "commands"}))
      ->capture_default_str();
  word.add_option("--label", arguments->figure.labels, "labels of the runs, in order")
      ->type_name("WORD")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->out, "the SVG file to write")
      ->type_name("FILE")
      ->capture_default_str();
  word.footer(
      "Example: TCP and UDP over a link that degrades every other minute:\n"
      "  longarm run ur5-darpa-transport --out runs/tcp\n"
      "  longarm run ur5-darpa-transport --set network.flows=udp --out runs/udp\n"
      "  longarm delays runs/tcp runs/udp");
  return [arguments] { return draw(*arguments); };
}

}  // namespace longarm::app

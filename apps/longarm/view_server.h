// SPDX-License-Identifier: Apache-2.0
// The viewer's page, served by this program: of recorded runs, or of one that is under way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/view/live_feed.h"
#include "longarm/view/scene.h"
#include "longarm/view/views.h"
#include "longarm/view/web_server.h"

namespace longarm::app {

/// --view and where, on the command line of what runs or serves a scenario.
struct ViewOptions {
  bool is_wanted = false;
  std::uint16_t port = 0;
  std::vector<std::string> origins;
};
void add_view_options(CLI::App& word, ViewOptions& options);

/// Recorded runs, until the user stops it. Prints the address.
int serve_views(const view::Views& views, std::uint16_t port);

/// A run that is under way. Made before it starts; give `feed()` to the run as its listener.
class LiveView {
 public:
  /// Prints the address. Throws InputError if the port is taken.
  LiveView(const cell::PreparedScenario& prepared, const ViewOptions& options);
  ~LiveView();

  view::LiveFeed& feed() { return feed_; }
  /// The run is over: whoever loads the page again sees what was recorded in its folder, until the
  /// user stops it.
  void show_recorded(const std::string& folder);

 private:
  view::WebAnswer answer(const view::WebRequest& request) const;

  view::LiveFeed feed_;
  view::Scene scene_;
  nlohmann::ordered_json document_;
  mutable std::mutex mutex_;
  std::shared_ptr<const view::Views> recorded_;  ///< null: not yet
  std::unique_ptr<view::WebServer> server_;
};

}  // namespace longarm::app

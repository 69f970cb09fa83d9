// SPDX-License-Identifier: Apache-2.0
// Which question gets which answer; everything is in the program or in memory, nothing is read from
// paths that a request names.
#include "apps/longarm/view_server.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "labs/labs.h"
#include "longarm/core/diagnostic.h"
#include "longarm/view/foxglove.h"
#include "longarm/view/live_conversation.h"
#include "longarm/view/view_page.h"

namespace longarm::app {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

view::WebAnswer page(const std::string& html) {
  return {200, "text/html; charset=utf-8", html};
}

bool is_page(const view::WebRequest& request) {
  return request.path == "/" || request.path == "/index.html";
}

std::unique_ptr<view::WebServer> open_server(const char* option, view::WebServerConfig config,
                                             view::WebServer::Answer answer,
                                             view::WebServer::Welcome welcome = {}) {
  auto server = view::WebServer::make(std::move(config), std::move(answer), std::move(welcome));
  if (!server) {
    refuse(server.error().message,
           fmt::format("choose another port with {} N, or a free one with {} 0", option, option));
  }
  return std::move(server).value();
}

void heed_signals() {
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
}

void wait_for_the_user() {
  heed_signals();
  while (is_interrupted == 0) {
    std::this_thread::sleep_for(100ms);
  }
}

}  // namespace

void add_view_options(CLI::App& word, ViewOptions& options) {
  word.add_flag("--view", options.is_wanted,
                "watch the run in a browser: prints the address of a page on this computer");
  word.add_option("--view-port", options.port, "port of that page; default: a free port")
      ->type_name("PORT");
  word.add_option("--view-origin", options.origins,
                  "another site whose pages may also watch, e.g. https://app.foxglove.dev")
      ->type_name("URL")
      ->allow_extra_args(false);
}

int serve_views(const view::Views& views, std::uint16_t port) {
  const std::string html = view::page_with(view::view_page(), Json{{"source", "served"}});
  const auto server = open_server("--port", {.port = port}, [&](const view::WebRequest& request) {
    return is_page(request) ? page(html) : views.answer(request);
  });
  heed_signals();  // whoever reads the next line may stop it at once
  fmt::print("open http://127.0.0.1:{}/ in a browser; press Ctrl-C to stop\n", server->port());
  std::fflush(stdout);
  wait_for_the_user();
  return kDone;
}

LiveView::LiveView(const cell::PreparedScenario& prepared, const ViewOptions& options)
    : scene_(view::make_scene(prepared)), document_(view::live_document(prepared, scene_)) {
  view::page_with(view::view_page(), Json::object());  // there must be one
  server_ = open_server(
      "--view-port",
      {.port = options.port,
       .origins = options.origins,
       .protocols = {view::kLiveProtocol, view::kFoxgloveProtocol, view::kOldFoxgloveProtocol}},
      [this](const view::WebRequest& request) { return answer(request); },
      [this](const std::string& protocol, view::WebSocketClient& client) {
        return protocol == view::kLiveProtocol ? view::talk_to_viewer(feed_, document_, client)
                                               : view::talk_to_foxglove(feed_, client);
      });
  fmt::print(stderr, "open http://127.0.0.1:{}/ in a browser to watch\n", server_->port());
}

LiveView::~LiveView() = default;

view::WebAnswer LiveView::answer(const view::WebRequest& request) const {
  std::shared_ptr<const view::Views> recorded;
  {
    const std::lock_guard lock(mutex_);
    recorded = recorded_;
  }
  if (is_page(request)) {
    const Json data{{"source", recorded ? "served" : "live"}};
    return page(view::page_with(view::view_page(), data));
  }
  if (recorded) {
    return recorded->answer(request);
  }
  if (request.path == "/mesh") {
    return view::answer_mesh(scene_.meshes, request);
  }
  return {404, "text/plain; charset=utf-8", "page not found\n"};
}

void LiveView::show_recorded(const std::string& folder) {
  feed_.finish();
  if (!std::filesystem::exists(std::filesystem::path(folder) / "trace.mcap")) {
    fmt::print(stderr, "the run has ended and was not recorded; press Ctrl-C to stop the page\n");
    wait_for_the_user();
    return;
  }
  try {
    auto recorded = view::Views::open({folder}, labs::built_in_plugins());
    const std::lock_guard lock(mutex_);
    recorded_ = std::move(recorded);
    fmt::print(stderr,
               "the run has ended: reload the page to replay it; press Ctrl-C to stop the page\n");
  } catch (const InputError& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return;
  }
  wait_for_the_user();
}

}  // namespace longarm::app

// SPDX-License-Identifier: Apache-2.0
// Recorded runs as a viewer's page gets them: one document, and the numbers that it asks for.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/view/recorded_tables.h"
#include "longarm/view/scene.h"
#include "longarm/view/web_server.h"

namespace longarm::view {

/// What a run's document says apart from its tables; `metrics` may be empty.
nlohmann::ordered_json run_json(const cell::PreparedScenario& prepared,
                                const nlohmann::ordered_json& metrics);

/// A document without runs.
nlohmann::ordered_json empty_document(const std::string& title);

/// Of a run that is about to start, without tables.
nlohmann::ordered_json live_document(const cell::PreparedScenario& prepared, Scene& scene);

/// Puts numbers of tables beside the topics that devices and the network of a run name; `number`
/// is that of a topic, or null.
void number_tables(nlohmann::ordered_json& run, nlohmann::ordered_json& scene,
                   const std::function<nlohmann::ordered_json(const std::string& topic)>& number);

/// Some runs over each other, the first of which is the one that is meant.
class Views {
 public:
  /// Of run folders. Throws InputError if one has no trace, or one that cannot be read. What cannot
  /// be shown of a run is a warning in its document.
  static std::unique_ptr<Views> open(const std::vector<std::filesystem::path>& folders,
                                     const cell::Plugins& plugins);

  /// One more folder, shown as a ghost of the first run.
  void add_ghost(const std::filesystem::path& folder, const std::string& label,
                 const cell::Plugins& plugins);

  const nlohmann::ordered_json& document() const { return document_; }
  /// What of the files cannot be shown, as far as they have been read.
  std::vector<std::string> problems() const;
  /// To `data`, `texts`, `mesh` and `view.json`; on any thread.
  WebAnswer answer(const WebRequest& request) const;
  /// The page with everything in it.
  std::string one_file(std::string_view page) const;

 private:
  Views() = default;
  void add_run(const std::filesystem::path& folder, const cell::Plugins& plugins);
  std::size_t add_scene(Scene scene);
  WebAnswer answer_data(const WebRequest& request) const;
  WebAnswer answer_texts(const WebRequest& request) const;

  nlohmann::ordered_json document_;
  std::vector<std::unique_ptr<RecordedTables>> runs_;
  std::vector<Scene> scenes_;
};

/// To `mesh?mesh=M`.
WebAnswer answer_mesh(const std::vector<SceneMesh>& meshes, const WebRequest& request);

/// The page with data in place of its empty data element. Throws InputError for an empty page: the
/// program was built without npm.
std::string page_with(std::string_view page, const nlohmann::ordered_json& data,
                      const std::string& more_elements = {});

}  // namespace longarm::view

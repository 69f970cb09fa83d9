// SPDX-License-Identifier: Apache-2.0
// Parts that a user brings: shared objects that add actors, component programs, link models,
// controllers, engines or failures by name.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/scenario.h"
#include "longarm/config/config_node.h"
#include "longarm/core/version.h"

namespace longarm::cell {

/// Loads a shared object and lets it register its parts. It stays loaded until the program ends.
/// Throws InputError if there is no such file, if it is no plug-in of ours or was built for another
/// version, or if a name in it is taken. A file that was loaded before is left alone.
void load_plugin(const std::string& file, Plugins& plugins);

/// Those of the command line and those that a scenario names under `plugins`: they add to what its
/// other keys may say.
void load_plugins(const config::ConfigNode& root, const std::string& path,
                  const std::vector<std::string>& files, Plugins& plugins);

/// With the parts of the files.
Plugins plugins_with(Plugins plugins, const std::vector<std::string>& files);

}  // namespace longarm::cell

/// What a plug-in and the program that loads it must have in common, because they share C++
/// objects.
#define LONGARM_TEXT_OF(macro) LONGARM_TEXT(macro)
#define LONGARM_TEXT(text) #text
#define LONGARM_PLUGIN_STAMP \
  "longarm " LONGARM_VERSION \
  ", g++ " LONGARM_TEXT_OF(__GNUC__) ", C++ " LONGARM_TEXT_OF(__cplusplus)

/// Opens the one function of a plug-in:
///   LONGARM_PLUGIN(plugins) { plugins.link_models.add("mine", "what it does", …); }
#define LONGARM_PLUGIN(plugins)                   \
  extern "C" const char* longarm_plugin_stamp() { \
    return LONGARM_PLUGIN_STAMP;                  \
  }                                               \
  extern "C" void longarm_plugin_register(longarm::cell::Plugins& plugins)

// SPDX-License-Identifier: Apache-2.0
// Plug-ins: shared objects that register actors, component programs, link models, controllers,
// engines or failures by name. docs/how-to/plugins.md shows how to write one.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/scenario.h"
#include "longarm/config/config_node.h"
#include "longarm/core/version.h"

namespace longarm::cell {

/// Loads the shared object `file` and calls its register function with `plugins`. It stays loaded
/// until the program ends; loading it again does nothing. Throws InputError if the file does not
/// exist, is not a Longarm plug-in or was built for another version, or if a name is taken.
void load_plugin(const std::string& file, Plugins& plugins);

/// Loads `files` (from the command line) and the files under the scenario's key `plugins`. Call it
/// before the other keys are read, which may use the registered names.
void load_plugins(const config::ConfigNode& root, const std::string& path,
                  const std::vector<std::string>& files, Plugins& plugins);

/// A copy of `plugins` to which the plug-ins in `files` are added.
Plugins plugins_with(Plugins plugins, const std::vector<std::string>& files);

}  // namespace longarm::cell

/// Version, compiler and language standard. A plug-in and the program that loads it must agree in
/// all of them, because they share C++ objects.
#define LONGARM_TEXT_OF(macro) LONGARM_TEXT(macro)
#define LONGARM_TEXT(text) #text
#define LONGARM_PLUGIN_STAMP \
  "longarm " LONGARM_VERSION \
  ", g++ " LONGARM_TEXT_OF(__GNUC__) ", C++ " LONGARM_TEXT_OF(__cplusplus)

/// Begins the register function of a plug-in, which is called once:
///   LONGARM_PLUGIN(plugins) { plugins.link_models.add("mine", "what it does", …); }
#define LONGARM_PLUGIN(plugins)                   \
  extern "C" const char* longarm_plugin_stamp() { \
    return LONGARM_PLUGIN_STAMP;                  \
  }                                               \
  extern "C" void longarm_plugin_register(longarm::cell::Plugins& plugins)

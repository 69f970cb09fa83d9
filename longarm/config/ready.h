// SPDX-License-Identifier: Apache-2.0
// What comes with the program, by name: scenarios, studies and models.
#pragma once

#include <string>
#include <vector>

namespace longarm::config {

/// A file that comes with the program.
struct Ready {
  std::string name;
  std::string title;
};
std::vector<Ready> ready_scenarios();
std::vector<Ready> ready_studies();
bool is_ready_scenario(const std::string& name);

/// The path as given, or the file of a ready scenario. Throws InputError if there is neither.
std::string find_scenario_file(const std::string& name_or_file);

/// The path as given, or the file of a ready study, or of a ready scenario. Throws InputError if
/// there is none of these.
std::string find_study_file(const std::string& name_or_file);

/// Names of the folders in models/ that hold a model of their name.
std::vector<std::string> ready_models();

/// The file of a ready model by name, or of a path as given (relative to `beside`'s folder). Empty
/// if there is none.
std::string find_model_file(const std::string& name, const std::string& beside);

}  // namespace longarm::config

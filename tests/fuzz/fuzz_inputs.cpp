// SPDX-License-Identifier: Apache-2.0
// Spoils scenarios and models at random: whatever they say, loading them ends well or with an
// InputError.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/random.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/scenario/load.h"

namespace {

using namespace longarm;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One to four small injuries: a byte changed, a piece cut out, doubled or swapped for a nasty
/// word.
std::string spoil(std::string text, RandomStream& random) {
  static const std::vector<std::string> nasty{"-1",
                                              "0",
                                              "1e999",
                                              "nan",
                                              "inf",
                                              "[",
                                              "]",
                                              "{",
                                              "}",
                                              ":",
                                              "\n",
                                              "\t",
                                              "\"",
                                              "<",
                                              ">",
                                              "&",
                                              "-0",
                                              "..",
                                              "null",
                                              "~",
                                              "-",
                                              "1e-320",
                                              "99999999999999999999",
                                              "2mm",
                                              "\xff",
                                              "*a",
                                              "&a"};
  const std::uint64_t injuries = 1 + random.bits() % 4;
  for (std::uint64_t i = 0; i < injuries && !text.empty(); ++i) {
    const std::size_t at = random.bits() % text.size();
    const std::size_t length = random.bits() % 12;
    switch (random.bits() % 4) {
      case 0:
        text[at] = static_cast<char>(random.bits());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.replace(at, length, nasty[random.bits() % nasty.size()]);
    }
  }
  return text;
}

void load_model(const fs::path& path) {
  Diagnostics diagnostics;
  const model::Model model = model::read_model_file(path, diagnostics);
  const model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  (void)model::lint(tree);
}

}  // namespace

/// fuzz_inputs SOURCE_DIR [COUNT [SEED]]
int main(int argc, char** argv) {
  const fs::path source = argc > 1 ? argv[1] : ".";
  const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const scenario::Plugins plugins = scenario::built_in_plugins();
  const std::vector<std::string> scenarios{read(source / "scenarios/one-joint.yaml"),
                                           read(source / "scenarios/ur5-waypoints.yaml")};
  const std::vector<std::string> models{read(source / "models/one-joint/one-joint.urdf"),
                                        read(source / "models/ur5/ur5.urdf")};
  const fs::path model_path = fs::temp_directory_path() / ("longarm-fuzz-" + std::to_string(seed));
  RandomStream random(seed, "fuzz");
  int loaded = 0;
  for (int i = 0; i < count; ++i) {
    const bool is_model = i % 2 == 0;
    const std::vector<std::string>& texts = is_model ? models : scenarios;
    const std::string text = spoil(texts[random.bits() % texts.size()], random);
    try {
      if (is_model) {
        std::ofstream(model_path) << text;
        load_model(model_path);
      } else {
        (void)scenario::load_scenario_text(text, "fuzz.yaml", {}, plugins);
      }
      ++loaded;
    } catch (const InputError&) {
      // as it should be
    } catch (const std::exception& problem) {
      std::printf("case %d of seed %llu: %s\n%s\n", i, static_cast<unsigned long long>(seed),
                  problem.what(), text.c_str());
      return 1;
    }
  }
  fs::remove(model_path);
  std::printf("%d spoiled inputs: %d still loaded, %d were explained\n", count, loaded,
              count - loaded);
}

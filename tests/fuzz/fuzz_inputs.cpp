// SPDX-License-Identifier: Apache-2.0
// Spoils scenarios, models, worlds, meshes, links and traces at random: whatever they say, loading
// them ends well or with an InputError.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/random.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace {

using namespace longarm;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// One to four small injuries: a byte changed, a piece cut out, doubled or swapped for a nasty
/// word.
std::string spoil(std::string text, RandomStream& random) {
  // clang-format off
  static const std::vector<std::string> nasty{
      "-1", "0", "1e999", "nan", "inf", "[", "]", "{", "}", ":", "\n", "\t", "\"", "<", ">", "&",
      "-0", "..", "null", "~", "-", "1e-320", "99999999999999999999", "2mm", "\xff", "*a", "&a", "%",
      "1e18", "-1e-9", ",", "lost", "gemodel", "slot", "1bit"};
  // clang-format on
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

// --- what a small file of each kind looks like ---------------------------------------------------

const std::string kOneJoint =
    "robot: {model: one-joint, end_effector: tip}\n"
    "task: {path: step, joints_rad: [[0.1]], hold: 20ms}\n"
    "gain: 10\n";

const std::vector<std::string> kNetemLines{
    "delay 10ms 2ms 25% distribution normal loss gemodel 1% 25% 90% 0.1%",
    "tc qdisc add dev eth0 root netem limit 100 delay 5ms 1ms reorder 25% 50% gap 5",
    "loss state 1% 20% 3% 40% 0.5% duplicate 1% corrupt 0.1% rate 1mbit 20 100 5",
    "delay 3ms slot 800us 1ms packets 10 bytes 10k", "slot distribution pareto 5ms 1ms packets 3"};
const std::vector<std::string> kPhases{
    "1ms rate 1mbit delay 50ms loss 1% limit 100, 2ms rate 0, 3ms rate 100kbit",
    "60s rate 100kbit delay 500ms"};
const std::vector<std::string> kTraces{
    "# measured\ntime_ms,size,delay_us\n0,52,500\n1,52,lost\n2.5,52,\n4,52,1500\n",
    "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n"
    "[1700000000.1] 64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=0.42 ms\n"
    "[1700000000.3] 64 bytes from 10.0.0.2: icmp_seq=3 ttl=64 time=1.7 ms\n"
    "3 packets transmitted, 2 received, 33% packet loss, time 400ms\n"};
const std::string kWorld =
    "<sdf version='1.9'><world name='hall'><gravity>0 0 -9.8</gravity>\n"
    "<model name='crate'><static>true</static><pose>1 0 0.5 0 0 0.1</pose><link name='box'>\n"
    "<collision name='c'><geometry><box><size>0.3 0.3 0.3</size></box></geometry></collision>\n"
    "</link></model>\n"
    "<model name='can'><pose relative_to='crate'>0 0 0.5 0 0 0</pose><link name='can'>\n"
    "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>\n"
    "</inertial><collision name='c'><geometry><cylinder><radius>0.1</radius><length>0.3</length>\n"
    "</cylinder></geometry></collision></link></model></world></sdf>\n";
const std::string kMeshArm =
    "<robot name='arm'><link name='base'/><link name='tip'><inertial><mass value='8'/>\n"
    "<inertia ixx='0.56' ixy='0' ixz='0' iyy='0.56' iyz='0' izz='1'/></inertial>\n"
    "<collision><geometry><mesh filename='MESH'/></geometry></collision></link>\n"
    "<joint name='turn' type='continuous'><parent link='base'/><child link='tip'/>\n"
    "<axis xyz='0 0 1'/></joint></robot>\n";

/// A tetrahedron as each kind of mesh file: ending and content.
const std::vector<std::pair<std::string, std::string>> kMeshes{
    {".stl",
     "solid t\n"
     "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 "
     "0\nendloop\nendfacet\n"
     "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 "
     "1\nendloop\nendfacet\n"
     "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 "
     "0\nendloop\nendfacet\n"
     "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
     "endsolid t\n"},
    {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"},
    {".dae",
     "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
     "version='1.4.1'><asset><unit meter='0.1'/><up_axis>Z_UP</up_axis></asset>\n"
     "<library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>"
     "0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source='#a' count='4' "
     "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "
     "type='float'/></accessor></technique_common></source>\n"
     "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\n"
     "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/>"
     "<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>\n"
     "<library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node>"
     "</visual_scene></library_visual_scenes>\n"
     "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n"}};

void put(std::string& bytes, std::initializer_list<std::uint32_t> numbers) {
  for (const std::uint32_t number : numbers) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>(number >> shift & 0xffU);
    }
  }
}

/// A capture of three raw IPv4 packets.
std::string pcap(std::uint32_t first_us) {
  std::string file;
  put(file, {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 101});
  for (std::uint32_t i = 0; i < 3; ++i) {
    put(file, {100, first_us + 1000 * i, 20, 20});
    put(file, {0x14000045, i << 16U, 0x00001140, 0x0100000a, 0x0200000a});
  }
  return file;
}

// --- loading each kind ---------------------------------------------------------------------------

/// What is spoiled, and what is then done with it. Everything happens in one folder of its own.
class Targets {
 public:
  explicit Targets(const fs::path& source, fs::path folder)
      : plugins_(labs::built_in_plugins()), folder_(std::move(folder)) {
    fs::create_directories(folder_);
    add("model",
        {read(source / "models/one-joint/one-joint.urdf"), read(source / "models/ur5/ur5.urdf")},
        [this](const std::string& text) { load_model(text); });
    add("scenario",
        {read(source / "scenarios/one-joint.yaml"), read(source / "scenarios/ur5-waypoints.yaml")},
        [this](const std::string& text) { load(text); });
    add("netem", kNetemLines,
        [this](const std::string& text) { run_link("netem: " + quoted(text)); });
    add("phases", kPhases, [this](const std::string& text) { run_link("phases: [" + text + "]"); });
    add("trace", kTraces, [this](const std::string& text) {
      write(folder_ / "trace", text);
      run_link("trace: trace");
    });
    add("pcap", {pcap(5000)}, [this](const std::string& text) {
      write(folder_ / "sent", pcap(0));
      write(folder_ / "received", text);
      run_link("trace: sent, trace_received: received");
    });
    for (const std::string engine : {"mujoco", "ode"}) {
      add("world-" + engine, {kWorld}, [this, engine](const std::string& text) {
        write(folder_ / "hall.sdf", text);
        load(kOneJoint + "world: hall.sdf\nengine: " + engine + "\n");
      });
    }
    for (const auto& [ending, content] : kMeshes) {
      add(ending, {content},
          [this, name = "mesh" + ending](const std::string& text) { load_mesh(name, text); });
    }
    add("mcap", {recording()}, [](const std::string& text) { read_recording(text); });
  }
  ~Targets() { fs::remove_all(folder_); }
  Targets(const Targets&) = delete;
  Targets& operator=(const Targets&) = delete;

  std::size_t count() const { return targets_.size(); }
  const std::vector<std::string>& texts(std::size_t target) const { return targets_[target].texts; }
  const std::string& kind(std::size_t target) const { return targets_[target].kind; }
  /// The text is in the folder meanwhile: whoever is killed leaves it there.
  void load(std::size_t target, const std::string& text) const {
    write(folder_ / "spoiled", text);
    targets_[target].load(text);
  }

 private:
  struct Target {
    std::string kind;
    std::vector<std::string> texts;
    std::function<void(const std::string&)> load;
  };

  void add(std::string kind, std::vector<std::string> texts,
           std::function<void(const std::string&)> load) {
    load(texts.front());  // before it is spoiled it is good
    targets_.push_back({std::move(kind), std::move(texts), std::move(load)});
  }

  static std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
      out += c == '\'' ? "''" : std::string(1, c);
    }
    return out + "'";
  }

  cell::PreparedScenario load(const std::string& text) const {
    return cell::load_scenario_text(text, folder_ / "fuzz.yaml", {}, plugins_);
  }

  void load_model(const std::string& text) const {
    write(folder_ / "model", text);
    Diagnostics diagnostics;
    const model::Model model = model::read_model_file(folder_ / "model", diagnostics);
    const model::BodyTree tree = model::make_body_tree(model, diagnostics);
    diagnostics.throw_if_errors();
    (void)model::lint(tree);
  }

  /// Twenty messages each way cross it.
  void run_link(const std::string& keys) const {
    cell::Run simulation(load(kOneJoint + "link: {" + keys + "}\n"));
    simulation.run_until(simulation.end());
    (void)simulation.results();
  }

  void load_mesh(const std::string& name, const std::string& content) const {
    std::string arm = kMeshArm;
    arm.replace(arm.find("MESH"), 4, name);
    write(folder_ / "arm.urdf", arm);
    write(folder_ / name, content);
    std::string text = kOneJoint;
    load(text.replace(text.find("one-joint"), 9, "arm.urdf"));
  }

  std::string recording() const {
    cell::RunSetup options;
    options.trace = folder_ / "trace.mcap";
    cell::Run simulation(load(kOneJoint), std::move(options));
    simulation.run_until(simulation.end());
    (void)simulation.close_files();
    return read(folder_ / "trace.mcap");
  }

  /// A message decodes or not, whatever its topic says it is.
  static void read_recording(const std::string& bytes) {
    (void)record::read_mcap_bytes(std::as_bytes(std::span(bytes)), "fuzz.mcap",
                                  [](const record::McapMessage& message) {
                                    (void)record::decode_joint_state(message.data);
                                    (void)record::decode_transforms(message.data);
                                    (void)record::decode_path(message.data);
                                    (void)record::decode_pose(message.data);
                                    (void)record::decode_link_event(message.data);
                                    (void)record::decode_clock(message.data);
                                  });
  }

  cell::Plugins plugins_;
  fs::path folder_;
  std::vector<Target> targets_;
};

}  // namespace

/// fuzz_inputs SOURCE_DIR [COUNT [SEED [KIND]]]
int main(int argc, char** argv) {
  const fs::path source = argc > 1 ? argv[1] : ".";
  const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::string kind = argc > 4 ? argv[4] : "";
  const Targets targets(
      source, fs::temp_directory_path() / ("longarm-fuzz-inputs-" + std::to_string(seed)));
  RandomStream random(seed, "fuzz");
  int loaded = 0;
  int explained = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t target = static_cast<std::size_t>(i) % targets.count();
    const std::vector<std::string>& texts = targets.texts(target);
    const std::string text = spoil(texts[random.bits() % texts.size()], random);
    if (!kind.empty() && targets.kind(target) != kind) {
      continue;
    }
    constexpr unsigned kEndless_s = 20;
    alarm(kEndless_s);
    try {
      targets.load(target, text);
      ++loaded;
    } catch (const InputError&) {
      ++explained;  // as it should be
    } catch (const std::exception& problem) {
      std::printf("case %d of seed %llu, %s: %s\n%s\n", i, static_cast<unsigned long long>(seed),
                  targets.kind(target).c_str(), problem.what(), text.c_str());
      return 1;
    }
  }
  std::printf("%d spoiled inputs: %d still loaded, %d were explained\n", loaded + explained, loaded,
              explained);
}

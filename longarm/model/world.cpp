// SPDX-License-Identifier: Apache-2.0
// From an SDF text to models with poses, and from those to placements.
#include "longarm/model/world.h"

#include <fmt/format.h>
#include <sdf/World.hh>

#include "longarm/model/parts_file.h"
#include "longarm/model/sdf_document.h"
#include "longarm/model/sdf_shapes.h"

namespace longarm::model {
namespace {

/// Warns about what would move or be there in other programs and is not here.
void warn_about_the_rest(const XmlSource& source, Diagnostics& diagnostics) {
  const pugi::xml_node world = source.root().child("world");
  for (const char* tag : {"actor", "population", "joint"}) {
    for (const pugi::xml_node element : world.children(tag)) {
      diagnostics.warning(
          source.where(element),
          fmt::format("<{}> '{}' is ignored", tag, element.attribute("name").value()),
          "only the models of a world and their poses are used");
    }
  }
  if (const pugi::xml_node second = world.next_sibling("world")) {
    diagnostics.warning(
        source.where(second),
        fmt::format("only the first world is read, not '{}'", second.attribute("name").value()),
        "move it to a file of its own");
  }
}

WorldModel read_model(const sdf::Model& in, pugi::xml_node parent, const SdfDocument& document,
                      ModelResources& resources, Diagnostics& diagnostics) {
  const auto included = document.included().find(in.Name());
  ModelParts parts =
      included != document.included().end()
          ? included->second
          : SdfModelReader(document.source(), document.included(), resources, diagnostics)
                .read(in, child_named(parent, "model", in.Name()), in.Name());
  ignition::math::Pose3d pose;
  report(in.SemanticPose().Resolve(pose), document.source(), diagnostics);
  std::vector<Plugin> plugins = std::move(parts.plugins);
  std::vector<ContactSensorWish> sensors = std::move(parts.contact_sensors);
  return {in.Name(), join_roots(std::move(parts)), to_pose(pose), std::move(plugins),
          std::move(sensors)};
}

}  // namespace

World read_world_file(const std::string& path, const ModelSearch& search, InputFiles& files,
                      Diagnostics& diagnostics) {
  ModelResources resources(search, files);
  const std::optional<ModelText> text = read_model_text(path, path, resources, diagnostics);
  if (!text || text->format != "sdf") {
    if (text) {
      diagnostics.error({path, 0, 0}, "this is a robot, not a world",
                        "a world is an SDF file with a <world>");
    }
    return {};
  }
  Diagnostics found;
  const SdfDocument document(text->text, path, resources, {}, found);
  World world;
  if (document.is_readable()) {
    const sdf::Root& root = document.root();
    const pugi::xml_node top = document.source().root();
    if (root.WorldCount() > 0) {
      const sdf::World& in = *root.WorldByIndex(0);
      world.name = in.Name();
      world.gravity_m_s2 = to_vector(in.Gravity());
      warn_about_the_rest(document.source(), found);
      for (std::uint64_t i = 0; i < in.ModelCount(); ++i) {
        world.models.push_back(
            read_model(*in.ModelByIndex(i), top.child("world"), document, resources, found));
      }
    } else if (root.Model() != nullptr) {
      world.name = root.Model()->Name();
      world.models.push_back(read_model(*root.Model(), top, document, resources, found));
    } else {
      found.error(document.source().where(top), "the file has no world", "add a <world>");
    }
  }
  text->hand_over(found, diagnostics);
  return found.has_errors() ? World{} : world;
}

std::vector<Placement> make_placements(const World& world, Diagnostics& diagnostics) {
  std::vector<Placement> placements;
  for (const WorldModel& item : world.models) {
    Placement placement;
    placement.name = item.name;
    placement.kind = item.model.own_name.empty() ? item.model.name : item.model.own_name;
    placement.tree = make_body_tree(item.model, diagnostics);
    placement.X_WR = item.X_WM;
    placement.is_fixed = placement.tree.is_static || (!placement.tree.bodies.empty() &&
                                                      placement.tree.bodies.front().name == kWorld);
    placements.push_back(std::move(placement));
  }
  return placements;
}

}  // namespace longarm::model

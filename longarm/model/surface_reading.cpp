// SPDX-License-Identifier: Apache-2.0
// One reader for each number of a surface, whichever element it comes from.
#include "longarm/model/surface_reading.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::model {
namespace {

struct Number {
  const char* what;  ///< for messages
  const char* example;
  bool may_be_zero = true;
  bool may_be_infinite = false;
};

constexpr Number kFriction{"a friction coefficient", "0.8", true, true};  // Inf: nothing slides
constexpr Number kStiffness{"a stiffness in N/m", "1e6", false};
constexpr Number kDamping{"a damping in N·s/m", "100"};
constexpr Number kMinDepth{"a depth in metres", "0.0001"};
constexpr Number kMaxVelocity{"a velocity in m/s greater than 0", "0.1", false, true};

class SurfaceReader {
 public:
  SurfaceReader(const XmlSource& source, std::string owner, Diagnostics& diagnostics)
      : source_(source), owner_(std::move(owner)), diagnostics_(diagnostics) {}

  /// Nothing for an element that is not there or, after a complaint, makes no sense.
  std::optional<double> read(pugi::xml_node element, const Number& wanted) {
    if (!element) {
      return std::nullopt;
    }
    const std::string text =
        element.attribute("value") ? element.attribute("value").value() : element.text().get();
    const std::vector<std::string> words = words_of(text);
    const std::optional<double> number =
        words.size() == 1 ? parse_number(words.front()) : std::nullopt;
    // written so that a number that is not one fails
    const bool is_good = number && (*number > 0.0 || (*number == 0.0 && wanted.may_be_zero)) &&
                         (std::isfinite(*number) || wanted.may_be_infinite);
    if (is_good) {
      return number;
    }
    diagnostics_.error(
        source_.where(element),
        fmt::format("{}<{}> is not {}: '{}'", owner_, element.name(), wanted.what, text),
        fmt::format("for example <{0}>{1}</{0}>", element.name(), wanted.example));
    return std::nullopt;
  }

  /// The smaller of Gazebo's two directions, as we have one.
  void read_friction(pugi::xml_node first, pugi::xml_node second, Surface& surface) {
    const std::optional<double> mu = read(first, kFriction);
    const std::optional<double> mu2 = read(second, kFriction);
    if (mu || mu2) {
      surface.friction = std::min(mu.value_or(mu2.value_or(0.0)), mu2.value_or(mu.value_or(0.0)));
    }
  }

  void read_contact(pugi::xml_node kp, pugi::xml_node kd, pugi::xml_node min_depth,
                    pugi::xml_node max_vel, Surface& surface) {
    if (const auto stiffness = read(kp, kStiffness)) {
      surface.stiffness_N_m = stiffness;
    }
    surface.damping_N_s_m = read(kd, kDamping).value_or(surface.damping_N_s_m);
    surface.min_depth_m = read(min_depth, kMinDepth).value_or(surface.min_depth_m);
    if (const auto velocity = read(max_vel, kMaxVelocity)) {
      surface.max_correction_m_s = velocity;
    }
  }

 private:
  const XmlSource& source_;
  std::string owner_;
  Diagnostics& diagnostics_;
};

/// Gazebo reads both spellings.
pugi::xml_node either(pugi::xml_node parent, const char* one, const char* other) {
  return parent.child(one) ? parent.child(one) : parent.child(other);
}

}  // namespace

Surface read_sdf_surface(const XmlSource& source, pugi::xml_node collision,
                         Diagnostics& diagnostics) {
  SurfaceReader reader(source, owner_of(collision), diagnostics);
  Surface surface;
  const pugi::xml_node friction = collision.child("surface").child("friction").child("ode");
  reader.read_friction(friction.child("mu"), friction.child("mu2"), surface);
  const pugi::xml_node contact = collision.child("surface").child("contact").child("ode");
  reader.read_contact(contact.child("kp"), contact.child("kd"), contact.child("min_depth"),
                      contact.child("max_vel"), surface);
  return surface;
}

Surface read_gazebo_surface(const XmlSource& source, const std::string& link,
                            Diagnostics& diagnostics) {
  SurfaceReader reader(source, fmt::format("link '{}': ", link), diagnostics);
  Surface surface;
  for (const pugi::xml_node gazebo : source.root().children("gazebo")) {
    if (gazebo.attribute("reference").value() != link) {
      continue;
    }
    reader.read_friction(gazebo.child("mu1"), gazebo.child("mu2"), surface);
    reader.read_contact(gazebo.child("kp"), gazebo.child("kd"),
                        either(gazebo, "minDepth", "min_depth"),
                        either(gazebo, "maxVel", "max_vel"), surface);
  }
  return surface;
}

}  // namespace longarm::model

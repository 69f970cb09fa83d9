// SPDX-License-Identifier: Apache-2.0
// The table of URDF's elements and attributes.
#include "longarm/model/urdf_grammar.h"

namespace longarm::model {
namespace {

constexpr bool kRequired = true;
constexpr bool kOptional = false;
constexpr bool kOnce = false;
constexpr bool kMany = true;

using Kind = AttributeKind;

}  // namespace

const std::vector<ElementRule>& urdf_grammar() {
  static const std::vector<ElementRule> rules{
      {"robot",
       {{"name", Kind::kText, kRequired, "my_robot"}, {"version", Kind::kText, kOptional, "1.0"}},
       {{"link", kOptional, kMany},
        {"joint", kOptional, kMany},
        {"material", kOptional, kMany},
        {"gazebo", kOptional, kMany},
        {"transmission", kOptional, kMany},
        {"longarm:ignore_contact", kOptional, kMany}}},
      {"longarm:ignore_contact",
       {{"a", Kind::kText, kRequired, "base_link"},
        {"b", Kind::kText, kRequired, "upper_arm_link"}},
       {}},
      {"link",
       {{"name", Kind::kText, kRequired, "base_link"}, {"type", Kind::kText, kOptional, ""}},
       {{"inertial", kOptional, kOnce},
        {"visual", kOptional, kMany},
        {"collision", kOptional, kMany}}},
      {"inertial",
       {},
       {{"origin", kOptional, kOnce}, {"mass", kRequired, kOnce}, {"inertia", kRequired, kOnce}}},
      {"mass", {{"value", Kind::kPositive, kRequired, "1.5"}}, {}},
      {"inertia",
       {{"ixx", Kind::kNumber, kRequired, "0.01"},
        {"ixy", Kind::kNumber, kRequired, "0"},
        {"ixz", Kind::kNumber, kRequired, "0"},
        {"iyy", Kind::kNumber, kRequired, "0.01"},
        {"iyz", Kind::kNumber, kRequired, "0"},
        {"izz", Kind::kNumber, kRequired, "0.01"}},
       {}},
      {"origin",
       {{"xyz", Kind::kVector, kOptional, "0 0 0.1"},
        {"rpy", Kind::kVector, kOptional, "0 0 1.5708"}},
       {}},
      {"visual",
       {{"name", Kind::kText, kOptional, ""}},
       {{"origin", kOptional, kOnce},
        {"geometry", kRequired, kOnce},
        {"material", kOptional, kMany}}},
      {"collision",
       {{"name", Kind::kText, kOptional, ""}},
       {{"origin", kOptional, kOnce}, {"geometry", kRequired, kOnce}}},
      {"geometry",
       {},
       {{"box", kOptional, kOnce},
        {"sphere", kOptional, kOnce},
        {"cylinder", kOptional, kOnce},
        {"capsule", kOptional, kOnce},
        {"mesh", kOptional, kOnce}}},
      {"box", {{"size", Kind::kVector, kRequired, "0.1 0.1 0.2"}}, {}},
      {"sphere", {{"radius", Kind::kPositive, kRequired, "0.05"}}, {}},
      {"cylinder",
       {{"radius", Kind::kPositive, kRequired, "0.05"},
        {"length", Kind::kPositive, kRequired, "0.2"}},
       {}},
      {"capsule",
       {{"radius", Kind::kPositive, kRequired, "0.05"},
        {"length", Kind::kPositive, kRequired, "0.2"}},
       {}},
      {"mesh",
       {{"filename", Kind::kText, kRequired, "arm.stl"},
        {"scale", Kind::kVector, kOptional, "1 1 1"}},
       {}},
      {"joint",
       {{"name", Kind::kText, kRequired, "elbow"}, {"type", Kind::kText, kRequired, "revolute"}},
       {{"parent", kRequired, kOnce},
        {"child", kRequired, kOnce},
        {"origin", kOptional, kOnce},
        {"axis", kOptional, kOnce},
        {"limit", kOptional, kOnce},
        {"dynamics", kOptional, kOnce},
        {"mimic", kOptional, kOnce},
        {"calibration", kOptional, kOnce},
        {"safety_controller", kOptional, kOnce}}},
      {"parent", {{"link", Kind::kText, kRequired, "base_link"}}, {}},
      {"child", {{"link", Kind::kText, kRequired, "upper_arm_link"}}, {}},
      {"axis", {{"xyz", Kind::kVector, kRequired, "0 0 1"}}, {}},
      {"limit",
       {{"lower", Kind::kNumber, kOptional, "-3.14"},
        {"upper", Kind::kNumber, kOptional, "3.14"},
        {"effort", Kind::kNumber, kRequired, "150"},
        {"velocity", Kind::kNumber, kRequired, "3.14"}},
       {}},
      {"dynamics",
       {{"damping", Kind::kNotNegative, kOptional, "0.1"},
        {"friction", Kind::kNotNegative, kOptional, "0"},
        {"rotor_inertia", Kind::kNotNegative, kOptional, "0.1"}},
       {}},
      {"mimic",
       {{"joint", Kind::kText, kRequired, "left_finger_joint"},
        {"multiplier", Kind::kNumber, kOptional, "1"},
        {"offset", Kind::kNumber, kOptional, "0"}},
       {}},
  };
  return rules;
}

bool is_shape_tag(const std::string& tag) {
  return tag == "box" || tag == "sphere" || tag == "cylinder" || tag == "capsule" || tag == "mesh";
}

}  // namespace longarm::model

// SPDX-License-Identifier: Apache-2.0
// The UR5 of the models folder, and the maker's table of its link lengths.
#include "longarm/motion/test/ur5.h"

#include <cmath>
#include <numbers>

#include "longarm/core/random.h"
#include "longarm/model/model_file.h"

namespace longarm::motion::test {
namespace {

using std::numbers::pi;

}  // namespace

model::BodyTree ur5_tree() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(LONGARM_SOURCE_DIR "/models/ur5/ur5.urdf", diagnostics);
  diagnostics.throw_if_errors();
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

std::vector<double> ur5_home() {
  return {0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0};
}

model::Pose tool_down(double x, double y, double z) {
  model::Pose X = model::Pose::Identity();
  X.linear() << 0, -1, 0,  //
      -1, 0, 0,            //
      0, 0, -1;
  X.translation() = model::Vector3(x, y, z);
  return X;
}

model::Pose ur5_pose_by_table(const std::array<double, 6>& q) {
  constexpr std::array<double, 6> a{0, -0.425, -0.39225, 0, 0, 0};
  constexpr std::array<double, 6> d{0.089159, 0, 0, 0.10915, 0.09465, 0.0823};
  constexpr std::array<double, 6> alpha{pi / 2, 0, 0, pi / 2, -pi / 2, 0};
  // The table is about the controller's base frame, half a turn from base_link.
  Eigen::Matrix4d T = Eigen::Vector4d(-1, -1, 1, 1).asDiagonal();
  for (std::size_t i = 0; i < 6; ++i) {
    const double ct = std::cos(q[i]);
    const double st = std::sin(q[i]);
    const double ca = std::cos(alpha[i]);
    const double sa = std::sin(alpha[i]);
    Eigen::Matrix4d A;
    A << ct, -st * ca, st * sa, a[i] * ct,  //
        st, ct * ca, -ct * sa, a[i] * st,   //
        0, sa, ca, d[i],                    //
        0, 0, 0, 1;
    T = T * A;
  }
  return model::Pose(T);
}

std::vector<double> random_configuration(int index, double range) {
  const RandomStream stream(5, "configurations");
  std::vector<double> q(6);
  for (std::size_t j = 0; j < 6; ++j) {
    const auto draw = static_cast<std::uint64_t>(index) * 6 + j;
    q[j] = range * (2.0 * stream.uniform_at(draw) - 1.0);
  }
  return q;
}

}  // namespace longarm::motion::test

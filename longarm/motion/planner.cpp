// SPDX-License-Identifier: Apache-2.0
// Hands OMPL a joint space, our random numbers and our collision checks.
#include "longarm/motion/planner.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/datastructures/NearestNeighborsLinear.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

#include "longarm/core/random.h"

namespace longarm::motion {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;
using Space = ob::RealVectorStateSpace;

const double* values_of(const ob::State* state) {
  return state->as<Space::StateType>()->values;
}

/// Between configurations of the tree and those of the planner, which has no mimicking joints.
class PlannedJoints {
 public:
  PlannedJoints(const model::BodyTree& tree, std::span<const double> start,
                std::span<const double> goal)
      : template_(start.begin(), start.end()) {
    const Kinematics kinematics(tree);
    for (int i = 0; i < kinematics.joint_count(); ++i) {
      sources_.push_back(kinematics.source(i));
      if (sources_.back().joint == i) {
        add(tree.joints[static_cast<std::size_t>(i)], static_cast<std::size_t>(i), start, goal);
      }
    }
  }

  ob::StateSpacePtr space() const {
    const auto count = static_cast<unsigned>(joints_.size());
    auto space = std::make_shared<Space>(count);
    ob::RealVectorBounds bounds(count);
    bounds.low = low_;
    bounds.high = high_;
    space->setBounds(bounds);
    return space;
  }

  std::vector<double> configuration(const ob::State* state) const {
    std::vector<double> q = template_;
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      q[joints_[k]] = values_of(state)[k];
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = sources_[i].multiplier * q[static_cast<std::size_t>(sources_[i].joint)] +
             sources_[i].offset;
    }
    return q;
  }

  ob::ScopedState<> state(const ob::SpaceInformationPtr& information,
                          std::span<const double> q) const {
    ob::ScopedState<> state(information);
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      state[static_cast<unsigned>(k)] = q[joints_[k]];
    }
    return state;
  }

 private:
  void add(const model::TreeJoint& joint, std::size_t number, std::span<const double> start,
           std::span<const double> goal) {
    const bool is_turning = joint.type == model::JointType::kRevolute;
    const double margin = is_turning ? std::numbers::pi : 1.0;
    const auto [low, high] = std::minmax(start[number], goal[number]);
    joints_.push_back(number);
    // where start or goal are themselves beyond a limit, the planner has to go there all the same
    low_.push_back(std::min(low, std::max(joint.limits.lower, low - margin)));
    high_.push_back(std::max(high, std::min(joint.limits.upper, high + margin)));
  }

  std::vector<double> template_;
  std::vector<JointSource> sources_;
  std::vector<std::size_t> joints_;
  std::vector<double> low_;
  std::vector<double> high_;
};

/// Draws from our own stream: OMPL seeds its generators from one that the whole process shares.
class SeededSampler : public ob::StateSampler {
 public:
  SeededSampler(const ob::StateSpace* space, std::uint64_t seed, int& draws)
      : StateSampler(space),
        bounds_(space->as<Space>()->getBounds()),
        random_(seed, "rrt-connect"),
        draws_(draws) {}

  void sampleUniform(ob::State* state) override {
    ++draws_;
    for (std::size_t k = 0; k < bounds_.low.size(); ++k) {
      values(state)[k] = random_.uniform(bounds_.low[k], bounds_.high[k]);
    }
  }
  void sampleUniformNear(ob::State* state, const ob::State* near, double distance) override {
    for (std::size_t k = 0; k < bounds_.low.size(); ++k) {
      values(state)[k] = values_of(near)[k] + random_.uniform(-distance, distance);
    }
    space_->enforceBounds(state);
  }
  void sampleGaussian(ob::State* state, const ob::State* mean, double deviation) override {
    for (std::size_t k = 0; k < bounds_.low.size(); ++k) {
      values(state)[k] = values_of(mean)[k] + deviation * random_.normal();
    }
    space_->enforceBounds(state);
  }

 private:
  static double* values(ob::State* state) { return state->as<Space::StateType>()->values; }

  const ob::RealVectorBounds& bounds_;
  RandomStream random_;
  int& draws_;
};

class MotionCheck : public ob::MotionValidator {
 public:
  MotionCheck(const ob::SpaceInformationPtr& information, const PlannedJoints& joints,
              const FreeMotion& motion)
      : MotionValidator(information), joints_(joints), motion_(motion) {}

  bool checkMotion(const ob::State* from, const ob::State* to) const override {
    return motion_.is_free(joints_.configuration(from), joints_.configuration(to));
  }
  /// The planner wants to know nothing about how far a blocked motion gets.
  bool checkMotion(const ob::State* from, const ob::State* to,
                   std::pair<ob::State*, double>& last_free) const override {
    last_free.second = 0.0;
    if (last_free.first != nullptr) {
      si_->copyState(last_free.first, from);
    }
    return checkMotion(from, to);
  }

 private:
  const PlannedJoints& joints_;
  const FreeMotion& motion_;
};

Result<Polyline> search(const PlannedJoints& joints, const FreeMotion& motion,
                        std::span<const double> start, std::span<const double> goal,
                        const PlannerOptions& options) {
  int draws = 0;
  const ob::StateSpacePtr space = joints.space();
  space->setStateSamplerAllocator([&](const ob::StateSpace* each) {
    return std::make_shared<SeededSampler>(each, options.seed, draws);
  });
  const auto information = std::make_shared<ob::SpaceInformation>(space);
  information->setStateValidityChecker([&](const ob::State* state) {
    return motion.checker().is_free(joints.configuration(state));
  });
  information->setMotionValidator(std::make_shared<MotionCheck>(information, joints, motion));
  information->setup();
  const auto problem = std::make_shared<ob::ProblemDefinition>(information);
  problem->setStartAndGoalStates(joints.state(information, start), joints.state(information, goal));

  og::RRTConnect planner(information);
  planner.setRange(options.range);
  planner.setProblemDefinition(problem);
  // the usual trees of nearest neighbours are built with random numbers of their own
  planner.setNearestNeighbors<ompl::NearestNeighborsLinear>();
  planner.solve(ob::PlannerTerminationCondition([&] { return draws >= options.max_iterations; }));
  if (!problem->hasExactSolution()) {
    return Error{fmt::format("no path found in {} iterations", options.max_iterations)};
  }
  Polyline line;
  for (const ob::State* state : problem->getSolutionPath()->as<og::PathGeometric>()->getStates()) {
    line.push_back(joints.configuration(state));
  }
  return line;
}

}  // namespace

Result<Polyline> plan_around(const model::BodyTree& tree, const FreeMotion& motion,
                             std::span<const double> start, std::span<const double> goal,
                             const PlannerOptions& options) {
  if (const auto collision = motion.checker().collision_at(start)) {
    return Error{"the start is in collision: " + collision->text()};
  }
  if (const auto collision = motion.checker().collision_at(goal)) {
    return Error{"the goal is in collision: " + collision->text()};
  }
  // where nothing is in the way, nothing has to be searched
  Polyline line{{start.begin(), start.end()}, {goal.begin(), goal.end()}};
  if (motion.is_free(start, goal)) {
    return line;
  }
  // this level belongs to the whole process, so it is left as it is now: setting it back would let
  // another thread's plan talk
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  Result<Polyline> found = search(PlannedJoints(tree, start, goal), motion, start, goal, options);
  if (!found) {
    return found;
  }
  line = std::move(found).value();
  shorten(line, motion, options.seed, options.shortcut_rounds);
  return line;
}

}  // namespace longarm::motion

// SPDX-License-Identifier: Apache-2.0
// What all programs of this folder have in common: their properties, their cycles, what computing
// takes, and how they find each other.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include <Ice/Ice.h>
#include <IceStorm/IceStorm.h>

namespace longarm::armar::ice {

using Clock = std::chrono::steady_clock;

/// The properties `Armar.…` of all programs are in one file, so that it can be read as a whole.
class Component {
 public:
  Component(std::string name, std::shared_ptr<Ice::Communicator> communicator);

  const std::string& name() const { return name_; }
  Ice::Communicator& communicator() const { return *communicator_; }

  /// `Armar.NAME`
  std::string text(const std::string& name) const;
  double number(const std::string& name, double otherwise) const;
  std::chrono::nanoseconds milliseconds(const std::string& name, double otherwise) const;

  /// Of the adapter that carries the component's name; objects are added, then it is activated.
  std::shared_ptr<Ice::ObjectAdapter> adapter() const;

  /// The object of the property `Armar.Proxy.WHAT`, as soon as it answers.
  template <typename Proxy>
  std::shared_ptr<Proxy> find(const std::string& what) const {
    return Ice::uncheckedCast<Proxy>(answering(what));
  }
  /// A topic of IceStorm, made if need be.
  std::shared_ptr<IceStorm::TopicPrx> topic(const std::string& name) const;

  /// Computes for as long as `Armar.Execution.METHOD` says, in µs; drawn around it as
  /// `Armar.Variation` says. With `Armar.Computing=burn` the processor is busy for that long;
  /// with `wait` the thread waits, which is how time passes where computing takes none; with
  /// `charged` it goes on at once, because somebody else takes care of that.
  void compute(const std::string& method);

  /// Time zero of all components.
  Clock::time_point epoch() const { return epoch_; }
  Clock::time_point end() const { return end_; }
  /// From epoch() to end(), at `Armar.Phase.NAME` + n · `Armar.Period.NAME`; a cycle that is late
  /// is left out. `cycle` returns how many calls it has made. Prints what each took, if
  /// `is_reported`, after the last.
  void cycles(bool is_reported, const std::function<int()>& cycle) const;

 private:
  std::shared_ptr<Ice::ObjectPrx> answering(const std::string& what) const;

  std::string name_;
  std::shared_ptr<Ice::Communicator> communicator_;
  Clock::time_point epoch_;
  Clock::time_point end_;
  bool is_burning_ = false;
  bool is_waiting_ = false;
  double variation_ = 0.0;
  std::mutex mutex_;  ///< of the generator
  std::mt19937_64 generator_;
};

void sleep_until(Clock::time_point when);

// the programs; each returns when its time is over
void run_kinematic_unit(Component& component);
void run_robot_state(Component& component);
void run_tcp_control_unit(Component& component);
void run_rectangle(Component& component);
void run_observer(Component& component);
void run_echo(Component& component);
/// Calls echoes as TCPControlUnit calls its servers, in turn as if the hand rested (two calls) and
/// moved (four). Every other time with the values of all joints: then it reports so many more.
void run_asker(Component& component);

}  // namespace longarm::armar::ice

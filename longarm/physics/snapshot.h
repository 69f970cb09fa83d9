// SPDX-License-Identifier: Apache-2.0
// Packs an engine's state into a snapshot and out again, number by number.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/physics/engine.h"
#include "longarm/physics/joint_command.h"

namespace longarm::physics {

class SnapshotWriter {
 public:
  void write(double number) { snapshot_.numbers.push_back(number); }
  void write(const double* numbers, std::size_t count) {
    snapshot_.numbers.insert(snapshot_.numbers.end(), numbers, numbers + count);
  }
  void write(const std::vector<double>& numbers) { write(numbers.data(), numbers.size()); }
  void write(const std::vector<JointCommand>& commands) {
    for (const JointCommand& command : commands) {
      write(static_cast<double>(command.mode));
      write(command.value);
      write(command.max_effort);
    }
  }
  void write(const model::Vector3& vector) { write(vector.data(), 3); }
  void write(const Contact& contact) {
    write(static_cast<double>(contact.a));
    write(static_cast<double>(contact.b));
    write(static_cast<double>(contact.geometry_a));
    write(static_cast<double>(contact.geometry_b));
    write(contact.p_W);
    write(contact.normal_W);
    write(contact.depth_m);
    write(contact.force_on_b_W);
  }
  Snapshot take() { return std::move(snapshot_); }

 private:
  Snapshot snapshot_;
};

/// Reads in the order of writing; a snapshot of another cell is a mistake of ours.
class SnapshotReader {
 public:
  explicit SnapshotReader(const Snapshot& snapshot) : rest_(snapshot.numbers) {}

  double read() {
    check(!rest_.empty(), "a snapshot is too short for this cell");
    const double number = rest_.front();
    rest_ = rest_.subspan(1);
    return number;
  }
  void read(double* numbers, std::size_t count) {
    check(rest_.size() >= count, "a snapshot is too short for this cell");
    std::copy_n(rest_.begin(), count, numbers);
    rest_ = rest_.subspan(count);
  }
  void read(std::vector<double>& numbers) { read(numbers.data(), numbers.size()); }
  void read(std::vector<JointCommand>& commands) {
    for (JointCommand& command : commands) {
      command.mode = static_cast<CommandMode>(static_cast<int>(read()));
      command.value = read();
      command.max_effort = read();
    }
  }
  void read(model::Vector3& vector) { read(vector.data(), 3); }
  void read(Contact& contact) {
    contact.a = static_cast<BodyId>(read());
    contact.b = static_cast<BodyId>(read());
    contact.geometry_a = static_cast<int>(read());
    contact.geometry_b = static_cast<int>(read());
    read(contact.p_W);
    read(contact.normal_W);
    contact.depth_m = read();
    read(contact.force_on_b_W);
  }
  void check_end() const { check(rest_.empty(), "a snapshot is too long for this cell"); }

 private:
  std::span<const double> rest_;
};

}  // namespace longarm::physics

// SPDX-License-Identifier: Apache-2.0
// A computer on the network: what its operating system and its messages cost, and what it computes
// with.
#pragma once

#include <string>

#include "longarm/network/varying_time.h"

namespace longarm::network {

enum class Scheduling : std::uint8_t {
  kFair,  ///< all that wants to run gets an equal share of the cores
  kFifo   ///< each job keeps its core until it is done; later ones wait
};

struct Host {
  std::string name;
  VaryingTime stack_send;     ///< between a program's write and the first bit
  VaryingTime stack_receive;  ///< between the last bit and the program
  VaryingTime loopback;       ///< from program to program on this host
  /// The three above are work for one of its cores, so that packets wait for what is computed
  /// there, and the other way round. Sent and received messages then cost so much for each of
  /// their packets.
  bool stack_uses_cores = false;
  VaryingTime serialise;    ///< computing, by the sender, for each message
  VaryingTime deserialise;  ///< computing, by the receiver
  std::int64_t cores = 0;   ///< 0: as many as are wanted
  double speed = 1.0;       ///< how much faster than where computing times were measured
  double load = 0.0;        ///< share of every core that others use, in [0, 1)
  Scheduling scheduling = Scheduling::kFair;
  /// A host that is really the same machine (a container, a network namespace): this one computes
  /// on that one's cores, and the four values above mean nothing here. Empty: its own.
  std::string shares_cores_with;
  /// What its clock reads is off by that at the start, and gains so much; programs see it.
  Duration clock_offset{0};
  double clock_drift_ppm = 0.0;
};

}  // namespace longarm::network

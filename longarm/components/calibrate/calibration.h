// SPDX-License-Identifier: Apache-2.0
// The four quantities of Krauß et al. 2018, § 3.3, measured: execution times, serialisation, sizes,
// and what the operating systems add; and the files from which a scenario reads them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longarm/components/calibrate/ping_pong.h"
#include "longarm/components/loop_component.h"
#include "longarm/components/transport.h"
#include "longarm/core/result.h"

namespace longarm::components {

/// As network::VaryingTime has it: a value drawn from `seconds`, and so much for each byte.
struct MeasuredTime {
  std::vector<double> seconds;
  double per_byte_ns = 0.0;
};

/// One method of one component, as its callers and its own process saw it.
struct MeasuredMethod {
  std::string component;
  std::string method;
  std::int64_t request_bytes = 0;  ///< the largest, with the frame around the content
  std::int64_t reply_bytes = 0;
  std::vector<double> execution_s;
};

struct Calibration {
  std::vector<PingSample> raw;     ///< nothing but sockets
  std::vector<PingSample> framed;  ///< calls of our components, less what executing them took
  MeasuredTime stack_send;
  MeasuredTime stack_receive;
  MeasuredTime serialise;
  MeasuredTime deserialise;
  std::vector<MeasuredMethod> methods;
  std::vector<std::string> warnings;  ///< what to know before trusting it
};

/// What others measure against: so many processes that echo, with and without our components. Runs
/// for ever; returns only if it cannot listen. Port 0 takes a free one.
Result<bool> serve_calibration(const Address& listen, std::size_t servers,
                               const std::function<void(const Address&)>& say_ready);

struct CalibrationPlan {
  PingPlan ping;
  std::string listen_host = "127.0.0.1";  ///< of this side
  double wire_ns_per_byte = 0.0;          ///< of the network in between, which is simulated itself
  double wire_fixed_s = 0.0;              ///< and what it takes besides, one way
};

/// Fails if nobody serves there, or stops doing so.
Result<Calibration> measure(const Address& server, const CalibrationPlan& plan);

/// Splits round trips: what `write` took is the sender's, half of the rest the receiver's; what our
/// components add, by medians, is shared by both sides. Pure, for tests.
void analyse(Calibration& calibration, const CalibrationPlan& plan);

/// Runs each component that serves as a process on this machine's loopback, calls its methods one
/// after the other, and takes down what executing them took and how large the messages were. Calls
/// that methods make in turn are left out: they are simulated.
Result<std::vector<MeasuredMethod>> measure_methods(const std::vector<LoopConfig>& components,
                                                    Duration pause, Duration length);

/// CSV files, calibration.yaml for pasting into a scenario, and options.txt, the same for the
/// command line.
Result<bool> write_calibration(const Calibration& calibration, const std::string& folder);
/// A table for people.
std::string describe(const Calibration& calibration);

}  // namespace longarm::components

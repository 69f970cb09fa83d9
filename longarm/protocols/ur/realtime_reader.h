// SPDX-License-Identifier: Apache-2.0
// The stream of the real-time port, as a client reads it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/realtime.h"

namespace longarm::protocols::ur {

class RealTimeReader {
 public:
  using Heard = std::function<void(const ControllerState& state)>;

  /// Calls `heard` for every packet that these bytes end, until there is trouble.
  void feed(std::string_view bytes, const Heard& heard);
  /// Why the stream cannot be read any longer; empty: it can.
  const std::string& trouble() const { return trouble_; }

 private:
  RealTimeFramer framer_;
  std::string trouble_;
};

}  // namespace longarm::protocols::ur

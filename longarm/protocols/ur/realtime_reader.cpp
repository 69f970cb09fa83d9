// SPDX-License-Identifier: Apache-2.0
// Bytes in, states out.
#include "longarm/protocols/ur/realtime_reader.h"

namespace longarm::protocols::ur {

void RealTimeReader::feed(std::string_view bytes, const Heard& heard) {
  framer_.feed(bytes);
  while (trouble_.empty()) {
    const Result<std::optional<std::string_view>> packet = framer_.next();
    if (!packet) {
      trouble_ = packet.error().message;
      return;
    }
    if (!*packet) {
      return;
    }
    const Result<RealTimeReading> reading = decode_real_time(**packet);
    if (!reading) {
      trouble_ = reading.error().message;
      return;
    }
    heard(reading->state);
  }
}

}  // namespace longarm::protocols::ur

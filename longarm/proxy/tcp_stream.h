// SPDX-License-Identifier: Apache-2.0
// What one socket of a connection sends to the other: under way in the model, then waiting here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/ring.h"
#include "longarm/proxy/relay_figures.h"
#include "longarm/proxy/tcp_bytes.h"

namespace longarm::proxy {

struct TcpStream {
  struct Message {
    Time came{};
    std::uint32_t size_bytes = 0;  ///< 0: the end
  };
  /// A message at the end of the link.
  struct Arrived {
    Time came{};
    Time due{};
    std::uint32_t size_bytes = 0;
    std::uint32_t unwritten_bytes = 0;
  };

  TcpBytes bytes;                    ///< the first of which are delivered, the others under way
  network::Ring<Message> under_way;  ///< in the model
  network::Ring<Arrived> arrived;    ///< not wholly written yet
  std::size_t delivered = 0;         ///< bytes of them
  std::size_t awaiting = 0;          ///< how many of them the receiver did not take when due
  std::size_t in_vain = 0;           ///< bytes that were read when nobody wanted them any more
  bool has_ended = false;            ///< no more will be read
  bool is_end_delivered = false;     ///< the model has brought the end, too
  bool is_shut = false;              ///< and the other socket has been told

  /// The first message under way, which is not the end, is there since `due`.
  void arrive(Time due);
  /// The other socket takes no more at the moment.
  void await_receiver() { awaiting = arrived.size(); }
  /// It took so many of the delivered bytes. A message has left when its last byte has.
  void written(std::size_t count, Time now, DirectionFigures& figures);
  /// Nobody wants any of it any more.
  void discard(DirectionFigures& figures);
};

}  // namespace longarm::proxy

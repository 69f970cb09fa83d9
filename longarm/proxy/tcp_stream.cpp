// SPDX-License-Identifier: Apache-2.0
// Messages are counted when they have left, not when the model has brought them.
#include "longarm/proxy/tcp_stream.h"

#include <algorithm>

namespace longarm::proxy {

void TcpStream::arrive(Time due) {
  const Message message = under_way.front();
  under_way.pop_front();
  delivered += message.size_bytes;
  arrived.push_back({message.came, due, message.size_bytes, message.size_bytes});
}

void TcpStream::written(std::size_t count, Time now, DirectionFigures& figures) {
  bytes.pop(count);
  delivered -= count;
  while (count > 0) {
    Arrived& first = arrived.front();
    const auto part =
        static_cast<std::uint32_t>(std::min<std::size_t>(count, first.unwritten_bytes));
    first.unwritten_bytes -= part;
    count -= part;
    if (first.unwritten_bytes > 0) {
      return;
    }
    if (awaiting > 0) {
      --awaiting;
      figures.sent_when_taken(first.size_bytes, first.came, first.due, now);
    } else {
      figures.sent(figures.packets_out(), first.size_bytes, first.came, first.due, now);
    }
    arrived.pop_front();
  }
}

void TcpStream::discard(DirectionFigures& figures) {
  for (; !under_way.empty(); under_way.pop_front()) {
    figures.discard(under_way.front().size_bytes > 0 ? 1 : 0);
  }
  figures.discard(arrived.size());
  arrived.clear();
  bytes.clear();
  delivered = 0;
  awaiting = 0;
}

}  // namespace longarm::proxy

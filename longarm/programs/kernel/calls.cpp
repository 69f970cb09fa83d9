// SPDX-License-Identifier: Apache-2.0
// Which call is answered by whom.
#include "longarm/programs/kernel/calls.h"

namespace longarm::programs {
namespace {

CallTable make_table() {
  CallTable table{};
  add_time_calls(table);
  add_file_calls(table);
  add_waiting_calls(table);
  add_futex_calls(table);
  add_process_calls(table);
  add_signal_calls(table);
  add_socket_calls(table);
  return table;
}

}  // namespace

CallHandler handler_of(std::int64_t number) {
  static const CallTable table = make_table();
  return number >= 0 && number < static_cast<std::int64_t>(kCallCount)
             ? table[static_cast<std::size_t>(number)]
             : nullptr;
}

}  // namespace longarm::programs

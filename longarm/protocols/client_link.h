// SPDX-License-Identifier: Apache-2.0
// A client's end of a conversation with a door: a stream of bytes each way.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "longarm/core/time.h"

namespace longarm::protocols {

/// As TCP gives it: in order, in pieces of any size, late or never.
class ClientLink {
 public:
  using Heard = std::function<void(std::string_view bytes, Time now)>;

  virtual ~ClientLink() = default;

  void send(std::string_view bytes) { do_send(bytes); }
  /// Who is told of what arrives; one at a time, from events of the kernel.
  void listen(Heard heard) { heard_ = std::move(heard); }
  /// False once the connection was refused, reset or given up; what is sent then is lost.
  bool is_up() const { return do_is_up(); }

 protected:
  void hear(std::string_view bytes, Time now) const {
    if (heard_) {
      heard_(bytes, now);
    }
  }

 private:
  virtual void do_send(std::string_view bytes) = 0;
  virtual bool do_is_up() const = 0;

  Heard heard_;
};

}  // namespace longarm::protocols

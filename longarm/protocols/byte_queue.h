// SPDX-License-Identifier: Apache-2.0
// What a stream has brought and nobody has read yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longarm::protocols {

class ByteQueue {
 public:
  void add(std::string_view bytes) {
    // moving the rest to the front now and then costs less than doing it for every packet
    if (begin_ > bytes_.size() / 2) {
      bytes_.erase(0, begin_);
      begin_ = 0;
    }
    bytes_ += bytes;
  }
  /// Valid until the next add().
  std::string_view rest() const { return std::string_view(bytes_).substr(begin_); }
  void drop(std::size_t count) { begin_ += count; }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace longarm::protocols

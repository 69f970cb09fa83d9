// SPDX-License-Identifier: Apache-2.0
// Each packet is sent when all before it have arrived, so that it meets no queue and nothing to
// wait for.
#include "longarm/network/external/fate_source.h"

#include <algorithm>

namespace longarm::network::external {
namespace {

class Notes final : public LinkOutput {
 public:
  explicit Notes(Time sent) : sent_(sent), last_(sent) {}

  void arrive(const Packet&, Time when) override {
    fate_.push_back(when - sent_);
    last_ = std::max(last_, when);
  }
  void drop(const Packet&, DropReason) override {}

  PacketFate fate() && { return std::move(fate_); }
  Time last() const { return last_; }

 private:
  Time sent_;
  Time last_;
  PacketFate fate_;
};

}  // namespace

std::vector<PacketFate> FateSource::draw(std::size_t count) {
  constexpr std::size_t kAnySize = 1000;
  std::vector<PacketFate> fates;
  fates.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Notes notes(now_);
    link_->send(now_, Packet{next_index_++, kAnySize, 0}, notes);
    now_ = notes.last();
    fates.push_back(std::move(notes).fate());
  }
  return fates;
}

}  // namespace longarm::network::external

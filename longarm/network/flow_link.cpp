// SPDX-License-Identifier: Apache-2.0
// Keeps, for each message under way, the packet that it stands for.
#include "longarm/network/flow_link.h"

#include <array>
#include <map>
#include <utility>

namespace longarm::network {
namespace {

/// What is under way in one way.
struct OneWay {
  std::map<MessageId, Packet> packets;
  LinkOutput* output = nullptr;  // of the channel, which is the only one to send
};

/// Shared by the two links and by the network's callbacks, whichever goes last.
struct FlowState {
  explicit FlowState(const sim::Kernel& the_kernel) : kernel(the_kernel) {}

  OneWay& towards(Side side) { return ways[static_cast<std::size_t>(side)]; }

  void delivered(Side side, MessageId message) {
    OneWay& way = towards(side);
    // nothing: a second copy
    if (const auto packet = way.packets.extract(message)) {
      way.output->arrive(packet.mapped(), kernel.now());
    }
  }

  void lost(Side side, MessageId message, DropReason reason) {
    OneWay& way = towards(side);
    if (const auto packet = way.packets.extract(message)) {
      way.output->drop(packet.mapped(), reason);
    }
  }

  void reset() {
    is_reset = true;
    for (OneWay& way : ways) {
      const std::map<MessageId, Packet> packets = std::exchange(way.packets, {});
      for (const auto& [message, packet] : packets) {
        way.output->drop(packet, DropReason::kLoss);
      }
    }
  }

  const sim::Kernel& kernel;
  std::array<OneWay, 2> ways;
  bool is_reset = false;
};

class FlowLink final : public Link {
 public:
  FlowLink(Network& network, FlowId flow, Side from, std::shared_ptr<FlowState> state)
      : network_(network), flow_(flow), from_(from), state_(std::move(state)) {}

 private:
  void do_send(Time, const Packet& packet, LinkOutput& output) override {
    if (state_->is_reset) {
      output.drop(packet, DropReason::kLoss);
      return;
    }
    OneWay& way = state_->towards(from_ == Side::kOpener ? Side::kPeer : Side::kOpener);
    way.output = &output;
    const MessageId message =
        network_.send(flow_, from_, static_cast<std::uint32_t>(packet.size_bytes));
    way.packets.emplace(message, packet);
  }

  Network& network_;
  FlowId flow_;
  Side from_;
  std::shared_ptr<FlowState> state_;
};

}  // namespace

Result<FlowLinks> open_flow_links(Network& network, const sim::Kernel& kernel,
                                  const FlowRequest& request) {
  const auto state = std::make_shared<FlowState>(kernel);
  FlowEvents events;
  events.delivered = [state](Side side, MessageId message) { state->delivered(side, message); };
  events.lost = [state](Side side, MessageId message, DropReason reason) {
    state->lost(side, message, reason);
  };
  events.reset = [state](Side) { state->reset(); };
  const Result<FlowId> flow = network.open(request, std::move(events));
  if (!flow) {
    return flow.error();
  }
  return FlowLinks{*flow, std::make_unique<FlowLink>(network, *flow, Side::kOpener, state),
                   std::make_unique<FlowLink>(network, *flow, Side::kPeer, state)};
}

}  // namespace longarm::network

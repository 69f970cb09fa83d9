// SPDX-License-Identifier: Apache-2.0
// A conversation is a stream on one side and an id at the door on the other.
#include "longarm/cell/door_on_network.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "longarm/programs/programs.h"

namespace longarm::cell {

struct DoorOnNetwork::Conversation final : network::StreamListener {
  Conversation(DoorOnNetwork& of_door, std::unique_ptr<network::Stream> of_stream,
               protocols::ConnectionId of_id)
      : owner(of_door), stream(std::move(of_stream)), id(of_id) {
    stream->set_listener(*this);
    owner.door_.open(id, owner.kernel_.now());
    readable();
  }

  void connected() override {}
  void writable() override { send(); }
  void failed(network::StreamFailure) override { end(); }

  void readable() override {
    std::array<std::byte, 16'384> buffer;
    // a client that asks for more than there is room for waits: its window closes
    while (!is_over && stream->readable() > 0 && owner.door_.has_room(id)) {
      const std::size_t count = stream->read(buffer);
      const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), count);
      owner.traffic_.add(
          static_cast<std::uint64_t>(owner.kernel_.now().time_since_epoch().count()));
      owner.traffic_.add(bytes);
      owner.door_.receive(id, bytes, owner.kernel_.now());
    }
    if (!is_over && stream->is_at_end()) {
      end();
    }
  }

  void send() {
    const std::size_t count = stream->write(std::as_bytes(std::span(pending)));
    pending.erase(0, count);
  }

  void flush() {
    if (is_over) {
      return;
    }
    readable();
    pending += owner.door_.take_output(id);
    std::string packet = owner.door_.take_cyclic(id);
    if (pending.empty() && packet.size() <= stream->room()) {
      pending = std::move(packet);
    }
    send();
    if (pending.size() > protocols::kMaxOutputBytes) {
      stream->reset();  // it asks and does not listen
      end();
    } else if (pending.empty() && owner.door_.is_over(id)) {
      end();
    }
  }

  void end() {
    if (!std::exchange(is_over, true)) {
      owner.door_.close(id, owner.kernel_.now());
    }
  }

  DoorOnNetwork& owner;
  std::unique_ptr<network::Stream> stream;
  protocols::ConnectionId id;
  std::string pending;
  bool is_over = false;
};

/// On its way to whom the door calls.
struct DoorOnNetwork::Calling final : network::StreamListener {
  explicit Calling(DoorOnNetwork& of_door) : owner(of_door) {}

  void connected() override { is_answered = true; }
  void readable() override {}
  void writable() override {}
  void failed(network::StreamFailure) override { is_refused = true; }

  DoorOnNetwork& owner;
  std::unique_ptr<network::Stream> stream;
  bool is_answered = false;
  bool is_refused = false;
};

DoorOnNetwork::DoorOnNetwork(sim::Kernel& kernel, programs::Programs& programs,
                             network::NodeId host, protocols::Door& door, std::uint32_t first)
    : kernel_(kernel), programs_(programs), host_(host), door_(door), next_(first) {
  if (door.port().value_or(0) != 0) {
    programs_.ports(host).serve(
        *door.port(), [this](std::unique_ptr<network::Stream> stream) { take(std::move(stream)); });
  }
}

DoorOnNetwork::~DoorOnNetwork() = default;

void DoorOnNetwork::take(std::unique_ptr<network::Stream> stream) {
  conversations_.push_back(
      std::make_unique<Conversation>(*this, std::move(stream), protocols::ConnectionId(next_++)));
}

void DoorOnNetwork::call(const protocols::Call& whom) {
  const std::optional<network::NodeId> there = programs_.find_host(whom.host);
  const std::optional<std::uint16_t> port = programs_.ports(host_).free_port(SOCK_STREAM);
  if (!there || !port) {
    door_.call_failed(kernel_.now());
    return;
  }
  programs_.ports(*there);  // who is called has to answer, if only by refusing
  const network::TcpOptions options = programs_.ports(host_).service_options();
  calling_ = std::make_unique<Calling>(*this);
  const programs::Host& us = programs_.host(host_);
  const programs::Host& them = programs_.host(*there);
  Result<std::unique_ptr<network::Stream>> stream = programs_.streams().connect(
      {host_, *port}, {*there, whom.port}, programs::label_of(us.address, them.address), options, 0,
      *calling_);
  if (stream) {
    calling_->stream = std::move(stream).value();
  } else {
    calling_->is_refused = true;
  }
}

void DoorOnNetwork::flush(Time) {
  if (calling_ && calling_->is_refused) {
    calling_.reset();
    door_.call_failed(kernel_.now());
  } else if (calling_ && calling_->is_answered) {
    const std::unique_ptr<Calling> answered = std::move(calling_);
    take(std::move(answered->stream));
  }
  if (!calling_) {
    if (const std::optional<protocols::Call> whom = door_.take_call()) {
      call(*whom);
    }
  }
  for (const std::unique_ptr<Conversation>& one : conversations_) {
    one->flush();
  }
  // not before: a stream must not be destroyed by what it tells
  std::erase_if(conversations_, [](const auto& one) { return one->is_over; });
}

}  // namespace longarm::cell

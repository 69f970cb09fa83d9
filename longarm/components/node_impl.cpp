// SPDX-License-Identifier: Apache-2.0
// Dispatches frames; looks names up; keeps the name service informed.
#include "longarm/components/node_impl.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::components {
sim::Task<Result<Bytes>> ready_answer(Result<Bytes> answer) {
  co_return answer;
}

Node::Impl::Impl(sim::Kernel& kernel, Transport& transport, Processor& processor, NodeSetup setup)
    : core(kernel, transport, processor, std::move(setup)),
      peers(core),
      calls(core, peers),
      server(core),
      topics(core, peers, calls, roots),
      parameters(core.name),
      roots(kernel) {
  peers.look_up = [this](Peer& peer) { roots.start(look_up(this, &peer)); };
  peers.failed = [this](std::uint32_t call, const std::string& why) {
    call == 0 ? core.complain(why) : calls.fail(call, why);
  };
  serve_own_methods();
  transport.start(*this);
  core.own_address = transport.address();
  if (!core.setup.name_service.host.empty() && !core.setup.is_known) {
    register_with_names(
        kRegister, encode(ComponentEntry{core.name, core.own_address.host, core.own_address.port}));
  }
}

void Node::Impl::serve_own_methods() {
  server.serve(
      kPublishers,
      [this](Bytes bytes, ServedCall) {
        const Result<PublisherList> list = decode<PublisherList>(bytes);
        list ? topics.publishers_changed(*list) : core.complain(list.error().message);
        return ready_answer(Bytes{});
      },
      false);
  server.serve(
      kRequestTopic,
      [this](Bytes bytes, ServedCall) {
        const Result<TopicRequest> request = decode<TopicRequest>(bytes);
        if (!request) {
          return ready_answer(request.error());
        }
        const Result<TopicOffer> offer = topics.offer(*request);
        return ready_answer(offer ? Result<Bytes>(encode(*offer)) : Result<Bytes>(offer.error()));
      },
      false);
  server.serve(
      kParameterChanged,
      [this](Bytes bytes, ServedCall) {
        parameter_changed(bytes);
        return ready_answer(Bytes{});
      },
      false);
}

void Node::Impl::serve_parameters() {
  if (std::exchange(serves_parameters_, true)) {
    return;
  }
  server.serve(
      kGetParameters,
      [this](Bytes bytes, ServedCall) {
        const Result<ParameterNames> asked = decode<ParameterNames>(bytes);
        if (!asked) {
          return ready_answer(asked.error());
        }
        ParameterValues out;
        for (const std::string& name : asked->names) {
          const ParameterDeclaration* const known = parameters.find(name);
          if (known == nullptr) {
            return ready_answer(parameters.unknown(name));
          }
          out.values.push_back({name, json_text(known->value)});
        }
        return ready_answer(encode(out));
      },
      false);
  server.serve(
      kSetParameters,
      [this](Bytes bytes, ServedCall) {
        const Result<ParameterValues> asked = decode<ParameterValues>(bytes);
        if (!asked) {
          return ready_answer(asked.error());
        }
        std::vector<std::pair<std::string, Parameter>> values;
        for (const ParameterValue& each : asked->values) {
          Parameter value = Parameter::parse(each.json, nullptr, false);
          if (value.is_discarded()) {
            return ready_answer(
                Error{fmt::format("the value of parameter '{}' is not JSON", each.name)});
          }
          values.emplace_back(each.name, std::move(value));
        }
        const Result<bool> done = parameters.set(values);
        return ready_answer(done ? Result<Bytes>(Bytes{}) : Result<Bytes>(done.error()));
      },
      false);
  server.serve(
      kListParameters,
      [this](Bytes, ServedCall) {
        ParameterDescriptions out;
        for (const ParameterDeclaration& each : parameters.all()) {
          out.parameters.push_back(
              {each.name, name_of(each.type), json_text(each.value), each.unit, each.doc});
        }
        return ready_answer(encode(out));
      },
      false);
}

void Node::Impl::connected(ConnectionId /*connection*/) {}  // what was sent before has waited

void Node::Impl::received(ConnectionId connection, Bytes bytes) {
  const Result<Frame> frame = read_frame(bytes);
  if (!frame) {
    core.complain(frame.error().message);
    return;
  }
  switch (frame->kind) {
    case FrameKind::kRequest:
    case FrameKind::kOneWay:
      return server.received(connection, *frame, std::move(bytes));
    case FrameKind::kReply:
    case FrameKind::kError:
    case FrameKind::kProgress:
      return calls.received(*frame, std::move(bytes));
    case FrameKind::kCancel:
      return server.cancel(connection, frame->id);
    case FrameKind::kSubscribe:
      return topics.subscribed(connection, *frame);
    case FrameKind::kDatum:
      return topics.received(connection, *frame, std::move(bytes));
    case FrameKind::kBrokered:
      return broker ? broker(*frame, std::move(bytes))
                    : topics.received_brokered(*frame, std::move(bytes));
  }
}

void Node::Impl::closed(ConnectionId connection, const std::string& why) {
  server.closed(connection);
  topics.closed(connection, why);
  if (connection_closed) {
    connection_closed(connection);
  }
  Peer* peer = peers.closed(connection);
  if (peer == nullptr) {
    return;
  }
  const bool is_name_service = peer->name.empty() && peer->address == core.setup.name_service;
  const std::string what =
      fmt::format("{}{}: {}", is_name_service ? "the name service at " : "", peer->text(), why);
  peer->has_address = peer->name.empty();  // one with a name may be elsewhere next time
  core.complain(what);
  calls.fail_all(*peer, what);
  if (is_name_service && !registrations_.empty() && !is_registering_again_) {
    is_registering_again_ = true;
    roots.start(register_again(this));
  }
}

void Node::Impl::tell(Peer& peer, std::string_view method, const Bytes& message) {
  peers.send(peer, 0, write_frame({.kind = FrameKind::kOneWay, .name = method}, message));
}

void Node::Impl::register_with_names(std::string_view method, Bytes message) {
  if (core.setup.name_service.host.empty()) {
    core.complain(fmt::format("{}: there is no name service", method));
    return;
  }
  tell(peers.at(core.setup.name_service), method, message);
  registrations_.emplace_back(method, std::move(message));
}

sim::Task<void> Node::Impl::register_again(Impl* node) {
  co_await sim::sleep_for({node->core.kernel, node->core.source}, kRetryAfter);
  node->is_registering_again_ = false;
  for (const auto& [method, message] : node->registrations_) {
    node->tell(node->peers.at(node->core.setup.name_service), method, message);
  }
}

sim::Task<Result<Bytes>> Node::Impl::ask_names(std::string_view method, Bytes request) {
  if (core.setup.name_service.host.empty()) {
    return ready_answer(Error{fmt::format("'{}' has no name service", core.name)});
  }
  return calls.call(peers.at(core.setup.name_service), std::string(method), std::move(request),
                    CallOptions{});
}

sim::Task<void> Node::Impl::look_up(Impl* node, Peer* peer) {
  // not in one line: g++ 12 destroys temporaries twice where they are awaited
  Bytes question = encode(ComponentEntry{peer->name, {}, 0});
  Result<Bytes> answer = co_await node->ask_names(kFind, std::move(question));
  const Result<ComponentEntry> entry =
      answer ? decode<ComponentEntry>(*answer) : Result<ComponentEntry>(answer.error());
  if (!entry) {
    node->peers.fail(*peer, entry.error().message);
    co_return;
  }
  node->peers.found(*peer, {entry->host, entry->port});
}

void Node::Impl::watch(std::string_view name, std::function<void(const Parameter&)> changed) {
  const std::string& resolved = core.resolve(name);
  watchers_[resolved].push_back(std::move(changed));
  register_with_names(
      kWatchParameter,
      encode(
          ParameterEntry{resolved, {}, {core.name, core.own_address.host, core.own_address.port}}));
}

void Node::Impl::parameter_changed(const Bytes& bytes) {
  const Result<ParameterEntry> entry = decode<ParameterEntry>(bytes);
  if (!entry) {
    core.complain(entry.error().message);
    return;
  }
  const Parameter value = Parameter::parse(entry->json, nullptr, false);
  const auto watchers = watchers_.find(entry->name);
  if (value.is_discarded() || watchers == watchers_.end()) {
    core.complain(fmt::format("could not read the changed parameter '{}'", entry->name));
    return;
  }
  for (std::size_t i = 0; i < watchers->second.size(); ++i) {
    watchers->second[i](value);
  }
}

}  // namespace longarm::components

// SPDX-License-Identifier: Apache-2.0
// The templates behind node.h: calls and topics with messages instead of bytes.
#pragma once

#include "longarm/components/node.h"

namespace longarm::components {
namespace internal {

template <typename Request, typename Reply>
using TypedHandler = std::function<sim::Task<Reply>(Request request)>;

template <typename Request, typename Reply>
sim::Task<Result<Bytes>> serve_typed(std::shared_ptr<const TypedHandler<Request, Reply>> handler,
                                     Bytes bytes) {
  Result<Request> request = decode<Request>(bytes);
  if (!request) {
    co_return request.error();
  }
  const Reply reply = co_await (*handler)(std::move(request).value());
  co_return encode(reply);
}

}  // namespace internal

template <typename Request, typename Reply>
void Node::serve(std::string_view method,
                 std::function<sim::Task<Reply>(Request request)> handler) {
  // shared: a request under way keeps the handler that it began with
  auto shared = std::make_shared<const internal::TypedHandler<Request, Reply>>(std::move(handler));
  serve_call(method, [shared](Bytes bytes, ServedCall) {
    return internal::serve_typed<Request, Reply>(shared, std::move(bytes));
  });
}

template <typename Reply, typename Request>
sim::Task<Result<Reply>> Node::call(std::string server, std::string method, Request request,
                                    CallOptions options) {
  Result<Bytes> bytes =
      co_await call_raw(std::move(server), std::move(method), encode(request), std::move(options));
  if (!bytes) {
    co_return bytes.error();
  }
  co_return decode<Reply>(*bytes);
}

template <typename Message>
void Node::subscribe(std::string_view topic, std::function<void(const Message&)> receiver,
                     TopicOptions options) {
  const auto decode_first = [this, receiver = std::move(receiver)](const Bytes& bytes) {
    const Result<Message> message = decode<Message>(bytes);
    if (!message) {
      complain(message.error().message);
      return;
    }
    receiver(*message);
  };
  subscribe_raw(topic, Message::kTypeName, decode_first, options);
}

}  // namespace longarm::components

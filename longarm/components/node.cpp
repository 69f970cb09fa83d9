// SPDX-License-Identifier: Apache-2.0
// The public face of a node.
#include "longarm/components/node.h"

#include "longarm/components/node_impl.h"

namespace longarm::components {
namespace {

/// Waits until the processor has done some work; forgotten if its task ends first.
class ComputeAwaiter {
 public:
  ComputeAwaiter(NodeCore& core, Waits& waits, Duration work)
      : core_(core), waits_(waits), work_(work) {}
  ComputeAwaiter(const ComputeAwaiter&) = delete;
  ComputeAwaiter& operator=(const ComputeAwaiter&) = delete;
  ~ComputeAwaiter() { waits_.forget(token_); }

  bool await_ready() const { return work_ <= Duration(0); }
  void await_suspend(std::coroutine_handle<> frame) {
    token_ = waits_.add(frame);
    since_ = core_.now();
    core_wait_ = core_.core_wait;
    core_.processor.execute(work_, [waits = &waits_, token = token_] { waits->wake(token); });
  }
  void await_resume() const {
    if (core_wait_ != nullptr) {
      *core_wait_ += core_.now() - since_ - core_.processor.alone(work_);
    }
  }

 private:
  NodeCore& core_;
  Waits& waits_;
  Duration work_;
  Time since_{};
  Duration* core_wait_ = nullptr;  // of the request that this is for, which outlives its handler
  Waits::Token token_;
};

sim::Task<void> compute_task(NodeCore& core, Waits& waits, Duration work) {
  co_await ComputeAwaiter(core, waits, work);
}

sim::Task<Result<Parameter>> parameter_task(sim::Task<Result<Bytes>> asked) {
  Result<Bytes> answer = co_await std::move(asked);
  if (!answer) {
    co_return answer.error();
  }
  const Result<ParameterEntry> entry = decode<ParameterEntry>(*answer);
  if (!entry) {
    co_return entry.error();
  }
  Parameter value = Parameter::parse(entry->json, nullptr, false);
  if (value.is_discarded()) {
    co_return Error{"the value of '" + entry->name + "' is not JSON"};
  }
  // by name: a parameter can be made of anything, of a Result, too
  co_return Result<Parameter>(std::move(value));
}

sim::Task<Result<bool>> done_task(sim::Task<Result<Bytes>> asked) {
  Result<Bytes> answer = co_await std::move(asked);
  co_return answer ? Result<bool>(true) : Result<bool>(answer.error());
}

}  // namespace

Node::Node(sim::Kernel& kernel, Transport& transport, Processor& processor, NodeSetup setup)
    : impl_(std::make_unique<Impl>(kernel, transport, processor, std::move(setup))) {}

Node::~Node() = default;

const std::string& Node::name() const {
  return impl_->core.name;
}

Time Node::now() const {
  return impl_->core.now();
}

sim::TaskContext Node::context() const {
  return {impl_->core.kernel, impl_->core.source};
}

sim::TaskId Node::spawn(sim::Task<void> task) {
  return impl_->roots.spawn(impl_->core.source, std::move(task));
}

sim::Task<void> Node::compute(Duration work) {
  return compute_task(impl_->core, impl_->waits, work);
}

void Node::serve_raw(std::string_view method, RawHandler handler) {
  impl_->server.serve(method, std::move(handler));
}

void Node::serve_call(std::string_view method, CallHandler handler, bool takes_thread) {
  impl_->server.serve(method, std::move(handler), takes_thread);
}

sim::Task<Result<Bytes>> Node::call_raw(std::string server, std::string method, Bytes request,
                                        CallOptions options) {
  return impl_->calls.call(impl_->peers.named(server), std::move(method), std::move(request),
                           std::move(options));
}

std::vector<OpenCall> Node::open_calls() const {
  return impl_->calls.open();
}

const network::FlowOptions& Node::call_flow() const {
  return impl_->core.setup.calls;
}

void Node::tell_raw(const std::string& server, std::string_view method, Bytes message) {
  impl_->tell(impl_->peers.named(server), method, message);
}

void Node::advertise_raw(std::string_view topic, std::string_view type, TopicOptions options) {
  impl_->register_with_names(kRegisterPublisher,
                             encode(impl_->topics.advertise(topic, type, options)));
}

void Node::publish_raw(std::string_view topic, Bytes message) {
  impl_->topics.publish(topic, message);
}

void Node::subscribe_raw(std::string_view topic, std::string_view type, RawReceiver receiver,
                         TopicOptions options) {
  impl_->register_with_names(kRegisterSubscriber, encode(impl_->topics.subscribe(
                                                      topic, type, std::move(receiver), options)));
}

sim::Task<Result<Parameter>> Node::parameter(std::string name) {
  return parameter_task(
      impl_->ask_names(kGetParameter, encode(ParameterEntry{impl_->core.resolve(name), {}, {}})));
}

sim::Task<Result<bool>> Node::set_parameter(std::string name, Parameter value) {
  // what is no UTF-8 is replaced rather than thrown about
  const std::string json = value.dump(-1, ' ', false, Parameter::error_handler_t::replace);
  return done_task(
      impl_->ask_names(kSetParameter, encode(ParameterEntry{impl_->core.resolve(name), json, {}})));
}

void Node::watch_parameter(std::string_view name, std::function<void(const Parameter&)> changed) {
  impl_->watch(name, std::move(changed));
}

const std::vector<std::string>& Node::complaints() const {
  return impl_->core.complaints;
}

void Node::complain(std::string what) {
  impl_->core.complain(std::move(what));
}

}  // namespace longarm::components

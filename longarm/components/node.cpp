// SPDX-License-Identifier: Apache-2.0
// The public face of a node.
#include "longarm/components/node.h"

#include <tuple>

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

sim::Task<Result<Parameter>> parameter_of_task(sim::Task<Result<Bytes>> asked) {
  Result<Bytes> answer = co_await std::move(asked);
  if (!answer) {
    co_return answer.error();
  }
  const Result<ParameterValues> got = decode<ParameterValues>(*answer);
  if (!got) {
    co_return got.error();
  }
  Parameter value = got->values.size() == 1
                        ? Parameter::parse(got->values.front().json, nullptr, false)
                        : Parameter(Parameter::value_t::discarded);
  if (value.is_discarded()) {
    co_return Error{"the answer is not the value of one parameter"};
  }
  co_return Result<Parameter>(std::move(value));
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
  if (!impl_->core.setup.remap.empty()) {
    std::tie(server, method) = resolve_service(server, method);
    return impl_->calls.call(impl_->peers.called(server), std::move(method), std::move(request),
                             std::move(options));
  }
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
  if (!impl_->core.setup.remap.empty()) {
    const auto [component, remapped] = resolve_service(server, method);
    impl_->tell(impl_->peers.called(component), remapped, message);
    return;
  }
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

void Node::declare_parameter(ParameterDeclaration declaration) {
  impl_->parameters.declare(std::move(declaration));
  impl_->serve_parameters();
}

const std::vector<ParameterDeclaration>& Node::own_parameters() const {
  return impl_->parameters.all();
}

const Parameter* Node::own_parameter(std::string_view name) const {
  const ParameterDeclaration* const known = impl_->parameters.find(name);
  return known == nullptr ? nullptr : &known->value;
}

Result<bool> Node::set_own_parameter(const std::string& name, const Parameter& value) {
  return impl_->parameters.set({{name, value}});
}

void Node::follow_parameter(std::string_view name, std::function<void(const Parameter&)> changed) {
  impl_->parameters.follow(name, std::move(changed));
}

sim::Task<Result<Parameter>> Node::parameter_of(std::string node, std::string name) {
  return parameter_of_task(call_raw(std::move(node), std::string(kGetParameters),
                                    encode(ParameterNames{{std::move(name)}})));
}

sim::Task<Result<bool>> Node::set_parameter_of(std::string node, std::string name,
                                               Parameter value) {
  const std::string json = json_text(value);
  return done_task(call_raw(std::move(node), std::string(kSetParameters),
                            encode(ParameterValues{{{std::move(name), json}}})));
}

sim::Task<Result<Parameter>> Node::parameter(std::string name) {
  return parameter_task(
      impl_->ask_names(kGetParameter, encode(ParameterEntry{impl_->core.resolve(name), {}, {}})));
}

sim::Task<Result<bool>> Node::set_parameter(std::string name, Parameter value) {
  const std::string json = json_text(value);
  return done_task(
      impl_->ask_names(kSetParameter, encode(ParameterEntry{impl_->core.resolve(name), json, {}})));
}

void Node::watch_parameter(std::string_view name, std::function<void(const Parameter&)> changed) {
  impl_->watch(name, std::move(changed));
}

const std::vector<std::string>& Node::complaints() const {
  return impl_->core.complaints;
}

void Node::report(const GoalRecord& record) const {
  if (impl_->core.setup.observer != nullptr) {
    impl_->core.setup.observer->goal_ended(record);
  }
}

std::string Node::resolve(std::string_view name) const {
  return impl_->core.resolve(name);
}

std::pair<std::string, std::string> Node::resolve_service(std::string_view server,
                                                          std::string_view method) const {
  return components::resolve_service(server, method, impl_->core.name, impl_->core.setup.remap);
}

void Node::complain(std::string what) {
  impl_->core.complain(std::move(what));
}

}  // namespace longarm::components

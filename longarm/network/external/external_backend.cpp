// SPDX-License-Identifier: Apache-2.0
// Speaks for a network simulator in another process, and checks what it says.
#include "longarm/network/external/external_backend.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/network/external/conversation.h"
#include "longarm/network/external/protocol.h"

namespace longarm::network {
namespace {

using namespace external;

constexpr std::size_t kFatesAtOnce = 1024;

class ExternalBackend final : public Backend {
 public:
  ExternalBackend(const Topology& topology, const BackendOptions& options,
                  const ExternalOptions& external)
      : topology_(topology), talk_(external.name, external.patience) {
    or_refuse(talk_.start(external.command));
    greet(options);
    make_folder(options.capture_folder);
    make_fate_sources(options.seed);
    build(options);
  }

  std::string name() const override { return talk_.name(); }

  Result<FlowId> open(const FlowRequest& request, Time at) override {
    const FlowId flow{static_cast<std::uint32_t>(flows_.size())};
    tell(open_line(flow, request, at), at);
    const Result<std::string> line = talk_.ask("", now_);
    if (!line) {
      return line.error();
    }
    const Result<Consent> consent = read_opened(*line, flow);
    if (!consent) {
      return talk_.fail(consent.error().message, now_);
    }
    if (!consent->is_given) {
      return Error{
          fmt::format("network backend '{}' does not support: {}", talk_.name(), consent->why_not)};
    }
    flows_.push_back(request);
    under_way_.emplace_back();
    return flow;
  }

  void send(FlowId flow, Side from, MessageId message, std::uint32_t size_bytes, Time at) override {
    under_way_[static_cast<std::size_t>(flow)].to[1 - index_of(from)].insert(message);
    tell(send_line(flow, from, message, size_bytes, at), at);
  }
  void close(FlowId flow, Side side, Time at) override { tell(close_line(flow, side, at), at); }
  void reset(FlowId flow, Side side, Time at) override { tell(reset_line(flow, side, at), at); }
  void change(CableId cable, const CableChange& change) override {
    tell(change_line(cable, change), change.at);
  }

  Time next_event() const override { return next_event_; }

  Result<bool> advance(Time until, std::vector<Delivery>& out) override {
    const std::size_t first = out.size();
    while (next_event_ < until) {
      const Result<std::string> line = talk_.ask(advance_line(until), now_);
      if (!line) {
        return line.error();
      }
      const Result<Advanced> advanced = read_advanced(*line);
      if (!advanced) {
        return talk_.fail(advanced.error().message, now_);
      }
      const std::string nonsense = take(*advanced, until, out);
      if (!nonsense.empty()) {
        out.resize(first);
        return talk_.fail(nonsense, now_);
      }
      if (out.size() > first) {
        until = std::min(until, out[first].time + Duration(1));  // the rest of that instant
      }
    }
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const Delivery& a, const Delivery& b) {
                       return std::pair(a.flow, a.side) < std::pair(b.flow, b.side);
                     });
    return out.size() > first;
  }

  NetworkFigures figures(Time now) const override {
    // asking is no change to the network, only to the conversation about it
    auto& self = const_cast<ExternalBackend&>(*this);
    const Result<std::string> line = self.talk_.ask(figures_line(now), now_);
    if (!line) {
      return {};
    }
    const Result<NetworkFigures> read = read_figures(*line, topology_, flows_);
    if (!read) {
      const Error noted = self.talk_.fail(read.error().message, now_);
      return {};
    }
    return *read;
  }

 private:
  struct UnderWay {
    std::set<MessageId> to[2];
  };
  struct Fates {
    CableId cable{};
    Direction direction{};
    FateSource source;
  };

  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    throw InputError(Diagnostic{
        {}, fmt::format("network backend '{}' {}", talk_.name(), what), hint, Severity::kError});
  }

  void greet(const BackendOptions& options) {
    const std::string line = or_refuse(talk_.ask(hello_line(), now_));
    const Result<Hello> hello = read_hello(line);
    if (!hello) {
      refuse(hello.error().message, "see docs/how-to/backends.md");
    }
    capabilities_ = hello->capabilities;
    if (!options.capture_folder.empty() && !can("capture")) {
      refuse("cannot capture packets", "set network.capture: false");
    }
  }

  /// Here rather than there: a backend need not know about folders.
  void make_folder(const std::string& folder) const {
    std::error_code failure;
    if (!folder.empty()) {
      std::filesystem::create_directories(folder, failure);
    }
    if (failure) {
      refuse(fmt::format("cannot capture packets in '{}': {}", folder, failure.message()), "");
    }
  }

  bool can(std::string_view what) const {
    return std::find(capabilities_.begin(), capabilities_.end(), what) != capabilities_.end();
  }

  void make_fate_sources(std::uint64_t seed) {
    for (std::size_t i = 0; i < topology_.cables.size(); ++i) {
      const Cable& cable = topology_.cables[i];
      for (std::size_t direction = 0; direction < 2; ++direction) {
        const LinkModel* const model = cable.impairment[direction].get();
        if (model == nullptr) {
          continue;
        }
        if (model->fate_rule() == FateRule::kByTime || !can("fates")) {
          refuse(fmt::format("does not support the link model of cable '{}', which depends on "
                             "packet size or time",
                             cable.name),
                 "use rate, propagation and queue of the cable instead, or delay, netem without "
                 "rate and slot, or traces by packet; or use backend: builtin");
        }
        const std::string& sender =
            topology_.nodes[static_cast<std::size_t>(cable.ends[direction])].name;
        const std::string& stream = cable.stream[direction];
        fates_.push_back(
            {CableId(static_cast<std::uint32_t>(i)), Direction(direction),
             FateSource(*model, {seed, stream.empty() ? cable.name + "." + sender : stream})});
      }
    }
  }

  void build(const BackendOptions& options) {
    const Result<RoutingTable> routes = RoutingTable::make(topology_);
    if (!routes) {
      refuse("has nothing to build: " + routes.error().message, "");
    }
    const std::string line = or_refuse(talk_.ask(build_line(topology_, *routes, options), now_));
    const Result<Consent> consent = read_built(line);
    if (!consent) {
      refuse(consent.error().message, "");
    }
    if (!consent->is_given) {
      refuse("does not support: " + consent->why_not, "change this, or use backend: builtin");
    }
    for (Fates& fates : fates_) {
      send_fates(fates);
    }
    next_event_ = Time{};  // what the topology itself has in store
  }

  /// The value, unless it failed while we are still being made.
  template <typename T>
  static T or_refuse(Result<T> result) {
    if (!result) {
      throw InputError(
          Diagnostic{{}, result.error().message, "see docs/how-to/backends.md", Severity::kError});
    }
    return std::move(result).value();
  }

  /// Sent with the next question.
  void tell(const std::string& line, Time at) {
    talk_.say(line);
    next_event_ = std::min(next_event_, at);
  }

  void send_fates(Fates& fates) {
    const std::uint64_t first = fates.source.next_index();
    talk_.say(fates_line(fates.cable, fates.direction, first, fates.source.draw(kFatesAtOnce)));
  }

  /// Checks an answer and takes what is in it; says what is wrong with it, if anything.
  std::string take(const Advanced& advanced, Time until, std::vector<Delivery>& out) {
    if (advanced.time < now_ || (advanced.time >= until && advanced.time > now_)) {
      return fmt::format("reported the time {:.9f} s", to_seconds(advanced.time));
    }
    for (const Delivery& delivery : advanced.deliveries) {
      const std::string nonsense = judge(delivery, advanced);
      if (!nonsense.empty()) {
        return nonsense;
      }
      out.push_back(delivery);
    }
    for (const FatesWanted& wanted : advanced.fates_wanted) {
      const auto found = std::find_if(fates_.begin(), fates_.end(), [&](const Fates& fates) {
        return fates.cable == wanted.cable && fates.direction == wanted.direction;
      });
      if (found == fates_.end() || found->source.next_index() != wanted.first) {
        return "asked for the fate of packets that do not exist or whose fate is known";
      }
      send_fates(*found);
    }
    const bool is_done = advanced.deliveries.empty() && advanced.fates_wanted.empty();
    if (advanced.next_event < advanced.time || (is_done && advanced.next_event < until)) {
      return "stopped without a reason";
    }
    now_ = advanced.time;
    next_event_ = advanced.next_event;
    return "";
  }

  std::string judge(const Delivery& delivery, const Advanced& advanced) {
    const auto flow = static_cast<std::size_t>(delivery.flow);
    if (delivery.time < now_) {
      return fmt::format("delivered a message in the past, at {:.9f} s", to_seconds(delivery.time));
    }
    if (delivery.time != advanced.time) {
      return fmt::format("delivered a message at {:.9f} s and did not stop",
                         to_seconds(delivery.time));
    }
    if (flow >= flows_.size()) {
      return fmt::format("reported flow {}, which is not open", flow);
    }
    const bool has_message = delivery.fate == Fate::kDelivered || delivery.fate == Fate::kLost;
    std::set<MessageId>& messages = under_way_[flow].to[index_of(delivery.side)];
    if (has_message && messages.erase(delivery.message) == 0) {
      return fmt::format("delivered message {} of flow {}, which is not in flight",
                         static_cast<std::uint64_t>(delivery.message), flow);
    }
    return "";
  }

  Topology topology_;
  Conversation talk_;
  std::vector<std::string> capabilities_;
  std::vector<FlowRequest> flows_;
  std::vector<UnderWay> under_way_;
  std::vector<Fates> fates_;
  Time now_{};
  Time next_event_ = Time::max();
};

}  // namespace

std::unique_ptr<Backend> make_external_backend(const Topology& topology,
                                               const BackendOptions& options,
                                               const ExternalOptions& external) {
  return std::make_unique<ExternalBackend>(topology, options, external);
}

}  // namespace longarm::network

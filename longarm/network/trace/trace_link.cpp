// SPDX-License-Identifier: Apache-2.0
// Plays a trace back: by the time of sending, or packet by packet.
#include "longarm/network/trace/trace_link.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "longarm/core/check.h"
#include "longarm/network/trace/pcap_file.h"

namespace longarm::network {
namespace {

class TraceLink final : public Link {
 public:
  TraceLink(const TraceConfig& config, DelayTrace trace)
      : config_(config), samples_(std::move(trace.samples)), is_of_pings_(trace.is_of_pings) {
    check(!samples_.empty(), "a trace without samples");
    // after the last sample a cycle goes on for as long as samples are apart on average
    const auto count = static_cast<std::int64_t>(samples_.size());
    const Duration span = samples_.back().at;
    cycle_ = count > 1 ? span + span / (count - 1) : Duration(0);
    if (is_of_pings_) {
      note_last_delays();
    }
  }

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    const std::optional<Duration> delay =
        config_.trace_by == "packet" ? by_packet(packet.index) : by_time(now);
    if (!delay) {
      output.drop(packet, DropReason::kLoss);
      return;
    }
    Time arrival = now + *delay;
    if (!config_.overtaking) {
      arrival = std::max(arrival, last_arrival_);
      last_arrival_ = arrival;
    }
    output.arrive(packet, arrival);
  }

  std::optional<Duration> by_packet(std::uint64_t index) const {
    const std::size_t count = samples_.size();
    return samples_[config_.trace_repeat ? index % count : std::min<std::size_t>(index, count - 1)]
        .delay;
  }

  /// The last sample at or before that instant.
  std::optional<Duration> by_time(Time now) {
    Duration into = now.time_since_epoch();
    std::int64_t cycle = 0;
    if (config_.trace_repeat && cycle_ > Duration(0)) {
      cycle = into / cycle_;
      into %= cycle_;
    }
    const auto after =
        std::upper_bound(samples_.begin(), samples_.end(), into,
                         [](Duration at, const DelaySample& sample) { return at < sample.at; });
    const auto index = static_cast<std::size_t>(after - samples_.begin()) - 1;  // first is at zero
    if (samples_[index].delay || !is_of_pings_) {
      return samples_[index].delay;
    }
    // a ping that was lost takes one message with it
    const std::pair place{cycle, index};
    if (last_loss_ != place) {
      last_loss_ = place;
      return std::nullopt;
    }
    return last_delays_[index];
  }

  /// Before the first ping that came back counts the last that did, as if the trace had run before.
  void note_last_delays() {
    std::optional<Duration> last;
    for (const DelaySample& sample : samples_) {
      last = sample.delay ? sample.delay : last;
    }
    for (const DelaySample& sample : samples_) {
      last = sample.delay ? sample.delay : last;
      last_delays_.push_back(last);
    }
  }

  TraceConfig config_;
  std::vector<DelaySample> samples_;
  bool is_of_pings_;
  std::vector<std::optional<Duration>> last_delays_;  // of pings: at or before each sample
  Duration cycle_{0};
  std::optional<std::pair<std::int64_t, std::size_t>> last_loss_;  // cycle and sample
  Time last_arrival_{};
};

constexpr Duration kDense = std::chrono::milliseconds(10);  // as close as messages may well be

/// What pings far apart leave out; empty if they are not.
std::string remark_on_spacing(const DelayTrace& trace) {
  const auto gaps = static_cast<std::int64_t>(trace.samples.size()) - 1;
  if (!trace.is_of_pings || gaps < 1 || trace.samples.back().at < kDense * gaps) {
    return "";
  }
  return fmt::format(
      "samples are {:.4g} s apart; messages in between get the delay of the sample before, and a "
      "lost round trip loses one message, each way",
      1e-9 * static_cast<double>(trace.samples.back().at.count()) / static_cast<double>(gaps));
}

class TraceModel final : public LinkModel {
 public:
  void list_fields(Fields& fields) override { network::list_fields(fields, config_); }

  std::vector<KeyRemark> load(InputFiles& files) override {
    const Result<std::string> content = files.read(config_.trace);
    if (!content) {
      return {{"trace", content.error().message, ""}};
    }
    const TraceFormat format = recognise_trace(*content);
    const bool needs_two = format == TraceFormat::kPcap;
    if (needs_two && config_.trace_received.empty()) {
      return {{"trace", "a capture at the sender needs one at the receiver",
               "name it with trace_received"}};
    }
    if (!needs_two && !config_.trace_received.empty()) {
      return {{"trace_received", "'trace_received' needs a pcap file as 'trace'",
               "remove it, or give both captures"}};
    }
    return take(format, *content, files);
  }

  std::unique_ptr<Link> make(const LinkContext&) const override {
    return make_trace_link(config_, trace_);
  }
  FateRule fate_rule() const override {
    if (config_.trace_by != "packet") {
      return FateRule::kByTime;
    }
    return config_.overtaking ? FateRule::kByIndex : FateRule::kByIndexInOrder;
  }

 private:
  std::vector<KeyRemark> take(TraceFormat format, const std::string& content, InputFiles& files) {
    if (format == TraceFormat::kPcap) {
      return take_captures(content, files);
    }
    const bool is_csv = format == TraceFormat::kCsv;
    const Result<DelayTrace> trace = is_csv                         ? read_csv_trace(content)
                                     : format == TraceFormat::kPing ? read_ping_trace(content)
                                                                    : read_iperf_trace(content);
    if (!trace) {
      return {{"trace", config_.trace + ": " + trace.error().message,
               is_csv ? "see docs/how-to/links.md for the supported formats" : ""}};
    }
    if (!trace->has_times && config_.trace_by == "time") {
      return {{"trace", config_.trace + ": the trace has no send times",
               "add a column time_s, or set trace_by: packet"}};
    }
    return keep(*trace);
  }

  std::vector<KeyRemark> take_captures(const std::string& content, InputFiles& files) {
    const Result<std::string> received = files.read(config_.trace_received);
    if (!received) {
      return {{"trace_received", received.error().message, ""}};
    }
    const Result<PcapFile> at_sender = read_end("trace", content);
    const Result<PcapFile> at_receiver = read_end("trace_received", *received);
    if (!at_sender) {
      return {{"trace", at_sender.error().message, ""}};
    }
    if (!at_receiver) {
      return {{"trace_received", at_receiver.error().message, ""}};
    }
    if (content == *received) {
      return {{"trace_received",
               config_.trace_received + " is the same capture as 'trace': every delay would be 0",
               "capture at the receiver too"}};
    }
    const Result<DelayTrace> matched = match_captures(*at_sender, *at_receiver);
    if (!matched) {
      return {{"trace", config_.trace + ": " + matched.error().message, ""}};
    }
    DelayTrace trace = *matched;
    if (!at_sender->cut.empty()) {
      trace.remarks.push_back(at_sender->cut + "; the packets before it are used");
    }
    if (!at_receiver->cut.empty()) {
      trace.remarks.push_back(config_.trace_received + ": " + at_receiver->cut +
                              "; the packets before it are used, what arrived later counts as "
                              "lost");
    }
    return keep(std::move(trace));
  }

  /// One capture; the error says which.
  Result<PcapFile> read_end(std::string_view key, const std::string& content) const {
    const bool is_sender = key == "trace";
    const std::string name = is_sender ? config_.trace + ": at the sender: "
                                       : config_.trace_received + ": at the receiver: ";
    Result<PcapFile> capture = read_pcap(content);
    if (!capture) {
      return Error{name + capture.error().message};
    }
    if (capture->packets.empty()) {
      return Error{name + "this capture contains no IP packets"};
    }
    return capture;
  }

  /// A place in a user's file is spoken of once, so all remarks are one.
  std::vector<KeyRemark> keep(DelayTrace trace) {
    trace_ = std::move(trace);
    const std::string spacing = config_.trace_by == "time" ? remark_on_spacing(trace_) : "";
    if (!spacing.empty()) {
      trace_.remarks.push_back(spacing);
    }
    if (trace_.remarks.empty()) {
      return {};
    }
    return {{"trace", fmt::format("{}: {}", config_.trace, fmt::join(trace_.remarks, "; ")), "",
             Severity::kWarning}};
  }

  TraceConfig config_;
  DelayTrace trace_;
};

}  // namespace

TraceFormat recognise_trace(std::string_view content) {
  if (is_pcap(content)) {
    return TraceFormat::kPcap;
  }
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && content[first] == '{') {
    return TraceFormat::kIperf;
  }
  const bool is_ping = content.starts_with("PING ") ||
                       content.find("icmp_seq") != std::string_view::npos ||
                       content.find("bytes from") != std::string_view::npos ||
                       content.find("TTL=") != std::string_view::npos;  // Windows
  return is_ping ? TraceFormat::kPing : TraceFormat::kCsv;
}

void list_fields(Fields& fields, TraceConfig& config) {
  fields.field("trace", config.trace,
               "file of delays: CSV, output of ping or iperf3 -J, or the sender's pcap file");
  fields.field("trace_received", config.trace_received,
               "the receiver's pcap file, if trace is the sender's");
  fields.field("trace_repeat", config.trace_repeat,
               "whether the trace repeats; otherwise the last delay continues");
  fields.choice("trace_by", config.trace_by, {"time", "packet"},
                "look up delays by time, or use the n-th delay for the n-th message");
  fields.field("overtaking", config.overtaking,
               "whether a message may arrive before one that was sent earlier");
  if (config.trace.empty()) {
    fields.reject("trace", "link model 'trace' needs the key 'trace'", "name a file");
  }
}

std::unique_ptr<Link> make_trace_link(const TraceConfig& config, DelayTrace trace) {
  return std::make_unique<TraceLink>(config, std::move(trace));
}

void register_trace_link(LinkModelRegistry& registry) {
  registry.add("trace", "recorded delays (keys: trace, trace_received)",
               [] { return std::make_unique<TraceModel>(); });
}

}  // namespace longarm::network

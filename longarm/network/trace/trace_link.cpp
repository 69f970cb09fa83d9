// SPDX-License-Identifier: Apache-2.0
// Plays a trace back: by the time of sending, or packet by packet.
#include "longarm/network/trace/trace_link.h"

#include <algorithm>

#include "longarm/core/check.h"
#include "longarm/network/trace/pcap_file.h"

namespace longarm::network {
namespace {

class TraceLink final : public Link {
 public:
  TraceLink(const TraceConfig& config, DelayTrace trace)
      : config_(config), samples_(std::move(trace.samples)) {
    check(!samples_.empty(), "a trace without samples");
    // after the last sample a cycle goes on for as long as samples are apart on average
    const auto count = static_cast<std::int64_t>(samples_.size());
    const Duration span = samples_.back().at;
    cycle_ = count > 1 ? span + span / (count - 1) : Duration(0);
  }

 private:
  void do_send(Time now, const Packet& packet, LinkOutput& output) override {
    const DelaySample& sample =
        config_.trace_by == "packet" ? by_packet(packet.index) : by_time(now);
    if (!sample.delay) {
      output.drop(packet, DropReason::kLoss);
      return;
    }
    Time arrival = now + *sample.delay;
    if (!config_.overtaking) {
      arrival = std::max(arrival, last_arrival_);
      last_arrival_ = arrival;
    }
    output.arrive(packet, arrival);
  }

  const DelaySample& by_packet(std::uint64_t index) const {
    const std::size_t count = samples_.size();
    return samples_[config_.trace_repeat ? index % count : std::min<std::size_t>(index, count - 1)];
  }

  /// The last sample at or before that instant.
  const DelaySample& by_time(Time now) const {
    Duration into = now.time_since_epoch();
    if (config_.trace_repeat && cycle_ > Duration(0)) {
      into %= cycle_;
    }
    const auto after =
        std::upper_bound(samples_.begin(), samples_.end(), into,
                         [](Duration at, const DelaySample& sample) { return at < sample.at; });
    return *std::prev(after);  // the first sample is at zero
  }

  TraceConfig config_;
  std::vector<DelaySample> samples_;
  Duration cycle_{0};
  Time last_arrival_{};
};

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
      return {{"trace_received", "'trace_received' goes with a pcap file as 'trace'",
               "remove it, or give both captures"}};
    }
    return take(format, *content, files);
  }

  std::unique_ptr<Link> make(const LinkContext&) const override {
    return make_trace_link(config_, trace_);
  }

 private:
  std::vector<KeyRemark> take(TraceFormat format, const std::string& content, InputFiles& files) {
    Result<DelayTrace> trace = Error{""};
    if (format == TraceFormat::kPcap) {
      const Result<std::string> received = files.read(config_.trace_received);
      if (!received) {
        return {{"trace_received", received.error().message, ""}};
      }
      trace = read_pcap_trace(content, *received);
    } else {
      trace = format == TraceFormat::kPing ? read_ping_trace(content) : read_csv_trace(content);
    }
    if (!trace) {
      return {
          {"trace", config_.trace + ": " + trace.error().message,
           format == TraceFormat::kCsv ? "see docs/links.md for what a trace may look like" : ""}};
    }
    if (!trace->has_times && config_.trace_by == "time") {
      return {{"trace", config_.trace + ": the trace says not when its packets were sent",
               "add a column time_s, or set trace_by: packet"}};
    }
    trace_ = *trace;
    std::vector<KeyRemark> remarks;
    for (const std::string& remark : trace_.remarks) {
      remarks.push_back({"trace", config_.trace + ": " + remark, "", Severity::kWarning});
    }
    return remarks;
  }

  TraceConfig config_;
  DelayTrace trace_;
};

}  // namespace

TraceFormat recognise_trace(std::string_view content) {
  if (is_pcap(content)) {
    return TraceFormat::kPcap;
  }
  const bool is_ping = content.starts_with("PING ") ||
                       content.find("icmp_seq") != std::string_view::npos ||
                       content.find("bytes from") != std::string_view::npos;
  return is_ping ? TraceFormat::kPing : TraceFormat::kCsv;
}

void list_fields(Fields& fields, TraceConfig& config) {
  fields.field("trace", config.trace,
               "a file with delays: CSV, output of ping, or a pcap file of the sender");
  fields.field("trace_received", config.trace_received,
               "the pcap file of the receiver, if trace is one of the sender");
  fields.field("trace_repeat", config.trace_repeat,
               "over and over; otherwise the last delay goes on");
  fields.choice("trace_by", config.trace_by, {"time", "packet"},
                "take the delay of that time, or the n-th for the n-th message");
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
  registry.add("trace", "delays as they were measured (keys: trace, trace_received)",
               [] { return std::make_unique<TraceModel>(); });
}

}  // namespace longarm::network

// SPDX-License-Identifier: Apache-2.0
// From stamps or intervals to delays and losses.
#include "longarm/record/bag/bag_link_trace.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/bag/recorded_messages.h"

namespace longarm::record {
namespace {

struct Reception {
  Time received{};
  RosHeader header;
};

Result<std::vector<Reception>> receptions(const std::string& path, const LinkTraceOptions& options,
                                          std::vector<std::string>& remarks) {
  std::vector<Reception> all;
  std::optional<Error> error;
  const Result<Recording> recording = read_recording(path, [&](const RecordedMessage& message) {
    if (message.topic != options.topic || error) {
      return;
    }
    Reception reception{message.received, {}};
    if (!options.by_intervals) {
      if (!has_ros_header(message)) {
        error =
            Error{fmt::format("{}: messages of {} are {}, which have no header with a stamp; "
                              "if they were sent regularly, add --by intervals --period TIME",
                              path, message.topic, message.type)};
        return;
      }
      const Result<RosHeader> header = header_of(message);
      if (!header) {
        error = Error{path + ": " + header.error().message};
        return;
      }
      reception.header = *header;
    }
    all.push_back(reception);
  });
  if (!recording) {
    return recording.error();
  }
  if (error) {
    return *std::move(error);
  }
  if (all.empty()) {
    std::vector<std::string> names;
    for (const RecordedTopic& topic : recording->topics) {
      names.push_back(topic.topic);
    }
    return Error{fmt::format("{} has no messages of topic {}: {}", path, options.topic,
                             suggest(options.topic, names))};
  }
  remarks = recording->remarks;
  return all;
}

/// Whether numbers count messages at all.
bool counts(const std::vector<Reception>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Reception& one) {
    return one.header.sequence != all.front().header.sequence;
  });
}

/// How many messages are missing between two that were sent one after the other.
std::int64_t missing(const Reception& before, const Reception& after,
                     const LinkTraceOptions& options, bool has_numbers) {
  constexpr std::int64_t kRestart = 1'000'000;  // a sender that counts anew lost nothing
  if (options.period) {
    const Duration gap = after.header.stamp - before.header.stamp;
    return std::max<std::int64_t>((gap + *options.period / 2) / *options.period - 1, 0);
  }
  const std::int64_t step = std::int64_t{after.header.sequence} - before.header.sequence;
  return has_numbers && step > 1 && step < kRestart ? step - 1 : 0;
}

Result<BagLinkTrace> by_stamps(std::vector<Reception> all, const LinkTraceOptions& options) {
  BagLinkTrace trace;
  std::stable_sort(all.begin(), all.end(), [](const Reception& a, const Reception& b) {
    return std::pair(a.header.stamp, a.received) < std::pair(b.header.stamp, b.received);
  });
  const std::size_t count = all.size();
  const auto same = [](const Reception& a, const Reception& b) {
    return a.header.stamp == b.header.stamp;
  };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.size() < count) {
    trace.remarks.push_back(
        fmt::format("{} of {} messages have the stamp of another one; the first to arrive counts",
                    count - all.size(), count));
  }
  if (all.size() == 1) {
    return Error{fmt::format("{}: all {} messages have the same stamp", options.topic, count)};
  }
  const bool has_numbers = counts(all);
  if (!options.period && !has_numbers) {
    trace.remarks.push_back(
        "messages have no sequence numbers, so none count as lost; give --period");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Time sent = all[i].header.stamp;
    if (i > 0) {
      const Reception& before = all[i - 1];
      const std::int64_t lost = missing(before, all[i], options, has_numbers);
      const Duration step = (sent - before.header.stamp) / (lost + 1);
      for (std::int64_t k = 1; k <= lost && step > Duration(0); ++k) {
        ++trace.lost;
        trace.samples.push_back(
            {before.header.stamp + step * k - all.front().header.stamp, std::nullopt});
      }
    }
    trace.samples.push_back({sent - all.front().header.stamp, all[i].received - sent});
  }
  return trace;
}

BagLinkTrace by_intervals(std::vector<Reception> all, Duration period) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Reception& a, const Reception& b) { return a.received < b.received; });
  // how late each message is if none was lost, and the least of that among it and all later ones
  std::vector<Duration> late(all.size());
  std::vector<Duration> least(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    late[i] = all[i].received - all.front().received - period * static_cast<std::int64_t>(i);
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    least[i] = i + 1 < all.size() ? std::min(late[i], least[i + 1]) : late[i];
  }
  BagLinkTrace trace;
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t lost_now = std::max<std::int64_t>(lost, (least[i] + period / 2) / period);
    for (; lost < lost_now; ++lost) {
      ++trace.lost;
      trace.samples.push_back({period * (static_cast<std::int64_t>(i) + lost), std::nullopt});
    }
    trace.samples.push_back(
        {period * (static_cast<std::int64_t>(i) + lost), late[i] - period * lost});
  }
  return trace;
}

/// Shifts all delays, if that is asked for; negative ones cannot be.
std::optional<Error> settle(BagLinkTrace& trace, const LinkTraceOptions& options) {
  std::optional<Duration> least;
  for (const LinkTraceSample& sample : trace.samples) {
    least = sample.delay ? std::min(least.value_or(*sample.delay), *sample.delay) : least;
  }
  const std::optional<Duration> wanted =
      options.by_intervals ? options.least_delay.value_or(Duration(0)) : options.least_delay;
  if (!wanted && *least < Duration(0)) {
    return Error{fmt::format(
        "{}: a message was received {} before its stamp, so the clocks of sender and recorder "
        "differ; add --least-delay TIME to shift all delays so that the shortest is TIME",
        options.topic, format_duration(-*least))};
  }
  for (LinkTraceSample& sample : trace.samples) {
    if (sample.delay && wanted) {
      *sample.delay += *wanted - *least;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<BagLinkTrace> link_trace_of(const std::string& path, const LinkTraceOptions& options) {
  std::vector<std::string> remarks;
  Result<std::vector<Reception>> all = receptions(path, options, remarks);
  if (!all) {
    return all.error();
  }
  if (all->size() < 2) {
    return Error{fmt::format("{}: {} has only one message", path, options.topic)};
  }
  Result<BagLinkTrace> made = options.by_intervals
                                  ? by_intervals(std::move(all).value(), *options.period)
                                  : by_stamps(std::move(all).value(), options);
  if (!made) {
    return Error{path + ": " + made.error().message};
  }
  BagLinkTrace trace = std::move(made).value();
  if (std::optional<Error> error = settle(trace, options)) {
    return Error{path + ": " + error->message};
  }
  trace.remarks.insert(trace.remarks.begin(), remarks.begin(), remarks.end());
  return trace;
}

std::string link_trace_csv(const BagLinkTrace& trace) {
  constexpr std::int64_t kBillion_ns = 1'000'000'000;
  std::string text = "time_s,delay_s\n";
  const auto put = [&](Duration time) {
    fmt::format_to(std::back_inserter(text), "{}.{:09d}", time.count() / kBillion_ns,
                   time.count() % kBillion_ns);
  };
  for (const LinkTraceSample& sample : trace.samples) {
    put(sample.sent);
    text += ',';
    if (sample.delay) {
      put(*sample.delay);
    } else {
      text += "lost";
    }
    text += '\n';
  }
  return text;
}

}  // namespace longarm::record

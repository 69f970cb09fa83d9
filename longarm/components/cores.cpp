// SPDX-License-Identifier: Apache-2.0
// Processor sharing by virtual time: all jobs receive the same service, so each ends when that has
// grown by its work.
#include "longarm/components/cores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::components {
namespace {

constexpr int kFractionBits = 32;

}  // namespace

// std::push_heap keeps the largest in front, so "larger" means "later"
struct Cores::Later {
  bool operator()(const Job& a, const Job& b) const {
    return a.finish != b.finish ? a.finish > b.finish : a.sequence > b.sequence;
  }
};

Cores::Cores(sim::Kernel& kernel, const network::Host& host)
    : kernel_(kernel),
      source_(kernel.add_source(host.name + ".cores")),
      cores_(host.cores),
      rate_(host.speed * (1.0 - host.load)),
      scheduling_(host.scheduling) {
  check(rate_ > 0.0, "a host must make progress: speed > 0 and load < 1");
}

void Cores::execute(Duration work, std::uint64_t owner, Done done) {
  Job job{alone(work).count(), next_sequence_++, owner, std::move(done)};
  if (is_limited() && scheduling_ == network::Scheduling::kFifo) {
    catch_up();
    if (static_cast<std::int64_t>(jobs_.size()) < cores_) {
      start_fifo(std::move(job));
    } else {
      waiting_.push_back(std::move(job));
    }
    return;
  }
  execute_fairly(std::move(job));
}

Duration Cores::alone(Duration work) const {
  const Duration positive = std::max(work, Duration(0));
  return rate_ == 1.0 ? positive
                      : Duration(std::llround(static_cast<double>(positive.count()) / rate_));
}

void Cores::execute_fairly(Job job) {
  catch_up();
  job.finish = (job.finish << kFractionBits) + service_;
  jobs_.push_back(std::move(job));
  std::push_heap(jobs_.begin(), jobs_.end(), Later{});
  if (!is_finishing_) {
    plan_next();
  }
}

void Cores::catch_up() {
  const std::int64_t span = (kernel_.now() - service_at_).count();
  service_at_ = kernel_.now();
  const auto count = static_cast<std::int64_t>(jobs_.size());
  if (count == 0) {
    service_ = 0;
    return;
  }
  const bool is_crowded = is_limited() && count > cores_;
  busy_ns_ += span * (is_crowded ? cores_ : count);
  const Wide each = static_cast<Wide>(span) << kFractionBits;
  service_ += is_crowded ? each * cores_ / count : each;
}

Time Cores::time_of(Wide finish) const {
  Wide left = finish - service_;
  const auto count = static_cast<std::int64_t>(jobs_.size());
  if (is_limited() && count > cores_) {
    left = left * count / cores_;
  }
  // to the nearest nanosecond: what the fractions lost must not cost a whole one
  const Wide half = static_cast<Wide>(1) << (kFractionBits - 1);
  return service_at_ + Duration(static_cast<std::int64_t>((left + half) >> kFractionBits));
}

void Cores::plan_next() {
  if (jobs_.empty()) {
    return;
  }
  const Time when = time_of(jobs_.front().finish);
  if (is_planned_ && planned_at_ == when) {
    return;
  }
  if (is_planned_) {
    kernel_.cancel(planned_);
  }
  planned_ =
      kernel_.deliver(std::max(when, kernel_.now()), source_, [this](Time) { finish_due(); });
  planned_at_ = when;
  is_planned_ = true;
}

void Cores::finish_due() {
  is_planned_ = false;
  catch_up();
  // all that end now have shared the cores until now; only then are there fewer
  std::size_t due = 0;
  while (due < jobs_.size() && time_of(jobs_.front().finish) <= kernel_.now()) {
    std::pop_heap(jobs_.begin(), jobs_.end() - static_cast<std::ptrdiff_t>(due), Later{});
    ++due;
  }
  for (; due > 0; --due) {
    finished_.push_back(std::move(jobs_.back()));
    jobs_.pop_back();
  }
  is_finishing_ = true;
  tell_finished();
  is_finishing_ = false;
  plan_next();
}

void Cores::tell_finished() {
  for (std::size_t i = 0; i < finished_.size(); ++i) {
    if (const Done done = std::move(finished_[i].done)) {
      done();
    }
  }
  finished_.clear();
}

void Cores::start_fifo(Job job) {
  const Time end = kernel_.now() + Duration(static_cast<std::int64_t>(job.finish));
  kernel_.deliver(end, source_, [this, sequence = job.sequence](Time) { finish_fifo(sequence); });
  jobs_.push_back(std::move(job));
}

void Cores::finish_fifo(std::uint64_t sequence) {
  catch_up();
  const auto job = std::find_if(jobs_.begin(), jobs_.end(), [sequence](const Job& other) {
    return other.sequence == sequence;
  });
  finished_.push_back(std::move(*job));
  jobs_.erase(job);
  if (!waiting_.empty()) {
    start_fifo(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  tell_finished();
}

void Cores::forget(std::uint64_t owner) {
  const auto drop = [owner](Job& job) {
    if (job.owner == owner) {
      job.done = nullptr;
    }
  };
  std::for_each(jobs_.begin(), jobs_.end(), drop);
  std::for_each(waiting_.begin(), waiting_.end(), drop);
  std::for_each(finished_.begin(), finished_.end(), drop);
}

double Cores::busy_s() const {
  const auto count = static_cast<std::int64_t>(jobs_.size());
  const std::int64_t running = is_limited() ? std::min(count, cores_) : count;
  return 1e-9 * static_cast<double>(busy_ns_ + running * (kernel_.now() - service_at_).count());
}

}  // namespace longarm::components

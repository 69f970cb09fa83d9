// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// ns-3's event loop in half-open windows of time, which may end early.
#pragma once

#include <cstdint>

#include "ns3/core-module.h"

namespace longarm_ns3 {

/// Runs the events before a limit. Installed with Simulator::SetImplementation and run through
/// Simulator::Run(), which does some cleaning that the loop needs for its speed.
class WindowSimulator final : public ns3::SimulatorImpl {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  /// What the next Run() is to do: run everything before this instant.
  void set_limit(std::int64_t until_ns) { limit_ns_ = until_ns; }
  /// Ends the run once all of the present instant has happened.
  void pause_after_instant() { is_pausing_after_instant_ = true; }
  /// Ends the run after the present event.
  void pause_now() { is_pausing_now_ = true; }

  std::int64_t now_ns() const { return static_cast<std::int64_t>(now_ns_); }
  std::int64_t next_event_ns() const;

  void Destroy() override;
  bool IsFinished() const override;
  void Stop() override { pause_now(); }
  void Stop(const ns3::Time& delay) override;
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  void Remove(const ns3::EventId& id) override;
  void Cancel(const ns3::EventId& id) override;
  bool IsExpired(const ns3::EventId& id) const override;
  void Run() override;
  ns3::Time Now() const override { return ns3::TimeStep(now_ns_); }
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  ns3::Time GetMaximumSimulationTime() const override { return ns3::TimeStep(INT64_MAX); }
  void SetScheduler(ns3::ObjectFactory factory) override;
  std::uint32_t GetSystemId() const override { return 0; }
  std::uint32_t GetContext() const override { return context_; }
  std::uint64_t GetEventCount() const override { return event_count_; }

 private:
  void DoDispose() override;
  ns3::EventId insert(std::uint32_t context, const ns3::Time& delay, ns3::EventImpl* event);

  ns3::Ptr<ns3::Scheduler> events_;
  std::list<ns3::EventId> at_the_end_;
  std::int64_t limit_ns_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint32_t next_uid_ = ns3::EventId::UID::VALID;
  std::uint32_t uid_ = ns3::EventId::UID::INVALID;
  std::uint32_t context_ = ns3::Simulator::NO_CONTEXT;
  std::uint64_t event_count_ = 0;
  bool is_pausing_after_instant_ = false;
  bool is_pausing_now_ = false;
};

}  // namespace longarm_ns3

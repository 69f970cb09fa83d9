// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Order of events as in ns-3's own loop: by time, then by order of scheduling.
#include "apps/longarm-ns3/window_simulator.h"

namespace longarm_ns3 {

using namespace ns3;

std::int64_t WindowSimulator::next_event_ns() const {
  return events_->IsEmpty() ? kNever : static_cast<std::int64_t>(events_->PeekNext().key.m_ts);
}

void WindowSimulator::Run() {
  is_pausing_after_instant_ = false;
  is_pausing_now_ = false;
  while (!events_->IsEmpty() && !is_pausing_now_) {
    const std::uint64_t due_ns = events_->PeekNext().key.m_ts;
    const bool is_later = due_ns > now_ns_;
    if (static_cast<std::int64_t>(due_ns) >= limit_ns_ || (is_later && is_pausing_after_instant_)) {
      break;
    }
    const Scheduler::Event next = events_->RemoveNext();
    now_ns_ = due_ns;
    context_ = next.key.m_context;
    uid_ = next.key.m_uid;
    ++event_count_;
    next.impl->Invoke();
    next.impl->Unref();
  }
}

EventId WindowSimulator::insert(std::uint32_t context, const Time& delay, EventImpl* event) {
  Scheduler::Event entry;
  entry.impl = event;
  entry.key.m_ts = now_ns_ + static_cast<std::uint64_t>(delay.GetTimeStep());
  entry.key.m_context = context;
  entry.key.m_uid = next_uid_++;
  events_->Insert(entry);
  return EventId(Ptr<EventImpl>(event), entry.key.m_ts, entry.key.m_context, entry.key.m_uid);
}

EventId WindowSimulator::Schedule(const Time& delay, EventImpl* event) {
  return insert(context_, delay, event);
}

void WindowSimulator::ScheduleWithContext(std::uint32_t context, const Time& delay,
                                          EventImpl* event) {
  insert(context, delay, event);
}

EventId WindowSimulator::ScheduleNow(EventImpl* event) {
  return insert(context_, Time(0), event);
}

EventId WindowSimulator::ScheduleDestroy(EventImpl* event) {
  const EventId id(Ptr<EventImpl>(event, false), now_ns_, Simulator::NO_CONTEXT,
                   EventId::UID::DESTROY);
  at_the_end_.push_back(id);
  return id;
}

void WindowSimulator::Stop(const Time& delay) {
  insert(Simulator::NO_CONTEXT, delay, MakeEvent([this] { pause_now(); }));
}

void WindowSimulator::Remove(const EventId& id) {
  if (id.GetUid() == EventId::UID::DESTROY) {
    at_the_end_.remove(id);
    return;
  }
  if (IsExpired(id)) {
    return;
  }
  Scheduler::Event entry;
  entry.impl = id.PeekEventImpl();
  entry.key.m_ts = id.GetTs();
  entry.key.m_context = id.GetContext();
  entry.key.m_uid = id.GetUid();
  events_->Remove(entry);
  entry.impl->Cancel();
  entry.impl->Unref();
}

void WindowSimulator::Cancel(const EventId& id) {
  if (!IsExpired(id)) {
    id.PeekEventImpl()->Cancel();
  }
}

bool WindowSimulator::IsExpired(const EventId& id) const {
  if (id.PeekEventImpl() == nullptr || id.PeekEventImpl()->IsCancelled()) {
    return true;
  }
  if (id.GetUid() == EventId::UID::DESTROY) {
    return std::find(at_the_end_.begin(), at_the_end_.end(), id) == at_the_end_.end();
  }
  return id.GetTs() < now_ns_ || (id.GetTs() == now_ns_ && id.GetUid() <= uid_);
}

Time WindowSimulator::GetDelayLeft(const EventId& id) const {
  return IsExpired(id) ? Time(0) : TimeStep(id.GetTs() - now_ns_);
}

bool WindowSimulator::IsFinished() const {
  return events_->IsEmpty();
}

void WindowSimulator::SetScheduler(ObjectFactory factory) {
  const Ptr<Scheduler> scheduler = factory.Create<Scheduler>();
  while (events_ && !events_->IsEmpty()) {
    scheduler->Insert(events_->RemoveNext());
  }
  events_ = scheduler;
}

void WindowSimulator::Destroy() {
  while (!at_the_end_.empty()) {
    const Ptr<EventImpl> event = at_the_end_.front().PeekEventImpl();
    at_the_end_.pop_front();
    if (!event->IsCancelled()) {
      event->Invoke();
    }
  }
}

void WindowSimulator::DoDispose() {
  while (events_ && !events_->IsEmpty()) {
    events_->RemoveNext().impl->Unref();
  }
  events_ = nullptr;
  SimulatorImpl::DoDispose();
}

}  // namespace longarm_ns3

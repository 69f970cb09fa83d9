// SPDX-License-Identifier: Apache-2.0
// Computing, in a real process: burns the time on the core it runs on.
#pragma once

#include <memory>

#include "longarm/components/real/real_time_loop.h"
#include "longarm/components/transport.h"

namespace longarm::components {

/// Spins until the thread has used up `work` of CPU time, whoever else wants the core meanwhile.
void burn(Duration work);

/// One thing at a time, in order: the process has one thread.
class BurningProcessor final : public Processor {
 public:
  explicit BurningProcessor(RealTimeLoop& loop)
      : loop_(loop), source_(loop.kernel().add_source("processor")) {}

  ~BurningProcessor() override { *is_alive_ = false; }
  BurningProcessor(const BurningProcessor&) = delete;
  BurningProcessor& operator=(const BurningProcessor&) = delete;

  void execute(Duration work, std::function<void()> done) override;

 private:
  RealTimeLoop& loop_;
  sim::SourceId source_;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  ///< shared with events to come
};

}  // namespace longarm::components

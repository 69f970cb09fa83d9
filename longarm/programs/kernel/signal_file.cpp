// SPDX-License-Identifier: Apache-2.0
// When a signalfd can be read.
#include "longarm/programs/kernel/signal_file.h"

#include <poll.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

SignalFile::SignalFile(Kernel& kernel, Process& process, std::uint64_t mask)
    : File(kernel), process_(process), mask_(mask) {
  process_.signal_bell->watch(*this);
}

SignalFile::~SignalFile() {
  process_.signal_bell->unwatch(*this);
}

void SignalFile::set_mask(std::uint64_t mask) {
  mask_ = mask;
  changed(POLLIN);
}

std::uint32_t SignalFile::readiness() const {
  for (const Thread* thread : process_.threads) {
    if ((kernel().machine().signals(*thread).pending & mask_) != 0) {
      return POLLIN;
    }
  }
  return 0;
}

void SignalFile::file_changed(File&, std::uint32_t) {
  changed(POLLIN);
}

}  // namespace longarm::programs

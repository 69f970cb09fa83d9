// SPDX-License-Identifier: Apache-2.0
// signalfd(2): its placeholder is a real one, from which the machine's own kernel reads; here is
// when there is something to read.
#pragma once

#include <cstdint>

#include "longarm/programs/kernel/file.h"
#include "longarm/programs/kernel/process.h"

namespace longarm::programs {

class SignalFile final : public File, private FileWatcher {
 public:
  SignalFile(Kernel& kernel, Process& process, std::uint64_t mask);
  ~SignalFile() override;

  void set_mask(std::uint64_t mask);
  bool can_write() const override { return false; }
  bool is_read_natively() const override { return true; }
  std::uint32_t readiness() const override;

 private:
  void file_changed(File& file, std::uint32_t events) override;

  Process& process_;
  std::uint64_t mask_;
};

}  // namespace longarm::programs

// SPDX-License-Identifier: Apache-2.0
// Bytes between a program's memory and open files: reads and writes that wait if they have to.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <sys/uio.h>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

/// Places in a program's memory, one behind the other, as of readv(2).
struct Places {
  int error = 0;  ///< EFAULT, EINVAL
  std::vector<iovec> pieces;
  std::size_t size = 0;
  bool is_list = false;  ///< an empty one does not even reach the file
};
Places one_place(std::uint64_t address, std::uint64_t size);
Places many_places(Kernel& kernel, const Thread& thread, std::uint64_t address,
                   std::uint64_t count);
/// False: some of it is not mapped.
bool scatter(Kernel& kernel, const Thread& thread, const Places& places,
             std::span<const std::byte> bytes);
bool gather(Kernel& kernel, const Thread& thread, const Places& places, std::size_t offset,
            std::span<std::byte> bytes);

/// As read(2) and write(2) of a file of ours, whatever it is.
Reply read_file(Kernel& kernel, Thread& thread, const std::shared_ptr<File>& file, Places places);
Reply write_file(Kernel& kernel, Thread& thread, const std::shared_ptr<File>& file, Places places);

}  // namespace longarm::programs

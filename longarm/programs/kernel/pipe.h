// SPDX-License-Identifier: Apache-2.0
// Pipes: two open files at the ends of a ring of pages, filled and emptied as Linux does it, so
// that what fits, and what is atomic, is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "longarm/programs/kernel/file.h"

namespace longarm::programs {

/// The end to read from, and the end to write to.
std::pair<std::shared_ptr<File>, std::shared_ptr<File>> make_pipe(Kernel& kernel);

/// Bytes that an end's pipe can hold at most (F_GETPIPE_SZ); -EBADF: it is no pipe.
std::int64_t pipe_capacity(const File& file);
/// F_SETPIPE_SZ: what it is then, or an error number below zero.
std::int64_t set_pipe_capacity(File& file, std::uint64_t bytes);

}  // namespace longarm::programs

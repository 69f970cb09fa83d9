// SPDX-License-Identifier: Apache-2.0
// What must hold for any input at all; the fuzzer finds the one for which it does not.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

inline void require(bool holds, const char* claim) {
  if (!holds) {
    std::fprintf(stderr, "not so: %s\n", claim);
    std::abort();
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

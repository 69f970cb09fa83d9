// SPDX-License-Identifier: Apache-2.0
// How much simulated time a program's computing takes: none, unless somebody says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/random.h"
#include "longarm/core/time.h"
#include "longarm/network/varying_time.h"

namespace longarm::programs {

/// A time that a program is charged for something it does.
struct Charge {
  enum class On : std::uint8_t {
    kWake,    ///< it goes on after it has waited: before it does
    kCall,    ///< a system call that stops: before it takes effect
    kReceive  ///< it reads from a socket, a pipe and the like: before it has what it reads
  };
  std::string name;
  On on = On::kReceive;
  std::optional<std::int64_t> call;   ///< kCall: of this number alone
  std::vector<std::string> contains;  ///< kReceive: only bytes with these texts, in this order
  network::VaryingTime time;          ///< kReceive: by the size of what was read
};

/// Of one program and all that it makes, over all its starts.
class Computing {
 public:
  struct Sum {
    std::uint64_t count = 0;
    Duration time{0};
  };

  /// `cpu_factor`: of the time that the processor really takes, which no two runs have in common.
  Computing(std::vector<Charge> charges, double cpu_factor, std::uint64_t seed,
            const std::string& name);

  Duration on_wake() { return sum_of(Charge::On::kWake, -1, {}); }
  Duration on_call(std::int64_t number) { return sum_of(Charge::On::kCall, number, {}); }
  Duration on_receive(std::span<const std::byte> bytes) {
    return sum_of(Charge::On::kReceive, -1, bytes);
  }

  bool is_measured() const { return cpu_factor_ > 0.0; }
  Duration on_measured(Duration processor);

  const std::vector<Charge>& charges() const { return charges_; }
  const Sum& sum(std::size_t charge) const { return sums_[charge]; }
  const Sum& measured() const { return measured_; }

 private:
  Duration sum_of(Charge::On on, std::int64_t number, std::span<const std::byte> bytes);

  std::vector<Charge> charges_;
  std::vector<Sum> sums_;
  double cpu_factor_;
  Sum measured_;
  RandomStream random_;
};

}  // namespace longarm::programs

// SPDX-License-Identifier: Apache-2.0
// A network namespace of the calling thread with one TUN device in it, whose other end is a file.
#pragma once

#include <string>

#include "longarm/core/result.h"

namespace longarm::fidelity {

/// Puts the calling thread into a network namespace of its own, with a device `tun0` that has
/// `address` (of a /24). Returns the file through which packets enter and leave the device. Needs
/// CAP_SYS_ADMIN and CAP_NET_ADMIN; the error says what was refused.
Result<int> enter_tun_namespace(const std::string& address);

/// Real-time priority for the calling thread, where that is allowed.
bool ask_for_real_time(int priority);

}  // namespace longarm::fidelity

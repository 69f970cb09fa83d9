// SPDX-License-Identifier: Apache-2.0
// The reference page of all kinds of actors, made of what they say of themselves.
#pragma once

#include <string>

#include "longarm/cell/actor.h"

namespace longarm::app {

/// As docs/reference/actors.md has it; ./dev reference writes that page, a test compares it.
std::string actors_page(const cell::ActorRegistry& kinds);

/// "NAME slow TIME [for TIME]"
std::string failure_usage(const cell::FailureVerb& verb, const std::string& subject);

}  // namespace longarm::app

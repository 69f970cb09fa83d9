// SPDX-License-Identifier: Apache-2.0
// The version of this package; the build reads it from here.
#pragma once

#define LONGARM_VERSION "0.2.0"

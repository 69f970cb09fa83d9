// SPDX-License-Identifier: Apache-2.0
// The kind `ros`.
#include <gtest/gtest.h>

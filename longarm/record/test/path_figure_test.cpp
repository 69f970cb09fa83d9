// SPDX-License-Identifier: Apache-2.0
// Tests that the path figure shows the run: points to scale, nothing lost, nothing hidden.

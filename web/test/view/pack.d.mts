// SPDX-License-Identifier: Apache-2.0
// Types of what the unit tests use of the packer.
export function packColumn(values: Float64Array): Uint8Array;

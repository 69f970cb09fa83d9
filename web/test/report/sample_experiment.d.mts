// SPDX-License-Identifier: Apache-2.0
// The type of the sample, for tests that are compiled.
import { Column, RawReport } from '../../src/report/data';

export function sampleExperiment(): RawReport & { columns: Column[] };

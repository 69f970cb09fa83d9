// SPDX-License-Identifier: Apache-2.0
// Where the page's data comes from; scene, time line and plots know nothing but this interface.
import { Mesh } from '../../shared/scene/scene';
import { Mark, ViewDocument } from './document';
import { Overview } from '../../shared/data/rows';

// A table that is wholly in the page's memory; columns may be longer than `rows`.
export interface LocalTable {
  readonly rows: number;
  column(index: number): Float64Array;
}

export interface LiveState {
  now_s: number;
  real_time_factor: number;
  state: 'running' | 'over' | 'paused';
  end_s: number | null;
}

export interface SourceEvents {
  rows(run: number, table: number): void; // rows were appended
  marks(run: number, marks: Mark[]): void;
  clock(state: LiveState): void;
  document(document: ViewDocument): void; // the run began anew
  connection(isUp: boolean): void;
  problem(run: number, words: string): void; // something of its file cannot be shown
}

export interface Source {
  readonly document: ViewDocument;
  // The table if it is in memory already; null otherwise.
  local(run: number, table: number): LocalTable | null;
  // Brings the table into memory where tables are kept there.
  prepare(run: number, table: number): Promise<void>;
  // Rows from ≤ r < to of some columns.
  rows(
    run: number,
    table: number,
    columns: number[],
    from: number,
    to: number,
  ): Promise<Float64Array[]>;
  overview(
    run: number,
    table: number,
    columns: number[],
    from_s: number,
    to_s: number,
    points: number,
  ): Promise<Overview[]>;
  texts(run: number, table: number, from: number, to: number): Promise<string[]>;
  // The text of a row that is in memory; only where rows come and go.
  localText?(run: number, table: number, row: number): string | undefined;
  mesh(scene: number, mesh: number): Promise<Mesh>;
  listen(events: SourceEvents): void;
  readonly bytes: number; // received or decoded so far
}

export const tableById = (document: ViewDocument, run: number, id: number) => {
  const table = document.runs[run]?.tables.find((one) => one.id === id);
  if (!table) throw new Error(`run ${run} has no table ${id}`);
  return table;
};

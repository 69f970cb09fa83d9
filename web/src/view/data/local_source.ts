// SPDX-License-Identifier: Apache-2.0
// What sources share whose tables lie in the page's memory: the one-file form and the live one.
import { ViewDocument } from './document';
import { Overview, overviewOf } from '../../shared/data/rows';
import { Mesh } from '../../shared/scene/scene';
import { LocalTable, Source, SourceEvents } from './source';

export abstract class LocalSource implements Source {
  abstract readonly document: ViewDocument;
  abstract bytes: number;
  abstract local(run: number, table: number): LocalTable | null;
  abstract prepare(run: number, table: number): Promise<void>;
  abstract texts(run: number, table: number, from: number, to: number): Promise<string[]>;
  abstract mesh(scene: number, mesh: number): Promise<Mesh>;
  abstract listen(events: SourceEvents): void;

  private async ready(run: number, table: number): Promise<LocalTable> {
    await this.prepare(run, table);
    const found = this.local(run, table);
    if (!found) throw new Error(`run ${run} has no table ${table}`);
    return found;
  }

  async rows(
    run: number,
    table: number,
    columns: number[],
    from: number,
    to: number,
  ): Promise<Float64Array[]> {
    const local = await this.ready(run, table);
    return columns.map((column) =>
      local.column(column).subarray(from, Math.max(from, Math.min(to, local.rows))),
    );
  }

  async overview(
    run: number,
    table: number,
    columns: number[],
    from_s: number,
    to_s: number,
    points: number,
  ): Promise<Overview[]> {
    const local = await this.ready(run, table);
    const times = local.column(0);
    return columns.map((column) =>
      overviewOf(times, local.column(column), local.rows, from_s, to_s, points),
    );
  }
}

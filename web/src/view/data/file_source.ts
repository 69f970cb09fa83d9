// SPDX-License-Identifier: Apache-2.0
// Data of `longarm view RUN --out run.html`: packed columns inside the page, unpacked when they are first needed.
import { ViewDocument, completed } from './document';
import { inflateBytes, inflateText } from '../../shared/data/inflate';
import { LocalSource } from './local_source';
import { PackedColumns } from '../../shared/data/packed';
import { Mesh, meshOf } from '../../shared/scene/scene';
import { LocalTable, SourceEvents, tableById } from './source';

class PackedTable implements LocalTable {
  private readonly decoded: (Float64Array | undefined)[] = [];

  constructor(
    private readonly packed: PackedColumns,
    readonly rows: number,
  ) {}

  column(index: number): Float64Array {
    return (this.decoded[index] ??= this.packed.column(index));
  }
}

// The text of a blob, which is then forgotten: it would be kept twice.
function take(id: string): string {
  const script = document.getElementById(id);
  if (!script)
    throw new Error(`This file is incomplete (part ${id} is missing): it may have been truncated.`);
  const text = (script.textContent ?? '').trim();
  script.remove();
  return text;
}

export class FileSource extends LocalSource {
  readonly document: ViewDocument;
  bytes = 0;
  private readonly tables = new Map<string, LocalTable>();
  private readonly waiting = new Map<string, Promise<void>>();
  private readonly allTexts = new Map<string, Promise<string[]>>();

  constructor(raw: unknown) {
    super();
    this.document = completed(raw);
  }

  local(run: number, table: number): LocalTable | null {
    return this.tables.get(`${run}-${table}`) ?? null;
  }

  prepare(run: number, table: number): Promise<void> {
    const key = `${run}-${table}`;
    let promise = this.waiting.get(key);
    if (!promise) {
      promise = this.unpack(key, tableById(this.document, run, table).rows);
      this.waiting.set(key, promise);
    }
    return promise;
  }

  private async unpack(key: string, rows: number): Promise<void> {
    const bytes = rows > 0 ? await inflateBytes(take(`blob-${key}`)) : new Uint8Array();
    this.bytes += bytes.byteLength;
    const table =
      rows > 0
        ? new PackedTable(new PackedColumns(bytes, rows), rows)
        : { rows, column: () => new Float64Array() };
    this.tables.set(key, table);
  }

  async texts(run: number, table: number, from: number, to: number): Promise<string[]> {
    const key = `${run}-${table}`;
    let all = this.allTexts.get(key);
    if (!all) {
      all = inflateText(take(`texts-${key}`)).then((text) => JSON.parse(text) as string[]);
      this.allTexts.set(key, all);
    }
    return (await all).slice(from, to);
  }

  async mesh(scene: number, mesh: number): Promise<Mesh> {
    const { vertices, triangles } = this.document.scenes[scene].meshes[mesh];
    const bytes = await inflateBytes(take(`mesh-${scene}-${mesh}`));
    return meshOf(bytes.slice().buffer as ArrayBuffer, vertices, triangles);
  }

  listen(_: SourceEvents): void {}
}

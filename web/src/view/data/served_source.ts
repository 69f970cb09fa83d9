// SPDX-License-Identifier: Apache-2.0
// Data of `longarm view RUN`: asked from the program piece by piece, as exact float64.
import { ViewDocument, completed } from './document';
import { Overview } from '../../shared/data/rows';
import { Mesh, meshOf } from '../../shared/scene/scene';
import { LocalTable, Source, SourceEvents } from './source';

const numbersPerRequest = 4_000_000;

async function get(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error((await answer.text()).trim() || `${address}: ${answer.status}`);
  return answer;
}

// 1,2,3,7 → "1-3,7"
export function ranges(columns: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < columns.length;) {
    let last = i;
    while (columns[last + 1] === columns[last] + 1) ++last;
    parts.push(last > i ? `${columns[i]}-${columns[last]}` : String(columns[i]));
    i = last + 1;
  }
  return parts.join(',');
}

// Bytes of an answer with its progress told.
async function readWithProgress(
  answer: Response,
  progress: (part: number) => void,
): Promise<string> {
  const length = Number(answer.headers.get('content-length') ?? 0);
  if (!answer.body || !length) return answer.text();
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let read = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.byteLength;
    text += decoder.decode(value, { stream: true });
    progress(read / length);
  }
}

// Meshes come in the same way in the live form.
export async function fetchMesh(document: ViewDocument, scene: number, mesh: number) {
  const { vertices, triangles } = document.scenes[scene].meshes[mesh];
  const answer = await get(`mesh?scene=${scene}&mesh=${mesh}`);
  return meshOf(await answer.arrayBuffer(), vertices, triangles);
}

export class ServedSource implements Source {
  bytes = 0;
  private events: SourceEvents | null = null;
  private isLost = false;

  private constructor(readonly document: ViewDocument) {}

  static async open(progress: (part: number) => void): Promise<ServedSource> {
    const answer = await get('view.json');
    return new ServedSource(completed(JSON.parse(await readWithProgress(answer, progress))));
  }

  local(): LocalTable | null {
    return null;
  }

  async prepare(): Promise<void> {}

  // Asked for something of a run; the answer may say that a part of its file is damaged.
  private async of(run: number, address: string): Promise<Response> {
    const answer = await get(address).catch((error: unknown) => {
      if (error instanceof TypeError) this.lose(); // there was no answer at all
      throw error;
    });
    const words = answer.headers.get('longarm-problem') ?? '';
    const { runs } = this.document;
    if (words && runs[run].problem !== words) {
      runs[run].problem = words;
      this.events?.problem(run, words);
    }
    return answer;
  }

  // Until the program is back; whether it shows the same runs then, the page has to find out anew.
  private lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.events?.connection(false);
    const ask = () =>
      fetch('view.json', { method: 'HEAD' }).then(
        () => this.events?.document(this.document),
        () => setTimeout(ask, 1000),
      );
    setTimeout(ask, 1000);
  }

  private async numbers(run: number, address: string): Promise<Float64Array> {
    const buffer = await (await this.of(run, address)).arrayBuffer();
    this.bytes += buffer.byteLength;
    return new Float64Array(buffer);
  }

  async rows(
    run: number,
    table: number,
    columns: number[],
    from: number,
    to: number,
  ): Promise<Float64Array[]> {
    const count = Math.max(0, to - from);
    const atOnce = Math.max(1, Math.floor(numbersPerRequest / columns.length));
    const whole = count > atOnce ? columns.map(() => new Float64Array(count)) : null;
    for (let start = from; ; start += atOnce) {
      const end = Math.min(to, start + atOnce);
      const rows = Math.max(0, end - start);
      const numbers = await this.numbers(
        run,
        `data?run=${run}&table=${table}&columns=${ranges(columns)}&from=${start}&to=${end}`,
      );
      const parts = columns.map((_, i) => numbers.subarray(i * rows, (i + 1) * rows));
      if (!whole) return parts;
      parts.forEach((part, i) => whole[i].set(part, start - from));
      if (end >= to) return whole;
    }
  }

  async overview(
    run: number,
    table: number,
    columns: number[],
    from_s: number,
    to_s: number,
    points: number,
  ): Promise<Overview[]> {
    const numbers = await this.numbers(
      run,
      `data?run=${run}&table=${table}&columns=${ranges(columns)}` +
        `&from_s=${from_s}&to_s=${to_s}&points=${points}`,
    );
    return columns.map((_, i) => ({
      minima: numbers.subarray(2 * i * points, (2 * i + 1) * points),
      maxima: numbers.subarray((2 * i + 1) * points, (2 * i + 2) * points),
    }));
  }

  async texts(run: number, table: number, from: number, to: number): Promise<string[]> {
    const question = `texts?run=${run}&table=${table}&from=${from}&to=${to}`;
    const answer = await this.of(run, question);
    return answer.json() as Promise<string[]>;
  }

  mesh(scene: number, mesh: number): Promise<Mesh> {
    return fetchMesh(this.document, scene, mesh);
  }

  listen(events: SourceEvents): void {
    this.events = events;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Decodes the packed columns of the one-file form; each column is found quickly and decoded when it is first asked for.

enum Kind {
  plain = 0,
  quantised = 1,
  quantisedWithGaps = 2,
  constant = 3,
  arithmetic = 4,
  nanoseconds = 5,
}

// Reads LEB128 numbers below 2^53.
class Varints {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.bytes.length) throw new Error('packed data ends too early');
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  signed(): number {
    const coded = this.unsigned();
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  }

  skip(count: number): void {
    const { bytes } = this;
    let { at } = this;
    for (let left = count; left > 0; ++at) {
      if (at >= bytes.length) throw new Error('packed data ends too early');
      if (bytes[at] < 128) --left;
    }
    this.at = at;
  }
}

// Lengths of the runs of present and absent rows, in turn; the first is of present ones.
function readGaps(numbers: Varints, rows: number): number[] {
  const runs: number[] = [];
  for (let covered = 0; covered < rows;) {
    const length = numbers.unsigned();
    covered += length;
    runs.push(length);
    if (covered > rows) throw new Error('packed data has more rows than its table');
  }
  return runs;
}

export class PackedColumns {
  private readonly starts: number[] = [];
  private end = 0;
  private readonly view: DataView;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly rows: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  private lengthAt(start: number): number {
    switch (this.bytes[start]) {
      case Kind.plain:
        return 1 + 8 * this.rows;
      case Kind.constant:
        return 9;
      case Kind.arithmetic:
        return 17;
      case Kind.nanoseconds: {
        const numbers = new Varints(this.bytes, start + 1);
        numbers.skip(this.rows);
        return numbers.at - start;
      }
      case Kind.quantised: {
        const numbers = new Varints(this.bytes, start + 17);
        numbers.skip(this.rows);
        return numbers.at - start;
      }
      case Kind.quantisedWithGaps: {
        const numbers = new Varints(this.bytes, start + 1);
        const present = readGaps(numbers, this.rows)
          .filter((_, i) => i % 2 === 0)
          .reduce((sum, length) => sum + length, 0);
        numbers.at += 16;
        numbers.skip(present);
        return numbers.at - start;
      }
      default:
        throw new Error(`packed data has a column of unknown kind ${this.bytes[start]}`);
    }
  }

  // Where a column starts; what lies before it is measured once.
  private startOf(column: number): number {
    while (this.starts.length <= column) {
      this.starts.push(this.end);
      this.end += this.lengthAt(this.end);
    }
    return this.starts[column];
  }

  column(index: number): Float64Array {
    const start = this.startOf(index);
    const { rows, view } = this;
    const float = (at: number) => view.getFloat64(at, true);
    const number = (i: number) => float(start + 1 + 8 * i);
    const values = new Float64Array(rows);
    switch (this.bytes[start]) {
      case Kind.plain:
        for (let i = 0; i < rows; ++i) values[i] = number(i);
        break;
      case Kind.constant:
        values.fill(number(0));
        break;
      case Kind.arithmetic:
        for (let i = 0; i < rows; ++i) values[i] = number(0) + i * number(1);
        break;
      case Kind.nanoseconds:
        this.dequantise(values, 0, 1, new Varints(this.bytes, start + 1), [rows]);
        // divided, not multiplied by 1e-9: so the program makes seconds of them
        for (let i = 0; i < rows; ++i) values[i] /= 1e9;
        break;
      case Kind.quantised:
        this.dequantise(values, number(0), number(1), new Varints(this.bytes, start + 17), [rows]);
        break;
      default: {
        const numbers = new Varints(this.bytes, start + 1);
        const gaps = readGaps(numbers, rows);
        const { at } = numbers;
        numbers.at += 16;
        values.fill(NaN);
        this.dequantise(values, float(at), float(at + 8), numbers, gaps);
      }
    }
    return values;
  }

  private dequantise(
    values: Float64Array,
    minimum: number,
    step: number,
    numbers: Varints,
    gaps: number[],
  ): void {
    let row = 0;
    let q = 0;
    let difference = 0;
    gaps.forEach((length, i) => {
      if (i % 2 === 0) {
        for (let end = row + length; row < end; ++row) {
          difference += numbers.signed();
          q += difference;
          values[row] = minimum + step * q;
        }
      } else {
        row += length;
      }
    });
  }
}

// SPDX-License-Identifier: Apache-2.0
// Normals of triangle meshes: smooth over gentle bends, sharp over creases.

const creaseCosine = Math.cos((35 * Math.PI) / 180);

// A mesh whose vertices have normals; one place may have several vertices.
export interface Surface {
  positions: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
}

// One number for all vertices at the same place, to a micrometre.
function weld(positions: Float32Array): Uint32Array {
  const places = new Map<string, number>();
  const welded = new Uint32Array(positions.length / 3);
  for (let i = 0; i < welded.length; ++i) {
    const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    const key = `${Math.round(x * 1e6)},${Math.round(y * 1e6)},${Math.round(z * 1e6)}`;
    let place = places.get(key);
    if (place === undefined) places.set(key, (place = places.size));
    welded[i] = place;
  }
  return welded;
}

// Normals of the faces: as long as twice their area, and of length one.
function faceNormals(positions: Float32Array, triangles: Uint32Array) {
  const faces = new Float32Array(triangles.length);
  const units = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const [vx, vy, vz] = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(n[0], n[1], n[2]) || 1;
    for (let k = 0; k < 3; ++k) {
      faces[t + k] = n[k];
      units[t + k] = n[k] / length;
    }
  }
  return { faces, units };
}

export function creased(positions: Float32Array, triangles: Uint32Array): Surface {
  const { faces, units } = faceNormals(positions, triangles);
  const welded = weld(positions);
  const around = new Map<number, number[]>(); // where the normals of the faces at each place lie
  for (let corner = 0; corner < triangles.length; ++corner) {
    const place = welded[triangles[corner]];
    const face = corner - (corner % 3);
    const known = around.get(place);
    if (known) known.push(face);
    else around.set(place, [face]);
  }
  const made: { positions: number[]; normals: number[] } = { positions: [], normals: [] };
  const known = new Map<string, number>();
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; ++corner) {
    const own = corner - (corner % 3);
    const place = welded[triangles[corner]];
    const n = [0, 0, 0];
    for (const f of around.get(place)!) {
      const cosine =
        units[f] * units[own] + units[f + 1] * units[own + 1] + units[f + 2] * units[own + 2];
      if (cosine < creaseCosine) continue;
      for (let k = 0; k < 3; ++k) n[k] += faces[f + k];
    }
    const length = Math.hypot(n[0], n[1], n[2]) || 1;
    const unit = n.map((value) => value / length);
    const key = `${place} ${unit.map((value) => Math.round(500 * value)).join(' ')}`;
    let vertex = known.get(key);
    if (vertex === undefined) {
      known.set(key, (vertex = known.size));
      const at = 3 * triangles[corner];
      made.positions.push(positions[at], positions[at + 1], positions[at + 2]);
      made.normals.push(...unit);
    }
    corners[corner] = vertex;
  }
  return {
    positions: Float32Array.from(made.positions),
    normals: Float32Array.from(made.normals),
    triangles: corners,
  };
}

// SPDX-License-Identifier: Apache-2.0
// Normals of triangle meshes: smooth over gentle bends, sharp over creases.

const creaseCosine = Math.cos((35 * Math.PI) / 180);

// Positions and normals of every corner, three corners per triangle.
export interface Corners {
  positions: Float32Array;
  normals: Float32Array;
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

export function creasedCorners(positions: Float32Array, triangles: Uint32Array): Corners {
  const count = triangles.length / 3;
  const faces = new Float32Array(3 * count); // their length is twice the triangle's area
  const units = new Float32Array(3 * count);
  for (let t = 0; t < count; ++t) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(n[0], n[1], n[2]) || 1;
    for (let k = 0; k < 3; ++k) {
      faces[3 * t + k] = n[k];
      units[3 * t + k] = n[k] / length;
    }
  }
  const welded = weld(positions);
  const around = new Map<number, number[]>(); // faces at each place
  for (let corner = 0; corner < triangles.length; ++corner) {
    const place = welded[triangles[corner]];
    const known = around.get(place);
    if (known) known.push(Math.floor(corner / 3));
    else around.set(place, [Math.floor(corner / 3)]);
  }
  const out = {
    positions: new Float32Array(3 * triangles.length),
    normals: new Float32Array(3 * triangles.length),
  };
  for (let corner = 0; corner < triangles.length; ++corner) {
    const vertex = triangles[corner];
    const own = 3 * Math.floor(corner / 3);
    let [x, y, z] = [0, 0, 0];
    for (const face of around.get(welded[vertex])!) {
      const f = 3 * face;
      const cosine =
        units[f] * units[own] + units[f + 1] * units[own + 1] + units[f + 2] * units[own + 2];
      if (cosine < creaseCosine) continue;
      x += faces[f];
      y += faces[f + 1];
      z += faces[f + 2];
    }
    const length = Math.hypot(x, y, z) || 1;
    out.normals.set([x / length, y / length, z / length], 3 * corner);
    out.positions.set(positions.subarray(3 * vertex, 3 * vertex + 3), 3 * corner);
  }
  return out;
}

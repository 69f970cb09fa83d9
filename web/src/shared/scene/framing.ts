// SPDX-License-Identifier: Apache-2.0
// From where a camera sees some points as large as they can be.
import { Vector3 } from 'three';

export interface Framing {
  target: Vector3; // in the middle of the picture, as far away as the middle of the points
  distance: number;
}

// Seen from the direction `away`; `tall` and `wide` are tangents of half the angles of view. A point that lies `depth`
// nearer to the camera than the target and `aside` of the middle is in sight if |aside| ≤ (distance - depth) · wide:
// the outermost points of both sides give middle and distance.
export function framing(
  points: Vector3[],
  away: Vector3,
  vertical: Vector3,
  tall: number,
  wide: number,
): Framing {
  const right = new Vector3().crossVectors(vertical, away).normalize();
  const up = new Vector3().crossVectors(away, right);
  const depths = points.map((point) => point.dot(away));
  const [farthest, nearest] = extremes(depths);
  const middle = (farthest + nearest) / 2;
  const across = (side: Vector3, tangent: number) => {
    const [low, high] = [-1, 1].map(
      (sign) =>
        extremes(
          points.map((point, i) => sign * point.dot(side) + (depths[i] - middle) * tangent),
        )[1],
    );
    return { at: (high - low) / 2, distance: (high + low) / 2 / tangent };
  };
  const [sideways, upwards] = [across(right, wide), across(up, tall)];
  const target = away
    .clone()
    .multiplyScalar(middle)
    .addScaledVector(right, sideways.at)
    .addScaledVector(up, upwards.at);
  return { target, distance: Math.max(sideways.distance, upwards.distance) };
}

function extremes(values: number[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

// SPDX-License-Identifier: Apache-2.0
// Places the nodes of a network in layers, the same way every time.
import { Network } from '../data/document';

export interface Place {
  layer: number;
  order: number; // from 0 to 1 within the layer
}

// Layers are distances from where messages come from; within a layer, neighbours of what is above stay together.
export function layOut({ nodes, links, flows }: Network): Map<string, Place> {
  const neighbours = new Map(nodes.map(({ name }) => [name, [] as string[]]));
  for (const { a, b } of links) {
    neighbours.get(a)?.push(b);
    neighbours.get(b)?.push(a);
  }
  const layers = new Map<string, number>();
  const grow = (root: string) => {
    let front = [root];
    layers.set(root, 0);
    for (let layer = 1; front.length; ++layer) {
      const next = new Set(
        front.flatMap((name) => neighbours.get(name) ?? []).filter((name) => !layers.has(name)),
      );
      for (const name of next) layers.set(name, layer);
      front = [...next];
    }
  };
  const first = flows[0]?.from ?? nodes.find(({ kind }) => kind === 'host')?.name;
  if (first !== undefined && neighbours.has(first)) grow(first);
  for (const { name } of nodes) if (!layers.has(name)) grow(name);

  const places = new Map<string, Place>();
  const depth = Math.max(0, ...layers.values());
  for (let layer = 0; layer <= depth; ++layer) {
    const members = nodes.map(({ name }) => name).filter((name) => layers.get(name) === layer);
    const wanted = (name: string) => {
      const above = (neighbours.get(name) ?? []).filter(
        (one) => places.get(one)?.layer === layer - 1,
      );
      const sum = above.reduce((all, one) => all + places.get(one)!.order, 0);
      return above.length ? sum / above.length : 0.5;
    };
    const sorted = members
      .map((name, i) => ({ name, at: wanted(name), i }))
      .sort((a, b) => a.at - b.at || a.i - b.i);
    sorted.forEach(({ name }, i) => places.set(name, { layer, order: (i + 0.5) / sorted.length }));
  }
  return places;
}

// The point at a part of the way along a path of points.
export function along(path: [number, number][], part: number): [number, number] {
  const lengths = path.slice(1).map(([x, y], i) => Math.hypot(x - path[i][0], y - path[i][1]));
  let left = part * lengths.reduce((sum, one) => sum + one, 0);
  for (let i = 0; i < lengths.length; ++i) {
    if (left <= lengths[i] || i === lengths.length - 1) {
      const step = lengths[i] ? Math.min(1, left / lengths[i]) : 0;
      return [
        path[i][0] + step * (path[i + 1][0] - path[i][0]),
        path[i][1] + step * (path[i + 1][1] - path[i][1]),
      ];
    }
    left -= lengths[i];
  }
  return path[0] ?? [0, 0];
}

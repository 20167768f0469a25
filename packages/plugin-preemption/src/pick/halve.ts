/** Pure. */
import { compareTies, type Shape } from "./shape.js";

/**
 * Two parts, neither empty, of two shapes or more: cut in the middle of the resource in which they differ most, or along
 * their ties where they differ in none.
 */
export function halve(shapes: Shape[]): readonly [Shape[], Shape[]] {
  const { resource, middle } = widest(shapes);
  if (resource < 0) {
    shapes.sort((a, b) => compareTies(a.tie, b.tie));
    const half = shapes.length >> 1;
    return [shapes.slice(0, half), shapes.slice(half)];
  }
  const low: Shape[] = [];
  const high: Shape[] = [];
  for (const shape of shapes) ((shape.amounts[resource] as number) <= middle ? low : high).push(shape);
  return [low, high];
}

/** The resource's index, -1 when all shapes give the same of each. */
function widest(shapes: readonly Shape[]): { readonly resource: number; readonly middle: number } {
  const count = shapes[0]?.amounts.length ?? 0;
  let [found, width, middle] = [-1, 0, 0];
  for (let resource = 0; resource < count; resource++) {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (const { amounts } of shapes) {
      const amount = amounts[resource] as number;
      if (amount < least) least = amount;
      if (amount > most) most = amount;
    }
    // Relative to the greatest: bytes and milli-cores have nothing else in common.
    const own = most === 0 ? 0 : (most - least) / most;
    if (own > width) [found, width, middle] = [resource, own, least + (most - least) / 2];
  }
  return { resource: found, middle };
}

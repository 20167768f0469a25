import { compareTies, type Shape } from "./shape.js";

/** Two halves along the resource in which the shapes differ most, or along their ties where they differ in none. */
export function halve(shapes: Shape[]): readonly [Shape[], Shape[]] {
  const widest = widestResource(shapes);
  shapes.sort((a, b) => {
    const byAmount = widest < 0 ? 0 : (a.amounts[widest] as number) - (b.amounts[widest] as number);
    return byAmount === 0 ? compareTies(a.tie, b.tie) : byAmount;
  });
  const middle = shapes.length >> 1;
  return [shapes.slice(0, middle), shapes.slice(middle)];
}

/** Index of the resource, -1 when all shapes give the same of each. */
function widestResource(shapes: readonly Shape[]): number {
  const count = shapes[0]?.amounts.length ?? 0;
  let widest = -1;
  let width = 0;
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
    if (own > width) [widest, width] = [resource, own];
  }
  return widest;
}

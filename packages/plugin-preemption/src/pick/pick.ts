/**
 * The kubelet's pick, result for result: again and again the pod nearest to what is still required, of equal ones that
 * of the first tie, of those the last in the list; then the list's last pod moves into its place. The kubelet looks at
 * every pod each time; here equal pods are looked at once, and far ones not at all. Pure.
 */
import type { Candidate } from "../candidate.js";
import { type Requirement, subtract } from "../requirements.js";
import { shapesOf, type TieBreak } from "./shape.js";
import { ShapeTree } from "./shape-tree.js";

/** Less memory first, then less cpu. */
export const smallestFirst: TieBreak = ({ requests }) => [requests.memory ?? 0, requests.cpu ?? 0];

/** In order of picking. Stops short when the list is used up. */
export function pick(
  list: readonly Candidate[],
  requirements: readonly Requirement[],
  tieBreak: TieBreak = smallestFirst,
): readonly Candidate[] {
  if (requirements.length === 0 || list.length === 0) return [];
  const { shapes, at } = shapesOf(list, requirements, tieBreak);
  const tree = new ShapeTree(shapes);
  const remaining = [...list];
  const resources = requirements.map(({ resource }) => resource);
  const picked: Candidate[] = [];
  let left = requirements;
  while (left.length > 0) {
    const shape = tree.nearest(distanceFrom(left, resources));
    const position = shape?.positions.top;
    if (shape === undefined || position === undefined) break;
    const chosen = remaining[position] as Candidate;
    picked.push(chosen);
    left = subtract(left, [chosen]);

    shape.positions.pop();
    const last = remaining.pop() as Candidate;
    const lastShape = at.pop() as typeof shape;
    if (position < remaining.length) {
      remaining[position] = last;
      at[position] = lastShape;
      lastShape.positions.push(position);
    }
    for (const touched of shape === lastShape ? [shape] : [shape, lastShape]) {
      while ((touched.positions.top ?? -1) >= remaining.length) touched.positions.pop();
      if (touched.positions.top === undefined) tree.remove(touched);
    }
  }
  return picked;
}

/** As `distance`, for amounts in the order of `resources`. */
function distanceFrom(
  left: readonly Requirement[],
  resources: readonly string[],
): (amounts: readonly number[]) => number {
  const columns = left.map(({ resource }) => resources.indexOf(resource));
  const quantities = left.map(({ quantity }) => quantity);
  const { length } = columns;
  return (amounts) => {
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const quantity = quantities[i] as number;
      const missing = quantity - (amounts[columns[i] as number] as number);
      if (missing <= 0) continue;
      const share = missing / quantity;
      sum += share * share;
    }
    return sum;
  };
}

/**
 * Finds the shape nearest to what is required without looking at all of them: a tree of boxes, each with the most that
 * any shape in it gives. No shape of a box is nearer than the box's best corner, so most boxes are passed over.
 */
import { compareTies, type Shape } from "./shape.js";

/** Distance of a point from what is required now. Never grows when an amount does. */
export type Distance = (amounts: readonly number[]) => number;

const LEAF = 8;

interface Box {
  readonly parent: Box | undefined;
  /** Of a leaf: its shapes; those used up are taken out. */
  shapes: Shape[];
  /** Of an inner box: its two halves, while anything is in them. */
  halves: readonly Box[];
  /** Of the shapes within: the greatest amount of each resource, the first of their ties. */
  corner: readonly number[];
  tie: readonly [number, number];
}

interface Found {
  readonly shape: Shape;
  readonly distance: number;
}

export class ShapeTree {
  readonly #root: Box | undefined;
  readonly #leaves = new Map<Shape, Box>();

  constructor(shapes: readonly Shape[]) {
    this.#root = shapes.length === 0 ? undefined : this.#build([...shapes], undefined);
  }

  /** The nearest one; of equally near ones that of the first tie, then that with the last place in the list. */
  nearest(distance: Distance): Shape | undefined {
    const root = this.#root;
    return root === undefined || isEmpty(root) ? undefined : search(root, distance(root.corner), distance, undefined)?.shape;
  }

  /** Takes out a shape that has no pod left. */
  remove(shape: Shape): void {
    let box = this.#leaves.get(shape);
    if (box === undefined) return;
    this.#leaves.delete(shape);
    box.shapes = box.shapes.filter((one) => one !== shape);
    for (; box !== undefined; box = box.parent) {
      box.halves = box.halves.filter((half) => !isEmpty(half));
      if (!isEmpty(box)) tighten(box);
    }
  }

  #build(shapes: Shape[], parent: Box | undefined): Box {
    const box: Box = { parent, shapes: [], halves: [], corner: [], tie: [0, 0] };
    if (shapes.length <= LEAF) {
      box.shapes = shapes;
      for (const shape of shapes) this.#leaves.set(shape, box);
    } else {
      const [low, high] = halve(shapes);
      box.halves = [this.#build(low, box), this.#build(high, box)];
    }
    tighten(box);
    return box;
  }
}

function isEmpty(box: Box): boolean {
  return box.shapes.length === 0 && box.halves.length === 0;
}

function tighten(box: Box): void {
  const parts = [
    ...box.shapes.map(({ amounts, tie }) => ({ corner: amounts, tie })),
    ...box.halves.map(({ corner, tie }) => ({ corner, tie })),
  ];
  const [first, ...others] = parts as [Pick<Box, "corner" | "tie">];
  let { corner, tie } = first;
  for (const part of others as readonly Pick<Box, "corner" | "tie">[]) {
    corner = corner.map((amount, resource) => Math.max(amount, part.corner[resource] ?? 0));
    if (compareTies(part.tie, tie) < 0) tie = part.tie;
  }
  box.corner = corner;
  box.tie = tie;
}

function search(box: Box, near: number, distance: Distance, best: Found | undefined): Found | undefined {
  let found = best;
  if (found !== undefined && !mayBeat(near, box.tie, found)) return found;
  for (const shape of box.shapes) {
    const own = distance(shape.amounts);
    if (found === undefined || beats(shape, own, found)) found = { shape, distance: own };
  }
  const halves = box.halves.map((half) => ({ half, near: distance(half.corner) }));
  halves.sort((a, b) => a.near - b.near || compareTies(a.half.tie, b.half.tie));
  for (const next of halves) found = search(next.half, next.near, distance, found);
  return found;
}

function mayBeat(near: number, tie: readonly [number, number], best: Found): boolean {
  return near < best.distance || (near === best.distance && compareTies(tie, best.shape.tie) <= 0);
}

function beats(shape: Shape, distance: number, best: Found): boolean {
  if (distance !== best.distance) return distance < best.distance;
  const tie = compareTies(shape.tie, best.shape.tie);
  return tie === 0 ? (shape.positions.top ?? -1) > (best.shape.positions.top ?? -1) : tie < 0;
}

/** Two halves along the resource in which the shapes differ most, or along their ties where they differ in none. */
function halve(shapes: Shape[]): readonly [Shape[], Shape[]] {
  const count = shapes[0]?.amounts.length ?? 0;
  let widest = -1;
  let width = 0;
  for (let resource = 0; resource < count; resource++) {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (const { amounts } of shapes) {
      const amount = amounts[resource] ?? 0;
      if (amount < least) least = amount;
      if (amount > most) most = amount;
    }
    // Relative to the greatest: bytes and milli-cores have nothing else in common.
    const own = most === 0 ? 0 : (most - least) / most;
    if (own > width) [widest, width] = [resource, own];
  }
  const order = (a: Shape, b: Shape): number =>
    (widest < 0 ? 0 : (a.amounts[widest] ?? 0) - (b.amounts[widest] ?? 0)) || compareTies(a.tie, b.tie);
  shapes.sort(order);
  const middle = shapes.length >> 1;
  return [shapes.slice(0, middle), shapes.slice(middle)];
}

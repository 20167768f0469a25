/**
 * Finds the shape nearest to what is required without looking at all of them: a tree of boxes, each with the most that
 * any shape in it gives. No shape of a box is nearer than the box's best corner, so most boxes are passed over. Pure.
 */
import { halve } from "./halve.js";
import { compareTies, type Shape } from "./shape.js";

/** Distance of a point from what is required now. Never grows when an amount does. */
export type Distance = (amounts: readonly number[]) => number;

const LEAF = 16;

interface Box {
  readonly parent: Box | undefined;
  /** Of a leaf: its shapes; those used up are taken out. */
  readonly shapes: Shape[];
  /** Of an inner box: its halves, until nothing is left in them. */
  low: Box | undefined;
  high: Box | undefined;
  /** Of the shapes within: the greatest amount of each resource, the first of their ties. */
  corner: number[];
  tie: readonly [number, number];
}

export class ShapeTree {
  readonly #leaves = new Map<Shape, Box>();
  #root: Box | undefined;

  constructor(shapes: readonly Shape[]) {
    if (shapes.length > 0) this.#root = this.#build([...shapes], undefined);
  }

  /** The nearest one; of equally near ones that of the first tie, then that with the last place in the list. */
  nearest(distance: Distance): Shape | undefined {
    const search = new Search(distance);
    if (this.#root !== undefined) search.visit(this.#root, distance(this.#root.corner));
    return search.best;
  }

  /** Takes out a shape that has no pod left. */
  remove(shape: Shape): void {
    const leaf = this.#leaves.get(shape);
    if (leaf === undefined) return;
    leaf.shapes.splice(leaf.shapes.indexOf(shape), 1);
    // A box that did not shrink leaves those around it as they are.
    for (let box: Box | undefined = leaf; box !== undefined; box = box.parent) {
      if (isEmpty(box)) this.#drop(box);
      else if (!tighten(box)) return;
    }
  }

  #drop(box: Box): void {
    const { parent } = box;
    if (parent === undefined) this.#root = undefined;
    else if (parent.low === box) parent.low = undefined;
    else parent.high = undefined;
  }

  #build(shapes: Shape[], parent: Box | undefined): Box {
    const isLeaf = shapes.length <= LEAF;
    const box: Box = { parent, shapes: isLeaf ? shapes : [], low: undefined, high: undefined, corner: [], tie: [0, 0] };
    if (isLeaf) for (const shape of shapes) this.#leaves.set(shape, box);
    else {
      const [low, high] = halve(shapes);
      box.low = this.#build(low, box);
      box.high = this.#build(high, box);
    }
    tighten(box);
    return box;
  }
}

function isEmpty({ shapes, low, high }: Box): boolean {
  return shapes.length === 0 && low === undefined && high === undefined;
}

/** False when the box had its right size already. */
function tighten(box: Box): boolean {
  const corner: number[] = [];
  let tie: readonly [number, number] | undefined;
  const include = (amounts: readonly number[], own: readonly [number, number]): void => {
    for (let i = 0; i < amounts.length; i++) {
      const amount = amounts[i] as number;
      if (!((corner[i] as number) >= amount)) corner[i] = amount;
    }
    if (tie === undefined || compareTies(own, tie) < 0) tie = own;
  };
  for (const { amounts, tie: own } of box.shapes) include(amounts, own);
  if (box.low !== undefined) include(box.low.corner, box.low.tie);
  if (box.high !== undefined) include(box.high.corner, box.high.tie);
  const found = tie ?? box.tie;
  const changed = compareTies(found, box.tie) !== 0 || corner.some((amount, i) => amount !== box.corner[i]);
  box.corner = corner;
  box.tie = found;
  return changed;
}

class Search {
  best: Shape | undefined;
  #distance = Number.POSITIVE_INFINITY;

  constructor(private readonly distance: Distance) {}

  /** `near`: the distance of the box's corner. */
  visit(box: Box, near: number): void {
    if (this.best !== undefined && !this.#mayBeat(near, box.tie, this.best)) return;
    for (const shape of box.shapes) this.#try(shape);
    const { low, high } = box;
    const nearLow = low === undefined ? 0 : this.distance(low.corner);
    const nearHigh = high === undefined ? 0 : this.distance(high.corner);
    const lowFirst =
      low !== undefined &&
      high !== undefined &&
      (nearLow < nearHigh || (nearLow === nearHigh && compareTies(low.tie, high.tie) < 0));
    if (lowFirst) this.visit(low, nearLow);
    if (high !== undefined) this.visit(high, nearHigh);
    if (low !== undefined && !lowFirst) this.visit(low, nearLow);
  }

  #mayBeat(near: number, tie: readonly [number, number], best: Shape): boolean {
    return near < this.#distance || (near === this.#distance && compareTies(tie, best.tie) <= 0);
  }

  #try(shape: Shape): void {
    const own = this.distance(shape.amounts);
    if (own > this.#distance) return;
    if (this.best !== undefined && own === this.#distance) {
      const tie = compareTies(shape.tie, this.best.tie);
      if (tie > 0 || (tie === 0 && (shape.positions.top ?? -1) < (this.best.positions.top ?? -1))) return;
    }
    this.best = shape;
    this.#distance = own;
  }
}

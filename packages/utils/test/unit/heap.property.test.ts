import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Heap } from "../../src/heap.js";

interface Due {
  due: number;
  place: number;
}

const operations = fc.array(
  fc.oneof(
    fc.record({ put: fc.nat(9), due: fc.nat(20) }),
    fc.record({ remove: fc.nat(9) }),
    fc.constant({ pop: true } as const),
  ),
  { maxLength: 80 },
);

test("after any operations the earliest entry is on top, and each is in once", () => {
  fc.assert(
    fc.property(operations, (list) => {
      const heap = new Heap<Due>((a, b) => a.due < b.due);
      const entries: Due[] = Array.from({ length: 10 }, () => ({ due: 0, place: -1 }));
      const inside = new Set<Due>();
      for (const operation of list) {
        if ("put" in operation) {
          const entry = entries[operation.put] as Due;
          entry.due = operation.due;
          heap.put(entry);
          inside.add(entry);
        } else {
          const entry = "remove" in operation ? entries[operation.remove] : heap.peek();
          if (entry !== undefined) {
            heap.remove(entry);
            inside.delete(entry);
          }
        }
        expect(heap.size).toBe(inside.size);
        expect(heap.peek()?.due).toBe(inside.size === 0 ? undefined : Math.min(...[...inside].map(({ due }) => due)));
      }
    }),
  );
});

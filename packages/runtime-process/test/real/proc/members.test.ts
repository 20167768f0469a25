import type { ProcessStat } from "@hooklet/linux";
import { expect, test } from "@jest/globals";
import { LivingProcesses } from "../../../src/proc/members.js";

function machine(count: number, state = "S") {
  const seen = { looks: 0, stats: 0 };
  const living = new LivingProcesses({
    pids: () => {
      seen.looks += 1;
      return [Number.NaN, 1, ...Array.from({ length: count }, (_, at) => at + 2)];
    },
    stat: (pid) => {
      seen.stats += 1;
      return { pid, parent: 1, session: pid, startTicks: "1", state } as unknown as ProcessStat;
    },
  });
  return { living, seen };
}

test("200 concurrent callers share one read, and 200 later ones the next", async () => {
  const { living, seen } = machine(1_000);
  const first = Array.from({ length: 200 }, () => living.list());
  await new Promise((resolve) => setImmediate(resolve));
  const second = Array.from({ length: 200 }, () => living.list());
  expect(seen.looks).toBe(1);
  const lists = await Promise.all([...first, ...second]);
  expect(lists.every((list) => list.length === 1_000)).toBe(true);
  expect(seen).toEqual({ looks: 2, stats: 2_000 });
});

test("a read yields to other work: no turn of the event loop has more than 64 processes", async () => {
  const { living, seen } = machine(1_000);
  let over = false;
  const done = living.list().then(() => {
    over = true;
  });
  let most = 0;
  for (let before = 0; !over; before = seen.stats) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, seen.stats - before);
  }
  await done;
  expect(most).toBeLessThanOrEqual(64);
});

test("zombies are left out, and a failed read does not affect the next", async () => {
  expect(await machine(10, "Z").living.list()).toEqual([]);
  let fails = true;
  const living = new LivingProcesses({
    pids: () => {
      if (fails) throw new Error("EMFILE");
      return [];
    },
    stat: () => undefined,
  });
  await expect(living.list()).rejects.toThrow("EMFILE");
  fails = false;
  expect(await living.list()).toEqual([]);
});

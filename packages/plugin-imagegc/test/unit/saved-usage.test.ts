import { expect, test } from "@jest/globals";
import { keepMemory, restoreMemory, SteadyTime } from "../../src/saved-usage.js";

test("a wall clock that jumps a day makes no image older, and shown times follow the current clock", () => {
  const machine = { wall: 1_000_000, uptime: 50 };
  const time = new SteadyTime({ now: () => machine.wall, monotonic: () => machine.uptime });
  const before = time.now();
  expect(before).toBe(1_000_000);
  machine.uptime += 10;
  machine.wall += 24 * 3_600_000 + 10;
  expect(time.now() - before).toBe(10);
  expect(time.wall(before)).toBe(machine.wall - 10);
  machine.wall -= 48 * 3_600_000;
  expect(time.now() - before).toBe(10);
  expect(time.wall(before)).toBe(machine.wall - 10);
});

const WALL = Date.UTC(2026, 0, 1);

/** An agent in whose checkpoint this lies; `kernel`: what its files say, or fail with. */
function agent(saved: unknown, kernel: Readonly<Record<string, string | Error>> = {}) {
  const logged: unknown[] = [];
  const log = {
    warn: (text: string) => logged.push(text),
    debug: ({ err }: { err: Error }, text: string) => logged.push([err.message, text]),
  };
  const read = (path: string): string | undefined => {
    const text = kernel[path];
    if (text instanceof Error) throw text;
    return text;
  };
  let kept: { value(): unknown; failed(error: unknown): void } | undefined;
  const clock = { now: () => WALL, monotonic: () => 5_000 };
  const parts = {
    clock,
    log,
    host: { kernel: { read } },
    time: new SteadyTime(clock),
    checkpoint: (name: string) => ({
      keep: (given: NonNullable<typeof kept>) => {
        kept = given;
        return {
          name,
          read: async () => {
            if (saved instanceof Error) throw saved;
            return saved;
          },
        };
      },
    }),
  };
  const remembered: unknown[] = [];
  const images = { began: WALL - 7_000, records: new Map(), remember: (memory: unknown) => remembered.push(memory) };
  const state = keepMemory(parts as never, images as never);
  const restore = () => restoreMemory(parts as never, state, images as never);
  return { logged, remembered, restore, state, kept: () => kept as NonNullable<typeof kept> };
}

const KERNEL = { "/proc/sys/kernel/random/boot_id": "boot-1\n", "/proc/uptime": "12.34 5.00\n" };
const SAVED = { version: 1, writtenAt: WALL - 60_000, began: 1_000, images: { a: [500, null] } };

test("what is kept is the memory now, with the machine's boot where the kernel names it", () => {
  const memory = { version: 1, writtenAt: WALL, began: 7_000, images: {} };
  const { kept, state } = agent(undefined, KERNEL);
  expect(state).toMatchObject({ name: "images" });
  expect(kept().value()).toEqual({ ...memory, boot: { id: "boot-1", uptime: 12_340 } });
  expect(agent(undefined).kept().value()).toEqual(memory);
});

test.each([
  ["no boot id", { ...KERNEL, "/proc/sys/kernel/random/boot_id": " \n" }],
  ["no uptime", { "/proc/sys/kernel/random/boot_id": "boot-1" }],
  ["an uptime that is no number", { ...KERNEL, "/proc/uptime": "long" }],
])("with %s the machine's boot is not kept", (_name, kernel) => {
  expect(agent(undefined, kernel).kept().value()).not.toHaveProperty("boot");
});

test("a kernel that fails is logged, and its boot is not kept", () => {
  const { kept, logged } = agent(undefined, { "/proc/sys/kernel/random/boot_id": new Error("EPERM") });
  expect(kept().value()).not.toHaveProperty("boot");
  expect(logged).toEqual([["EPERM", "image gc: the kernel does not tell its uptime: EPERM"]]);
});

test("after a restart images are as old as they were, and the time between", async () => {
  const { remembered, restore } = agent(SAVED);
  await restore();
  expect(remembered).toEqual([
    { began: WALL - 61_000, images: new Map([["a", { firstDetected: WALL - 60_500, lastUsed: undefined }]]) },
  ]);
  const same = agent({ ...SAVED, boot: { id: "boot-1", uptime: 2_340 } }, KERNEL);
  await same.restore();
  expect(same.remembered).toMatchObject([{ began: WALL - 11_000 }]);
});

test("nothing kept is nothing remembered; what cannot be read or written is a warning", async () => {
  const fresh = agent(undefined);
  await fresh.restore();
  expect([fresh.remembered, fresh.logged]).toEqual([[], []]);
  const damaged = agent(new Error("no JSON"));
  await damaged.restore();
  damaged.kept().failed(new Error("no space"));
  expect([damaged.remembered, damaged.logged]).toEqual([
    [],
    [
      "what was remembered of images cannot be used: no JSON; all of them count as new",
      "could not keep when images were last used: no space; after a restart some count as unused",
    ],
  ]);
});

import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, jest, test } from "@jest/globals";
import { TestNode } from "../../../core/test/agent/node.js";
import { RuntimeError } from "../../src/errors.js";
import type { Sandbox } from "../../src/port.js";
import { withBoundedLists } from "../../src/runtime-layers.js";

test("of too many sandboxes the running and the newest ones are kept, and that is reported", async () => {
  const sandbox = (index: number): Partial<Sandbox> => ({
    id: `s${index}`,
    state: index < 5 ? "SANDBOX_READY" : "SANDBOX_NOTREADY",
    createdAt: BigInt(index),
  });
  const all = Array.from({ length: 100_000 }, (_, index) => sandbox(index));
  const warnings: string[] = [];
  const clock = { monotonic: () => 0 } as never;
  const runtime = { listSandboxes: async () => all, listContainers: async () => [] };
  const lists = withBoundedLists(runtime as never, {
    clock,
    knownUids: async () => [],
    warn: (text) => void warnings.push(text),
  });
  const taken = await lists.listSandboxes();
  expect(taken).toHaveLength(10_000);
  expect(taken.slice(0, 6).map(({ id }) => id)).toEqual(["s4", "s3", "s2", "s1", "s0", "s99999"]);
  expect(warnings).toEqual([expect.stringContaining("100000 sandboxes")]);
});

test("an agent whose runtime cannot list everything at once starts, reports it, and manages its pods", async () => {
  const node = await new TestNode().start();
  const manifest = (name: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, uid: ${name} }\nspec: { containers: [{ name: main, image: "app:1", command: [until-term] }] }\n`;
  for (const name of ["a", "b"]) {
    await node.manifest(name, manifest(name));
    mkdirSync(path.join(node.rootDir, "pods", name), { recursive: true });
  }
  await node.clock.advance(5_000);
  await node.stop();
  for (const list of ["listSandboxes", "listContainers"] as const) {
    const real = node.runtime[list].bind(node.runtime) as (filter?: object) => Promise<readonly []>;
    jest.spyOn(node.runtime, list).mockImplementation(async (filter) => {
      if (filter === undefined) throw new RuntimeError("resource-exhausted", "larger than max");
      return real(filter);
    });
  }
  await node.withoutManifests();
  await node.start();
  await node.manifest("a", manifest("a"));
  await node.clock.advance(60_000);
  expect(node.status("a-node1")).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
  expect(node.agent.api.pods().map(({ metadata }) => metadata.uid)).toEqual(["a"]);
  expect(node.runtime.running("a-node1")).toEqual(["main"]);
  expect(node.events().filter((text) => text.startsWith("RuntimeListTooLarge"))).not.toEqual([]);
  jest.restoreAllMocks();
});

test.each(["listSandboxes", "listContainers"] as const)(
  "a %s that is too large is asked pod by pod for a minute",
  async (list) => {
    const kind = list === "listSandboxes" ? "sandboxes" : "containers";
    const asked: unknown[] = [];
    const warnings: string[] = [];
    let now = 0;
    const answer = async (filter?: { podUid?: string }): Promise<readonly object[]> => {
      asked.push(filter);
      if (filter === undefined || filter.podUid === "big") throw new RuntimeError("resource-exhausted", "too large");
      return [{ id: filter.podUid, createdAt: 0n }];
    };
    const lists = withBoundedLists({ [list]: answer } as never, {
      clock: { monotonic: () => now } as never,
      knownUids: async () => ["a", "big", "a", "b"],
      warn: (text) => void warnings.push(text),
    });
    const ids = async (filter?: object): Promise<readonly string[]> => (await lists[list](filter)).map(({ id }) => id);
    expect(await ids()).toEqual(["a", "b"]);
    expect(asked).toEqual([undefined, { podUid: "a" }, { podUid: "big" }, { podUid: "b" }]);
    expect(warnings).toEqual([
      `the runtime's list of ${kind} is too large for one answer (too large): hooklet asks pod by pod, for the pods that have a directory of this agent. Remove ${kind} with long annotations`,
      `the runtime's list of the ${kind} of pod big is too large (too large): hooklet leaves this pod alone. Remove its containers by hand`,
    ]);
    now = 59_999;
    await ids();
    expect(asked.filter((one) => one === undefined)).toHaveLength(1);
    now = 60_000;
    await ids();
    expect(asked.filter((one) => one === undefined)).toHaveLength(2);
    asked.length = 0;
    expect(await ids({ podUid: "c" })).toEqual(["c"]);
    expect(asked).toEqual([{ podUid: "c" }]);
  },
);

test("another error of a list, whole or of a pod, is the runtime's", async () => {
  const down = new RuntimeError("unavailable", "down");
  const large = new RuntimeError("resource-exhausted", "too large");
  const ports = { clock: { monotonic: () => 0 } as never, knownUids: async () => ["a"], warn: () => undefined };
  const failing = (whole: Error) => ({
    listContainers: async (filter?: object) => {
      throw filter === undefined ? whole : down;
    },
  });
  for (const whole of [down, large])
    await expect(withBoundedLists(failing(whole) as never, ports).listContainers()).rejects.toBe(down);
});

test("of 10001 containers those that run, or may run, are kept", async () => {
  const states = ["CONTAINER_RUNNING", "CONTAINER_UNKNOWN", "CONTAINER_EXITED"];
  const all = Array.from({ length: 10_001 }, (_, index) => ({
    id: index,
    state: states[Math.min(index, 2)],
    createdAt: BigInt(index),
  }));
  const warnings: string[] = [];
  const ports = {
    clock: { monotonic: () => 0 } as never,
    knownUids: async () => [],
    warn: (text: string) => void warnings.push(text),
  };
  const of = (count: number) =>
    withBoundedLists({ listContainers: async () => all.slice(0, count) } as never, ports).listContainers();
  expect(await of(10_000)).toHaveLength(10_000);
  expect(warnings).toEqual([]);
  const kept = await of(10_001);
  expect([kept.length, kept.slice(0, 3).map(({ id }) => id), kept.at(-1)?.id]).toEqual([10_000, [1, 0, 10_000], 3]);
  expect(warnings).toHaveLength(1);
});

test("other calls go to the runtime itself", async () => {
  class Own {
    #name = "own";
    readonly size = 1;
    version(): string {
      return this.#name;
    }
  }
  const ports = { clock: { monotonic: () => 0 } as never, knownUids: async () => [], warn: () => undefined };
  const lists = withBoundedLists(new Own() as never, ports) as unknown as Own;
  expect([lists.version(), lists.size]).toEqual(["own", 1]);
});

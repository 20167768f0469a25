import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, jest, test } from "@jest/globals";
import { withBoundedLists } from "../../../src/runtime/bounded-lists.js";
import { RuntimeError } from "../../../src/runtime/errors.js";
import type { Sandbox } from "../../../src/runtime/port.js";
import { TestNode } from "../../agent/node.js";

test("of too many sandboxes the running and the newest ones are kept, and that is reported", async () => {
  const sandbox = (index: number): Partial<Sandbox> => ({
    id: `s${index}`,
    state: index < 5 ? "SANDBOX_READY" : "SANDBOX_NOTREADY",
    createdAt: BigInt(index),
  });
  const all = Array.from({ length: 100_000 }, (_, index) => sandbox(index));
  const told: string[] = [];
  const clock = { monotonic: () => 0 } as never;
  const runtime = { listSandboxes: async () => all, listContainers: async () => [] };
  const lists = withBoundedLists(runtime as never, {
    clock,
    knownUids: async () => [],
    told: (text) => void told.push(text),
  });
  const taken = await lists.listSandboxes();
  expect(taken).toHaveLength(10_000);
  expect(taken.slice(0, 6).map(({ id }) => id)).toEqual(["s4", "s3", "s2", "s1", "s0", "s99999"]);
  expect(told).toEqual([expect.stringContaining("100000 sandboxes")]);
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

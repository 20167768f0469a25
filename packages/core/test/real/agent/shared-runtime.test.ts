/** Two agents on one container runtime would stop each other's pods. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockRootDir } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { TestNode } from "../../agent/node.js";
import { aContainer, aPod } from "../../pod/pods.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-shared-"));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

/** A node with a running pod whose sandbox notes the given root directory. */
async function nodeWithPodOf(rootDir: (node: TestNode) => string): Promise<TestNode> {
  const node = await new TestNode().start();
  const pod = aPod({ containers: [aContainer("main", { image: "app:1", command: ["until-term"] })] });
  await node.manifest("web", JSON.stringify(pod));
  await node.clock.advance(5_000);
  const noted = (await node.runtime.listSandboxes()).map(({ annotations }) => annotations["hooklet.dev/root-dir"]);
  expect(noted).toEqual([node.rootDir]);
  await node.stop();
  const real = node.runtime.listSandboxes.bind(node.runtime);
  jest.spyOn(node.runtime, "listSandboxes").mockImplementation(async (filter) =>
    (await real(filter)).map((sandbox) => ({
      ...sandbox,
      annotations: { ...sandbox.annotations, "hooklet.dev/root-dir": rootDir(node) },
    })),
  );
  return node;
}

test("an agent does not start on a runtime with pods of an agent that runs, and says what to do", async () => {
  const node = await nodeWithPodOf(() => folder);
  const lock = await lockRootDir(folder, systemClock);
  await expect(node.start()).rejects.toMatchObject({
    code: "CLAIM_CONFLICT",
    message:
      `Another agent, with the root directory ${folder}, has pods in this container runtime, and this agent would stop them. ` +
      "Give each agent its own container runtime (runtime.options.endpoint), or stop the other agent.",
  });
  await lock.release();
  await node.start();
});

test("its own root directory under another name is no other agent", async () => {
  const alias = join(folder, "alias");
  const node = await nodeWithPodOf(() => alias);
  await symlink(node.rootDir, alias);
  await node.start();
});

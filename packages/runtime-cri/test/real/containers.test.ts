import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "@hooklet/utils";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfig } from "../../../testkit/src/runtime-suite/configs.js";
import type { Calls } from "../../src/calls.js";
import { CriContainers } from "../../src/containers.js";
import { Known } from "../../src/known.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-cri-logs-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the folder of a container's log is there when the runtime is asked for the container: CRI-O makes none", async () => {
  const sandbox = sandboxConfig(folder, 0);
  const modes: number[] = [];
  const call = async (): Promise<{ readonly containerId: string }> => {
    modes.push((await stat(path.join(sandbox.logDirectory, "main"))).mode & 0o777);
    return { containerId: "made" };
  };
  const containers = new CriContainers({ call } as unknown as Calls, new Known(), systemClock);
  const config = containerConfig({ image: "busybox:1", command: ["true"] }, "busybox:1", sandbox, {});
  await expect(containers.create("sandbox", config, sandbox)).resolves.toBe("made");
  expect(modes).toEqual([0o755]);
});

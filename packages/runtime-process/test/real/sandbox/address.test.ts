import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { openRuntime, recordingLog } from "../../harness.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-address-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("pods have the node's address where the rc file gives one", async () => {
  const runtime = openRuntime(folder, {}, recordingLog(), { nodeIp: "10.1.2.3" });
  await runtime.start();
  const id = await runtime.runSandbox(sandboxConfig(folder, 0));
  expect((await runtime.sandboxStatus(id)).ips).toEqual(["10.1.2.3"]);
  await runtime.stopSandbox(id);
  await runtime.removeSandbox(id);
  await runtime.close();
});

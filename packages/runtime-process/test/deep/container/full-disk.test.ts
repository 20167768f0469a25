import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installScripts } from "../../../src/command/scripts.js";
import { findTools } from "../../../src/command/toolbox.js";
import { probeIsolation } from "../../../src/container/probe.js";
import { layoutOf, makeLayout } from "../../../src/layout.js";
import { isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";

const onSmallDisk = isRoot && canMount() ? test : test.skip;

function canMount(): boolean {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let node: TestNode;
const disks: string[] = [];
beforeEach(async () => {
  node = await TestNode.start();
});
afterEach(async () => {
  for (const disk of disks.splice(0)) execFileSync("umount", [disk]);
  await node.end();
});

/** A disk without room for another byte; what the folder held is hidden. */
function fullDisk(folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "none", folder]);
  disks.push(folder);
  fill(folder);
}

function fill(folder: string): void {
  const chunk = Buffer.alloc(4096);
  for (;;) {
    try {
      appendFileSync(join(folder, "fill"), chunk);
    } catch {
      return;
    }
  }
}

onSmallDisk(
  "on a full disk what cannot be created leaves nothing behind, and works again once there is space",
  async () => {
    const sandboxId = await node.sandbox();
    const { containers, sandboxes } = layoutOf(node.directory);
    fullDisk(containers);
    await expect(node.create(["/bin/true"], {}, sandboxId)).rejects.toThrow("ENOSPC");
    expect(readdirSync(containers)).toEqual(["fill"]);
    rmSync(join(containers, "fill"));
    await node.create(["/bin/true"], {}, sandboxId);
    fullDisk(sandboxes);
    await expect(node.sandbox()).rejects.toThrow("ENOSPC");
    expect(readdirSync(sandboxes)).toEqual(["fill"]);
  },
);

test("a pod ends although nothing can be written: that frees space on a full disk", async () => {
  const sandboxId = await node.sandbox();
  const id = await node.create(["/bin/sleep", "300"], {}, sandboxId);
  await node.runtime.startContainer(id);
  // A write of the sandbox' state fails from now on.
  mkdirSync(join(layoutOf(node.directory).sandboxes, sandboxId, ".state.tmp/in the way"), { recursive: true });
  await node.runtime.stopSandbox(sandboxId);
  expect((await node.runtime.sandboxStatus(sandboxId)).state).toBe("SANDBOX_NOTREADY");
  await node.newAgent();
  await node.runtime.stopSandbox(sandboxId);
  await node.runtime.removeSandbox(sandboxId);
  expect(await node.runtime.listSandboxes()).toEqual([]);
  expect(await node.runtime.listContainers()).toEqual([]);
});

onSmallDisk("a full disk at the start is no reason to run containers without isolation", async () => {
  const tools = findTools();
  const scripts = await installScripts(layoutOf(node.directory).bin);
  const disk = join(node.directory, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "none", disk]);
  disks.push(disk);
  const layout = layoutOf(disk);
  await makeLayout(layout);
  fill(disk);
  await expect(probeIsolation(layout, tools, scripts)).rejects.toThrow(/kept apart: ENOSPC.*free some space/);
});

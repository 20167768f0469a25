import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfig, securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { isRoot } from "../../harness.js";
import { TestNode } from "../../node.js";
import { makeSmallRoot } from "../../small-root.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
  const root = join(node.directory, "small");
  await makeSmallRoot(root);
  await node.runtime.importImage("small:1", root);
});
afterAll(() => node.end());

async function output(script: string): Promise<string> {
  const sandbox = sandboxConfig(node.directory, 0);
  const sandboxId = await node.runtime.runSandbox(sandbox);
  const image = await node.runtime.pullImage("small:1");
  const config = containerConfig({ image: "small:1", command: ["sh", "-c", script] }, image, sandbox, {});
  const id = await node.runtime.createContainer(sandboxId, config, sandbox);
  await node.runtime.startContainer(id);
  const log = await node.log(await node.ended(id));
  await node.runtime.removeSandbox(sandboxId);
  return log;
}

test("an imported image is the whole root: nothing of the machine is seen", async () => {
  expect(await output("echo /*; echo /etc/*")).toBe(
    "/bin /dev /etc /lib /lib64 /proc /sys\n/etc/hostname /etc/resolv.conf\n",
  );
});

test("what a container writes is not in the image, nor in the next container", async () => {
  expect(await output("echo x > /written; cat /written")).toBe("x\n");
  expect(await output("cat /written 2>/dev/null || echo fresh")).toBe("fresh\n");
});

test("an image that a container uses is not removed, and the error names the container", async () => {
  const sandbox = sandboxConfig(node.directory, 0);
  const sandboxId = await node.runtime.runSandbox(sandbox);
  const image = await node.runtime.pullImage("small:1");
  const config = containerConfig({ image: "small:1", command: ["sleep", "300"] }, image, sandbox, {});
  const id = await node.runtime.createContainer(sandboxId, config, sandbox);
  const refusal = { code: "failed-precondition", message: expect.stringContaining(id) as unknown };
  await expect(node.runtime.removeImage("small:1")).rejects.toMatchObject(refusal);
  await node.runtime.close();
  await expect(node.runtime.removeImage("small:1")).rejects.toMatchObject(refusal);
  await node.newAgent();
  await node.runtime.removeSandbox(sandboxId);
});

(isRoot ? test : test.skip)("a user that the image does not know is refused by name", async () => {
  const sandbox = sandboxConfig(node.directory, 0);
  const sandboxId = await node.runtime.runSandbox(sandbox);
  const image = await node.runtime.pullImage("small:1");
  const config = containerConfig({ image: "small:1", command: ["sh"] }, image, sandbox, {});
  const { securityContext } = config.linux;
  const linux = { ...config.linux, securityContext: { ...securityContext, runAsUsername: "nobody-here" } };
  await expect(node.runtime.createContainer(sandboxId, { ...config, linux }, sandbox)).rejects.toThrow(
    "unable to find user nobody-here: no matching entries in /etc/passwd of the image",
  );
});

(isRoot ? test : test.skip)("an image cannot make a numbered user root by naming root so", async () => {
  const root = join(node.directory, "small");
  await mkdir(join(root, "etc"));
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\n1000:x:0:0::/:/bin/sh\n");
  await node.runtime.importImage("evil:1", root);
  const sandbox = sandboxConfig(node.directory, 0);
  const sandboxId = await node.runtime.runSandbox(sandbox);
  const image = await node.runtime.pullImage("evil:1");
  const security = { ...securityContext, runAsUser: 1000, runAsNonRoot: true };
  const config = containerConfig({ image: "evil:1", command: ["cat", "/proc/self/status"] }, image, sandbox, {
    linux: { resources: {}, securityContext: security },
  });
  const id = await node.runtime.createContainer(sandboxId, config, sandbox);
  expect((await node.runtime.containerStatus(id)).user).toMatchObject({ uid: 1000, supplementalGroups: [] });
  await node.runtime.startContainer(id);
  expect(await node.log(await node.ended(id))).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
  await node.runtime.removeSandbox(sandboxId);
});

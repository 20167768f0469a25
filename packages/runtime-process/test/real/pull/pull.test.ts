/** A pull from a real registry with TLS and a password, and the pod that runs on what came. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { containerConfig, sandboxConfig } from "../../../../testkit/src/runtime-suite/configs.js";
import { TestNode } from "../../node.js";
import { login, noRegistry, Registry } from "../../registry.js";
import { makeSmallRoot } from "../../small-root.js";

const withRegistry = noRegistry === undefined ? test : test.skip;
let registry: Registry | undefined;
let node: TestNode;
beforeAll(async () => {
  if (noRegistry !== undefined) return;
  registry = await Registry.start();
  node = await TestNode.start({ registryConfigPath: registry.certsD });
});
afterAll(async () => {
  await node?.end();
  await registry?.stop();
});

withRegistry("an image of a registry is pulled with the pod's credentials, and a container runs on it", async () => {
  if (registry === undefined) throw new Error("no registry");
  const root = join(node.directory, "small");
  await mkdir(root);
  await makeSmallRoot(root);
  const layer = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 30 });
  const config = { Entrypoint: ["sh", "-c"], Env: ["GREETING=hello"], WorkingDir: "/bin" };
  const { image, digest } = await registry.push("team/web:1", { layers: [layer], config, docker: true });

  await expect(node.runtime.pullImage(image)).rejects.toThrow("unauthorized: authentication required");
  const id = await node.runtime.pullImage(image, undefined, login);
  expect(await node.runtime.imageStatus(image)).toMatchObject({
    id,
    repoTags: [image],
    repoDigests: [`${registry.host}/team/web@${digest}`],
    pinned: false,
  });
  const byDigest = await node.runtime.imageStatus(`${registry.host}/team/web@${digest}`);
  expect(byDigest?.id).toBe(id);
  expect(byDigest?.imported).toBeUndefined();

  const sandbox = sandboxConfig(node.directory, 0);
  const sandboxId = await node.runtime.runSandbox(sandbox);
  const container = containerConfig({ image, command: [] }, id, sandbox, { args: ["echo $GREETING from $PWD"] });
  const started = await node.runtime.createContainer(sandboxId, container, sandbox);
  await node.runtime.startContainer(started);
  expect(await node.log(await node.ended(started))).toBe("hello from /bin\n");
  await node.runtime.removeSandbox(sandboxId);
  expect(await readdir(join(node.directory, "runtime-process/image-temp"))).toEqual([]);
  await node.runtime.removeImage(image);
  expect(await readdir(join(node.directory, "runtime-process/images"))).toEqual([]);
  expect(await readdir(join(node.directory, "runtime-process/image-names"))).toEqual([]);
});

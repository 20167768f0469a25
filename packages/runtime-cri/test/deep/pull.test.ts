/** Pulls from a registry, as a node does them: policies, credentials, one pull for many pods, and what is held. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { isRuntimeError, type NodePlugin } from "@hooklet/core";
import type { LoadedPlugin } from "@hooklet/core/internal";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd, temporaryFolder } from "../containerd.js";
import { CriNode, type CriNodeOptions } from "../node.js";
import { pod } from "../pods.js";
import { Registry } from "./registry.js";

describeOnContainerd("images from a registry", () => {
  let containerd: Containerd;
  let registry: Registry;
  let scratch: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeAll(async () => {
    containerd = await Containerd.start("pull");
    registry = await Registry.start({
      archives: { "*": containerd.archive("busybox") },
      guarded: { prefix: "guarded", user: "me", password: "let:me in" },
    });
    scratch = await temporaryFolder();
  }, 240_000);

  afterAll(async () => {
    await registry?.stop();
    await containerd?.stop();
    await scratch?.remove();
  }, 240_000);

  /** One agent at a time: each takes the others' pods for orphans. */
  async function onNode(options: CriNodeOptions, story: (node: CriNode) => Promise<void>): Promise<void> {
    const node = await CriNode.create(containerd.endpoint, options);
    try {
      await (await node.start()).ready();
      await story(node);
    } finally {
      registry.resume();
      await node.remove();
    }
  }

  const imageOf = (repository: string): string => `${registry.host}/${repository}:1`;
  const run = (node: CriNode, name: string, repository: string, imagePullPolicy: string): Promise<void> =>
    node.manifest(`${name}.json`, pod(name, [{ image: imageOf(repository), imagePullPolicy }]));
  const eventsOf = (node: CriNode, name: string): readonly (readonly [string, string])[] =>
    node.api
      .events()
      .filter(({ involvedObject }) => involvedObject.name === `${name}-node1`)
      .map(({ reason = "", message = "" }) => [reason, message] as const);
  const pulling = (node: CriNode, ...names: readonly string[]): Promise<void> =>
    node.until(`${names.join(", ")} want their images`, () =>
      names.every((name) => eventsOf(node, name).some(([reason]) => reason === "Pulling")),
    );
  const waiting = (node: CriNode, name: string) => node.pod(name)?.status?.containerStatuses?.[0]?.state?.waiting;

  async function dockerConfig(name: string, password: string): Promise<string> {
    const file = path.join(scratch.folder, name);
    const auth = Buffer.from(`me:${password}`).toString("base64");
    await writeFile(file, JSON.stringify({ auths: { [`${registry.host}/guarded`]: { auth } } }));
    return file;
  }

  test(
    "IfNotPresent pulls what is missing, Always pulls each time, Never pulls nothing",
    () =>
      onNode({}, async (node) => {
        const asked: (readonly [string, number])[] = [];
        for (const policy of ["IfNotPresent", "IfNotPresent", "Always", "Never"]) {
          const name = `policy-${asked.length}`;
          await run(node, name, "plain/policy", policy);
          await node.ready(name);
          asked.push([policy, registry.pulls.get("plain/policy") ?? 0]);
        }
        expect(asked).toEqual([
          ["IfNotPresent", 1],
          ["IfNotPresent", 1],
          ["Always", 2],
          ["Never", 2],
        ]);
        expect(eventsOf(node, "policy-0")).toContainEqual([
          "Pulled",
          expect.stringMatching(
            `^Successfully pulled image "${imageOf("plain/policy")}" in .+ \\(.+ including waiting\\)\\. Image size: \\d+ bytes\\.$`,
          ),
        ]);
        const [status] = node.pod("policy-0")?.status?.containerStatuses ?? [];
        expect(status?.image).toBe(imageOf("plain/policy"));
        expect(status?.imageID).toMatch(new RegExp(`^${registry.host}/plain/policy@sha256:`));
      }),
    240_000,
  );

  test("credentials of a docker config file reach the registry", async () => {
    const runtime = { dockerConfig: await dockerConfig("right.json", "let:me in") };
    await onNode({ runtime }, async (node) => {
      await run(node, "allowed", "guarded/app", "Always");
      await node.ready("allowed");
      expect(registry.pulls.get("guarded/app")).toBe(1);
    });
  }, 240_000);

  test("a wrong password: ErrImagePull, then ImagePullBackOff; once the file is right, the next try gets it", async () => {
    const runtime = { dockerConfig: await dockerConfig("wrong.json", "a guess") };
    await onNode({ runtime }, async (node) => {
      await run(node, "refused", "guarded/secret", "Always");
      await node.until("the back-off", () => waiting(node, "refused")?.reason === "ImagePullBackOff");
      expect(waiting(node, "refused")?.message).toMatch(
        new RegExp(
          `^Back-off pulling image "${imageOf("guarded/secret")}": ErrImagePull: .*(denied|401|authorization)`,
        ),
      );
      const reported = eventsOf(node, "refused");
      expect(reported).toContainEqual(["Failed", "Error: ErrImagePull"]);
      expect(reported).toContainEqual(["Failed", "Error: ImagePullBackOff"]);
      expect(registry.pulls.get("guarded/secret")).toBeUndefined();
      await dockerConfig("wrong.json", "let:me in");
      await node.ready("refused");
    });
  }, 240_000);

  test(
    "pods that want one image at a time share one pull",
    () =>
      onNode({}, async (node) => {
        registry.hold();
        const names = ["share-0", "share-1", "share-2"];
        for (const name of names) await run(node, name, "plain/shared", "Always");
        await pulling(node, ...names);
        registry.resume();
        await node.ready(...names);
        expect(registry.pulls.get("plain/shared")).toBe(1);
      }),
    240_000,
  );

  test(
    "pulls are serial by default",
    () =>
      onNode({}, async (node) => {
        registry.hold();
        for (const name of ["serial-0", "serial-1"]) await run(node, name, `plain/${name}`, "Always");
        await pulling(node, "serial-0", "serial-1");
        await node.until("the first asks", () => registry.waiting.length === 1);
        const [first] = registry.waiting;
        registry.release();
        await node.until("the second asks", () => registry.waiting.length === 1);
        expect(registry.waiting).not.toContain(first);
        registry.resume();
        await node.ready("serial-0", "serial-1");
      }),
    240_000,
  );

  test(
    "with serializeImagePulls: false they go side by side, at most maxParallelImagePulls",
    () =>
      onNode({ node: { serializeImagePulls: false, maxParallelImagePulls: 2 } }, async (node) => {
        registry.hold();
        const names = ["side-0", "side-1", "side-2"];
        for (const name of names) await run(node, name, `plain/${name}`, "Always");
        await pulling(node, ...names);
        await node.until("two ask", () => registry.waiting.length === 2);
        registry.release();
        await node.until("the third asks", () => registry.waiting.length === 1);
        registry.resume();
        await node.ready(...names);
      }),
    240_000,
  );

  test("between its pull and its container the image cannot be removed", async () => {
    const refusals: unknown[] = [];
    const collector: NodePlugin = {
      meta: { name: "collector", api: 1 },
      start(ctx) {
        ctx.hooks.containerStart.tap(async (_plan, { container: { image = "" } }) => {
          const ids = (await ctx.runtime.listImages()).filter(({ repoTags }) => repoTags.includes(image));
          for (const name of [image, ...ids.map(({ id }) => id)]) {
            refusals.push(await ctx.runtime.removeImage(name).catch((error: unknown) => error));
          }
        });
      },
    };
    await onNode({ plugins: [loaded(collector)] }, async (node) => {
      await run(node, "held", "plain/held", "Always");
      await node.ready("held");
      expect(refusals).toHaveLength(2);
      expect(refusals.map((refusal) => isRuntimeError(refusal, "failed-precondition"))).toEqual([true, true]);
    });
  }, 240_000);
});

function loaded(plugin: NodePlugin): LoadedPlugin {
  return { plugin, options: {}, specifier: "./test.js", origin: "test", file: "/test.js" };
}

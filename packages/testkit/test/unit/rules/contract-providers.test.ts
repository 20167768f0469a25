/** Values and volumes that plugins provide. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@hooklet/core";
import type { VolumeProvider } from "@hooklet/core/subsystem";
import { expect, test } from "@jest/globals";
import { startTestAgent } from "../../../src/index.js";

const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  volumes: [{ name: conf, configMap: { name: app } }]
  containers:
    - name: main
      image: app:1
      volumeMounts: [{ name: conf, mountPath: /conf }]
      env: [{ name: COLOR, valueFrom: { configMapKeyRef: { name: app, key: color } } }]
`;

test("what needs a missing provider is refused by name", async () => {
  const agent = await startTestAgent();
  await expect(agent.apply(manifest)).rejects.toThrow("not supported by hooklet without an API server");
});

test("volumes are filled before the first container, again after a restart, and given back; values wait until they are there", async () => {
  const log: string[] = [];
  let color: string | undefined;
  let fails = 2;
  const volumes: VolumeProvider = {
    kinds: ["configMap"],
    prepare: async (_, volume, directory) => {
      if (fails-- > 0) throw new Error('configmap "app" not found');
      writeFileSync(join(directory, "color"), "blue");
      log.push(`prepare ${volume.name}`);
      return undefined;
    },
    release: async (_, volume, directory) => void log.push(`release ${volume.name} ${existsSync(directory)}`),
  };
  const plugin = definePlugin({
    meta: { name: "cluster", api: 1 },
    start: (ctx) => {
      ctx.provide.volumes(volumes);
      ctx.provide.values({
        kinds: ["configMapKeyRef"],
        get: async () => (color === undefined ? undefined : { data: { color } }),
      });
    },
  });
  const agent = await startTestAgent({ plugins: [plugin] });
  await agent.apply(manifest);
  await agent.advance(400);
  expect(agent.events().map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    'FailedMount: MountVolume.SetUp failed for volume "conf" : configmap "app" not found',
  );
  await agent.advance(5_000);
  expect(log).toEqual(["prepare conf"]);
  expect(agent.pod("web").status?.containerStatuses?.[0]?.state?.waiting).toMatchObject({
    reason: "CreateContainerConfigError",
    message: 'configmap "app" not found',
  });
  color = "blue";
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const { uid } = agent.pod("web").metadata;
  const directory = join(agent.rootDir, "pods", uid, "volumes", "kubernetes.io~configmap", "conf");
  expect(readdirSync(directory)).toEqual(["color"]);
  await agent.restart();
  await agent.advance(5_000);
  expect(log).toEqual(["prepare conf", "prepare conf"]);
  await agent.delete("web");
  await agent.waitFor(() => agent.api.pods().length === 0);
  expect(log.at(-1)).toBe("release conf true");
  expect(existsSync(directory)).toBe(false);
});

test("two plugins that provide one kind are an error that names both", async () => {
  const named = (name: string) =>
    definePlugin({
      meta: { name, api: 1 },
      start: (ctx) => ctx.provide.values({ kinds: ["secretKeyRef"], get: async () => undefined }),
    });
  await expect(startTestAgent({ plugins: [named("one"), named("two")] })).rejects.toThrow(
    /Two plugins provide secretKeyRef: one does, two wants to/,
  );
});

/** What never answers, mounted inside volumes that are the agent's own, in five pods at once: it costs only these pods. */
import { mkdir, readdir, readlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { canHang, hangOn } from "../../packages/core/test/pod/life/hung-volume.js";
import { until, Workplace } from "../support/agent.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const BAD = ["bad0", "bad1", "bad2", "bad3", "bad4"];

describe.each(runtimes)("volumes that hang on $name", ({ lacking, start }) => {
  const test_ = lacking === undefined && canHang ? test : test.skip;
  let runtime: RealRuntime;
  let place: Workplace;
  let args: readonly string[];
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    if (lacking !== undefined || !canHang) return;
    runtime = await start("hung");
    place = await Workplace.create();
    const config = path.join(place.folder, "rc.json");
    const sources = { objects: ["manifests"] };
    await writeFile(config, JSON.stringify({ node: { evictionHard: {} }, sources, runtime: runtime.rc }));
    args = ["--config", config, "--node-name", "node"];
    await place.start(...args);
  }, 240_000);

  afterAll(async () => {
    for (const end of ends.splice(0)) await end();
    await place?.remove();
    await runtime?.stop();
  }, 240_000);

  const configMap = (color: string): string =>
    `{ apiVersion: v1, kind: ConfigMap, metadata: { name: app }, data: { color: ${color} } }`;
  const pod = (name: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  dnsPolicy: Default
  volumes:
    - { name: data, emptyDir: {} }
    - { name: conf, configMap: { name: app } }
  containers:
    - name: main
      image: ${runtime.image}
      imagePullPolicy: IfNotPresent
      command: [sh, -c, 'trap "exit 0" TERM; sleep 3600 & wait $!']
      volumeMounts: [{ name: data, mountPath: /data }, { name: conf, mountPath: /conf }]
`;

  async function apply(text: string): Promise<void> {
    const file = path.join(place.folder, "objects.yaml");
    await writeFile(file, text);
    const { code, stderr } = await place.hooklet("apply", "-f", file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }

  async function running(...names: readonly string[]): Promise<void> {
    await until(`${names} run`, async () => {
      const pods = await place.pods();
      return names.every((name) =>
        pods.some(({ metadata, status }) => metadata.name.startsWith(name) && status.phase === "Running"),
      );
    });
  }

  /** Starts, runs and goes as if nothing hung. */
  async function livesWell(name: string): Promise<void> {
    await place.manifest(`${name}.yaml`, pod(name));
    await running(name);
    await place.removeManifest(`${name}.yaml`);
    await until(`${name} is gone`, async () => (await place.pod(name)) === undefined);
  }

  test_(
    "another pod starts and goes, also after the agent was killed; the five go when they are deleted",
    async () => {
      await apply(configMap("blue"));
      for (const name of BAD) await place.manifest(`${name}.yaml`, pod(name));
      await running(...BAD);
      const dirs: string[] = [];
      for (const { metadata } of await place.pods()) {
        const dir = path.join(place.rootDir, "pods", metadata.uid);
        dirs.push(dir);
        const inside = path.join(dir, "volumes/kubernetes.io~empty-dir/data/hung");
        await mkdir(inside);
        ends.push(await hangOn(inside));
        const volume = path.join(dir, "volumes/kubernetes.io~configmap/conf");
        ends.push(await hangOn(path.join(volume, await readlink(path.join(volume, "..data")))));
      }
      expect(dirs).toHaveLength(BAD.length);
      // Each of the five volumes is to be written now.
      await apply(configMap("green"));
      await livesWell("well");
      await place.kill();
      await place.start(...args);
      await livesWell("again");
      for (const name of BAD) await place.removeManifest(`${name}.yaml`);
      await livesWell("meanwhile");
      await until("the five are gone", async () => (await place.pods()).length === 0);
      await until("and their folders", async () => (await readdir(path.join(place.rootDir, "pods"))).length === 0);
    },
    600_000,
  );
});

/** ConfigMaps and Secrets without a cluster: applied, mounted, changed while the pod runs, kept over a kill -9 of the agent. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until, Workplace } from "../support/agent.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

describe.each(runtimes)("objects on $name", ({ lacking, start }) => {
  if (lacking !== undefined && process.env.HOOKLET_TEST_REQUIRE) throw new Error(lacking);
  const test_ = lacking === undefined ? test : test.skip;
  let runtime: RealRuntime;
  let place: Workplace;
  let args: readonly string[];

  beforeAll(async () => {
    if (lacking !== undefined) return;
    runtime = await start("objects");
    place = await Workplace.create();
    const config = path.join(place.folder, "rc.json");
    await writeFile(config, JSON.stringify({ node: { evictionHard: {} }, runtime: runtime.rc }));
    args = ["--config", config, "--node-name", "node"];
    await place.start(...args);
  }, 240_000);

  afterAll(async () => {
    await place?.remove();
    await runtime?.stop();
  }, 240_000);

  const objects = (color: string): string => `
{ apiVersion: v1, kind: ConfigMap, metadata: { name: app }, data: { color: ${color}, other: x } }
---
{ apiVersion: v1, kind: Secret, metadata: { name: keys }, stringData: { password: hunter2 } }
`;
  const pod = (): string => `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { tier: one } }
spec:
  terminationGracePeriodSeconds: 1
  dnsPolicy: Default
  securityContext: { fsGroup: 4321 }
  volumes:
    - { name: conf, configMap: { name: app, items: [{ key: color, path: a/color }] } }
    - name: all
      projected:
        sources:
          - { secret: { name: keys } }
          - { downwardAPI: { items: [{ path: labels, fieldRef: { fieldPath: metadata.labels } }, { path: cpu, resourceFieldRef: { containerName: main, resource: limits.cpu } }] } }
  containers:
    - name: main
      image: ${runtime.image}
      imagePullPolicy: IfNotPresent
      resources: { limits: { cpu: 100m } }
      command: [sh, -c, 'echo $COLOR $K_password; cat /all/password; echo; cat /all/labels; echo; ls -ln /all/..data/password | cut -c1-10; last=; while true; do now=$(cat /conf/a/color); test "$now" = "$last" || echo $now; last=$now; sleep 0.1; done']
      volumeMounts: [{ name: conf, mountPath: /conf }, { name: all, mountPath: /all }]
      env: [{ name: COLOR, valueFrom: { configMapKeyRef: { name: app, key: color } } }]
      envFrom: [{ prefix: K_, secretRef: { name: keys } }]
`;

  async function apply(text: string): Promise<string> {
    const file = path.join(place.folder, "objects.yaml");
    await writeFile(file, text);
    const { code, stdout, stderr } = await place.hooklet("apply", "-f", file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  }
  const logs = async (): Promise<string> => (await place.hooklet("logs", "web")).stdout;

  test_(
    "a pod waits for them, sees a change while it runs, and another one after the agent was killed",
    async () => {
      await apply(pod());
      await until("it waits", async () => (await place.hooklet("events")).stdout.includes('configmap "app" not found'));
      expect(await apply(objects("blue"))).toBe("configmap/app created\nsecret/keys created\n");
      const lines = async (): Promise<readonly string[]> => (await logs()).split("\n");
      const seen = (color: string): Promise<void> =>
        until(`it sees ${color}`, async () => (await lines()).at(-2) === color);
      await seen("blue");
      expect(await lines()).toEqual(["blue hunter2", "hunter2", 'tier="one"', "-rw-r--r--", "blue", ""]);
      expect(await apply(objects("green"))).toBe("configmap/app configured\nsecret/keys unchanged\n");
      // Nothing but the change brings it: what holds is not read again.
      await seen("green");
      await place.kill();
      await place.start(...args);
      await apply(objects("red"));
      await seen("red");
      const kept = (await place.hooklet("get", "secrets", "-o", "json")).stdout;
      expect(kept).toContain("password");
      expect(kept).not.toContain("hunter2");
      expect((await place.hooklet("delete", "pod", "web")).code).toBe(0);
      expect((await place.hooklet("delete", "secret", "keys")).stdout).toBe('secret "keys" deleted\n');
      expect(await readFile("/proc/mounts", "utf8")).not.toContain(place.folder);
    },
    300_000,
  );
});

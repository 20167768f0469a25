/** Sub paths of volumes on real runtimes: what a pod may mount, and what it cannot be made to. */
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until, Workplace } from "../support/agent.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

describe.each(runtimes)("sub paths on $name", ({ lacking, start }) => {
  if (lacking !== undefined && process.env.HOOKLET_TEST_REQUIRE) throw new Error(lacking);
  const test_ = lacking === undefined ? test : test.skip;
  let runtime: RealRuntime;
  let place: Workplace;

  beforeAll(async () => {
    if (lacking !== undefined) return;
    runtime = await start("subpath");
    place = await Workplace.create();
    const config = path.join(place.folder, "rc.json");
    await writeFile(config, JSON.stringify({ node: { evictionHard: {} }, runtime: runtime.rc }));
    await place.start("--config", config, "--node-name", "node");
  }, 240_000);

  afterAll(async () => {
    await place?.remove();
    await runtime?.stop();
  }, 240_000);

  const manifest = (pod: string, init: string, mounts: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${pod} }
spec:
  terminationGracePeriodSeconds: 1
  dnsPolicy: Default
  volumes:
    - { name: shared, emptyDir: {} }
    - { name: node, hostPath: { path: ${place.folder}/data, type: DirectoryOrCreate } }
  initContainers:
    - name: fill
      image: ${runtime.image}
      imagePullPolicy: IfNotPresent
      command: [sh, -c, '${init}']
      volumeMounts: [{ name: shared, mountPath: /all }]
  containers:
    - name: main
      image: ${runtime.image}
      imagePullPolicy: IfNotPresent
      command: [sh, -c, 'cat /conf /part/word; echo written >> /mine/log; trap "exit 0" TERM; sleep 3600 & wait $!']
      env: [{ name: POD, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]
      volumeMounts: [${mounts}]
`;
  const CONF = "{ name: shared, mountPath: /conf, subPath: etc/app.conf, readOnly: true }";
  const MINE = "{ name: node, mountPath: /mine, subPathExpr: logs/$(POD) }";
  const FILL = "mkdir -p /all/etc /all/dir; echo conf > /all/etc/app.conf; echo word > /all/dir/word";

  test_(
    "a file, a folder behind a link and an expanded path; files of the node outlive the pod",
    async () => {
      await place.manifest(
        "good.yaml",
        manifest(
          "good",
          `${FILL}; ln -s dir /all/link`,
          `${CONF}, { name: shared, mountPath: /part, subPath: link }, ${MINE}`,
        ),
      );
      const log = path.join(place.folder, "data/logs/good-node/log");
      await until("it writes", async () => (await readFile(log, "utf8").catch(() => "")) === "written\n");
      // What it wrote before that is in its log a moment later.
      await until("its log", async () => (await place.hooklet("logs", "good")).stdout.split("\n").length > 2);
      expect((await place.hooklet("logs", "good")).stdout).toBe("conf\nword\n");

      // Another agent finds the mounts of the first one.
      await place.kill();
      await place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node");
      expect((await place.pod("good"))?.status.containerStatuses?.[0]?.restartCount).toBe(0);

      await place.removeManifest("good.yaml");
      await until("it is gone", async () => (await place.pods()).length === 0);
      await until("so is its directory", async () => (await mounts()).length === 0);
      expect(await readFile(log, "utf8")).toBe("written\n");
    },
    240_000,
  );

  test_.each([
    { trap: "an absolute link", link: "/etc" },
    { trap: "a link up", link: "../../../../../../../../etc" },
  ])(
    "$trap out of the volume is refused",
    async ({ link }) => {
      const part = "{ name: shared, mountPath: /part, subPath: evil }";
      await place.manifest("evil.yaml", manifest("evil", `${FILL}; ln -s ${link} /all/evil`, `${CONF}, ${part}`));
      const waiting = async () => (await place.pod("evil"))?.status.containerStatuses?.[0]?.state.waiting;
      await until("it is refused", async () => (await waiting())?.reason === "CreateContainerConfigError");
      expect((await waiting())?.message).toBe(
        'failed to prepare subPath for volumeMount "shared" of container "main": ' +
          'subPath "evil" goes over a symbolic link that leaves the volume, or that is not there',
      );
      await place.removeManifest("evil.yaml");
      await until("it is gone", async () => (await place.pods()).length === 0);
      expect((await stat("/etc/passwd")).isFile()).toBe(true);
    },
    240_000,
  );

  /** Mounts that the agent left below its root dir. */
  async function mounts(): Promise<readonly string[]> {
    const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
    return lines.map((line) => line.split(" ")[4] ?? "").filter((point) => point.startsWith(`${place.rootDir}/pods/`));
  }
});

/** Garbage collection by the real binary on a real containerd whose images lie on a small disk of their own. */
import { execFile } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Labels } from "@hooklet/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { releaseMounts } from "../../packages/core/src/pod/life/sub-path-mounts.js";
import { describeOnContainerd } from "../../packages/runtime-cri/test/containerd.js";
import { until, type V1Pod } from "../support/agent.js";
import { GcNode, pod } from "../support/gc-node.js";
import { testRuns } from "../test-seed.mjs";

const run = promisify(execFile);

/** Megabytes of the disk; the images of the script take about 215 of it. */
const DISK = 760;
const SIZES = [1, 5, 20, 60, 1, 5, 20, 40, 10, 3, 2, 30];
/** Seconds. */
const MIN_AGE = 5;
/** Pods with dead containers, and how many of them are gone when the agent comes back. */
const PODS = testRuns(10, 2);
const GONE = PODS / 2;
const blob = (index: number): string => `example.test/blob${String(index).padStart(2, "0")}:1`;

describeOnContainerd("garbage collection on containerd", () => {
  let node: GcNode;

  beforeAll(async () => {
    node = await GcNode.start("imagegc", DISK);
  }, 90_000);

  afterAll(async () => {
    await releaseMounts(path.join(node.place.rootDir, "pods"));
    await node.stop();
  }, 90_000);

  test("a disk over the high mark is freed to the low mark in the kubelet's order; what is used, pinned or young stays", async () => {
    // The images come in three groups, so that the first are the ones seen first.
    let seen = 0;
    for (const group of [0, 1, 2]) {
      const names = SIZES.map((size, index) => `${blob(index)}=${size}`).slice(group * 4, group * 4 + 4);
      await node.containerd.blobs(...names);
      await node.detect(async () => {
        if (group !== 0) return;
        // Blobs hold no program: this pod's container fails to start and stays as a dead one.
        await node.place.manifest("dead.yaml", pod("dead", blob(2)));
        await node.place.manifest("runs.yaml", pod("runs", "busybox:1.36", ", command: [sleep, '3600']"));
        await until("the pods are there", async () => {
          const phases = (await node.place.pods()).map(({ status }) => status.phase).sort();
          return phases.join() === "Failed,Running";
        });
      });
      if (group === 1) seen = performance.now();
    }
    // As old as this machine is quick: the first two groups have to be older than the minimum age.
    await until("the images seen first are old enough", async () => performance.now() - seen > (MIN_AGE + 1) * 1000);
    await node.containerd.blobs("example.test/young:1=8");
    const before = { percent: await node.usedPercent(), available: await node.available() };
    expect(before.percent).toBeGreaterThanOrEqual(80);

    await node.startAgent({
      imageGCHighThresholdPercent: 80,
      imageGCLowThresholdPercent: 70,
      imageMinimumGCAge: `${MIN_AGE}s`,
    });
    await node.logged("the first round is over", /image gc: removed \d+ images/);

    const gone = [];
    for (const index of SIZES.keys()) if (!(await node.has(blob(index)))) gone.push(index);
    // Seen first, used never; blob 2 is that of a dead container. Within a group the ids decide.
    expect(gone).not.toContain(2);
    expect(gone).toContain(3);
    for (const index of gone) expect(index).toBeLessThan(8);
    for (const name of ["busybox:1.36", "registry.k8s.io/pause:3.6", "example.test/young:1"])
      expect(await node.has(name)).toBe(true);
    expect(await node.usedPercent()).toBeLessThanOrEqual(70);

    const [, told = ""] = /image gc: removed \d+ images, .* by their sizes, (.*) on disk/.exec(node.place.output) ?? [];
    const freed = ((await node.available()) - before.available) / 1024 ** 2;
    expect(Math.abs(Number.parseFloat(told) - freed)).toBeLessThan(5);

    const kept = new Map((await node.images()).map((row) => [row.image, row]));
    expect(kept.get("registry.k8s.io/pause:3.6")?.users).toContain("the sandboxes of pods");
    expect(kept.get(blob(2))?.users).toBe("container default/dead-node/main");
    const { stdout } = await node.place.hooklet("explain", "image", blob(2));
    expect(stdout).toContain("stays: by container default/dead-node/main");
    await node.place.stop();
  }, 300_000);

  test("a plan says what would go and frees nothing, also on a runtime that does not know the gate for runtime handlers", async () => {
    await node.startAgent({}, { featureGates: { RuntimeClassInImageCriApi: true } });
    const before = (await node.images()).length;
    const { stdout, code } = await node.place.hooklet("plan", "imagegc", "--until", "10");
    expect(code).toBe(0);
    expect(stdout).toMatch(/would remove \d+ images/);
    expect(stdout).toMatch(/image\/example\.test\/blob\d\d:1 +would be removed +(never used|unused for)/);
    expect(stdout).toMatch(/image\/registry\.k8s\.io\/pause:3\.6 +in use/);
    expect((await node.images()).length).toBe(before);
    await node.place.stop();
  }, 180_000);

  test(
    "dead containers, sandboxes and logs of pods that are gone are cleaned; what others made is not touched",
    async () => {
      const directories = path.join(node.place.rootDir, "pods");
      const foreign = await foreignSandbox("foreign");
      // The first agent keeps them all.
      await node.startAgent({ maximumDeadContainersPerContainer: -1 });
      const names = Array.from({ length: PODS }, (_, index) => `short${index}`);
      // Ends badly two times, then runs.
      const script = "echo >> /lives/n; [ $(wc -l < /lives/n) -gt 2 ] || exit 1; sleep 3600";
      const parts = `, command: [sh, -c, '${script}'], volumeMounts: [{ name: lives, mountPath: /lives }]`;
      for (const name of names) {
        const text = pod(name, "busybox:1.36", parts).replace("Never", "Always");
        await node.place.manifest(`${name}.yaml`, `${text}  volumes: [{ name: lives, emptyDir: {} }]\n`);
      }
      const runs = ({ metadata, status }: V1Pod, name: string): boolean =>
        metadata.name === `${name}-node` &&
        status.containerStatuses?.[0]?.restartCount === 2 &&
        status.containerStatuses[0].state.running !== undefined;
      await until(
        "each runs the third time",
        async () => {
          const pods = await node.place.pods();
          return names.every((name) => pods.some((one) => runs(one, name)));
        },
        60 + 3 * PODS,
      );
      expect((await own()).containers.length).toBe(3 * PODS);
      await node.place.kill();
      // Some of the pods are gone when the next agent comes; one has left nothing but its logs.
      for (const name of names.slice(0, GONE)) await rm(path.join(node.place.manifests, `${name}.yaml`));
      await mkdir(path.join(node.logs, "default_gone_0123/main"), { recursive: true });
      await mkdir(path.join(node.logs, "mine"), { recursive: true });
      // Two have left nothing but a directory, one of these with a volume that is still mounted.
      const scratch = path.join(directories, "0123/volumes/kubernetes.io~empty-dir/scratch/data");
      const mounted = path.join(directories, "4567/volumes/kubernetes.io~csi/disk/mount");
      for (const folder of [scratch, mounted]) await mkdir(folder, { recursive: true });
      await run("mount", ["-t", "tmpfs", "none", mounted]);
      await node.startAgent();
      await until(
        "one dead container of each pod is left beside the running one, and logs and directories of those pods alone",
        async () => {
          const { containers, sandboxes } = await own();
          const folders = await readdir(node.logs);
          const gone = ["default_gone_0123", ...names.slice(0, GONE).map((name) => `default_${name}-node_`)];
          return (
            containers.length === 2 * (PODS - GONE) &&
            sandboxes.length === PODS - GONE &&
            (await readdir(directories)).length === (await node.place.pods()).length + 1 &&
            !folders.some((folder) => gone.some((start) => folder.startsWith(start)))
          );
        },
        60 + 3 * PODS,
      ).catch(async (error: unknown) => {
        const left = { ...(await own()), folders: await readdir(node.logs), pods: await readdir(directories) };
        const text = JSON.stringify(left, (_, value) => (typeof value === "bigint" ? String(value) : value), 1);
        throw new Error(`${String(error)}\n${text}\n${node.place.output.slice(-3000)}`);
      });
      expect(await readdir(node.logs)).toContain("mine");
      expect(await readdir(directories)).toContain("4567");
      expect(node.place.output).toContain(
        `orphaned pod "4567" found, but volumes are not cleaned up: mounted at ${mounted}`,
      );
      expect((await node.runtime.listSandboxes()).some(({ id }) => id === foreign)).toBe(true);
      await node.place.stop();
    },
    180_000 + PODS * 6_000,
  );

  async function own() {
    const isOwn = (name = ""): boolean => name.startsWith("short");
    const containers = (await node.runtime.listContainers()).filter(({ labels }) => isOwn(labels[Labels.podName]));
    const sandboxes = (await node.runtime.listSandboxes()).filter(({ metadata }) => isOwn(metadata.name));
    return { containers, sandboxes };
  }

  /** A dead sandbox such as other tools make, without the labels of Kubernetes. */
  async function foreignSandbox(name: string): Promise<string> {
    const id = await node.runtime.runSandbox({
      metadata: { name, namespace: "default", uid: `uid-${name}`, attempt: 0 },
      hostname: "",
      logDirectory: path.join(node.place.folder, "foreign"),
      labels: {},
      annotations: {},
      portMappings: [],
      linux: {
        cgroupParent: "",
        sysctls: {},
        securityContext: {
          namespaces: { network: "NODE", pid: "CONTAINER", ipc: "POD" },
          supplementalGroups: [],
          readonlyRootfs: false,
          privileged: false,
          seccomp: { profileType: "Unconfined", localhostRef: "" },
        },
      },
      runtimeHandler: "",
    });
    await node.runtime.stopSandbox(id);
    return id;
  }
});

/** Garbage collection by the real binary on a real containerd whose images lie on a small disk of their own. */
import { mkdir, readdir, rm, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { Labels } from "@hooklet/core/host";
import type { CriRuntime } from "@hooklet/runtime-cri";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Containerd, describeOnContainerd, openRuntime } from "../../../packages/runtime-cri/test/containerd.js";
import { until, type V1Pod, Workplace } from "../agent.js";

/** Megabytes of the disk; the images of the script take about 215 of it. */
const DISK = 760;
const SIZES = [1, 5, 20, 60, 1, 5, 20, 40, 10, 3, 2, 30];
/** Pods with dead containers, and how many of them are gone when the agent comes back. */
const PODS = Number(process.env.HOOKLET_TEST_PODS ?? 10);
const GONE = PODS / 2;
const blob = (index: number): string => `example.test/blob${String(index).padStart(2, "0")}:1`;

interface ImageRow {
  readonly image: string;
  readonly id: string;
  readonly bytes: number;
  readonly users: string;
  readonly why: string;
}

describeOnContainerd("garbage collection on containerd", () => {
  let containerd: Containerd;
  let place: Workplace;
  let runtime: CriRuntime;

  beforeAll(async () => {
    containerd = await Containerd.start("imagegc", DISK);
    place = await Workplace.create();
    runtime = openRuntime(containerd.endpoint, place.folder);
  }, 90_000);

  afterAll(async () => {
    await place?.remove();
    await runtime?.close();
    await containerd?.stop();
  }, 90_000);

  const logs = (): string => path.join(place.folder, "pod-logs");

  /** An agent does its first rounds as soon as it knows its pods. */
  async function start(options: object = {}): Promise<void> {
    const { endpoint } = containerd;
    const rc = {
      runtime: { use: "cri", options: { endpoint } },
      node: { podLogsDir: logs(), evictionHard: {} },
      plugins: [["imagegc", { imageMinimumGCAge: "0s", ...options }]],
    };
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify(rc));
    await place.start("--config", path.join(place.folder, "rc.json"), "--node-name", "node");
  }

  async function images(): Promise<readonly ImageRow[]> {
    const { stdout } = await place.hooklet("get", "images", "-o", "json");
    return JSON.parse(stdout) as readonly ImageRow[];
  }

  const has = async (name: string): Promise<boolean> => (await runtime.imageStatus(name)) !== undefined;

  async function usedPercent(): Promise<number> {
    const { blocks, bavail } = await statfs(containerd.root);
    return 100 - Math.floor((bavail * 100) / blocks);
  }

  async function available(): Promise<number> {
    const { bavail, bsize } = await statfs(containerd.root);
    return bavail * bsize;
  }

  const pod = (name: string, image: string, spec = ""): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  restartPolicy: Never
  containers: [{ name: main, image: "${image}"${spec} }]
`;

  test("a disk over the high mark is freed to the low mark in the kubelet's order; what is used, pinned or young stays", async () => {
    // Nothing goes while the images come, in three groups, so that the first are the ones seen first.
    const calm = { imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 100 };
    for (const group of [0, 1, 2]) {
      const names = SIZES.map((size, index) => `${blob(index)}=${size}`).slice(group * 4, group * 4 + 4);
      await containerd.blobs(...names);
      await start(calm);
      if (group === 0) {
        // Blobs hold no program: this pod's container fails to start and stays as a dead one.
        await place.manifest("dead.yaml", pod("dead", blob(2)));
        await place.manifest("runs.yaml", pod("runs", "busybox:1.36", ", command: [sleep, '3600']"));
        await until("the pods are there", async () => {
          const phases = (await place.pods()).map(({ status }) => status.phase).sort();
          return phases.join() === "Failed,Running";
        });
      }
      await place.stop();
    }
    await containerd.blobs("example.test/young:1=8");
    const before = { percent: await usedPercent(), available: await available() };
    expect(before.percent).toBeGreaterThanOrEqual(80);

    await start({ imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 70, imageMinimumGCAge: "15s" });
    await until(
      "the first round is over",
      async () => (await place.hooklet("get", "--help")).code === 0 && !(await has(blob(3))),
      60,
    );
    await until("the log tells of it", async () => /image gc: removed \d+ images/.test(place.output), 10);

    const gone = [];
    for (const index of SIZES.keys()) if (!(await has(blob(index)))) gone.push(index);
    // Seen first, used never; blob 2 is that of a dead container. Within a group the ids decide.
    expect(gone).not.toContain(2);
    expect(gone).toContain(3);
    for (const index of gone) expect(index).toBeLessThan(8);
    for (const name of ["busybox:1.36", "registry.k8s.io/pause:3.6", "example.test/young:1"])
      expect(await has(name)).toBe(true);
    expect(await usedPercent()).toBeLessThanOrEqual(70);

    const [, told = ""] = /image gc: removed \d+ images, .* by their sizes, (.*) on disk/.exec(place.output) ?? [];
    const freed = ((await available()) - before.available) / 1024 ** 2;
    expect(Math.abs(Number.parseFloat(told) - freed)).toBeLessThan(5);

    const kept = new Map((await images()).map((row) => [row.image, row]));
    expect(kept.get("registry.k8s.io/pause:3.6")?.users).toContain("the sandboxes of pods");
    expect(kept.get(blob(2))?.users).toBe("container default/dead-node/main");
    const { stdout } = await place.hooklet("explain", "image", blob(2));
    expect(stdout).toContain("stays: by container default/dead-node/main");
    await place.stop();
  }, 180_000);

  test("a plan says what would go and frees nothing", async () => {
    await start();
    const before = (await images()).length;
    const { stdout, code } = await place.hooklet("plan", "imagegc", "--until", "10");
    expect(code).toBe(0);
    expect(stdout).toMatch(/would remove \d+ images/);
    expect(stdout).toMatch(/image\/example\.test\/blob\d\d:1 +would be removed +(never used|unused for)/);
    expect(stdout).toMatch(/image\/registry\.k8s\.io\/pause:3\.6 +in use/);
    expect((await images()).length).toBe(before);
    await place.stop();
  }, 60_000);

  test(
    "dead containers, sandboxes and logs of pods that are gone are cleaned; what others made is not touched",
    async () => {
      const foreign = await foreignSandbox("foreign");
      // The first agent keeps them all.
      await start({ maximumDeadContainersPerContainer: -1 });
      const names = Array.from({ length: PODS }, (_, index) => `short${index}`);
      // Ends badly two times, then runs.
      const script = "echo >> /lives/n; [ $(wc -l < /lives/n) -gt 2 ] || exit 1; sleep 3600";
      const parts = `, command: [sh, -c, '${script}'], volumeMounts: [{ name: lives, mountPath: /lives }]`;
      for (const name of names) {
        const text = pod(name, "busybox:1.36", parts).replace("Never", "Always");
        await place.manifest(`${name}.yaml`, `${text}  volumes: [{ name: lives, emptyDir: {} }]\n`);
      }
      const runs = ({ metadata, status }: V1Pod, name: string): boolean =>
        metadata.name === `${name}-node` &&
        status.containerStatuses?.[0]?.restartCount === 2 &&
        status.containerStatuses[0].state.running !== undefined;
      await until(
        "each runs the third time",
        async () => {
          const pods = await place.pods();
          return names.every((name) => pods.some((one) => runs(one, name)));
        },
        60 + 3 * PODS,
      );
      expect((await own()).containers.length).toBe(3 * PODS);
      await place.kill();
      // Some of the pods are gone when the next agent comes; one has left nothing but its logs.
      for (const name of names.slice(0, GONE)) await rm(path.join(place.manifests, `${name}.yaml`));
      await mkdir(path.join(logs(), "default_gone_0123/main"), { recursive: true });
      await mkdir(path.join(logs(), "mine"), { recursive: true });
      await start();
      await until(
        "one dead container of each pod is left beside the running one, and logs of those pods alone",
        async () => {
          const { containers, sandboxes } = await own();
          const folders = await readdir(logs());
          const gone = ["default_gone_0123", ...names.slice(0, GONE).map((name) => `default_${name}-node_`)];
          return (
            containers.length === 2 * (PODS - GONE) &&
            sandboxes.length === PODS - GONE &&
            !folders.some((folder) => gone.some((start) => folder.startsWith(start)))
          );
        },
        60 + 3 * PODS,
      ).catch(async (error: unknown) => {
        const left = { ...(await own()), folders: await readdir(logs()) };
        const text = JSON.stringify(left, (_, value) => (typeof value === "bigint" ? String(value) : value), 1);
        throw new Error(`${String(error)}\n${text}\n${place.output.slice(-3000)}`);
      });
      expect(await readdir(logs())).toContain("mine");
      expect((await runtime.listSandboxes()).some(({ id }) => id === foreign)).toBe(true);
      await place.stop();
    },
    180_000 + PODS * 6_000,
  );

  async function own() {
    const isOwn = (name = ""): boolean => name.startsWith("short");
    const containers = (await runtime.listContainers()).filter(({ labels }) => isOwn(labels[Labels.podName]));
    const sandboxes = (await runtime.listSandboxes()).filter(({ metadata }) => isOwn(metadata.name));
    return { containers, sandboxes };
  }

  /** A dead sandbox such as other tools make, without the labels of Kubernetes. */
  async function foreignSandbox(name: string): Promise<string> {
    const id = await runtime.runSandbox({
      metadata: { name, namespace: "default", uid: `uid-${name}`, attempt: 0 },
      hostname: "",
      logDirectory: path.join(place.folder, "foreign"),
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
    await runtime.stopSandbox(id);
    return id;
  }
});

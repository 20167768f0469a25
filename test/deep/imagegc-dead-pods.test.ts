/** Dead containers, sandboxes and logs: garbage collection by the real binary on a real containerd. */
import { execFile } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { Labels } from "@hooklet/core";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeOnContainerd } from "../../packages/runtime-cri/test/containerd.js";
import { releaseMounts } from "../../packages/volumes/src/sub-path-mounts.js";
import { until, type V1Pod } from "../support/agent.js";
import { GcNode, pod } from "../support/gc-node.js";
import { testRuns } from "../test-seed.mjs";

const run = promisify(execFile);

/** Megabytes of the disk. */
const DISK = 760;
/** Pods with dead containers, and how many of them are gone when the agent comes back. */
const PODS = testRuns(10, 2);
const GONE = PODS / 2;

describeOnContainerd("garbage collection of dead pods on containerd", () => {
  let node: GcNode;

  beforeAll(async () => {
    node = await GcNode.start("deadpods", DISK);
  }, 90_000);

  afterAll(async () => {
    await releaseMounts(path.join(node.place.rootDir, "pods"));
    await node.stop();
  }, 90_000);

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

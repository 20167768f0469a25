/** The node agents that the benches on containerd start. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import type { RequestOptions } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { kernelFiles, removeCgroup } from "@hooklet/linux";
import { ownRoot } from "@hooklet/plugin-cgroups/internal";
import { systemClock } from "@hooklet/utils";

export interface Program {
  readonly name: string;
  /** The command that runs it on this folder, with the pods of `manifests/`. */
  command(folder: string, endpoint: string): Promise<readonly [file: string, ...args: string[]]>;
  /** Where it answers `/healthz`, `/pods` and `/metrics`. */
  at(folder: string): RequestOptions;
  /** Before the folder is deleted. */
  leave(folder: string): Promise<void>;
}

const BINARY = fileURLToPath(new URL("../../../packages/hooklet/bin/hooklet.js", import.meta.url));
/** Where each agent leaves a CPU profile at its end. */
const PROFILES = process.env.CRI_BENCH_PROFILES;
/** Plugins that are left out, to see what they cost. */
const WITHOUT = (process.env.CRI_BENCH_WITHOUT ?? "").split(",").filter((name) => name !== "");
const MAX_PODS = 1000;

/** hooklet, from another checkout where `binary` says so. */
export function hooklet(name = "hooklet", binary = BINARY): Program {
  return {
    name,
    at: (folder) => ({ socketPath: path.join(folder, "root", "hooklet.sock") }),
    leave: (folder) => removeCgroups(ownRoot(path.join(folder, "root"))),
    command: async (folder, endpoint) => {
      const settings = {
        port: 0,
        node: {
          name: "bench",
          maxPods: MAX_PODS,
          podLogsDir: path.join(folder, "logs"),
          evictionHard: {},
          capacity: { cpu: "64", memory: "64Gi" },
        },
        runtime: { use: "cri", options: { endpoint } },
        sources: { manifests: path.join(folder, "manifests") },
        plugins: WITHOUT.map((plugin) => [plugin, false]),
      };
      const config = path.join(folder, "hookletrc.json");
      await writeFile(config, JSON.stringify(settings), { mode: 0o600 });
      const run = ["run", "--config", config, "--root-dir", path.join(folder, "root"), "--log-level", "error"];
      const profile = PROFILES === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${PROFILES}`];
      const [first = ""] = (await readFile(binary, "utf8")).split("\n");
      const flags = first.split(" ").filter((word) => word.startsWith("--"));
      return [process.execPath, ...profile, ...flags, binary, ...run];
    },
  };
}

const CGROUPS = "/sys/fs/cgroup";

/** Those of the pods that ended without their agent: hundreds of cgroups slow down the next program. */
async function removeCgroups(name: string): Promise<void> {
  const folders = [CGROUPS, ...(await readdir(CGROUPS)).map((hierarchy) => path.join(CGROUPS, hierarchy))];
  const all = folders.map((folder) => path.join(folder, name));
  const left = await removeCgroup(kernelFiles, all, systemClock, { pause: 50, patience: 5_000 });
  if (left.length > 0) throw new Error(`cgroups of an ended program are still there: ${left.join(", ")}`);
}

const READ_ONLY_PORT = 20255;

/** A kubelet without a cluster. It changes the machine's sysctls: `sysctls` restores them. */
export function kubelet(binary: string): Program {
  return {
    name: "kubelet",
    at: () => ({ host: "127.0.0.1", port: READ_ONLY_PORT }),
    // It mounts its own root directory, to share it with pods.
    leave: async (folder) => {
      execFileSync("umount", ["--recursive", path.join(folder, "root")]);
      await removeCgroups("/kubepods");
    },
    command: async (folder, endpoint) => {
      const root = path.join(folder, "root");
      await mkdir(root, { recursive: true });
      const config = path.join(folder, "kubelet.json");
      const settings = {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        containerRuntimeEndpoint: endpoint,
        cgroupDriver: "cgroupfs",
        failCgroupV1: false,
        failSwapOn: false,
        authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
        authorization: { mode: "AlwaysAllow" },
        port: 20250,
        healthzPort: 0,
        readOnlyPort: READ_ONLY_PORT,
        staticPodPath: path.join(folder, "manifests"),
        podLogsDir: path.join(folder, "logs"),
        maxPods: MAX_PODS,
        evictionHard: { "memory.available": "1Mi" },
      };
      await writeFile(config, JSON.stringify(settings));
      const flags = [
        `--root-dir=${root}`,
        `--cert-dir=${root}/pki`,
        "--hostname-override=bench",
        "--node-ip=127.0.0.1",
      ];
      return [binary, `--config=${config}`, ...flags, "--v=0"];
    },
  };
}

const SYSCTLS = ["vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops"];

/** Reads the sysctls that a kubelet changes; the result writes them again. */
export async function sysctls(): Promise<() => Promise<void>> {
  const files = SYSCTLS.map((name) => `/proc/sys/${name}`);
  const values = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return async () => {
    for (const [at, file] of files.entries()) await writeFile(file, values[at] ?? "");
  };
}

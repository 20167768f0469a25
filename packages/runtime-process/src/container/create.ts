/** Decides everything about a container and writes it down. No process yet. */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, posix, resolve } from "node:path";
import { errorText } from "@hooklet/core";
import { type ContainerConfig, RuntimeError, type SandboxConfig } from "@hooklet/core/host";
import type { CgroupHierarchy } from "@hooklet/core/rules";
import { ContainerCgroup } from "../cgroup/container-cgroup.js";
import { neededHierarchies } from "../cgroup/hierarchies.js";
import { parseSignal } from "../command/spawn.js";
import type { ContainerRecord, Launch } from "../container-record.js";
import type { Deps } from "../deps.js";
import { NO_CONFIG } from "../image/manifest.js";
import type { FoundImage } from "../image/store.js";
import { MARK } from "../proc/members.js";
import { DEFAULT_PATH } from "../rootfs/prepare-root.js";
import { sandboxCgroup } from "../sandbox/cgroup.js";
import { hostnameOf } from "../sandbox/pod-files.js";
import { checkSupported } from "./check-supported.js";
import { Container } from "./container.js";
import { checkLaunch, writeNewRecord } from "./state-file.js";
import { resolveUserOf } from "./user.js";

export interface CreateInput {
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly sandbox: SandboxConfig;
  /** cgroupfs path of the pod. */
  readonly cgroupParent: string;
}

export async function createContainer(deps: Deps, input: CreateInput): Promise<Container> {
  const { config, sandbox } = input;
  const image = await deps.images.find(config.image.image);
  if (image === undefined) {
    throw new RuntimeError("image-not-present", `image ${config.image.image} is not present; import it first`);
  }
  const mode = deps.isolation.mode;
  const mounts = checkSupported(deps.isolation, config, image);
  await makeSources(deps, config);
  const id = randomBytes(32).toString("hex");
  const cgroup = deps.hierarchies.length === 0 ? undefined : posix.join(input.cgroupParent, id);
  const record: ContainerRecord = {
    version: 1,
    id,
    sandboxId: input.sandboxId,
    podUid: sandbox.metadata.uid,
    createdAt: String(BigInt(Math.floor(deps.clock.now())) * 1_000_000n),
    config: { ...config, mounts },
    imageId: image.id,
    ...(image.rootfs !== undefined && { rootfs: image.rootfs }),
    mode,
    ownPids: deps.isolation.processesApart && config.linux.securityContext.namespaces.pid === "CONTAINER",
    ownIpc: deps.isolation.processesApart && config.linux.securityContext.namespaces.ipc !== "NODE",
    launch: decideLaunch(deps, config, sandbox, image, id),
    logPath: logPathOf(sandbox.logDirectory, config.logPath),
    ...(cgroup !== undefined && { cgroup }),
  };
  await writeNewRecord(deps.layout, record);
  return containerOf(deps, record);
}

/** With its cgroups, where it has some. */
export function containerOf(deps: Deps, record: ContainerRecord): Container {
  const { cgroup, sandboxId, config } = record;
  if (cgroup === undefined) return new Container(record, deps.layout.containers, undefined, undefined);
  const pod = dirname(cgroup);
  const hasPod = ({ mountPoint }: CgroupHierarchy): boolean => existsSync(join(mountPoint, pod));
  const own = new ContainerCgroup(neededHierarchies(deps.hierarchies, config.linux.resources, hasPod), cgroup);
  return new Container(record, deps.layout.containers, own, sandboxCgroup(deps, pod, sandboxId));
}

function decideLaunch(
  deps: Deps,
  config: ContainerConfig,
  sandbox: SandboxConfig,
  found: FoundImage,
  id: string,
): Launch {
  const image = found.record?.config ?? NO_CONFIG;
  const argv =
    config.command.length > 0
      ? [...config.command, ...config.args]
      : [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
  if (argv.length === 0) {
    throw new RuntimeError(
      "invalid-argument",
      `no command specified: image ${config.image.userSpecifiedImage || found.id} has neither entrypoint nor cmd; set the container's command`,
    );
  }
  const workingDir = config.workingDir || image.workingDir || "/";
  if (!workingDir.startsWith("/")) {
    throw new RuntimeError("invalid-argument", `workingDir: expected an absolute path, found ${workingDir}`);
  }
  const { user, home } = resolveUserOf(deps, config.linux.securityContext, found);
  const stopSignal = image.stopSignal === "" ? 15 : parseSignal(image.stopSignal);
  if (stopSignal === undefined) {
    throw new RuntimeError("invalid-argument", `the image's StopSignal ${image.stopSignal} is no signal`);
  }
  const env = mergeEnvironment(
    [
      ["PATH", DEFAULT_PATH],
      ["HOSTNAME", hostnameOf(sandbox)],
      ["HOME", home],
    ],
    parseImageEnv(image.env),
    config.envs.map(({ key, value }) => [key, value] as const),
    deps.hierarchies.length === 0 ? [[MARK, id]] : [],
  );
  const launch = { argv, env, workingDir: posix.normalize(workingDir), user, stopSignal };
  checkLaunch(launch);
  return launch;
}

/** The log file, which must lie in the pod's log directory. */
function logPathOf(directory: string, path: string): string {
  const full = resolve(directory, path);
  if (!isAbsolute(directory) || path === "" || !full.startsWith(`${resolve(directory)}/`)) {
    throw new RuntimeError(
      "invalid-argument",
      `logPath: expected a path below the pod's log directory ${directory}, found ${JSON.stringify(path)}`,
    );
  }
  return full;
}

async function makeSources(deps: Deps, config: ContainerConfig): Promise<void> {
  for (const { hostPath, containerPath } of config.mounts) {
    await deps.roots.makeSource(hostPath).catch((error: unknown) => {
      throw new RuntimeError(
        "invalid-argument",
        `cannot make ${hostPath} to mount on ${containerPath}: ${errorText(error)}`,
        { cause: error },
      );
    });
  }
}

// A container's environment.

type Entry = readonly [name: string, value: string];

/** Later sources win; the order of first appearance is kept. Throws `invalid-argument` naming the variable. */
export function mergeEnvironment(...sources: readonly (readonly Entry[])[]): Entry[] {
  const merged = new Map<string, string>();
  for (const [name, value] of sources.flat()) {
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      throw new RuntimeError(
        "invalid-argument",
        `environment variable ${JSON.stringify(name)}: expected a name without = and no NUL`,
      );
    }
    merged.set(name, value);
  }
  return [...merged];
}

/** `NAME=value` lines of an image; one without `=` is left out, as docker does. */
export function parseImageEnv(lines: readonly string[]): Entry[] {
  return lines.flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}

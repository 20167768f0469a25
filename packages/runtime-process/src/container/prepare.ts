/** Everything that is on disk before a container's first process: layers, mount points, fstab, launch file, cgroup. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { writeOwn } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import type { RootRequest } from "../rootfs/prepare-root.js";
import { podPaths } from "../sandbox/pod-files.js";
import { entryChain, setupChain } from "./chain.js";
import type { Container } from "./container.js";
import { encodeLaunch } from "./state-file.js";

export interface Prepared {
  /** The set-up, up to where it becomes the container's own program. */
  readonly command: readonly string[];
}

/** Throws `start-error` or `invalid-argument` with a message for users. */
export async function prepare(deps: Deps, container: Container, ipcOf: number | undefined): Promise<Prepared> {
  const { record, folder, files } = container;
  const { config, launch } = record;
  const { root, fstab } = await deps.roots.prepare(record, {
    ...(record.mode !== "none" && { assemble: rootOf(deps, container) }),
    command: launch.argv[0] ?? "",
    env: launch.env,
    workingDir: launch.workingDir,
  });
  const entry = entryChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode: record.mode,
    asRoot: deps.asRoot,
    security: config.linux.securityContext,
    user: launch.user,
    launchFile: files.launch,
    ...(root !== undefined && { root }),
  });
  container.shimCgroup?.create({});
  container.cgroup?.create(config.linux.resources);
  writeOwn(files.cgroups, (container.cgroup?.procsFiles ?? []).map((file) => `${file}\n`).join(""), 0o600);
  writeOwn(files.launch, encodeLaunch(launch), 0o600);
  writeOwn(files.fstab, fstab, 0o600);
  const { oomScoreAdj } = config.linux.resources;
  const command = setupChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode: record.mode,
    ownPids: record.ownPids === true,
    ownIpc: record.ownIpc === true,
    ...(ipcOf !== undefined && record.ownIpc === true && record.mode === "root" && { ipcOf }),
    folder,
    upFile: join(deps.layout.events, `${record.id}.up`),
    ...(oomScoreAdj !== undefined && { oomScoreAdj }),
    entry,
  });
  makeLog(deps, record.logPath);
  deps.outputs.make(container);
  return { command };
}

function rootOf(deps: Deps, { record, folder }: Container): NonNullable<RootRequest["assemble"]> {
  const pod = podPaths(deps.layout, record.sandboxId);
  return {
    folder,
    userNamespace: record.mode === "user",
    volatileLayers: deps.isolation.volatileLayers,
    ownPids: record.ownPids === true,
    ownIpc: record.ownIpc === true,
    ownTerminals: deps.isolation.processesApart,
    shownMounts: [...deps.shownMounts],
    config: record.config,
    workingDir: record.launch.workingDir,
    shm: pod.shm,
    etc: [
      { path: "/etc/resolv.conf", source: pod.resolvConf },
      { path: "/etc/hostname", source: pod.hostname },
    ],
    devTemplate: deps.layout.devTemplate,
    empty: deps.layout.empty,
    ...(record.rootfs !== undefined && { image: record.rootfs }),
  };
}

function makeLog({ outputs }: Deps, path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    outputs.makeLog(path);
  } catch (error) {
    throw new RuntimeError("start-error", `cannot open the log file ${path}: ${errorText(error)}`, { cause: error });
  }
}

/** Everything that is on disk before a container's first process: layers, mount points, fstab, environment, cgroup. */
import { closeSync, constants, mkdirSync, openSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import type { Deps } from "../deps.js";
import { assembleRoot } from "../rootfs/assemble.js";
import { RootView } from "../rootfs/view.js";
import { podPaths } from "../sandbox/pod-files.js";
import { entryChain, setupChain, setupCommandLines } from "./chain.js";
import type { Container } from "./container.js";
import { routeEnvironment } from "./environment.js";
import { checkCommand, findInPath } from "./lookup.js";

export interface Prepared {
  readonly command: readonly string[];
  /** What /proc/<pid>/cmdline shows before the container's own program does. */
  readonly setupLines: ReadonlySet<string>;
  /** Size of the log file before the start. */
  readonly logOffset: number;
}

/** Throws `start-error` or `invalid-argument` in words for people. */
export function prepare(deps: Deps, container: Container): Prepared {
  const { record, folder, files } = container;
  const { config, launch } = record;
  const { view, root, fstab } = record.mode === "none" ? machineRoot() : isolatedRoot(deps, container);
  checkCommand(view, launch.argv[0] ?? "", launch.env, launch.workingDir);
  const environment = routeEnvironment(launch.env);
  const insideEnv = environment.inside.length === 0 ? undefined : findInPath(view, "env", launch.env, "/");
  const entry = entryChain({
    tools: deps.tools,
    mode: record.mode,
    asRoot: deps.asRoot,
    security: config.linux.securityContext,
    launch,
    environment,
    ...(root !== undefined && { root }),
    ...(insideEnv !== undefined && { insideEnv }),
  });
  container.cgroup?.create(config.linux.resources);
  writeFileSync(files.cgroups, (container.cgroup?.procsFiles ?? []).map((file) => `${file}\n`).join(""), {
    mode: 0o600,
  });
  writeFileSync(files.env, environment.file, { mode: 0o600 });
  writeFileSync(files.fstab, fstab, { mode: 0o600 });
  const { oomScoreAdj } = config.linux.resources;
  const command = setupChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode: record.mode,
    folder,
    upFile: join(deps.layout.events, `${record.id}.up`),
    ...(oomScoreAdj !== undefined && { oomScoreAdj }),
    entry: entry.words,
  });
  return { command, setupLines: setupCommandLines(command, entry.own), logOffset: openLog(record.logPath) };
}

function machineRoot(): { view: RootView; root?: string; fstab: string } {
  return { view: new RootView([{ at: "/", upper: "/" }]), fstab: "" };
}

function isolatedRoot(deps: Deps, { record, folder }: Container) {
  const pod = podPaths(deps.layout, record.sandboxId);
  return assembleRoot({
    folder,
    userNamespace: record.mode === "user",
    volatileLayers: deps.isolation.volatileLayers,
    shownMounts: deps.shownMounts,
    config: record.config,
    workingDir: record.launch.workingDir,
    shm: pod.shm,
    etc: [
      { path: "/etc/resolv.conf", source: pod.resolvConf },
      { path: "/etc/hostname", source: pod.hostname },
    ],
    devTemplate: deps.layout.devTemplate,
    empty: deps.layout.empty,
    lowerStats: deps.lowerStats,
    ...(record.rootfs !== undefined && { image: record.rootfs }),
  });
}

/** Makes the log file; returns its size. */
function openLog(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
    closeSync(openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o640));
    return statSync(path).size;
  } catch (error) {
    throw new RuntimeError("start-error", `cannot open the log file ${path}: ${errorText(error)}`, { cause: error });
  }
}

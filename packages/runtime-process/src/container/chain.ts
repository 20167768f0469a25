/** The command lines that become a container. Each step replaces the one before in the same process. Pure. */
import type { ContainerSecurityContext } from "@hooklet/core/host";
import { RuntimeError } from "@hooklet/core/host";
import type { Scripts } from "../command/install.js";
import type { ShimKind } from "../command/starter.js";
import type { Toolbox } from "../command/toolbox.js";
import type { IsolationMode, Launch } from "../container-record.js";
import { boundingSet } from "./capabilities.js";
import type { EnvironmentRoutes } from "./environment.js";

export interface EntryInput {
  readonly tools: Toolbox;
  readonly mode: IsolationMode;
  /** Whether the agent itself is root. */
  readonly asRoot: boolean;
  readonly security: ContainerSecurityContext;
  readonly launch: Pick<Launch, "argv" | "user" | "workingDir">;
  readonly environment: EnvironmentRoutes;
  /** The folder that becomes `/`; undefined = the machine's own. */
  readonly root?: string;
  /** env(1) in the container, where it has one. */
  readonly insideEnv?: string;
}

export interface Entry {
  readonly words: readonly string[];
  /** How many of the last words are the container's own: its program, and what runs in its own root before. */
  readonly own: number;
}

/** From the mounted root to the container's own program. */
export function entryChain(input: EntryInput): Entry {
  const { tools, launch, environment, root } = input;
  const uid = input.asRoot && launch.user.uid !== 0 ? launch.user.uid : undefined;
  const own = [...insideEnvironment(input), ...launch.argv];
  const words = [
    ...privileges(input, [...(root === undefined ? [] : ["sys_chroot"]), ...(uid === undefined ? [] : ["setuid"])]),
    ...(environment.outside.length === 0 ? [] : [tools.env, "--", ...environment.outside]),
    tools.unshare,
    ...(root === undefined ? [] : ["-R", root]),
    "-w",
    launch.workingDir,
    ...(uid === undefined ? [] : ["-S", String(uid)]),
    "--",
    ...own,
  ];
  return { words, own: own.length };
}

function privileges({ tools, mode, asRoot, security, launch }: EntryInput, keep: readonly string[]): string[] {
  const flags: string[] = [];
  const { gid, groups } = launch.user;
  if (asRoot) {
    flags.push("--regid", String(gid), ...(groups.length === 0 ? ["--clear-groups"] : ["--groups", groups.join(",")]));
  }
  if (asRoot || mode === "user") {
    const set = boundingSet(security, keep);
    if (set !== undefined) flags.push(`--bounding-set=${set}`, "--inh-caps=-all");
  }
  if (security.noNewPrivs) flags.push("--no-new-privs");
  return flags.length === 0 ? [] : [tools.setpriv, ...flags];
}

function insideEnvironment({ environment, insideEnv, launch }: EntryInput): string[] {
  const [first] = environment.inside;
  if (first === undefined) return [];
  const name = first.slice(0, first.indexOf("="));
  if (insideEnv === undefined) {
    throw new RuntimeError("start-error", `cannot set ${name}: the image has no env(1) in its $PATH to set it with`);
  }
  if (launch.argv[0]?.includes("=")) {
    throw new RuntimeError("start-error", `cannot set ${name} for a command with = in its name: ${launch.argv[0]}`);
  }
  return [insideEnv, "--", ...environment.inside];
}

/** The kernel's own. The agent's is not handed down: on a node it is the last thing that shall be killed. */
const DEFAULT_OOM_SCORE_ADJ = 0;

export interface StartInput {
  readonly tools: Toolbox;
  readonly scripts: Scripts;
  readonly mode: IsolationMode;
  /** The shim is the first process of a PID namespace, and root of a user namespace where that is needed for it. */
  readonly ownPids: boolean;
  readonly ownIpc: boolean;
  /** A process of the pod whose IPC namespace it enters. */
  readonly ipcOf?: number;
  readonly folder: string;
  /** The file that tells "set up". */
  readonly upFile: string;
  readonly oomScoreAdj?: number;
  readonly entry: readonly string[];
}

/** From the shim to the mounted root. */
export function setupChain(input: StartInput): string[] {
  const { tools, scripts, folder, upFile, oomScoreAdj, entry } = input;
  const inner = [tools.sh, scripts.inner, folder, upFile, String(oomScoreAdj ?? DEFAULT_OOM_SCORE_ADJ), tools.mount];
  return [tools.setsid, ...ownNamespaces(input), ...inner, ...entry];
}

function ownNamespaces({ tools, mode, ownPids, ownIpc, ipcOf }: StartInput): string[] {
  if (mode === "none") return [];
  const user = mode === "user" && !ownPids ? ["-U", "-r"] : [];
  const ipc = ownIpc && ipcOf === undefined ? ["-i"] : [];
  const entered = ipcOf === undefined ? [] : [tools.nsenter, "-t", String(ipcOf), "-i", "--"];
  return [...entered, tools.unshare, "-m", ...user, ...ipc, "--propagation", "slave"];
}

/** What the shim is started in: the starter knows the ways by name. */
export function shimKind(mode: IsolationMode, ownPids: boolean): ShimKind {
  if (!ownPids || mode === "none") return "plain";
  return mode === "user" ? "user" : "pids";
}

/**
 * The command lines that a container's first process shows in /proc/<pid>/cmdline while it is not yet the container's
 * own program. `own`: how many words at the end are that program's.
 */
export function setupCommandLines(start: readonly string[], own: number): ReadonlySet<string> {
  const steps = new Set<string>();
  for (let index = 0; index < start.length - own; index++) {
    steps.add(
      start
        .slice(index)
        .map((word) => `${word}\0`)
        .join(""),
    );
  }
  return steps;
}

export interface ExecInput {
  readonly tools: Toolbox;
  readonly scripts: Scripts;
  readonly mode: IsolationMode;
  readonly ownPids: boolean;
  readonly ownIpc: boolean;
  readonly folder: string;
  /** The container's first process. */
  readonly pid: number;
  readonly oomScoreAdj?: number;
  readonly entry: readonly string[];
}

export interface ExecChain {
  /** Into the container's namespaces; empty where it has none. */
  readonly enter: readonly string[];
  /** What becomes the command there. */
  readonly words: readonly string[];
}

/** From the agent into a running container. */
export function execChain(input: ExecInput): ExecChain {
  const { tools, scripts, mode, folder, pid, oomScoreAdj, entry } = input;
  const user = mode === "user" ? ["-U", "--preserve-credentials"] : [];
  // With -p a process stays to wait for the command: a process cannot change its own PID namespace.
  const apart = [...(input.ownPids ? ["-p"] : []), ...(input.ownIpc ? ["-i"] : [])];
  const enter = mode === "none" ? [] : [tools.nsenter, "-t", String(pid), "-m", ...apart, ...user, "--"];
  return { enter, words: [tools.sh, scripts.exec, folder, String(oomScoreAdj ?? DEFAULT_OOM_SCORE_ADJ), ...entry] };
}

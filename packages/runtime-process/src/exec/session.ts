/** A further command in a running container. */
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import { identify, isAlive, type ProcessIdentity, type ProcessStat, RuntimeError, readStat } from "@hooklet/core/host";
import { type PipedProcess, spawnPiped } from "../command/spawn.js";
import { type ExecChain, entryChain, execChain } from "../container/chain.js";
import type { Container } from "../container/container.js";
import { routeEnvironment } from "../container/environment.js";
import type { Deps } from "../deps.js";
import { MARK } from "../proc/members.js";

/** Starts the command with pipes. Rejects as `execWords` does. */
export async function startExec(
  deps: Deps,
  container: Container,
  command: readonly string[],
  stdin: boolean,
): Promise<PipedProcess> {
  const { enter, words, env } = await execWords(deps, container, command);
  const [file = "", ...args] = [...enter, ...words];
  return spawnPiped(file, args, { stdin, env });
}

export interface ExecWords extends ExecChain {
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The command line that runs a command with the container's user, environment, working directory and cgroup. Rejects with
 * `failed-precondition` when the container does not run, with `start-error` when there is no such command.
 */
export async function execWords(deps: Deps, container: Container, command: readonly string[]): Promise<ExecWords> {
  const { life, record, folder } = container;
  if (life.kind !== "running" || !isAlive(life.processes.main)) {
    throw new RuntimeError(
      "failed-precondition",
      `container ${container.id} is not running; a command needs one that runs`,
    );
  }
  const [name] = command;
  if (name === undefined || command.some((word) => word.includes("\0"))) {
    throw new RuntimeError("invalid-argument", "exec: expected a command of at least one word, without NUL characters");
  }
  const { pid } = life.processes.main;
  const isolated = record.mode !== "none";
  const environment = routeEnvironment(record.launch.env);
  const { insideEnv } = await deps.roots.findCommandIn(record, {
    root: isolated ? `/proc/${pid}/root` : "/",
    command: name,
    env: record.launch.env,
    workingDir: record.launch.workingDir,
    needsEnv: environment.inside.length > 0,
  });
  const entry = entryChain({
    tools: deps.tools,
    mode: record.mode,
    asRoot: deps.asRoot,
    security: record.config.linux.securityContext,
    launch: { ...record.launch, argv: command },
    environment,
    ...(isolated && { root: `${folder}/root` }),
    ...(insideEnv !== undefined && { insideEnv }),
  });
  const { oomScoreAdj } = record.config.linux.resources;
  const chain = execChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode: record.mode,
    ownPids: record.ownPids === true,
    ownIpc: record.ownIpc === true,
    folder,
    pid,
    ...(oomScoreAdj !== undefined && { oomScoreAdj }),
    entry: entry.words,
  });
  const env: Record<string, string> = container.cgroup === undefined ? { [MARK]: container.id } : {};
  return { ...chain, env };
}

type Sending = Pick<Deps, "signals">;

/** Kills a command that has not ended, and all that runs in its session. */
export async function killSession(deps: Sending, command: number): Promise<void> {
  const leader = identify(command);
  if (leader !== undefined) await killSessionOf(deps, leader);
}

async function killSessionOf({ signals }: Sending, leader: ProcessIdentity): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const now = identify(leader.pid);
    // A session's number is given anew once nobody is left in it.
    if (now !== undefined && now.startTicks !== leader.startTicks) return;
    const members = findSession(leader.pid);
    if (members.length === 0) return;
    await Promise.all(members.map((member) => signals.send(member, constants.signals.SIGKILL)));
  }
}

/** Kills a command that has not ended with its session, and those sessions that its offspring leads: what runs on a terminal has one of its own. */
export async function killWithOffspring(deps: Sending, command: number): Promise<void> {
  const all = livingProcesses();
  const family = new Set([command]);
  // A child comes behind its parent, but for numbers that begin anew.
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid: own, parent } of all) if (family.has(parent)) family.add(own);
  }
  for (const { pid: own, session, startTicks } of all) {
    if (own === session && family.has(own) && own !== command) await killSessionOf(deps, { pid: own, startTicks });
  }
  await killSession(deps, command);
}

/** The living processes of a session. */
function findSession(session: number): ProcessIdentity[] {
  return livingProcesses()
    .filter((stat) => stat.session === session)
    .map(({ pid, startTicks }) => ({ pid, startTicks }));
}

/** A look over /proc. */
function livingProcesses(): ProcessStat[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1) return [];
      const stat = readStat(pid);
      return stat !== undefined && stat.state !== "Z" && stat.state !== "X" ? [stat] : [];
    });
}

/** A further command in a running container. */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { RuntimeError } from "@hooklet/core/host";
import { identify, isAlive, type ProcessIdentity, writeOwn } from "@hooklet/linux";
import { Turns } from "@hooklet/utils";
import { type PipedProcess, spawnPiped } from "../command/spawn.js";
import { type ExecChain, entryChain, execChain } from "../container/chain.js";
import type { Container } from "../container/container.js";
import { checkLaunch, encodeLaunch } from "../container/state-file.js";
import type { Deps } from "../deps.js";
import { LivingProcesses, MARK } from "../proc/members.js";

const living = new LivingProcesses();

/** Of the kills: clients of 200 commands may leave at once. */
const turns = new Turns();

/** Starts the command with pipes. Rejects as `execWords` does. */
export async function startExec(
  deps: Deps,
  container: Container,
  command: readonly string[],
  stdin: boolean,
  signal?: AbortSignal,
): Promise<PipedProcess> {
  const { enter, words, env } = await execWords(deps, container, command, signal);
  const [file = "", ...args] = [...enter, ...words];
  return spawnPiped(file, args, { stdin, env });
}

export interface ExecWords extends ExecChain {
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The command line that runs a command with the container's user, environment, working directory and cgroup. Rejects with
 * `failed-precondition` when the container does not run or the client has left, with `start-error` when there is no such command.
 */
export async function execWords(
  deps: Deps,
  container: Container,
  command: readonly string[],
  signal?: AbortSignal,
): Promise<ExecWords> {
  const { life, record, folder, files } = container;
  if (life.kind !== "running" || !isAlive(life.processes.main)) {
    throw new RuntimeError(
      "failed-precondition",
      `container ${container.id} is not running; a command needs one that runs`,
    );
  }
  const [name] = command;
  if (name === undefined) throw new RuntimeError("invalid-argument", "exec: expected a command of at least one word");
  const { pid } = life.processes.main;
  const { launch, mode } = record;
  checkLaunch({ ...launch, argv: command });
  const isolated = mode !== "none";
  await deps.roots.checkCommandIn(record, {
    root: isolated ? `/proc/${pid}/root` : "/",
    command: name,
    env: launch.env,
    workingDir: launch.workingDir,
  });
  if (signal?.aborted) throw new RuntimeError("failed-precondition", `${name} was not started: its client has left`);
  // A container that an older agent has started has none.
  if (!existsSync(files.launch)) writeOwn(files.launch, encodeLaunch(launch), 0o600);
  const entry = entryChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode,
    asRoot: deps.asRoot,
    security: record.config.linux.securityContext,
    user: launch.user,
    launchFile: files.launch,
    command,
    ...(isolated && { root: `${folder}/root` }),
  });
  const { oomScoreAdj } = record.config.linux.resources;
  const chain = execChain({
    tools: deps.tools,
    scripts: deps.scripts,
    mode,
    ownPids: record.ownPids === true,
    ownIpc: record.ownIpc === true,
    folder,
    pid,
    ...(oomScoreAdj !== undefined && { oomScoreAdj }),
    entry,
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
    const members = await findSession(leader.pid);
    await turns.next();
    if (members.length === 0) return;
    const now = identify(leader.pid);
    // The kernel reuses a session's number once it is empty: then these processes are not ours.
    if (now !== undefined && now.startTicks !== leader.startTicks) return;
    await Promise.all(members.map((member) => signals.send(member, constants.signals.SIGKILL)));
  }
}

/** Kills a command that has not ended with its session, and the sessions of its descendants: a program on a terminal has its own. */
export async function killWithOffspring(deps: Sending, command: number): Promise<void> {
  const all = await living.list();
  const family = new Set([command]);
  // A child follows its parent, except when pids wrap around.
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
async function findSession(session: number): Promise<ProcessIdentity[]> {
  return (await living.list())
    .filter((stat) => stat.session === session)
    .map(({ pid, startTicks }) => ({ pid, startTicks }));
}

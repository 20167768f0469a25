/** Starts a created container and waits until its own program runs. */
import { closeSync, constants, fdatasync, openSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorText, isRuntimeError, sleep, withDeadline } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { removeTree, writeOwn } from "@hooklet/linux";
import type { Deps } from "../deps.js";
import { type ContainerProcesses, MARK, namespaceOf, readCommandLine } from "../proc/members.js";
import { startError } from "../rootfs/prepare-root.js";
import { readLines } from "../state-text.js";
import { isSetupLine, shimKind } from "./chain.js";
import { endSetup } from "./clean-up.js";
import type { Container } from "./container.js";
import { conclude, finish, later, setupMessage, startErrorEnd, sweepQuietly, timeOf } from "./finish.js";
import { type Prepared, prepare } from "./prepare.js";
import { readPids, writeRecord } from "./state-file.js";

const sync = promisify(fdatasync);

/** How long mounts and cgroups may take. */
const SETUP_MS = 60_000;

/**
 * `sibling`: a process of the pod whose IPC namespace the container shares. Rejects with `start-error`; the container has then ended with code 128 and reason StartError.
 */
export async function startContainer(
  deps: Deps,
  container: Container,
  sibling: () => number | undefined,
): Promise<void> {
  if (container.life.kind !== "created") {
    const state = container.life.kind === "exited" ? "has ended" : `is ${container.life.kind}`;
    throw new RuntimeError("failed-precondition", `container ${container.id} ${state}; a container is started once`);
  }
  container.life = { kind: "starting" };
  try {
    await untilClosed(
      deps.closed,
      deps.starts.run(() => launch(deps, container, sibling())),
    );
  } catch (error) {
    // The next agent finds out what became of it.
    if (deps.closed.aborted) throw error;
    throw await failStart(deps, container, error);
  }
}

async function launch(deps: Deps, container: Container, ipcOf: number | undefined): Promise<void> {
  if (deps.closed.aborted) return;
  if (container.claims > 0) await removeLayers(container.folder);
  const prepared = await prepare(deps, container, ipcOf);
  if (!container.exit.isSet) await runShim(deps, container, prepared);
  if (deps.closed.aborted) return;
  if (!container.up.isSet && container.exit.value === undefined) {
    throw new RuntimeError("start-error", "the container was stopped while it was set up");
  }
  if (!container.up.isSet) throw new RuntimeError("start-error", setupMessage(container));
  const processes = readPids(container.folder);
  if (processes === undefined) throw new RuntimeError("start-error", `${container.files.pids} is damaged`);
  container.processes = processes;
  await ownProgram(deps, container, processes, prepared);
  keepNamespace(container, processes);
  const startedAt = later(timeOf(container.files.pids) ?? 0n, BigInt(container.record.createdAt));
  container.life = { kind: "running", processes, startedAt };
  deps.emit({ podUid: container.record.podUid, containerId: container.id, type: "CONTAINER_STARTED" });
  deps.outputs.wake(container);
  if (container.exit.isSet) await finish(deps, container);
  else
    void persist(container.files.pids).catch((error) => deps.log.warn({ container: container.id }, errorText(error)));
}

/** Resolves when the container is set up, or has ended. */
async function runShim(deps: Deps, container: Container, prepared: Prepared): Promise<void> {
  const { tools, layout } = deps;
  const { mode, ownPids = false } = container.record;
  const claim = container.files.claim(container.claims++);
  const exitFile = join(layout.events, container.id);
  const mark = deps.hierarchies.length === 0 ? [tools.env, `${MARK}=${container.id}`] : [];
  const words = [claim, exitFile, ...mark, ...prepared.command];
  await deps.starter.start({
    id: container.id,
    file: container.files.start,
    words,
    cgroups: container.shimCgroup?.procsFiles ?? [],
    kind: shimKind(mode, ownPids),
  });
  const first = Promise.race([container.up.happened, container.exit.happened]);
  await withDeadline(
    deps.clock,
    SETUP_MS,
    first,
    () => new RuntimeError("start-error", `the container was not set up within ${SETUP_MS / 1000} s`),
  );
}

/** What an agent left that died while it prepared this container. */
async function removeLayers(folder: string): Promise<void> {
  const layers = (await readdir(folder)).filter((name) => /^(?:root|upper\d+|work\d+)$/.test(name));
  for (const name of layers) await removeTree(join(folder, name));
}

/** The last steps report nothing on success: the program's command line replaces theirs. */
async function ownProgram(
  deps: Deps,
  container: Container,
  { main }: ContainerProcesses,
  { command }: Prepared,
): Promise<void> {
  const started = deps.clock.monotonic();
  const [program = ""] = container.record.launch.argv;
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    if (container.exit.isSet) break;
    const line = readCommandLine(main.pid);
    if (line !== "" && !isSetupLine(command, line)) return;
    if (deps.clock.monotonic() - started > SETUP_MS) {
      throw new RuntimeError("start-error", `${program} was not executed within ${SETUP_MS / 1000} s`);
    }
    await Promise.race([sleep(deps.clock, pause), container.exit.happened]);
  }
  // It ended before its program was seen: either it was quick, or the last step failed and reported that to a file that no program can write.
  const words = (readLines(container.files.setup) ?? "").trim();
  if (words !== "") throw startError(program, words.toLowerCase());
}

/** Only a container without a cgroup is found again by its namespace. */
function keepNamespace(container: Container, { main }: ContainerProcesses): void {
  if (container.cgroup !== undefined || container.record.mode === "none") return;
  container.namespace = namespaceOf(main.pid);
  if (container.namespace !== undefined) writeOwn(container.files.namespace, container.namespace, 0o600);
}

/** Who the processes are shall survive a power cut too. */
async function persist(path: string): Promise<void> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    await sync(file);
  } finally {
    closeSync(file);
  }
}

async function failStart(deps: Deps, container: Container, error: unknown): Promise<RuntimeError> {
  const message = errorText(error);
  container.processes ??= readPids(container.folder);
  // Without a reported end the set-up has not finished.
  if (!container.exit.isSet) await endSetup(deps, container);
  await sweepQuietly(deps, container);
  await deps.outputs.finish(container);
  const at = BigInt(Math.floor(deps.clock.now())) * 1_000_000n;
  container.record = { ...container.record, startError: { message, at: String(at) } };
  await writeRecord(deps.layout, container.record).catch((cause) => {
    deps.log.error({ container: container.id }, `cannot write down the failed start: ${errorText(cause)}`);
  });
  conclude(deps, container, startErrorEnd(message, at));
  if (isRuntimeError(error, "start-error")) return error;
  return new RuntimeError("start-error", message, { cause: error });
}

/** Settles as `work` does, or rejects with `unavailable` once `closed` aborts. The work is let go of, not stopped. */
function untilClosed<T>(closed: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new RuntimeError("unavailable", "the process runtime was closed meanwhile"));
    if (closed.aborted) onClose();
    closed.addEventListener("abort", onClose, { once: true });
    work.then(resolve, reject).finally(() => closed.removeEventListener("abort", onClose));
  });
}

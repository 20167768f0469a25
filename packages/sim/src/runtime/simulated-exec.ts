import { type Clock, type ExecResult, withDeadline } from "@hooklet/core";
import { EXEC_SYNC_BYTES, type InteractiveExec, RuntimeError } from "@hooklet/core/host";
import type { ContainerRecord } from "./container-records.js";
import { SimulatedProcess } from "./process.js";
import type { Scripts } from "./scripts.js";

export type ExecOutput = (stream: "stdout" | "stderr", data: Buffer) => void;

interface Running {
  readonly process: SimulatedProcess;
  readonly exitCode: Promise<number>;
  /** Lets the program begin. */
  begin(): void;
}

/** Prepares a command in a running container; it ends with the container. */
function prepare(
  clock: Clock,
  scripts: Scripts,
  container: ContainerRecord,
  command: readonly string[],
  output: ExecOutput,
): Running {
  const { config, sandbox } = container;
  if (container.process === undefined) {
    throw new RuntimeError("failed-precondition", `container ${container.id} is not running`);
  }
  const program = scripts.forExec({ config, sandbox: sandbox.config }, command);
  if (program === "missing") {
    throw new RuntimeError("unknown", `exec: "${command[0]}": executable file not found in $PATH`);
  }
  const { env, workingDir, user } = container.process;
  let exited = (_code: number): void => {};
  const exitCode = new Promise<number>((resolve) => {
    exited = resolve;
  });
  const kill = (): void => process.exit(137);
  const process = new SimulatedProcess(clock, {
    argv: command,
    env,
    workingDir,
    user,
    files: container.files,
    output: (stream, text) => output(stream, Buffer.from(text)),
    exited: ({ code }) => {
      container.onEnd.delete(kill);
      exited(code);
    },
  });
  container.onEnd.add(kill);
  return { process, exitCode, begin: () => program(process) };
}

/** `execSync` of the port. */
export async function simulatedExecSync(
  clock: Clock,
  scripts: Scripts,
  container: ContainerRecord,
  command: readonly string[],
  timeoutSeconds: number,
): Promise<ExecResult> {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const { process, exitCode, begin } = prepare(clock, scripts, container, command, (stream, data) => {
    chunks[stream].push(data);
  });
  begin();
  const late = (): RuntimeError => {
    process.exit(137);
    return new RuntimeError("deadline-exceeded", `command "${command.join(" ")}" timed out after ${timeoutSeconds}s`);
  };
  const code = await (timeoutSeconds > 0 ? withDeadline(clock, timeoutSeconds * 1000, exitCode, late) : exitCode);
  const cut = (parts: Buffer[]): Buffer => Buffer.concat(parts).subarray(0, EXEC_SYNC_BYTES);
  return { stdout: cut(chunks.stdout), stderr: cut(chunks.stderr), exitCode: code };
}

/** `exec` of the port. */
export function simulatedExec(
  clock: Clock,
  scripts: Scripts,
  container: ContainerRecord,
  command: readonly string[],
  output: ExecOutput,
): InteractiveExec {
  const { process, exitCode, begin } = prepare(clock, scripts, container, command, output);
  begin();
  return {
    exitCode,
    write: (stdin) => process.input(stdin),
    endInput: () => process.input(undefined),
    resize: () => {},
    abort: () => process.exit(137),
  };
}

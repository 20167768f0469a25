/** exec probe: a command in the container, through the runtime. */
import { type Clock, type Container, errorText, isRuntimeError, type PluginRuntime, withDeadline } from "@hooklet/core";
import { expand } from "@hooklet/core/rules";
import { formatDuration } from "@hooklet/core/subsystem";
import type { Attempt } from "../types.js";
import { collectOutput, execVerdict } from "./verdict.js";

/** `$(NAME)` is replaced by literal values of the container's own env; a value from elsewhere is empty here. */
export function execCommand(command: readonly string[], env: Container["env"] = []): readonly string[] {
  const values = new Map(env.map(({ name, value }) => [name, value ?? ""]));
  return command.map((word) => expand(word, (name) => values.get(name)));
}

export interface ExecRequest {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly timeoutMilliseconds: number;
}

/** Milliseconds that the runtime gets to report a timeout itself. */
const SLACK = 1_000;

class Overdue extends Error {}

/** Never rejects. Runtimes know whole seconds; a shorter timeout is kept here, and the command ends at the next second. */
export async function execProbe(
  ports: { readonly clock: Clock; readonly runtime: Pick<PluginRuntime, "execSync"> },
  { containerId, command, timeoutMilliseconds }: ExecRequest,
): Promise<Attempt> {
  const isWhole = timeoutMilliseconds % 1000 === 0;
  const patience = isWhole ? timeoutMilliseconds + SLACK : timeoutMilliseconds;
  try {
    const work = ports.runtime.execSync(containerId, command, Math.ceil(timeoutMilliseconds / 1000));
    const { stdout, stderr, exitCode } = await withDeadline(ports.clock, patience, work, () => new Overdue());
    return execVerdict(collectOutput(stdout, stderr), { type: "exit", status: exitCode });
  } catch (error) {
    if (error instanceof Overdue || isRuntimeError(error, "deadline-exceeded")) {
      const text = `command timed out: ${JSON.stringify(command.join(" "))} timed out after ${formatDuration(timeoutMilliseconds / 1000)}`;
      return execVerdict("", { type: "timeout", text });
    }
    return execVerdict("", { type: "error", text: errorText(error) });
  }
}

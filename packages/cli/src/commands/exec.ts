import { errorText, invalid } from "@hooklet/utils";
import type { ExecSession } from "../client/exec.js";
import { type Context, withAgent } from "../context.js";
import { type Io, tell, write } from "../io.js";
import { defaultContainer, podName } from "../pod-argument.js";

export interface ExecOptions {
  readonly namespace?: string;
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** `hooklet exec POD -- CMD`: runs a command in a container; its exit code is the CLI's. */
export function exec(context: Context, pod: string, command: readonly string[], options: ExecOptions): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    if (command.length === 0) throw invalid("exec", "a command behind --", undefined);
    const name = { name: podName(pod), namespace: options.namespace ?? "default" };
    const container = await defaultContainer(client, io, name, options.container);
    const stdin = options.stdin === true;
    const tty = options.tty === true && stdin && io.stdin.isTTY === true;
    if (options.tty === true && !tty) {
      await tell(io, "Unable to use a TTY: standard input is not a terminal. The command runs without one.");
    }
    const session = await client.exec(
      name,
      { command, tty, stdin, ...(container === undefined ? {} : { container }) },
      (stream, data) => write(stream === "stdout" ? io.stdout : io.stderr, data),
    );
    const release = stdin ? handOn(io, session, tty) : () => undefined;
    try {
      return await session.exitCode;
    } catch (error) {
      const code = notRunCode(errorText(error));
      if (code === undefined) throw error;
      await tell(io, `error: ${errorText(error)}`);
      return code;
    } finally {
      release();
    }
  });
}

/** As shells have it: 126 for a program that may not be executed, 127 for one that is missing. */
function notRunCode(error: string): number | undefined {
  if (!error.startsWith("exec: ")) return undefined;
  return /executable file not found|no such file/.test(error) ? 127 : /permission denied/.test(error) ? 126 : undefined;
}

/** Hands standard input and the terminal's size on; returns what ends that. */
function handOn(io: Io, session: ExecSession, tty: boolean): () => void {
  if (tty) io.stdin.setRawMode?.(true);
  void (async () => {
    for await (const chunk of io.stdin) if (!session.write(Buffer.from(chunk))) await session.drained();
    session.endInput();
  })().catch(() => session.endInput());
  const resize = (): void => session.resize(io.stdout.columns || 80, io.stdout.rows || 24);
  if (tty) {
    resize();
    io.stdout.on("resize", resize);
  }
  return () => {
    io.stdout.off("resize", resize);
    if (tty) io.stdin.setRawMode?.(false);
    io.stdin.pause();
  };
}

/** Runs a command in a container with input and output that are handed on as they come. */
import type { Readable } from "node:stream";
import type { AgentClient } from "../../client/client.js";

export interface Ran {
  readonly code: number;
  /** The end of what it said on standard error. */
  readonly errors: string;
}

const MAX_ERRORS = 4 * 1024;

export async function runInPod(
  client: AgentClient,
  {
    pod,
    container,
  }: { readonly pod: { readonly name: string; readonly namespace: string }; readonly container: string | undefined },
  command: readonly string[],
  { input, take }: { readonly input?: Readable; readonly take?: (data: Buffer) => Promise<void> } = {},
): Promise<Ran> {
  let errors = "";
  const options = { command, tty: false, stdin: input !== undefined, ...(container !== undefined && { container }) };
  const session = await client.exec(pod, options, async (stream, data) => {
    if (stream === "stdout") await take?.(data);
    else errors = `${errors}${data.toString("utf8")}`.slice(-MAX_ERRORS);
  });
  try {
    if (input !== undefined) {
      // A tar that ended, or never began, reads no more: what is left to send is not sent.
      const ended = new AbortController();
      const end = (): void => ended.abort();
      session.exitCode.then(end, end);
      for await (const chunk of input) {
        if (ended.signal.aborted) break;
        if (!session.write(Buffer.from(chunk))) await session.drained();
      }
      session.endInput();
    }
    return { code: await session.exitCode, errors };
  } catch (error) {
    session.abort();
    throw error;
  }
}

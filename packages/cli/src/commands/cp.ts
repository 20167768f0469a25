import { basename, posix, resolve } from "node:path";
import type { Readable } from "node:stream";
import { invalid, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { tell } from "../io.js";
import { defaultContainer, podName } from "../pod-argument.js";
import { oneLine } from "../print/escape.js";

export interface CpOptions {
  readonly namespace?: string;
  readonly container?: string;
}

interface RemotePlace {
  readonly kind: "remote";
  readonly pod: { readonly name: string; readonly namespace: string };
  readonly path: string;
}

type Place = RemotePlace | { readonly kind: "local"; readonly path: string };

interface Remote extends RemotePlace {
  readonly container: string | undefined;
}

/** `hooklet cp SRC DEST`: files and folders into a container or out of it, by the tar(1) of its image, as kubectl does. */
export function cp(context: Context, from: string, to: string, options: CpOptions): Promise<number> {
  return withAgent(context, async (client) => {
    const { io } = context;
    const [source, target] = [from, to].map((text) => parsePlace(text, options.namespace ?? "default"));
    const remote = async (place: RemotePlace): Promise<Remote> => ({
      ...place,
      container: await defaultContainer(client, io, place.pod, options.container),
    });
    if (source?.kind === "local" && target?.kind === "remote")
      await upload(client, resolve(io.cwd(), source.path), await remote(target));
    else if (source?.kind === "remote" && target?.kind === "local")
      await download(context, client, await remote(source), resolve(io.cwd(), target.path), /\/$/.test(target.path));
    else throw new NodeAgentError("INVALID", "cp: exactly one of SRC and DEST must be POD:PATH.");
    return 0;
  });
}

async function upload(client: AgentClient, source: string, target: Remote): Promise<void> {
  const { packTree } = await import("./cp/tar.js");
  const isFolder = await runInPod(client, target, ["test", "-d", target.path]);
  const path =
    isFolder.code === 0 || target.path.endsWith("/") ? posix.join(target.path, basename(source)) : target.path;
  const pack = await packTree(source, posix.basename(path));
  const { code, errors } = await runInPod(client, target, ["tar", "-xmf", "-", "-C", posix.dirname(path)], {
    input: pack,
  });
  if (code !== 0) throw failed(target, errors, code);
}

async function download(
  context: Context,
  client: AgentClient,
  source: Remote,
  target: string,
  intoFolder: boolean,
): Promise<void> {
  const { Unpacker } = await import("./cp/tar.js");
  const name = posix.basename(source.path);
  if (name === "" || name === "." || name === "..")
    throw invalid("cp", "the path of a file or directory in the container", source.path);
  const unpacker = await Unpacker.open(target, name, intoFolder);
  const command = ["tar", "cf", "-", "-C", posix.dirname(source.path), `./${name}`];
  const { code, errors } = await runInPod(client, source, command, { take: (data) => unpacker.take(data) });
  const skipped = code === 0 ? await unpacker.end() : await unpacker.abandon();
  if (code !== 0) throw failed(source, errors, code);
  // Names of the container's choosing.
  for (const warning of skipped) await tell(context.io, `warning: ${oneLine(warning)}`);
}

function failed({ pod, container }: Remote, errors: string, code: number): NodeAgentError {
  const said = errors.trim() || `exit code ${code}`;
  const hint =
    [126, 127].includes(code) || /not found|no such file.*tar/i.test(said)
      ? " cp needs tar in the container's image."
      : "";
  return new NodeAgentError("INVALID", `tar in container ${container} of pod ${pod.name} failed: ${said}.${hint}`);
}

/** `POD:PATH`, `NAMESPACE/POD:PATH`, `pod/POD:PATH`, or a path of this machine. @throws NodeAgentError INVALID */
export function parsePlace(text: string, namespace: string): Place {
  const colon = text.indexOf(":");
  // `./a:b` and `/a:b` are files here.
  if (colon <= 0 || /^[./]/.test(text)) return { kind: "local", path: text };
  const path = text.slice(colon + 1);
  if (path === "") throw invalid("cp", "a path behind the colon", text);
  const words = text.slice(0, colon).split("/");
  const [first = "", second] = words;
  if (words.length > 2 || words.includes("")) throw invalid("cp", "POD:PATH or NAMESPACE/POD:PATH", text);
  if (second === undefined) return { kind: "remote", pod: { name: first, namespace }, path };
  if (/^(?:po|pods?)$/.test(first))
    return { kind: "remote", pod: { name: podName(`${first}/${second}`), namespace }, path };
  return { kind: "remote", pod: { name: second, namespace: first }, path };
}

// Runs a command in a container with input and output that are handed on as they come.

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

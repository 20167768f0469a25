/** Audits changes through the control socket: the agent writes them to its log and its events. */

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ApplyResult } from "@hooklet/core/base";
import type { Change } from "@hooklet/core/host";
import { type Clock, errorText, withDeadline } from "@hooklet/utils";
import { ownTurn } from "./one-a-turn.js";
import type { ServerContext } from "./server-context.js";

export class Audit {
  readonly #peers: Peers;

  constructor(private readonly context: ServerContext) {
    this.#peers = new Peers(context.clock);
  }

  /** Does the work, and records it whether it succeeds or not. Never delays the answer: the client's identity may be recorded a moment later. */
  async of<T>(
    { socket }: { readonly socket: Socket },
    about: Pick<Change, "what" | "isSession">,
    work: () => Promise<T>,
  ): Promise<T> {
    const by = this.#peers.of(socket);
    const tell = (text: string, ok: boolean): void => {
      void by.then((who) => this.context.api.audit({ ...about, outcome: text, ok, by: who }));
    };
    try {
      const result = await work();
      tell(about.isSession ? "started" : outcomeOf(result), true);
      return result;
    } catch (error) {
      tell(`${about.isSession ? "failed" : "refused"}: ${errorText(error)}`, false);
      throw error;
    }
  }
}

/** Of an apply, what became of each thing. */
function outcomeOf(result: unknown): string {
  if (!Array.isArray(result)) return "done";
  return (result as readonly ApplyResult[]).map(({ subject, action }) => `${subject} ${action}`).join(", ");
}

// The process at the other end of a unix socket: SO_PEERCRED, which Node does not offer. perl, which every Debian has, or python3, which every Fedora
// and Red Hat has, gets the connection and reads it; without both, the peer stays unknown.

/** The kernel's credentials of a connection, taken when it was made. */
interface PeerCredentials {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

interface PeerFacts extends PeerCredentials {
  /** The program's name; undefined when it has ended. */
  readonly program?: string;
  /** The login uid, also after sudo; undefined without a login. */
  readonly loginUid?: number;
}

const NOBODY = "a client that this platform does not identify";
const DEADLINE_MILLISECONDS = 2_000;
/** SOL_SOCKET, SO_PEERCRED of descriptor 3: struct ucred is pid, uid, gid. The first existing program is used; python without user modules. */
const ASKERS: readonly (readonly [program: string, ...words: string[]])[] = [
  [
    "perl",
    "-e",
    'open(my $s, "+<&=", 3) or exit 1; my $c = getsockopt($s, 1, 17) or exit 1; print join " ", unpack "iII", $c;',
  ],
  [
    "python3",
    "-I",
    "-S",
    "-c",
    'import socket, struct; print(*struct.unpack("iII", socket.socket(fileno=3).getsockopt(1, 17, 12)))',
  ],
];
/** What the kernel has for "not set". */
const NO_LOGIN = 4_294_967_295;

class Peers {
  readonly #known = new WeakMap<Socket, Promise<string>>();

  constructor(private readonly clock: Clock) {}

  /** The peer as text, for example `uid 0 (logged in as 1000), pid 4242 (hooklet)`. Never rejects. */
  of(socket: Socket): Promise<string> {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const asked = this.#ask(socket).catch(() => NOBODY);
    this.#known.set(socket, asked);
    return asked;
  }

  async #ask(socket: Socket): Promise<string> {
    // Queued behind earlier callers, however many they are.
    await ownTurn(this.clock);
    const late = (): Error => new Error(`no answer within ${DEADLINE_MILLISECONDS} ms`);
    const credentials = await withDeadline(this.clock, DEADLINE_MILLISECONDS, credentialsOf(socket), late);
    return peerText(await factsOf(credentials));
  }
}

/** Pure. */
export function peerText({ uid, pid, program, loginUid }: PeerFacts): string {
  const login = loginUid === undefined || loginUid === uid ? "" : ` (logged in as ${loginUid})`;
  return `uid ${uid}${login}, pid ${pid}${program === undefined ? "" : ` (${program})`}`;
}

async function credentialsOf(socket: Socket): Promise<PeerCredentials> {
  let missing: unknown;
  for (const [program, ...words] of ASKERS) {
    try {
      return await askedBy(program, words, socket);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      missing = error;
    }
  }
  throw missing;
}

/**
 * The connection is the child's descriptor 3: libuv makes the first three blocking, for us as well. It is handed over by its number:
 * Node stops to read from a socket that is given away whole.
 */
async function askedBy(program: string, words: readonly string[], socket: Socket): Promise<PeerCredentials> {
  const { fd } = (socket as Socket & { readonly _handle?: { readonly fd?: number } })._handle ?? {};
  if (fd === undefined || fd < 0) throw new Error("the connection is gone");
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  const timeout = DEADLINE_MILLISECONDS;
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "ignore", fd], env, timeout });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const [pid, uid, gid] = (await Promise.race([text(child.stdout as NodeJS.ReadableStream), failed]))
    .trim()
    .split(" ")
    .map(Number);
  if (pid === undefined || uid === undefined || gid === undefined) throw new Error("no credentials");
  return { pid, uid, gid };
}

async function factsOf(credentials: PeerCredentials): Promise<PeerFacts> {
  const [program, login] = await Promise.all(
    ["comm", "loginuid"].map((name) =>
      readFile(`/proc/${credentials.pid}/${name}`, "utf8").then(
        (found) => found.trim(),
        () => undefined,
      ),
    ),
  );
  const loginUid = login === undefined || login === "" ? NO_LOGIN : Number(login);
  return {
    ...credentials,
    ...(program !== undefined && { program }),
    ...(loginUid !== NO_LOGIN && { loginUid }),
  };
}

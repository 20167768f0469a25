/** Starts containers and mounts the /dev/shm of pods through one small process, so that the agent itself need not be forked for each of them. */
import { createInterface } from "node:readline";
import { RuntimeError } from "@hooklet/core/host";
import { writeOwn } from "@hooklet/linux";
import { type Clock, withDeadline } from "@hooklet/utils";
import { SHM_OPTIONS } from "../rootfs/system-mounts.js";
import type { Scripts } from "./scripts.js";
import { type PipedProcess, spawnPiped } from "./spawn.js";
import type { Toolbox } from "./toolbox.js";

/** The PID namespace of a shim: the machine's, a new one, or a new one within a user namespace. */
export type ShimKind = "plain" | "pids" | "user";

export interface ShimStart {
  readonly id: string;
  /** The file with its arguments. */
  readonly file: string;
  readonly words: readonly string[];
  /** Files that take it in before anything of it runs. */
  readonly cgroups: readonly string[];
  readonly kind: ShimKind;
}

interface Helper extends PipedProcess {
  /** Callers that wait for an answer, in order; undefined: there will be none. */
  readonly waiting: ((line: string | undefined) => void)[];
  /** Resolves once it answers no more. */
  readonly ended: Promise<void>;
}

/** Milliseconds for mount(8) and umount(8). */
const ANSWERED_WITHIN = 30_000;

export class Starter {
  #helper: Promise<Helper> | undefined;

  constructor(
    private readonly tools: Toolbox,
    private readonly scripts: Scripts,
    /** The folder of what containers write. */
    private readonly outputs: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts a container's shim in a new session which outlives the agent. It writes to the container's existing output. Rejects with `unavailable` when no helper can be started. The shim's result is not reported here.
   */
  async start({ id, file, words, cgroups, kind }: ShimStart): Promise<void> {
    checkLines([file, ...words, ...cgroups]);
    writeOwn(file, lines(words), 0o600);
    writeOwn(`${file}.cgroups`, lines(cgroups), 0o600);
    await send(await this.#running(), `${kind} ${id} ${file}`);
  }

  /** Mounts a pod's /dev/shm on a folder. Rejects with `unknown` and the message of mount(8), or as `start` does. */
  mountShm(folder: string): Promise<void> {
    return this.#ask("mount", folder);
  }

  /** Unmounts it, also while it is in use. Rejects as `mountShm` does. */
  unmountShm(folder: string): Promise<void> {
    return this.#ask("umount", folder);
  }

  async #ask(tool: "mount" | "umount", folder: string): Promise<void> {
    checkLines([folder]);
    const helper = await this.#running();
    const next = new Promise<string | undefined>((resolve) => helper.waiting.push(resolve));
    const answered = send(helper, `${tool} - ${folder}`).then(() => next);
    const answer = await withDeadline(this.clock, ANSWERED_WITHIN, answered, () => {
      // The next call starts another one.
      helper.kill();
      return gone(`no answer within ${ANSWERED_WITHIN / 1000} s`);
    });
    if (answer === undefined) throw gone("it ended");
    const [code = "", ...said] = answer.split(" ");
    if (code !== "0") throw new RuntimeError("unknown", `/dev/shm of a pod: ${said.join(" ") || `${tool} failed`}`);
  }

  close(): void {
    void this.#helper?.then(({ stdin }) => stdin.end()).catch(() => undefined);
    this.#helper = undefined;
  }

  #running(): Promise<Helper> {
    if (this.#helper !== undefined) return this.#helper;
    const helper = this.#spawn();
    this.#helper = helper;
    const forget = (): void => {
      if (this.#helper === helper) this.#helper = undefined;
    };
    helper.then(({ ended }) => ended.then(forget), forget);
    return helper;
  }

  async #spawn(): Promise<Helper> {
    const { tools, scripts } = this;
    const helper = await spawnPiped(
      tools.sh,
      [
        ...[scripts.starter, tools.setsid, tools.unshare, tools.sh, scripts.shim, this.outputs],
        ...[tools.mount, tools.umount, SHM_OPTIONS.join(",")],
      ],
      {
        stdin: true,
        env: {},
        helper: true,
      },
    );
    // A failed write is reported to its caller.
    helper.stdin.on("error", () => undefined);
    helper.stderr.resume();
    const waiting: Helper["waiting"] = [];
    const answers = createInterface({ input: helper.stdout }).on("line", (line) => waiting.shift()?.(line));
    const ended = new Promise<void>((resolve) => {
      answers.once("close", () => {
        resolve();
        for (const answer of waiting.splice(0)) answer(undefined);
      });
    });
    return { ...helper, waiting, ended };
  }
}

function send({ stdin }: Helper, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(`${line}\n`, (error) => {
      if (error) reject(gone(error.message));
      else resolve();
    });
  });
}

function gone(why: string): RuntimeError {
  return new RuntimeError("unavailable", `the starter of containers has gone: ${why}`);
}

function checkLines(words: readonly string[]): void {
  const broken = words.find((word) => word.includes("\n"));
  if (broken !== undefined) throw new RuntimeError("invalid-argument", `${broken}: expected a path of one line`);
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

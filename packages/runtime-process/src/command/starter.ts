/** Starts containers through one small process, so that the agent itself need not be forked for each of them. */
import { RuntimeError } from "@hooklet/core/host";
import { writeOwn } from "@hooklet/linux";
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

export class Starter {
  #helper: Promise<PipedProcess> | undefined;

  constructor(
    private readonly tools: Toolbox,
    private readonly scripts: Scripts,
    /** The folder of what containers write. */
    private readonly outputs: string,
  ) {}

  /**
   * Starts a container's shim in a new session which outlives the agent. It writes to the container's existing output. Rejects with `unavailable` when no helper can be started. The shim's result is not reported here.
   */
  async start({ id, file, words, cgroups, kind }: ShimStart): Promise<void> {
    const broken = [file, ...words, ...cgroups].find((word) => word.includes("\n"));
    if (broken !== undefined) throw new RuntimeError("invalid-argument", `${broken}: expected a path of one line`);
    writeOwn(file, lines(words), 0o600);
    writeOwn(`${file}.cgroups`, lines(cgroups), 0o600);
    const helper = await this.#running();
    await new Promise<void>((resolve, reject) => {
      helper.stdin.write(`${kind} ${id} ${file}\n`, (error) => {
        if (error) reject(new RuntimeError("unavailable", `the starter of containers has gone: ${error.message}`));
        else resolve();
      });
    });
  }

  close(): void {
    void this.#helper?.then(({ stdin }) => stdin.end()).catch(() => undefined);
    this.#helper = undefined;
  }

  #running(): Promise<PipedProcess> {
    if (this.#helper !== undefined) return this.#helper;
    const helper = this.#spawn();
    this.#helper = helper;
    const forget = (): void => {
      if (this.#helper === helper) this.#helper = undefined;
    };
    helper.then(({ exited }) => exited.then(forget), forget);
    return helper;
  }

  async #spawn(): Promise<PipedProcess> {
    const { tools, scripts } = this;
    const helper = await spawnPiped(
      tools.sh,
      [scripts.starter, tools.setsid, tools.unshare, tools.sh, scripts.shim, this.outputs],
      {
        stdin: true,
        env: {},
        helper: true,
      },
    );
    // A failed write is reported to its caller.
    helper.stdin.on("error", () => undefined);
    for (const stream of [helper.stdout, helper.stderr]) stream.resume();
    return helper;
  }
}

function lines(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join("");
}

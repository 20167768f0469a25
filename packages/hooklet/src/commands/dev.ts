/** `hooklet dev PATH --scenario FILE`: at each save the scenario, the types and the tests, and what changed. */
import { existsSync, type FSWatcher, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { colours, type Io, printLine, tell } from "@hooklet/cli/extend";
import type { RunAgain, Runs, ScenarioCommands } from "@hooklet/simulate/commands";
import { errorText, NodeAgentError, type Timer } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";
import { type Check, checksOf, runCheck } from "./dev/checks.js";

export interface DevOptions {
  readonly scenario: string;
  readonly once?: boolean;
}

/** An editor writes a file in several steps. */
const SETTLED_MILLISECONDS = 100;
/** Sources, scenarios and what they read. What the command prints may end up in a file of the folder. */
const COUNTS = /\.(?:[cm]?[jt]sx?|json|ya?ml|csv)$|(?:^|\/)\.hookletrc$/;
const IGNORED = /(?:^|\/)(?:node_modules|dist|coverage|\.git)(?:\/|$)|~$|\.sw[a-px]$|\.tmp$|(?:^|\/)4913$/;

export async function dev(
  context: AgentContext,
  path: string,
  options: DevOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  const { io } = context;
  const scenario = resolve(io.cwd(), options.scenario);
  if (!existsSync(scenario)) throw new NodeAgentError("INVALID", `There is no scenario ${options.scenario}.`);
  const folder = await folderOf(resolve(io.cwd(), path), path);
  const runs = await scenarios.runs(context, scenario, options.once !== true);
  const bench = new Bench(context, runs, { folder, scenario, path });
  if (options.once === true) return (await bench.run(new AbortController().signal)) ? 0 : 1;
  return watching(io, [...new Set([folder, dirname(scenario)])], (signal) => bench.run(signal));
}

async function folderOf(path: string, given: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new NodeAgentError("INVALID", `There is no plugin ${given}.`);
  return found.isDirectory() ? path : dirname(path);
}

/** Until Ctrl-C. A save ends the round that is under way. */
async function watching(
  io: Io,
  folders: readonly string[],
  round: (signal: AbortSignal) => Promise<boolean>,
): Promise<number> {
  let over = new AbortController();
  let timer: Timer | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const again = (changed: string | undefined): void => {
    over.abort();
    over = new AbortController();
    const { signal } = over;
    running = running.then(async () => {
      if (signal.aborted) return;
      if (changed !== undefined) await printLine(io.stdout, `\n${changed} changed`);
      await round(signal);
    });
  };
  const stopWatching = watchFolders(folders, (file) => {
    timer?.cancel();
    timer = io.clock.schedule(SETTLED_MILLISECONDS, () => again(file));
  });
  again(undefined);
  let released: readonly (() => void)[] = [];
  await new Promise<void>((end) => {
    released = [io.onSignal("SIGINT", () => end()), io.onSignal("SIGTERM", () => end())];
  });
  for (const release of released) release();
  over.abort();
  timer?.cancel();
  stopWatching();
  return 0;
}

/**
 * Watches each folder by itself. Node's own recursive watch watches files on Linux, and loses one that an editor replaces.
 * @param changed gets the path below the folder
 */
export function watchFolders(folders: readonly string[], changed: (file: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const add = (root: string, below: string): void => {
    const folder = join(root, below);
    if (watchers.has(folder)) return;
    const watcher = watch(folder, (_, name) => {
      const file = join(below, name ?? "");
      if (IGNORED.test(file)) return;
      if (!COUNTS.test(file) && !isFolder(join(root, file))) return;
      addBelow(root, below);
      changed(file);
    });
    watcher.on("error", () => {
      watcher.close();
      watchers.delete(folder);
    });
    watchers.set(folder, watcher);
    addBelow(root, below);
  };
  const addBelow = (root: string, below: string): void => {
    // It may be gone already.
    const entries = existsSync(join(root, below)) ? readdirSync(join(root, below), { withFileTypes: true }) : [];
    for (const entry of entries) {
      const path = join(below, entry.name);
      if (entry.isDirectory() && !IGNORED.test(path)) add(root, path);
    }
  };
  for (const folder of folders) add(folder, "");
  return () => {
    for (const watcher of watchers.values()) watcher.close();
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

interface Place {
  readonly folder: string;
  readonly scenario: string;
  /** The plugin as it was named. */
  readonly path: string;
}

function usesOneOf(folder: string, loads: readonly string[]): boolean {
  const own = `${realpathSync(folder)}/`;
  return loads.some((file) => existsSync(file) && realpathSync(file).startsWith(own));
}

class Bench {
  #last: RunAgain["outcome"] | undefined;
  /** What each check said last: the same again is one line. */
  readonly #said = new Map<string, string>();

  constructor(
    private readonly context: AgentContext,
    private readonly runScenario: Runs,
    private readonly place: Place,
  ) {}

  /** The scenario first: its result matters most. True: all is well. */
  async run(signal: AbortSignal): Promise<boolean> {
    const holds = await this.#scenario(signal);
    if (signal.aborted) return false;
    const results = await Promise.all(checksOf(this.place.folder).map((check) => this.#check(check, signal)));
    return holds && results.every(Boolean);
  }

  async #scenario(signal: AbortSignal): Promise<boolean> {
    const { io } = this.context;
    const began = io.clock.monotonic();
    try {
      const { outcome, lines, verdict, holds } = await this.runScenario(this.#last);
      if (signal.aborted) return false;
      const isFirst = this.#last === undefined;
      this.#last = outcome;
      await this.#tell(holds, "scenario", `${verdict}${isFirst || lines.length > 0 ? "" : "; nothing changed"}`, began);
      for (const line of lines) await printLine(io.stdout, `  ${line}`.trimEnd());
      if (!usesOneOf(this.place.folder, outcome.loads))
        await printLine(io.stdout, `  It uses no file of ${this.place.path}: name it in config.plugins.`);
      return holds;
    } catch (error) {
      if (signal.aborted) return false;
      await this.#tell(false, "scenario", "it cannot be run", began);
      await tell(io, errorText(error).replace(/^/gm, "  "));
      return false;
    }
  }

  async #check(check: Check, signal: AbortSignal): Promise<boolean> {
    const { io } = this.context;
    const began = io.clock.monotonic();
    const { ok, text } = await runCheck(check, signal);
    if (signal.aborted) return false;
    const isNews = this.#said.get(check.name) !== text;
    this.#said.set(check.name, text);
    await this.#tell(ok, check.name, ok || isNews ? "" : "as before", began);
    if (!ok && isNews) await printLine(io.stdout, text.replace(/^(?=.)/gm, "  "));
    return ok;
  }

  async #tell(ok: boolean, what: string, text: string, began: number): Promise<void> {
    const { io } = this.context;
    const word = ok ? "ok   " : "FAILS";
    const mark = colours(io.stdout, io.env) ? `\u001b[${ok ? 32 : 31}m${word}\u001b[39m` : word;
    const seconds = ((io.clock.monotonic() - began) / 1000).toFixed(1);
    const name = what === "scenario" ? relative(io.cwd(), this.place.scenario) : what;
    io.stdout.write(`${mark} ${name}${text === "" ? "" : `: ${text}`} (${seconds} s)\n`);
  }
}

/** Answers the shells' completion scripts: commands and options of the program, names from the agent. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RootCommand, type Command as TabCommand } from "@bomb.sh/tab";
import { withDeadline } from "@hooklet/core/base";
import type { Command, Option } from "commander";
import type { AgentClient } from "../client/client.js";
import { type Context, withAgent } from "../context.js";

/** A shell that waits for names is a nuisance: without a quick answer there are none. */
const PATIENCE = 1_500;

/** Names of the agent's things, by what a command's argument or option is called. */
interface Names {
  readonly pods: readonly string[];
  readonly containers: readonly string[];
  readonly plugins: readonly string[];
  readonly images: readonly string[];
  readonly kinds: readonly string[];
  /** The word under the cursor. */
  readonly current: string;
}

const NONE: Names = {
  pods: [],
  containers: [],
  plugins: [],
  images: [],
  kinds: ["pods", "node", "plugins", "images", "events"],
  current: "",
};

export async function complete(context: Context, program: Command, words: readonly string[]): Promise<number> {
  const names = { ...(await fromAgent(context, words)), current: words.at(-1) ?? "" };
  const root = new RootCommand();
  for (const option of program.options) addOption(root, option, names);
  for (const command of program.commands) addCommand(root, command, [], names);
  root.parse([...words]);
  return 0;
}

function addCommand(root: RootCommand, command: Command, parents: readonly string[], names: Names): void {
  const path = [...parents, command.name()];
  if (path[0] === "complete") return;
  const target = root.command(path.join(" "), command.description());
  for (const option of command.options) addOption(target, option, names);
  for (const argument of command.registeredArguments) {
    const values = argument.argChoices ?? argumentValues(path.join(" "), argument.name(), names);
    target.argument(argument.name(), (found) => offer(values, found), argument.variadic);
  }
  for (const inner of command.commands) addCommand(root, inner, path, names);
}

function addOption(target: TabCommand, option: Option, names: Names): void {
  const name = option.long?.slice(2);
  if (name === undefined) return;
  const alias = option.short?.slice(1);
  if (!option.required && !option.optional) {
    target.option(name, option.description, alias);
    return;
  }
  const values = (): readonly string[] => option.argChoices ?? optionValues(name, names);
  target.option(name, option.description, (found) => offer(values(), found), alias);
}

function offer(values: readonly string[], found: (value: string, description: string) => void): void {
  for (const value of values) found(value, "");
}

function argumentValues(command: string, argument: string, names: Names): readonly string[] {
  if (argument === "pod" || command === "delete") return command === "delete" ? ["pod", ...names.pods] : names.pods;
  if (argument === "names") return command === "image remove" ? names.images : names.pods;
  if (argument === "plugin" || command.startsWith("plugin ")) return names.plugins;
  if (argument === "container") return names.containers;
  if (argument !== "kind") return [];
  if (command === "get") return names.kinds;
  if (command === "top") return ["pods", "node"];
  return command === "describe" ? ["pod", "node"] : ["pod", "container", "image", "device"];
}

function optionValues(option: string, names: Names): readonly string[] {
  if (option === "container") return names.containers;
  if (option === "for") return names.pods.map((name) => `pod/${name}`);
  if (["filename", "config", "manifests", "socket", "root-dir"].includes(option)) return files(names.current);
  return [];
}

/** The library answers without the shell's own completion of files, so the files are listed here. */
function files(last: string): readonly string[] {
  const folder = last.includes("/") ? dirname(`${last}x`) : ".";
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(basename(`${last}x`).slice(0, -1)))
      .slice(0, 500)
      .map((entry) => `${last.includes("/") ? join(folder, entry.name) : entry.name}${entry.isDirectory() ? "/" : ""}`);
  } catch {
    return [];
  }
}

async function fromAgent(context: Context, words: readonly string[]): Promise<Names> {
  const named = (name: string): string | undefined => words[words.indexOf(name) + 1];
  const socket = words.includes("--socket") ? named("--socket") : undefined;
  const rootDir = words.includes("--root-dir") ? named("--root-dir") : undefined;
  const global = { ...(socket === undefined ? {} : { socket }), ...(rootDir === undefined ? {} : { rootDir }) };
  let names = NONE;
  try {
    await withAgent({ ...context, global }, async (client) => {
      names = await withDeadline(context.io.clock, PATIENCE, ask(client, words), () => new Error("late"));
      return 0;
    });
  } catch {
    // Completion goes on without names: an error text would end up on the command line.
  }
  return names;
}

async function ask(client: AgentClient, words: readonly string[]): Promise<Names> {
  const [pods, plugins, images, views] = await Promise.all([
    client.pods(),
    client.plugins(),
    client.images(),
    client.views(),
  ]);
  const meant = pods.filter(({ metadata }) => words.includes(metadata.name));
  return {
    pods: pods.map(({ metadata }) => metadata.name),
    containers: meant.flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name),
    ),
    plugins: plugins.map(({ name }) => name),
    images: images.flatMap(({ repoTags }) => repoTags),
    kinds: [...NONE.kinds, ...views.map(({ name }) => name)],
    current: "",
  };
}

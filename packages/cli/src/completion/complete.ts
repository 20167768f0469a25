/** Answers the shells' completion scripts: commands and options of the program, names from the agent. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RootCommand, type Command as TabCommand } from "@bomb.sh/tab";
import { withDeadline } from "@hooklet/utils";
import type { Command, Option } from "commander";
import type { AgentClient } from "../client/agent-client.js";
import { type Context, withAgent } from "../context.js";
import { FORMAT_WORDS } from "../formats.js";

/** A shell that waits for names is a nuisance: without a quick answer there are none. */
const PATIENCE = 1_500;

/** Names of the agent's things, by what a command's argument or option is called. */
interface Names {
  readonly pods: readonly string[];
  readonly containers: readonly string[];
  readonly namespaces: readonly string[];
  readonly plugins: readonly string[];
  readonly images: readonly string[];
  readonly nodes: readonly string[];
  /** Of the table that the word behind `get` or `explain` names. */
  readonly rows: readonly string[];
  readonly kinds: readonly string[];
  /** The word behind the command: `pods` of `get pods`. */
  readonly kind: string;
  /** The word under the cursor. */
  readonly current: string;
}

const NONE: Names = {
  pods: [],
  containers: [],
  namespaces: [],
  plugins: [],
  images: [],
  nodes: [],
  rows: [],
  kinds: ["pods", "node", "plugins", "images", "events"],
  kind: "",
  current: "",
};

export async function complete(context: Context, program: Command, words: readonly string[]): Promise<number> {
  const names = { ...(await fromAgent(context, words)), kind: kindIn(words), current: words.at(-1) ?? "" };
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
  if (argument === "pod") return names.pods;
  if (command === "delete") return ["pod", ...names.pods, ...names.pods.map((name) => `pod/${name}`)];
  if (command === "cp") return [...files(names.current), ...names.pods.map((name) => `${name}:`)];
  if (argument === "plugin" || command.startsWith("plugin ")) return names.plugins;
  if (argument === "name" || argument === "names") return namesOf(command, names);
  if (argument === "container") return names.containers;
  if (argument === "path" || argument === "file") return files(names.current);
  if (argument !== "kind") return [];
  if (command === "get") return names.kinds;
  if (command === "top") return ["pods", "node"];
  if (command === "explain") return [...EXPLAINED, ...names.pods.map((name) => `pod/${name}`)];
  return ["pod", "node", ...names.pods.map((name) => `pod/${name}`)];
}

const EXPLAINED = ["pod", "container", "image", "device"];

/** What is called by a name behind a kind. */
function namesOf(command: string, names: Names): readonly string[] {
  if (command === "image remove") return names.images;
  const kind = names.kind.split("/")[0] ?? "";
  if (/^(?:po|pods?|)$/.test(kind)) return names.pods;
  if (/^(?:no|nodes?)$/.test(kind)) return names.nodes;
  if (/^plugins?$/.test(kind)) return names.plugins;
  if (kind === "container") return names.containers;
  return names.rows.length > 0 ? names.rows : /^images?$/.test(kind) ? names.images : [];
}

/** The word behind a command that takes a kind. */
function kindIn(words: readonly string[]): string {
  const at = words.findIndex((word) => ["get", "describe", "explain", "top", "wait", "delete"].includes(word));
  if (at === -1) return "";
  return words.slice(at + 1, -1).find((word) => !word.startsWith("-")) ?? "";
}

function optionValues(option: string, names: Names): readonly string[] {
  if (option === "container") return names.containers;
  if (option === "namespace") return names.namespaces;
  if (option === "output") return FORMAT_WORDS.map((format) => format.replace(/=.*/, "="));
  if (option === "types") return ["Normal", "Warning"];
  if (option === "for")
    return [...names.pods.map((name) => `pod/${name}`), ...names.nodes.map((name) => `node/${name}`)];
  if (["filename", "config", "manifests", "socket", "root-dir", "from-kubelet"].includes(option))
    return files(names.current);
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
  const [all, plugins, images, views, { nodeName }] = await Promise.all([
    client.pods(),
    client.plugins(),
    client.images(),
    client.views(),
    client.version(),
  ]);
  const pods = all.filter(({ metadata }) => inNamespace(metadata.namespace, words));
  const meant = pods.filter(({ metadata }) =>
    words.some((word) => word === metadata.name || word === `pod/${metadata.name}`),
  );
  const kind = kindIn(words);
  const view = views.find(({ name }) => name === kind || name === `${kind}s`);
  return {
    ...NONE,
    pods: pods.map(({ metadata }) => metadata.name),
    containers: (meant.length > 0 ? meant : pods).flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name),
    ),
    namespaces: [...new Set(all.map(({ metadata }) => metadata.namespace))].sort(),
    plugins: plugins.map(({ name }) => name),
    images: images.flatMap(({ repoTags }) => repoTags),
    nodes: [nodeName],
    rows: view === undefined ? [] : firstCells(await client.view(view.name)),
    kinds: [...NONE.kinds, ...views.map(({ name }) => name)],
  };
}

/** That of -n, `default` without one, all with -A. */
function inNamespace(namespace: string, words: readonly string[]): boolean {
  if (words.includes("-A") || words.includes("--all-namespaces")) return true;
  const at = words.findIndex((word) => word === "-n" || word === "--namespace");
  return namespace === (at === -1 ? "default" : words[at + 1]);
}

function firstCells({ columns, rows }: Awaited<ReturnType<AgentClient["view"]>>): readonly string[] {
  const first = columns[0]?.name ?? "name";
  return [...new Set(rows.map((row) => String(row[first] ?? "")))].filter((name) => name !== "");
}

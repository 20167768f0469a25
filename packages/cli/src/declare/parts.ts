/** What several commands have in common. */
import { type Command, Option } from "commander";
import type { Context } from "../context.js";
import { FORMAT_WORDS } from "../formats.js";

/** Runs a command's work and keeps its exit code. */
export type Perform = (work: (context: Context) => Promise<number>) => Promise<void>;

/** A subcommand that inherits how help and errors are shown. */
export function sub(parent: Command, name: string, description: string, ...examples: readonly string[]): Command {
  const global =
    "\n\n--socket PATH and --root-dir DIR name the agent, for every command; for run, --root-dir is the directory of its state.";
  const text = `\nExample${examples.length > 1 ? "s" : ""}:\n${examples.map((line) => `  $ ${line.includes("| hooklet ") ? line : `hooklet ${line}`}`).join("\n")}${global}`;
  return parent
    .command(name)
    .description(description)
    .addHelpText("after", text)
    .showHelpAfterError(`Try "hooklet ${fullName(parent)}${name.split(" ")[0]} --help".`);
}

function fullName(parent: Command): string {
  return parent.parent === null ? "" : `${fullName(parent.parent)}${parent.name()} `;
}

export function outputOption(...formats: readonly string[]): Option {
  return new Option("-o, --output <format>", "output format").choices([...formats]);
}

/** What `get` and `events` show can be had in any of these. */
export function formatOption(): Option {
  return new Option(
    "-o, --output <format>",
    `${FORMAT_WORDS.join(", ")}; for example jsonpath={.metadata.name}, custom-columns=NAME:.metadata.name`,
  );
}

export function selectorOption(): Option {
  return new Option("-l, --selector <labels>", "only pods with these labels: app=web,tier!=db,env in (a,b),!old");
}

export function namespaceOption(): Option {
  return new Option("-n, --namespace <name>", 'namespace of the pods (default: "default")');
}

export function containerOption(): Option {
  return new Option("-c, --container <name>", "container (default: the first one)");
}

/** `-f a -f b` as a list. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { printLine } from "@hooklet/cli/extend";
import { invalid, NodeAgentError } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";
import { nameInRc } from "./create/name-in-rc.js";
import { pluginFiles } from "./create/plugin-template.js";
import { POINTS } from "./create/strategy-points.js";
import { strategyFiles } from "./create/strategy-template.js";
import { writeNew } from "./init.js";

export interface CreateOptions {
  readonly ts?: boolean;
  /** Strategy point, as `victims`. */
  readonly for?: string;
}

const NAME = /^[a-z][a-z0-9-]{0,60}$/;

/** `hooklet create plugin|strategy NAME`: a folder with a package that has a passing test, named in the rc file. */
export async function create(
  context: AgentContext,
  kind: string,
  name: string,
  options: CreateOptions,
): Promise<number> {
  const { io, version } = context;
  if (!NAME.test(name)) throw invalid(`create ${kind}`, "a name of small letters, digits and -", name);
  if (kind === "plugin") checkPlugin(context, name, options);
  const isTypeScript = options.ts === true;
  const point = kind === "strategy" ? pointOf(options.for) : undefined;
  const own = join(io.cwd(), name);
  const typesOf = (dependency: string): string =>
    relative(own, dirname(fileURLToPath(import.meta.resolve(dependency))));
  const clone = cloneOf(own);
  const input = { name, isTypeScript, version, typesOf, clone };
  const files = point === undefined ? pluginFiles(input) : strategyFiles(point, input);
  for (const [path, text] of Object.entries(files)) {
    const file = resolve(io.cwd(), name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeNew(file, text);
    await printLine(io.stdout, `written: ${join(name, path)}`);
  }
  const main = `./${name}/${isTypeScript ? "src/index.ts" : "index.js"}`;
  const entry = point === undefined ? main : [POINTS[point].plugin, { [point]: { use: main } }];
  await printLine(io.stdout, await nameInRc(io, entry));
  if (point === undefined)
    await printLine(io.stdout, "The sample refuses pods without a label owner: change it before an agent runs it.");
  if (clone !== undefined)
    await printLine(
      io.stdout,
      `${join(name, "package.json")} links to the packages of ${clone}: other machines need a clone at that place.`,
    );
  await printLine(
    io.stdout,
    `Next: cd ${name} && ${isTypeScript || clone !== undefined ? "npm install && " : ""}npm test; hooklet simulate scenario.yaml; hooklet dev . --scenario scenario.yaml`,
  );
  return 0;
}

/** @throws NodeAgentError INVALID */
function checkPlugin({ host }: AgentContext, name: string, options: CreateOptions): void {
  if (options.for !== undefined)
    throw new NodeAgentError(
      "INVALID",
      "create plugin: --for is for strategies: hooklet create strategy NAME --for POINT",
    );
  if (host.plugins.some((one) => one === `@hooklet/plugin-${name}`))
    throw new NodeAgentError(
      "INVALID",
      `create plugin: hooklet has a plugin "${name}" already. Choose another name: in the rc file this one means the plugin of hooklet.`,
    );
}

/** The packages of the clone that this hooklet runs from; an installed one has no test kit. */
function cloneOf(from: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, "packages/testkit/package.json"))) return relative(from, join(folder, "packages"));
  }
  return undefined;
}

function pointOf(text: string | undefined): keyof typeof POINTS {
  const known = Object.keys(POINTS);
  if (text === undefined || !known.includes(text))
    throw invalid("create strategy", `--for with one of ${known.join(", ")}`, text);
  return text as keyof typeof POINTS;
}

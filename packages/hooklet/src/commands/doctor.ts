import { resolve } from "node:path";
import { AgentClient } from "@hooklet/cli/client";
import { elasticColumns, printLine } from "@hooklet/cli/extend";
import { toJson } from "@hooklet/cli/print";
import { type ConfigFault, faultText, isConfigFaultsError, withoutSources } from "@hooklet/config";
import { defaultRootDir } from "@hooklet/core/base";
import type { ScenarioCommands } from "@hooklet/simulate/commands";
import { errorText } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";
import { type Finding, findings } from "../doctor/findings.js";
import { type AgentFacts, type Asked, machineFacts } from "../doctor/machine-facts.js";
import { contextConfig, portNumber, withPlaces } from "../run/boot-config.js";

export interface DoctorOptions {
  readonly config?: string;
  readonly runtime?: string;
  readonly port?: string;
  readonly output?: "json";
}

/** `hooklet doctor`: 0 when hooklet can run here, also where it lacks something. */
export async function doctor(
  context: AgentContext,
  options: DoctorOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  const { io } = context;
  const config = await configOf(context, options, scenarios);
  const rootDir = typeof config === "string" ? defaultRootDir(process.geteuid?.() ?? -1, io.env) : config.rootDir;
  const socket = typeof config === "string" ? `${rootDir}/hooklet.sock` : config.socket;
  // The agent that the other commands would ask, too.
  const asked = context.global.socket ?? io.env.HOOKLET_SOCKET;
  const agent = async () =>
    (await agentOn(socket)) ?? (asked === undefined ? undefined : agentOn(resolve(io.cwd(), asked)));
  const facts = await machineFacts({ clock: io.clock, env: io.env, config, configFile: options.config, agent });
  const found = findings(facts);
  const isWell = found.every(({ state }) => state !== "fails");
  if (options.output === "json") await printLine(io.stdout, toJson(found));
  else {
    await printLine(
      io.stdout,
      `${facts.isRoot ? "As root" : "As an ordinary user"}, Node ${facts.node}, root dir ${rootDir}\n`,
    );
    await printLine(io.stdout, elasticColumns(found.map(lines).join("\n")));
    await printLine(io.stdout, `\n${summary(found)}`);
  }
  return isWell ? 0 : 1;
}

async function configOf(
  context: AgentContext,
  { config, runtime, port }: DoctorOptions,
  scenarios: ScenarioCommands,
): Promise<Asked["config"]> {
  const asked = port === undefined ? undefined : portNumber(port);
  try {
    const found = await contextConfig(context, { config, runtime }, asked);
    // As `hooklet check`: what only the start of the node and its plugins finds.
    await withPlaces(found, scenarios.tryPlugins(withoutSources(found, context.host.sourcePlugins)));
    return found;
  } catch (error) {
    if (!isConfigFaultsError(error)) return errorText(error);
    return configFault(error.faults);
  }
}

/** `hooklet check` names the faults of the rc file; it does not know the options of this command line. */
export function configFault(faults: readonly ConfigFault[]): string {
  const ofOptions = faults.filter(({ file }) => file.startsWith("--"));
  const ofFile = faults.length - ofOptions.length;
  return [
    ...(ofFile === 0 ? [] : [`${ofFile} ${ofFile === 1 ? "fault" : "faults"} in the rc file`]),
    ...ofOptions.map((fault) => faultText({ ...fault, path: "" }).replace(/\.$/, "")),
  ].join("; ");
}

async function agentOn(socket: string): Promise<Pick<AgentFacts, "text" | "socket"> | undefined> {
  const client = new AgentClient(socket);
  try {
    const { version, nodeName } = await client.version();
    return { text: `hooklet ${version} on node ${nodeName}`, socket };
  } catch {
    return undefined;
  } finally {
    await client.close();
  }
}

function lines({ state, what, found, costs, mend }: Finding): string {
  return [
    `${state}\t${what}\t${found}`,
    ...(costs === undefined ? [] : [`\t\tcosts: ${costs}`]),
    ...(mend === undefined ? [] : [`\t\tfix:   ${mend}`]),
  ].join("\n");
}

function summary(found: readonly Finding[]): string {
  const names = (wanted: Finding["state"]): string =>
    found.flatMap(({ state, what }) => (state === wanted ? [what] : [])).join(", ");
  const [fails, lacks] = [names("fails"), names("lacks")];
  if (fails !== "") return `hooklet cannot run well here: ${fails}.`;
  return lacks === "" ? "Nothing is missing." : `hooklet runs here, without: ${lacks}.`;
}

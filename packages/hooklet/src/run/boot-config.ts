import { type ConfigFault, ConfigFaultsError, type ConfigFlags, loadConfig } from "@hooklet/config";
import type { AgentConfig } from "@hooklet/core/host";
import { type Overcommitted, OvercommittedError } from "@hooklet/core/internal";
import { invalid } from "@hooklet/utils";
import type { AgentContext } from "../agent-context.js";

/** Options of `hooklet run` that are configuration. */
export interface BootOptions {
  readonly config?: string | undefined;
  readonly manifests?: string;
  readonly runtime?: string | undefined;
  readonly nodeName?: string;
  readonly kubeconfig?: string;
  readonly bootstrapKubeconfig?: string;
  /** Files of the user who called sudo count as root's. */
  readonly trustSudoUser?: boolean | undefined;
}

/** The configuration that `hooklet run` has with these options. @throws ConfigFaultsError with all faults */
export function contextConfig(
  { io, host, global }: AgentContext,
  options: BootOptions,
  port?: number,
): Promise<AgentConfig> {
  const flags = { ...options, ...global, port };
  const known = ["config", "manifests", "runtime", "rootDir", "socket", "nodeName", "port"] as const;
  return loadConfig({
    hooklet: host.url,
    plugins: host.plugins,
    sourcePlugins: host.sourcePlugins,
    flags: {
      ...Object.fromEntries(known.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]))),
      sources: [
        ...sourceFlag("--kubeconfig", "kubeconfig", options.kubeconfig),
        ...sourceFlag("--bootstrap-kubeconfig", "bootstrapKubeconfig", options.bootstrapKubeconfig),
      ],
    },
    cwd: io.cwd(),
    env: io.env,
    trustSudoUser: options.trustSudoUser,
    modules: host.modules,
  });
}

/** @throws NodeAgentError INVALID naming --port */
export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw invalid("--port", "a port number from 1 to 65535, or 0 for none", text);
  return port;
}

/** @throws ConfigFaultsError with the places of what `work`, which knows the machine, finds too large */
export async function withPlaces<T>(config: Pick<AgentConfig, "effective">, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof OvercommittedError)) throw error;
    throw new ConfigFaultsError(error.overcommitted.map((one) => placed(config, one)));
  }
}

function placed(
  { effective }: Pick<AgentConfig, "effective">,
  { resource, reserved, capacity, settings: reserving }: Overcommitted,
): ConfigFault {
  // Of cpu the list of CPUs overwrites what the others say.
  const list = effective.find(({ path, value }) => path === RESERVED_CPUS && value !== "");
  const settings = reserving.map((one) =>
    one === "node.systemReserved.cpu" && list !== undefined ? RESERVED_CPUS : one,
  );
  const found = settings.map((setting) => effective.find(({ path }) => path === setting));
  const setting = found.find((one) => one !== undefined);
  const [, file = setting?.origin ?? "default", line] = /^(.*):(\d+)$/s.exec(setting?.origin ?? "") ?? [];
  const others = settings.filter((path) => path !== setting?.path);
  const together = others.length === 0 ? "" : `, together with ${others.join(" and ")} (${reserved} in all)`;
  return {
    file,
    ...(line !== undefined && { line: Number(line) }),
    path: setting?.path ?? "node",
    expected: `at most ${capacity}, the ${resource} of this node${together}`,
    found: String(setting?.value ?? reserved),
  };
}

const RESERVED_CPUS = "node.reservedSystemCPUs";

function sourceFlag(flag: string, option: string, file: string | undefined): NonNullable<ConfigFlags["sources"]> {
  return file === undefined ? [] : [{ flag, source: "kube", option, file }];
}

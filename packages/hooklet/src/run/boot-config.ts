import { type ConfigFlags, loadConfig } from "@hooklet/config";
import type { AgentConfig } from "@hooklet/core/host";
import type { AgentContext } from "../context.js";

/** Options of `hooklet run` that are configuration. */
export interface BootOptions {
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
  readonly nodeName?: string;
  readonly kubeconfig?: string;
  readonly bootstrapKubeconfig?: string;
  /** Files of the user who called sudo count as root's. */
  readonly trustSudoUser?: boolean;
}

/** The configuration that `hooklet run` has with these options. @throws ConfigFaultsError with all faults */
export function contextConfig(
  { io, host, global }: AgentContext,
  options: BootOptions,
  port?: number,
): Promise<AgentConfig> {
  const flags = { ...options, ...global, ...(port === undefined ? {} : { port }) };
  const known = ["config", "manifests", "runtime", "rootDir", "socket", "nodeName", "port"] as const;
  return loadConfig({
    hooklet: host.url,
    plugins: host.plugins,
    ...(host.sourcePlugins === undefined ? {} : { sourcePlugins: host.sourcePlugins }),
    flags: {
      ...Object.fromEntries(known.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]))),
      sources: [
        ...sourceFlag("--kubeconfig", "kubeconfig", options.kubeconfig),
        ...sourceFlag("--bootstrap-kubeconfig", "bootstrapKubeconfig", options.bootstrapKubeconfig),
      ],
    },
    cwd: io.cwd(),
    env: io.env,
    ...(options.trustSudoUser && { trustSudoUser: true }),
    ...(host.modules === undefined ? {} : { modules: host.modules }),
  });
}

function sourceFlag(flag: string, option: string, file: string | undefined): NonNullable<ConfigFlags["sources"]> {
  return file === undefined ? [] : [{ flag, source: "kube", option, file }];
}

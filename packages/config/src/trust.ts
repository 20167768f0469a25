/** Which of the files and folders that the configuration names can be changed by other users (linux: files/trust.ts). */
import type { AgentConfig, SourcePlugins } from "@hooklet/core/host";
import { type TrustFault, type TrustOptions, untrustedFolder } from "@hooklet/linux";
import { type Path, type ValueFault, wordFault } from "./faults/faults.js";
import type { PluginEntry } from "./load/load-plugins.js";

/** The fault of the file at the place of the configuration that names it. */
export function trustFaultAt(path: Path, fault: TrustFault | undefined): ValueFault | undefined {
  return fault && wordFault(path, fault.expected, fault.found);
}

interface Place {
  readonly path: readonly string[];
  readonly file: string | null | undefined;
  /** What it means that others can write there. */
  readonly means: string;
}

const RUNS = "who can write there decides what runs";

/** `sources`: the options of plugins' sources, with absolute paths. */
export function openPlaces(
  { sources: own, server }: Pick<AgentConfig, "sources" | "server">,
  sources: readonly PluginEntry[],
  sourcePlugins: SourcePlugins,
  owners: TrustOptions,
): readonly string[] {
  const ofPlugins = sources.flatMap(({ path, options }) => {
    const { files = [] } = sourcePlugins[String(path.at(-1))] ?? {};
    const settings = (options ?? {}) as Readonly<Record<string, unknown>>;
    return files.map((name): Place => {
      const file = settings[name];
      return { path: [...path.map(String), name], file: typeof file === "string" ? file : undefined, means: RUNS };
    });
  });
  const places: readonly Place[] = [
    { path: ["sources", "manifests"], file: own.manifests, means: RUNS },
    ...ofPlugins,
    {
      path: ["server", "authentication", "x509", "clientCAFile"],
      file: server?.authentication.x509.clientCAFile,
      means: "who can write there decides who is let in",
    },
    { path: ["server", "tlsCertFile"], file: server?.tlsCertFile, means: "who can write there speaks for this node" },
    {
      path: ["server", "tlsPrivateKeyFile"],
      file: server?.tlsPrivateKeyFile,
      means: "who can write there speaks for this node",
    },
  ];
  return places.flatMap(({ path, file, means }) => {
    const fault = typeof file === "string" ? untrustedFolder(file, means, owners) : undefined;
    return fault === undefined ? [] : [`${path.join(".")}: expected ${fault.expected}, found ${fault.found}`];
  });
}

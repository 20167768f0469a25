/** Resolves the options on this machine: paths relative to their files, defaults, the node's name. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultRootDir } from "@hooklet/core/base";
import type { AgentConfig, NodeServerConfig, SourcePlugins } from "@hooklet/core/host";
import { rcSchema } from "@hooklet/core/internal";
import { type TrustOptions, untrustedFolder } from "@hooklet/linux";
import type { z } from "zod";
import { type ConfigFault, type Path, type ValueFault, valueFault } from "./faults/faults.js";
import { parseWith } from "./faults/schema-faults.js";
import type { RcFile } from "./rc-text.js";
import { trustFaultAt } from "./trust.js";

type Settings = Pick<
  AgentConfig,
  "rootDir" | "socket" | "port" | "healthz" | "readOnlyPort" | "readOnlySocket" | "server" | "node" | "sources"
>;

type Options = z.output<typeof rcSchema>;

interface SettingsInput {
  /** Of the rc files and the command line, with the schema's defaults. */
  readonly value: Options;
  readonly sourcePlugins: SourcePlugins;
  /** A path as the file meant it that says so. */
  readonly near: (path: Path, file: string) => string;
  readonly owners: TrustOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The machine's host name. */
  readonly host: string;
  readonly rc: RcFile | undefined;
  /** Where it stands what a fault is about. */
  readonly placed: (fault: ValueFault) => ConfigFault;
}

/** The settings, and what is wrong with them on this machine: places that cannot be trusted, a group or a name that is none. */
export function agentSettings(input: SettingsInput): {
  readonly settings: Settings;
  readonly faults: readonly ConfigFault[];
} {
  const { value, sourcePlugins, near, owners, env } = input;
  const own = Object.entries(value.sources).filter(([key]) => !Object.hasOwn(sourcePlugins, key));
  const rootDir = value.rootDir === undefined ? defaultRootDir(owners.uid, env) : near(["rootDir"], value.rootDir);
  const manifests = value.sources.manifests === null ? null : near(["sources", "manifests"], value.sources.manifests);
  const socket = value.socket === undefined ? join(rootDir, "hooklet.sock") : near(["socket"], value.socket);
  const { readOnlySocket, faults } = readOnlySocketOf(input);
  const { name, faults: ofName } = nodeName(input);
  const settings: Settings = {
    rootDir,
    socket,
    port: value.port,
    ...(value.healthzPort !== 0 && { healthz: { address: value.healthzBindAddress, port: value.healthzPort } }),
    readOnlyPort: value.readOnlyPort,
    readOnlySocket,
    ...(value.server !== null && { server: serverConfig(value.server, near) }),
    node: { ...value.node, name },
    sources: { ...(Object.fromEntries(own) as typeof value.sources), manifests },
  };
  const places = [
    trustFaultAt(
      ["rootDir"],
      untrustedFolder(rootDir, "choose another root directory, with --root-dir or rootDir", owners),
    ),
    // In the root directory it stands and falls with that one.
    dirname(socket) === rootDir
      ? undefined
      : trustFaultAt(
          ["socket"],
          untrustedFolder(dirname(socket), "choose another place, with --socket or socket", owners),
        ),
  ];
  const found = [...places.filter((fault) => fault !== undefined), ...faults, ...samePorts(value)];
  return { settings, faults: [...found.map(input.placed), ...ofName] };
}

const LOCAL = "127.0.0.1";
const ANY = ["0.0.0.0", "::"];

/** Ports that another setting has already, on an address that both listen on. */
function samePorts({ port, healthzPort, healthzBindAddress, readOnlyPort, server }: Options): readonly ValueFault[] {
  const all = [
    { path: ["port"], address: LOCAL, number: port },
    { path: ["healthzPort"], address: healthzBindAddress, number: healthzPort },
    { path: ["readOnlyPort"], address: LOCAL, number: readOnlyPort },
    ...(server === null ? [] : [{ path: ["server", "port"], address: server.address, number: server.port }]),
  ].filter(({ number }) => number !== 0);
  const meet = (a: string, b: string): boolean => a === b || ANY.includes(a) || ANY.includes(b);
  return all.flatMap(({ path, address, number }, index) => {
    const first = all.slice(0, index).find((one) => one.number === number && meet(one.address, address));
    return first === undefined ? [] : [valueFault(path, `another port than ${first.path.join(".")}`, number)];
  });
}

function readOnlySocketOf({ value, near, owners }: SettingsInput): {
  readonly readOnlySocket: Settings["readOnlySocket"];
  readonly faults: readonly ValueFault[];
} {
  const wanted = value.readOnlySocket;
  if (wanted === null) return { readOnlySocket: null, faults: [] };
  const path = near(["readOnlySocket", "path"], wanted.path);
  const group = groupNumber(wanted.group);
  const fault = untrustedFolder(dirname(path), "choose another place for it", owners);
  const place = trustFaultAt(["readOnlySocket", "path"], fault);
  const faults = place === undefined ? [] : [place];
  if (group !== undefined) return { readOnlySocket: { path, group }, faults };
  const unknown = valueFault(["readOnlySocket", "group"], "a group of /etc/group, or its number", wanted.group);
  return { readOnlySocket: null, faults: [...faults, unknown] };
}

/** The machine's host name by default. */
function nodeName({ value, host, rc }: SettingsInput): {
  readonly name: string;
  readonly faults: readonly ConfigFault[];
} {
  const written = value.node.name;
  if (written !== undefined) return { name: written, faults: [] };
  const name = host.toLowerCase();
  const [fault] = parseWith(rcSchema, { node: { name } }).faults ?? [];
  if (fault === undefined) return { name, faults: [] };
  const expected = `${fault.expected} (the machine's host name is none: say --node-name or node.name)`;
  return { name, faults: [{ file: rc?.file ?? "default", path: "node.name", expected, found: fault.found ?? name }] };
}

/** The number of a group of /etc/group; a number is returned unchanged; undefined for an unknown name. */
function groupNumber(group: string | number): number | undefined {
  if (typeof group === "number") return group;
  const line = readFileSync("/etc/group", "utf8")
    .split("\n")
    .find((one) => one.split(":")[0] === group);
  const number = line?.split(":")[2];
  return number !== undefined && /^\d+$/.test(number) ? Number(number) : undefined;
}

/** With its files found from the file that names them. */
function serverConfig(server: NodeServerConfig, near: (path: Path, file: string) => string): NodeServerConfig {
  const { tlsCertFile, tlsPrivateKeyFile, authentication } = server;
  const found = (steps: Path, file: string | undefined): string | undefined =>
    file === undefined ? undefined : near(["server", ...steps], file);
  const clientCAFile = found(["authentication", "x509", "clientCAFile"], authentication.x509.clientCAFile);
  return {
    ...server,
    tlsCertFile: found(["tlsCertFile"], tlsCertFile),
    tlsPrivateKeyFile: found(["tlsPrivateKeyFile"], tlsPrivateKeyFile),
    authentication: { ...authentication, x509: { clientCAFile } },
  };
}

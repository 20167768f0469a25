/** containerd's hosts.toml: from which hosts the images of a registry come. */

import { readdir } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { whenGone } from "@hooklet/core/subsystem";
import { readBounded } from "@hooklet/linux";
import { parse } from "smol-toml";
import { z } from "zod";

export interface RegistryHost {
  /** `mirror.example:5000`, or `mirror.example/path`. */
  readonly location: string;
  /** Certificates are not checked, and plain HTTP will do. */
  readonly insecure: boolean;
  /** It is asked for names with a digest alone. */
  readonly onlyDigests: boolean;
  /** Files of certificates that it may have signed its own with. */
  readonly ca: readonly string[];
  /** Files of certificate and key that it is shown. */
  readonly client: readonly (readonly [certificate: string, key: string])[];
}

/** In the order in which they are asked. */
export type RegistryHosts = readonly [RegistryHost, ...RegistryHost[]];

const texts = z.union([z.string(), z.array(z.string())]);
const hostTable = z.object({
  capabilities: z
    .array(
      z
        .string()
        .toLowerCase()
        .pipe(z.enum(["pull", "resolve", "push"])),
    )
    .optional(),
  ca: texts.optional(),
  client: z.union([z.string(), z.array(z.union([z.string(), z.tuple([z.string(), z.string()])]))]).optional(),
  skip_verify: z.boolean().optional(),
  header: z.record(z.string(), texts).optional(),
  override_path: z.boolean().optional(),
});
const hostsFile = hostTable.extend({
  server: z.string().optional(),
  host: z.record(z.string(), hostTable).optional(),
});

type HostTable = z.infer<typeof hostTable>;

/** The registry itself, where nothing else is said of it. Loopback needs no certificate, as in containerd. */
export function ownHost(registry: string): RegistryHost {
  return { location: registry, insecure: isLoopback(registry), onlyDigests: false, ca: [], client: [] };
}

/** Throws `invalid-argument` for what is no hosts.toml, and for what skopeo cannot do. */
export function parseHostsToml(text: string, file: string, registry: string): RegistryHosts {
  const { server = "", host = {}, ...own } = readToml(text, file);
  const tables: readonly (readonly [string, HostTable])[] = [...Object.entries(host), [server, own]];
  const hosts = tables.flatMap(([url, table]) => {
    const { capabilities = [] } = table;
    const isAsked = capabilities.length === 0 || capabilities.includes("pull");
    return isAsked ? [toHost(url, table, file, registry)] : [];
  });
  const [first, ...more] = hosts;
  if (first !== undefined) return [first, ...more];
  throw wrong(file, `no host of ${registry} has the capability pull`);
}

function readToml(text: string, file: string): z.infer<typeof hostsFile> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw wrong(file, `it is no TOML: ${errorText(error)}`);
  }
  const parsed = hostsFile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw wrong(file, z.prettifyError(parsed.error));
}

function toHost(url: string, table: HostTable, file: string, registry: string): RegistryHost {
  if (Object.keys(table.header ?? {}).length > 0) throw wrong(file, "skopeo sends no header of yours: remove `header`");
  const { capabilities = [], skip_verify: skipVerify = false } = table;
  const absolute = (path: string): string => posix.resolve(posix.dirname(file), path);
  const { ca = [], client = [] } = table;
  const own = url === "" ? ownHost(registry) : reached(url, table, file);
  return {
    ...own,
    insecure: own.insecure || skipVerify,
    onlyDigests: capabilities.length > 0 && !capabilities.includes("resolve"),
    ca: [ca].flat().map(absolute),
    client: (typeof client === "string" ? [client] : client).map((pair) => {
      const [certificate, key] = typeof pair === "string" ? [pair, pair] : pair;
      return [absolute(certificate), absolute(key)];
    }),
  };
}

/** By its URL. skopeo asks for `/v2/<path>/<name>`; containerd can do other things with `override_path`. */
function reached(url: string, { override_path: isWhole = false }: HostTable, file: string): RegistryHost {
  const text = url.startsWith("http") ? url : `https://${url}`;
  if (!URL.canParse(text)) throw wrong(file, `${JSON.stringify(url)} is no URL`);
  const { protocol, host, pathname } = new URL(text);
  const path = posix.normalize(pathname).replace(/\/$/, "");
  const isRoot = path === "/v2" || (path === "" && !isWhole);
  if (!isRoot && !(isWhole && path.startsWith("/v2/"))) {
    throw wrong(file, `${url}: skopeo finds images below /v2 alone, at HOST or with override_path at HOST/v2/PATH`);
  }
  return { ...ownHost(host), location: `${host}${path.slice("/v2".length)}`, insecure: protocol === "http:" };
}

function isLoopback(registry: string): boolean {
  const name = registry.replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function wrong(file: string, why: string): RuntimeError {
  return new RuntimeError("invalid-argument", `${file}: ${why}`);
}

// Looks up in containerd's `certs.d` what is said of a registry: hosts.toml, or certificates as docker has them.

/** Of a hosts.toml, and of a file of certificates. */
export const LARGEST_FILE = 2 ** 20;

/** @param configPath folders with colons between, as in containerd's `config_path`; the first that knows the registry counts */
export async function findHosts(configPath: string, registry: string): Promise<RegistryHosts> {
  for (const root of configPath.split(":").filter((path) => path !== "")) {
    for (const name of foldersOf(registry)) {
      const folder = join(root, name);
      const names = await whenGone(undefined, () => readdir(folder), ["ENOENT", "ENOTDIR"]);
      if (names !== undefined) return readFolder(folder, names, registry);
    }
  }
  return [ownHost(registry)];
}

function foldersOf(registry: string): readonly string[] {
  return [...new Set([registry.replace(/:(\d+)$/, "_$1_"), registry, "_default"])];
}

async function readFolder(folder: string, names: readonly string[], registry: string): Promise<RegistryHosts> {
  if (names.includes("hosts.toml")) {
    const file = join(folder, "hosts.toml");
    const text = await readBounded(file, { maxBytes: LARGEST_FILE }).catch((error: unknown) => {
      throw new RuntimeError("invalid-argument", `${file} cannot be read: ${errorText(error)}`, { cause: error });
    });
    if (text !== "") return parseHostsToml(text, file, registry);
  }
  const own = ownHost(registry);
  const ending = (end: string): string[] =>
    names.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
  const client = ending(".cert").map((certificate): readonly [string, string] => {
    const key = join(folder, `${basename(certificate, ".cert")}.key`);
    if (names.includes(basename(key))) return [certificate, key];
    throw new RuntimeError("invalid-argument", `${certificate}: expected its key beside it, ${key}`);
  });
  return [{ ...own, ca: ending(".crt"), client }];
}

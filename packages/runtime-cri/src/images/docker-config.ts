/** Registry credentials of docker config files, found and matched as the kubelet does. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { errno, errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { parseReference } from "@hooklet/core/rules";
import { z } from "zod";

/** The CRI's AuthConfig. */
export interface Credential {
  readonly username: string;
  readonly password: string;
  readonly identityToken: string;
  readonly serverAddress: string;
}

const entry = z.object({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});
const file = z.object({ auths: z.record(z.string(), entry).default({}) });
const LARGEST_FILE = 1024 * 1024;

/** Where the kubelet looks, the first file that is there counts. */
export function usualPlaces(rootDir: string, home: string | undefined): readonly string[] {
  return [
    path.join(rootDir, "config.json"),
    ...(home === undefined ? [] : [path.join(home, ".docker/config.json")]),
    "/.docker/config.json",
  ];
}

/**
 * Credentials for an image, the most specific first; empty: pull without any.
 * @throws RuntimeError invalid-argument for a file that cannot be used
 */
export async function credentialsFor(image: string, places: readonly string[]): Promise<readonly Credential[]> {
  for (const place of places) {
    const text = await textOf(place);
    if (text !== undefined) return matching(image, parse(place, text));
  }
  return [];
}

type Auths = Readonly<Record<string, z.infer<typeof entry>>>;

function parse(place: string, text: string): Auths {
  try {
    if (text.length > LARGEST_FILE) throw new Error(`it has ${text.length} bytes, expected at most ${LARGEST_FILE}`);
    return file.parse(JSON.parse(text)).auths;
  } catch (error) {
    throw new RuntimeError("invalid-argument", `${place} is no docker config file: ${errorText(error)}`);
  }
}

/** Keys are registries or URLs with an optional path; each part of the host may be a glob. */
function matching(image: string, auths: Auths): readonly Credential[] {
  const { repository } = parseReference(image);
  return Object.entries(auths)
    .filter(([key]) => covers(keyOf(key), repository))
    .toSorted(([a], [b]) => keyOf(b).length - keyOf(a).length || (a < b ? -1 : 1))
    .map(([, auth]) => credential(auth));
}

/** `https://index.docker.io/v1/` is `docker.io`. */
function keyOf(key: string): string {
  const bare = key
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "")
    .replace(/\/v[12]$/, "");
  return bare.replace(/^(index|registry-1)\.docker\.io/, "docker.io");
}

function covers(key: string, repository: string): boolean {
  const [host = "", ...rest] = key.split("/");
  const [domain = "", ...repo] = repository.split("/");
  const [wanted, found] = [host.split("."), domain.split(".")];
  if (wanted.length !== found.length || !wanted.every((part, index) => glob(part, found[index] ?? ""))) return false;
  return rest.length === 0 || repo.join("/").startsWith(rest.join("/"));
}

function glob(pattern: string, text: string): boolean {
  const words = pattern.split("*").map((word) => word.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${words.join(".*")}$`).test(text);
}

/**
 * The server stays empty, as in the kubelet: it was matched here, and containerd drops credentials for a server that is
 * written otherwise than as a URL.
 */
function credential({ auth, username, password, identitytoken }: z.infer<typeof entry>): Credential {
  const decoded = Buffer.from(auth ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return {
    username: username ?? (colon < 0 ? "" : decoded.slice(0, colon)),
    password: password ?? (colon < 0 ? "" : decoded.slice(colon + 1)),
    identityToken: identitytoken ?? "",
    serverAddress: "",
  };
}

async function textOf(place: string): Promise<string | undefined> {
  try {
    return await readFile(place, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errno(error) ?? "")) return undefined;
    throw new RuntimeError("invalid-argument", `registry credentials cannot be read: ${errorText(error)}`);
  }
}

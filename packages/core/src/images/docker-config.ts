/** Logins as docker writes them, and which of them fit an image (the kubelet's credentialprovider). Pure. */
import { isRecord } from "@hooklet/manifest";
import { parseReference } from "./reference.js";

export interface RegistryLogin {
  /** `registry.example.com/team`, a part of a host may be `*`. */
  readonly place: string;
  readonly username: string;
  readonly password: string;
  readonly identityToken?: string;
}

const DEFAULT_REGISTRY = "index.docker.io";

/** Those that fit the image, most specific place first. @throws RuntimeError for what is no image name */
export function loginsFor(logins: readonly RegistryLogin[], image: string): readonly RegistryLogin[] {
  const { registry, repository } = target(image);
  const sorted = [...logins].sort((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0));
  const found = sorted.filter(({ place }) => matches(place, registry, repository));
  if (found.length > 0 || registry !== "docker.io") return found;
  return sorted.filter(({ place }) => place.split("/", 1)[0] === DEFAULT_REGISTRY);
}

/**
 * Of `auths` of a docker config file, or of a whole file of the older form. `auth`, base64 of `username:password`, goes before the two
 * fields unless it is empty. What is none is left out.
 */
export function loginsIn(auths: unknown): readonly RegistryLogin[] {
  if (!isRecord(auths)) return [];
  return Object.entries(auths).flatMap(([url, entry]) => {
    if (!isRecord(entry)) return [];
    const { username, password, auth, identitytoken } = entry;
    const decoded = typeof auth === "string" && auth !== "" ? Buffer.from(auth, "base64").toString("utf8") : undefined;
    const colon = decoded?.indexOf(":") ?? -1;
    if (decoded !== undefined && colon < 0) return [];
    const login = {
      username: decoded?.slice(0, colon) ?? textOf(username),
      password: decoded?.slice(colon + 1) ?? textOf(password),
      ...(typeof identitytoken === "string" && identitytoken !== "" && { identityToken: identitytoken }),
    };
    return login.username === "" && login.identityToken === undefined ? [] : { place: placeOf(url), ...login };
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Without scheme, `/v1/` and `/v2/`, as docker's own files have them. */
function placeOf(url: string): string {
  const [host = "", ...path] = url.replace(/^https?:\/\//, "").split("/");
  const below = path
    .join("/")
    .replace(/^v[12](\/|$)/, "")
    .replace(/\/$/, "");
  return below === "" ? host : `${host}/${below}`;
}

function target(image: string): { readonly registry: string; readonly repository: string } {
  const [registry = "", ...path] = parseReference(image).repository.split("/");
  return { registry, repository: path.join("/") };
}

function matches(place: string, registry: string, repository: string): boolean {
  const [host = "", ...path] = place.split("/");
  const [pattern = "", port] = host.split(":");
  const [name = "", ownPort] = registry.split(":");
  if (port !== ownPort) return false;
  const parts = pattern.split(".");
  const own = name.split(".");
  if (parts.length !== own.length || !parts.every((part, i) => globs(part, own[i] ?? ""))) return false;
  return repository.startsWith(path.join("/"));
}

/** One part of a host name: `*` and `?` as in a shell. Steps back to the last star alone, so that no pattern takes long. */
function globs(pattern: string, text: string): boolean {
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (p < pattern.length && pattern[p] !== "*" && (pattern[p] === "?" || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (pattern[p] === "*") {
      star = p;
      from = t;
      p += 1;
    } else if (star >= 0) {
      from += 1;
      [p, t] = [star + 1, from];
    } else return false;
  }
  return [...pattern.slice(p)].every((rest) => rest === "*");
}

/** What skopeo reads: which hosts it asks, and what it shows them. Pure. */
import { RuntimeError } from "@hooklet/core/host";
import type { PullCredentials } from "@hooklet/core/subsystem";
import { stringify } from "smol-toml";
import type { RegistryHost, RegistryHosts } from "./hosts-toml.js";

/** containers-registries.conf(5). The last host is asked when the others have nothing. */
export function registriesConf(registry: string, hosts: RegistryHosts): string {
  const entry = ({ location, insecure }: RegistryHost) => ({ location, insecure });
  const last = hosts[hosts.length - 1] ?? hosts[0];
  const mirrors = hosts.slice(0, -1).map((host) => ({
    ...entry(host),
    ...(host.onlyDigests && { "pull-from-mirror": "digest-only" }),
  }));
  return stringify({ registry: [{ prefix: registry, ...entry(last), mirror: mirrors }] });
}

/** `mirror.example:5000` of `mirror.example:5000/path`. */
export function domainOf({ location }: RegistryHost): string {
  return location.split("/", 1)[0] ?? location;
}

/** containers-auth.json(5). Mirrors are shown the same as the registry, as in containerd. Throws `invalid-argument`. */
export function authFile(hosts: RegistryHosts, credentials: PullCredentials | undefined): string {
  if (credentials === undefined) return '{"auths":{}}';
  const { username = "", password = "", auth = "", identityToken = "", serverAddress = "" } = credentials;
  if ((credentials.registryToken ?? "") !== "") {
    throw new RuntimeError(
      "invalid-argument",
      "a registry token cannot be used here: expected a user or an identity token",
    );
  }
  const login = auth !== "" ? auth : username === "" ? "" : Buffer.from(`${username}:${password}`).toString("base64");
  const shown = {
    ...(login !== "" && { auth: login }),
    ...(identityToken !== "" && { identitytoken: identityToken }),
  };
  const domains = hosts.map(domainOf).filter((domain) => serverAddress === "" || domain === hostOf(serverAddress));
  return JSON.stringify({ auths: Object.fromEntries(domains.map((domain) => [domain, shown])) });
}

function hostOf(address: string): string {
  const text = /^https?:\/\//.test(address) ? address : `https://${address}`;
  return URL.canParse(text) ? new URL(text).host : address;
}

/** The cause in what skopeo said at its end, in printable letters of one line. */
export function skopeoError(output: string, code: number): string {
  const fatal = /level=fatal msg="((?:[^"\\]|\\.)*)"/.exec(output)?.[1];
  const text = fatal === undefined ? output : unquoted(fatal);
  const cause = text
    .replace(/^Error parsing image name "[^"]*": /, "")
    .replace(/^initializing source \S+: /, "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  return cause.length > 1_000
    ? `${cause.slice(0, 1_000)} ...`
    : cause || `skopeo ended with ${code > 128 ? `signal ${code - 128}` : `code ${code}`}`;
}

/** Go's quotes are JSON's in all that matters; what is not stays as it is. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

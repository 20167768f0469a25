/** Headers of an HTTP probe as the kubelet sends them (probe/http/request.go). Pure. */

/** The Kubernetes version whose kubelet hooklet reproduces. */
export const KUBE_VERSION = "1.36";
export const USER_AGENT = `kube-probe/${KUBE_VERSION}`;

export type Headers = Readonly<Record<string, readonly string[]>>;

interface HeaderPair {
  readonly name?: string;
  readonly value?: string;
}

/** Pairs as a map: names canonical, repeats kept in order. */
export function headerMap(pairs: readonly HeaderPair[] = []): Headers {
  const headers: Record<string, string[]> = {};
  for (const { name = "", value = "" } of pairs) {
    const key = canonical(name);
    headers[key] = [...(headers[key] ?? []), value];
  }
  return headers;
}

/** `foo-bAR` is `Foo-Bar`; a name with other characters than a token's stays as it is. */
function canonical(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

export interface Wire {
  /** Everything but Host and Connection. */
  readonly headers: Headers;
  /** Replaces the target's own host and port; undefined when not given. */
  readonly host: string | undefined;
}

/** User-Agent and Accept are added, or removed where they are given and empty; `Host` is the request's host. */
export function wireHeaders(given: Headers): Wire {
  const all: Headers = { "User-Agent": [USER_AGENT], Accept: ["*/*"], ...given };
  const { Host: host, Connection: _own, ...headers } = all;
  const kept = Object.entries(headers).filter(([name, [first]]) => !(DROPPED_EMPTY.has(name) && first === ""));
  return { headers: Object.fromEntries(kept), host: host?.[0] || undefined };
}

/** Why Go's client refuses to send these headers, with its text; undefined when it does not. Bytes above 127 are sent as they are. */
export function headerFault(headers: Headers, host: string): string | undefined {
  if (!/^[\w.~!$&'()*+,;=:@%[\]-]*$/.test(host)) return "http: invalid Host header";
  for (const [name, values] of Object.entries(headers)) {
    if (!TOKEN.test(name)) return `net/http: invalid header field name ${JSON.stringify(name)}`;
    if (values.some((value) => CONTROL.test(value)))
      return `net/http: invalid header field value for ${JSON.stringify(name)}`;
  }
  return undefined;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are searched for
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

const DROPPED_EMPTY: ReadonlySet<string> = new Set(["User-Agent", "Accept"]);

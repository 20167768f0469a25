/** HTTP probe: GET, redirects on the same host, verdict (the kubelet's probe/http). */
import type { Clock } from "@hooklet/core";
import type { Attempt } from "../types.js";
import { exchange } from "./http-exchange.js";
import { type Headers, headerFault, wireHeaders } from "./http-headers.js";
import { joinHostPort, type Url, urlText } from "./target.js";
import { httpVerdict, MAX_OUTPUT } from "./verdict.js";

export interface HttpRequest {
  readonly url: Url;
  /** As `headerMap` gives them. */
  readonly headers: Headers;
  readonly timeoutMilliseconds: number;
}

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Never rejects. The timeout covers everything, redirects and bodies too. */
export async function httpProbe(clock: Clock, request: HttpRequest): Promise<Attempt> {
  const wire = wireHeaders(request.headers);
  const deadline = clock.monotonic() + request.timeoutMilliseconds;
  let { url } = request;
  let host = wire.host;
  let referer: string | undefined;
  for (let made = 1; ; made++) {
    const headers = referer === undefined ? wire.headers : { Referer: [referer], ...wire.headers };
    const fault = headerFault(headers, host ?? hostHeader(url));
    if (fault !== undefined) return failure(url, fault);
    const answer = await exchange(clock, {
      url,
      host: host ?? hostHeader(url),
      headers,
      milliseconds: deadline - clock.monotonic(),
    });
    if (answer.kind === "failed") return failure(url, answer.why);
    if (answer.kind === "broken") return { result: "failure", output: "", error: answer.why };
    const { location } = answer;
    if (!REDIRECTS.has(answer.status) || location === undefined || location === "") {
      return httpVerdict(answer.status, answer.body);
    }
    const target = resolveLocation(location, url);
    if (target === undefined) return failure(url, `failed to parse Location header ${JSON.stringify(location)}`);
    if (target.host !== request.url.host) return httpVerdict(answer.status, answer.body);
    if (made >= MAX_REDIRECTS) return failure(url, "stopped after 10 redirects");
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(location)) host = undefined;
    referer = url.scheme === "https" && target.scheme === "http" ? undefined : urlText({ ...url, fragment: "" });
    url = target;
  }
}

/** The server has its say in it, in a Location of any length: it is cut as a body is. A query may hold a secret, and events are read by many. */
function failure(url: Url, why: string): Attempt {
  const shown = url.query === "" ? url : { ...url, query: "?<masked>", fragment: "" };
  const text = `Get ${JSON.stringify(urlText(shown))}: ${why}`;
  const output =
    Buffer.byteLength(text) <= MAX_OUTPUT ? text : Buffer.from(text).subarray(0, MAX_OUTPUT).toString("utf8");
  return { result: "failure", output };
}

/** Default ports are left out, as Go does not: it sends the host as it stands in the URL. */
function hostHeader(url: Url): string {
  return joinHostPort(url.host, url.port);
}

function resolveLocation(location: string, base: Url): Url | undefined {
  if (!URL.canParse(location, urlText(base))) return undefined;
  const url = new URL(location, urlText(base));
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "http" && scheme !== "https") return undefined;
  const port = Number(url.port) || (scheme === "https" ? 443 : 80);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { scheme, host, port, path: url.pathname, query: url.search, fragment: url.hash };
}

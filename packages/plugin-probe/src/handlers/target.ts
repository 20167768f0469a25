/** Where a probe goes: host, port, URL (the kubelet's prober.go, probe/util.go, probe/http/request.go). Pure. */
import type { Container } from "@hooklet/core";
import type { Probe } from "../types.js";

/** An invalid port: the attempt is an error with the kubelet's text. */
export class PortError extends Error {
  override readonly name = "PortError";
}

export interface PortFound {
  /** What was found, also where it is no valid port; -1 and 0, as in the kubelet, where nothing was. */
  readonly value: number;
  readonly error?: string;
}

/** A port by number, by the name that the container gives it, or, for static pods of old, a number written as text. */
export function findPort(port: unknown, ports: Container["ports"]): PortFound {
  if (typeof port === "number") return inRange(port);
  if (typeof port !== "string") return { value: -1, error: `intOrString had no kind: ${JSON.stringify(port)}` };
  const named = ports?.find(({ name }) => name === port);
  if (named !== undefined) return inRange(named.containerPort);
  if (/^[+-]?\d{1,9}$/.test(port)) return inRange(Number(port));
  return { value: 0, error: `strconv.Atoi: parsing ${JSON.stringify(port)}: invalid syntax` };
}

function inRange(value: number): PortFound {
  return value > 0 && value < 65_536 ? { value } : { value, error: `invalid port number: ${value}` };
}

function resolvePort(port: unknown, ports: Container["ports"]): number {
  const { value, error } = findPort(port, ports);
  if (error !== undefined) throw new PortError(error);
  return value;
}

export type Target =
  | {
      readonly kind: "http";
      readonly scheme: string;
      readonly host: string;
      readonly port: number;
      readonly path: string;
    }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "grpc"; readonly host: string; readonly port: number; readonly service: string };

/** Undefined for exec and for a probe without a handler. @throws PortError */
export function targetOf(probe: Probe, podIp: string, ports: Container["ports"]): Target | undefined {
  const { httpGet, tcpSocket, grpc } = probe;
  if (httpGet !== undefined) {
    const { path = "", scheme } = httpGet;
    const port = resolvePort(httpGet.port, ports);
    return { kind: "http", scheme: (scheme || "http").toLowerCase(), host: httpGet.host || podIp, port, path };
  }
  if (tcpSocket !== undefined) {
    return { kind: "tcp", host: tcpSocket.host || podIp, port: resolvePort(tcpSocket.port, ports) };
  }
  if (grpc === undefined) return undefined;
  return { kind: "grpc", host: podIp, port: resolvePort(grpc.port, []), service: grpc.service ?? "" };
}

/** `host:port`, an IPv6 address in brackets. */
export function joinHostPort(host: string, port: number | string): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** Escaped; "" or with a leading slash. */
  readonly path: string;
  /** With its question mark, or "". */
  readonly query: string;
  /** With its hash, or "". */
  readonly fragment: string;
}

/** The path is a URL reference, so that a query works; what cannot be parsed is a plain path. Host and port always win. */
export function probeUrl(target: {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}): Url {
  const { scheme, host, port } = target;
  const isReference = !/[^ -~\u0080-\u{10ffff}]|%(?![0-9A-Fa-f]{2})/u.test(target.path);
  if (!isReference) return { scheme, host, port, path: rooted(escaped(target.path, "%")), query: "", fragment: "" };
  const [, rest = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(target.path) ?? [];
  const path = rest.replace(/^([A-Za-z][A-Za-z0-9+.-]*:(?=\/))?(\/\/[^/]*)?/, "");
  return {
    scheme,
    host,
    port,
    path: rooted(escaped(path, "")),
    query: query.replace(/[^\x21-\x7e]/gu, percent),
    fragment,
  };
}

export function urlText({ scheme, host, port, path, query, fragment }: Url): string {
  return `${scheme}://${joinHostPort(host, port)}${path}${query}${fragment}`;
}

function rooted(path: string): string {
  return path === "" || path.startsWith("/") ? path : `/${path}`;
}

/** What a path may not hold, and `also`, as %XX. */
function escaped(path: string, also: "" | "%"): string {
  const text = also === "%" ? path.replaceAll("%", "%25") : path;
  return text.replace(/[^!$&'()*+,\-./:;=@_~A-Za-z0-9%]/gu, percent);
}

function percent(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

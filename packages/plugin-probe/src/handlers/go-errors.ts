/** Network errors with Go's texts, as in a kubelet's events. Pure. */
import { joinHostPort } from "./target.js";

const connectTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  ECONNRESET: "connect: connection reset by peer",
  EMFILE: "socket: too many open files",
};

type NetworkError = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
};

/** An error before the connection stood. */
export function dialError(thrown: unknown, host: string, port: number): string {
  const error = firstOf(thrown) as NetworkError;
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  const address = joinHostPort(error.address ?? host, error.port ?? port);
  return `dial tcp ${address}: ${connectTexts[error.code ?? ""] ?? error.message}`;
}

export function dialTimeout(host: string, port: number): string {
  return `dial tcp ${joinHostPort(host, port)}: i/o timeout`;
}

export function invalidPort(port: number): string {
  return `dial tcp: address ${port}: invalid port`;
}

/** An error once the connection stood. `ends`: `local->remote`. */
export function exchangeError(thrown: unknown, ends: string): string {
  const error = firstOf(thrown) as NodeJS.ErrnoException;
  const { code = "", message } = error;
  if (message === "socket hang up") return "EOF";
  if (code === "ECONNRESET") return `read tcp ${ends}: read: connection reset by peer`;
  if (code === "EPIPE") return `write tcp ${ends}: write: broken pipe`;
  if (code === "HPE_HEADER_OVERFLOW") return "net/http: server response headers exceeded 1048576 bytes; aborted";
  if (code.startsWith("HPE_"))
    return `net/http: HTTP/1.x transport connection broken: malformed HTTP response (${message})`;
  if (/wrong[_ ]version[_ ]number|packet[_ ]length[_ ]too[_ ]long/i.test(`${code} ${message}`)) {
    return "http: server gave HTTP response to HTTPS client";
  }
  return message;
}

/** Several addresses of one name were tried: the first error counts. */
function firstOf(thrown: unknown): unknown {
  return thrown instanceof AggregateError ? (thrown.errors[0] ?? thrown) : thrown;
}

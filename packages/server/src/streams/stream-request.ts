/** Parses upgrade requests: `/exec`, `/attach` and `/portForward` of the kubelet's server. Pure. */
import type { PodStream } from "@hooklet/core/host";

export interface StreamTarget {
  readonly namespace: string;
  readonly name: string;
  /** Only this pod is meant, not another one of its name. */
  readonly uid?: string;
  readonly request: PodStream;
}

/** Words of a command, and ports: more is no request of a person. */
const MAX = 10_000;

/** A text: what is wrong with it. Undefined: it is none of these paths. */
export function streamTarget(url: string): StreamTarget | string | undefined {
  // As it was sent, and as the guard has seen it: a URL would lead /stats/../exec to exec.
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
  const searchParams = new URLSearchParams(query);
  const [kind, ...steps] = path.split("/").slice(1).map(decoded);
  if (steps.includes(undefined)) return "the path is not encoded as it should be";
  const [namespace = "", name = "", ...rest] = steps as readonly string[];
  if (kind === "portForward") {
    if (rest.length > 1 || name === "") return wrongPath(kind);
    const ports = searchParams.getAll("port").flatMap((text) => text.split(","));
    if (ports.length > MAX || !ports.every(isPort)) return "every port must be a whole number from 1 to 65535";
    return { namespace, name, ...uidOf(rest), request: { kind, ports: ports.map(Number) } };
  }
  if (kind !== "exec" && kind !== "attach") return undefined;
  const container = rest.at(-1);
  if (rest.length > 2 || !container) return wrongPath(kind);
  const wants = (key: string): boolean => ["1", "true"].includes(searchParams.get(key) ?? "");
  const tty = wants("tty");
  const parts = { tty, stdin: wants("input"), stdout: wants("output"), stderr: wants("error") && !tty };
  if (!parts.stdin && !parts.stdout && !parts.stderr) return "you must specify at least 1 of stdin, stdout, stderr";
  const place = { namespace, name, ...uidOf(rest.slice(0, -1)) };
  if (kind === "attach") return { ...place, request: { kind, container, ...parts } };
  const command = searchParams.getAll("command");
  if (command.length === 0 || command.length > MAX) return "you must specify a command";
  return { ...place, request: { kind, container, command, ...parts } };
}

function uidOf([uid]: readonly string[]): { readonly uid?: string } {
  return uid === undefined ? {} : { uid };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step);
  } catch {
    return undefined;
  }
}

function wrongPath(kind: string): string {
  const rest = kind === "portForward" ? "[/UID]" : "[/UID]/CONTAINER";
  return `expected /${kind}/NAMESPACE/POD${rest}`;
}

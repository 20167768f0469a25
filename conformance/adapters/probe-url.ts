import { probeUrl, type Target, targetOf, urlText } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly scheme?: string;
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly httpGet?: { readonly port: number | string };
  readonly tcpSocket?: { readonly port: number | string };
  readonly grpc?: { readonly port: number };
  readonly podIP?: string;
  readonly ports?: { readonly name: string; readonly containerPort: number }[];
}

export const adapter: Adapter<Input> = {
  keys: ["scheme", "host", "port", "path", "httpGet", "podIP", "ports", "tcpSocket", "grpc"],
  run({ scheme = "", host = "", port = 0, path = "", podIP = "", ports = [], ...probe }) {
    if (Object.keys(probe).length === 0) return { url: urlText(probeUrl({ scheme, host, port, path })) };
    const target = attempt(() => targetOf(probe, podIP, ports));
    if (target === undefined) return { ok: false };
    const url = target.kind === "http" ? { url: urlText(probeUrl(target)) } : {};
    return { ok: true, ...target, ...url };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};

function attempt(run: () => Target | undefined): Target | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Error && error.name === "PortError") return undefined;
    throw error;
  }
}

import { headerMap, httpProbe, httpVerdict, KUBE_VERSION, probeUrl } from "@hooklet/plugin-probe/internal";
import { systemClock } from "@hooklet/utils";
import type { Adapter } from "../adapter.js";
import { type ServerTable, serve } from "./probe-http-server.js";
import { type LongText, longText, patience } from "./probes.js";

interface Input {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly timeoutSeconds?: number;
  /** A kubelet never does, and where all redirects lead to one host it plays no part. */
  readonly follow_other_hosts?: boolean;
  readonly server: ServerTable;
}

interface Expected {
  readonly result?: string;
  readonly output?: LongText | { readonly contains: string };
  readonly wire_headers_contain?: Readonly<Record<string, string>>;
  readonly wire_headers_absent?: readonly string[];
  readonly wire_header_names?: readonly string[];
  readonly wire_header_count?: number;
  readonly wire_host?: string;
}

interface Answer {
  readonly result: string;
  readonly output: string;
  /** What the server got, without Host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly host: string | undefined;
}

export const adapter: Adapter<Input> = {
  keys: ["headers", "server", "timeoutSeconds", "follow_other_hosts"],
  async run({ headers, timeoutSeconds = 5, server }): Promise<Answer> {
    const status = server["/"]?.status;
    // 1xx is no final answer on a real wire: the verdict alone is asked.
    if (status !== undefined && status > 0 && status < 200)
      return { ...httpVerdict(status, ""), headers: {}, host: undefined };
    return serve(server, async (port, received) => {
      const probed = await httpProbe(systemClock, {
        url: probeUrl({ scheme: "http", host: "127.0.0.1", port, path: "/" }),
        headers: headerMap(
          Object.entries(headers).flatMap(([name, values]) => values.map((value) => ({ name, value }))),
        ),
        timeoutMilliseconds: patience(
          timeoutSeconds,
          Object.values(server).every(({ delaySeconds = 0 }) => delaySeconds === 0),
        ),
      });
      const { Host: host, ...others } = received();
      return { ...probed, headers: others, host };
    });
  },

  part({ result, output, headers, host }: Answer, expected: Expected) {
    const all: Record<keyof Expected, unknown> = {
      result,
      output: isContains(expected.output) && output.includes(expected.output.contains) ? expected.output : output,
      wire_headers_contain: pick(headers, Object.keys(expected.wire_headers_contain ?? {})),
      wire_headers_absent: (expected.wire_headers_absent ?? []).filter((name) => headers[name] === undefined),
      wire_header_names: Object.keys(headers).sort(),
      wire_header_count: Object.keys(headers).length,
      wire_host: host,
    };
    return pick(all, Object.keys(expected));
  },

  expected(expected: Expected) {
    const text = JSON.stringify(expected).replaceAll("MAJOR.MINOR", KUBE_VERSION);
    const { output, wire_header_names: names, ...others } = JSON.parse(text) as Expected;
    return {
      ...others,
      ...(names && { wire_header_names: [...names].sort() }),
      ...(output !== undefined && { output: isContains(output) ? output : longText(output) }),
    };
  },
};

function isContains(output: Expected["output"]): output is { readonly contains: string } {
  return typeof output === "object" && "contains" in output;
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

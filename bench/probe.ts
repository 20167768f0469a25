/**
 * What probes cost: CPU against a bare Node loop that makes the same connections, lateness, memory, local ports.
 * For probes of real containers see the bench probe-cri. PROBE_BENCH_SECONDS=30 for longer looks.
 */
import { get } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ProbeNetwork } from "@hooklet/plugin-probe";
import { realNetwork } from "@hooklet/plugin-probe/internal";
import { systemClock } from "@hooklet/utils";
import { pods, startProbes } from "./probe/plugin.js";
import { withServer } from "./probe/server.js";
import { median } from "./statistics.js";
import { pause } from "./wait.js";

export const title = "probes: CPU against a bare loop, lateness, memory, ports";

const SECONDS = Number(process.env.PROBE_BENCH_SECONDS ?? 8);
const RATE = 1_000;

/** Each pod on a loopback address of its own. */
const loopback = (i: number): string => `127.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;

export async function run(): Promise<void> {
  await withServer(async (port) => {
    console.table([await cost(port, false), await cost(port, true)]);
    const late: Record<string, string>[] = [];
    for (const periodSeconds of [10, 1]) {
      for (const count of [1_000, 3_000, 10_000]) late.push(await lateness(port, count, periodSeconds));
    }
    console.table(late);
    console.table([await memory(10_000)]);
    console.table([await exhaustion(port)]);
  });
}

async function cost(port: number, http: boolean): Promise<Record<string, string>> {
  const own: number[] = [];
  const bare: number[] = [];
  // Turn by turn: the machine changes its speed under us.
  for (let turn = 0; turn < 3; turn++) {
    bare.push(await cpuPerThousand(() => bareLoop(port, http)));
    own.push(await cpuPerThousand(() => throughPlugin(port, http)));
  }
  const [mine, base] = [median(own), median(bare)];
  return {
    [`${RATE} a second`]: http ? "http" : "tcp",
    "CPU ms per 1000 probes": mine.toFixed(0),
    "bare loop": base.toFixed(0),
    ratio: (mine / base).toFixed(2),
  };
}

interface Running {
  readonly done: () => number;
  stop(): unknown;
}

async function cpuPerThousand(start: () => Promise<Running>): Promise<number> {
  const running = await start();
  await pause(2_000);
  const [cpu, done] = [process.cpuUsage(), running.done()];
  await pause(SECONDS * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const made = running.done() - done;
  await running.stop();
  await pause(500);
  return (user + system) / 1000 / (made / 1000);
}

async function throughPlugin(port: number, http: boolean): Promise<Running> {
  let done = 0;
  const list = pods({ pods: RATE, periodSeconds: 1, http, port, address: loopback });
  const counting: ProbeNetwork = {
    ...realNetwork,
    http(clock, request) {
      done++;
      return realNetwork.http(clock, request);
    },
    tcp(clock, request) {
      done++;
      return realNetwork.tcp(clock, request);
    },
  };
  const instance = await startProbes(list, counting);
  return { done: () => done, stop: () => instance.stop?.() };
}

async function bareLoop(port: number, http: boolean): Promise<Running> {
  let done = 0;
  let made = 0;
  const began = performance.now();
  const timer = setInterval(() => {
    for (; made < ((performance.now() - began) * RATE) / 1000; made++) {
      const host = loopback(made % RATE);
      const late = setTimeout(() => undefined, 1_000);
      const end = (): void => {
        done++;
        clearTimeout(late);
      };
      if (http) {
        get({ host, port, path: "/", agent: false }, (response) => {
          response.on("data", () => undefined);
          response.once("end", end);
        });
      } else {
        const socket = connect({ host, port }, () => {
          end();
          socket.destroy();
        });
      }
    }
  }, 1);
  return { done: () => done, stop: () => clearInterval(timer) };
}

async function lateness(port: number, count: number, periodSeconds: number): Promise<Record<string, string>> {
  const list = pods({ pods: count, periodSeconds, http: false, port, address: loopback });
  const due = new Map<string, number>();
  const late: number[] = [];
  let from = Number.POSITIVE_INFINITY;
  const instance = await startProbes(list, {
    ...realNetwork,
    tcp(clock, request) {
      const now = systemClock.now();
      const first = due.get(request.host);
      // Both times are rounded to milliseconds, so that one may seem early by one.
      if (first !== undefined && now > from) late.push(Math.max(0, ((now - first + 2) % (periodSeconds * 1000)) - 2));
      return realNetwork.tcp(clock, request);
    },
  });
  const addresses = new Map(list.map(({ metadata, status }) => [metadata.name, status?.podIP ?? ""]));
  for (const { pod, nextAt } of (await instance.views?.probes?.rows()) ?? []) {
    // Null: under way just now.
    if (nextAt !== null) due.set(addresses.get(String(pod)) ?? "", Date.parse(String(nextAt)));
  }
  await pause(1_000);
  from = systemClock.now();
  const cpu = process.cpuUsage();
  const seconds = Math.max(SECONDS, periodSeconds);
  await pause(seconds * 1000);
  const { user, system } = process.cpuUsage(cpu);
  await instance.stop?.();
  late.sort((a, b) => a - b);
  const at = (share: number): string => (late[Math.floor(late.length * share)] ?? Number.NaN).toFixed(0);
  return {
    probes: String(count),
    "period s": String(periodSeconds),
    "a second": (late.length / seconds).toFixed(0),
    "late ms p50": at(0.5),
    p99: at(0.99),
    "CPU % of a core": ((user + system) / seconds / 10_000).toFixed(0),
  };
}

/** Half of them new, half after some rounds: what the heap grows by. */
async function memory(count: number): Promise<Record<string, string>> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const list = pods({ pods: count, periodSeconds: 1, http: false, port: 1, address: loopback });
  const silent = { result: "success", output: "" } as const;
  const before = used(collect);
  const instance = await startProbes(list, { ...realNetwork, tcp: async () => silent });
  const fresh = used(collect) - before;
  await pause(5_000);
  const later = used(collect) - before;
  await instance.stop?.();
  return {
    probes: String(count),
    "bytes per probe, new": (fresh / count).toFixed(0),
    "after some rounds": (later / count).toFixed(0),
  };
}

function used(collect: () => void): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** To one port of an address that is no loopback, where the system does not reuse ports that are held. */
async function exhaustion(port: number): Promise<Record<string, string>> {
  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  const host = outside?.address ?? "127.0.0.1";
  const list = pods({ pods: 600, periodSeconds: 1, http: false, port, address: () => host });
  let made = 0;
  let failed = 0;
  const instance = await startProbes(list, {
    ...realNetwork,
    async tcp(clock, request) {
      made++;
      const attempt = await realNetwork.tcp(clock, request);
      if (attempt.result !== "success") failed++;
      return attempt;
    },
  });
  await pause(60_000);
  await instance.stop?.();
  return { "connections in 60 s": String(made), to: `${host}:${port}`, failed: String(failed) };
}

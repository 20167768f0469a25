/** Who is asked and does not answer in time is named by a code of its own, not by one of bad input. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { SourcesHub } from "../../../src/agent/sources-hub.js";
import { pullCredentials } from "../../../src/images/credentials.js";
import { readMachine } from "../../../src/node/node.js";
import type { Host } from "../../../src/plugin/contract.js";
import { PodValues } from "../../../src/pod/life/pod-values.js";
import { ProvidedVolumes } from "../../../src/pod/life/provided-volumes.js";
import { StatusSink } from "../../../src/sources/status-hub.js";
import { aContainer, aPod } from "../../pod/pods.js";

const folder = mkdtempSync(path.join(tmpdir(), "hooklet-timeouts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hangs = (): Promise<never> => new Promise(() => {});
const { signal } = new AbortController();
const volume = { name: "data", configMap: { name: "data" } };
const container = aContainer("main", {
  env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
});
const pod = aPod({ containers: [container], volumes: [volume] });
const volumes = (clock: VirtualClock) =>
  new ProvidedVolumes({ volumesOf: () => ({ kinds: ["configMap"], prepare: hangs, release: hangs }) as never }, clock);
const values = { kinds: ["secretKeyRef"], get: hangs } as const;

/** Calls something that never answers; resolves with the outcome. */
type Ask = (clock: VirtualClock, report: (where: string, error: unknown) => void) => unknown;

const asked: readonly { readonly name: string; readonly code: string; readonly ask: Ask }[] = [
  {
    name: "the provider of credentials",
    code: "PROVIDER_TIMEOUT",
    ask: (clock, report) => {
      const credentials = [{ plugin: "vault", provider: { credentials: hangs } }];
      return pullCredentials({ clock, providers: { credentials }, report }, pod, "web:1", signal);
    },
  },
  {
    name: "the provider of values",
    code: "PROVIDER_TIMEOUT",
    ask: (clock) =>
      new PodValues({ valuesOf: () => values, valueProviders: () => [values] }, clock).of(pod, container, signal),
  },
  {
    name: "the provider of a volume that is prepared",
    code: "PROVIDER_TIMEOUT",
    ask: (clock) => volumes(clock).prepare(pod, folder, volume, signal),
  },
  {
    name: "the provider of a volume that is given back",
    code: "PROVIDER_TIMEOUT",
    ask: (clock) => volumes(clock).release(pod, () => folder),
  },
  {
    name: "a source that is to stop",
    code: "SOURCE_TIMEOUT",
    ask: (clock, report) =>
      new SourcesHub({
        sources: [{ name: "kube", start: async () => {}, stop: hangs }],
        clock,
        report,
        log: pino({ enabled: false }),
        provided: new Set(),
        events: { node: () => undefined } as never,
        manager: {} as never,
        rejected: () => undefined,
        tellAgain: () => undefined,
      }).stop(),
  },
  {
    name: "a source that gets a status",
    code: "SOURCE_TIMEOUT",
    ask: (clock, report) =>
      new StatusSink({ name: "kube", status: hangs }, { clock, report }).tell({ pod, final: false }),
  },
];

test.each(asked)("$name: $code", async ({ code, ask }) => {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const asking = (async () => ask(clock, (_, error) => errors.push(error)))();
  asking.catch((error: unknown) => errors.push(error));
  await clock.advance(120_000);
  expect(errors[0]).toMatchObject({ code, message: expect.stringMatching(/: expected within \d+ s, still busy\.$/) });
});

test("the signal of a source's status call has the code of the agent's stop", async () => {
  const clock = new VirtualClock();
  let given: AbortSignal | undefined;
  const status = (_: unknown, one: AbortSignal): Promise<void> => {
    given = one;
    return hangs();
  };
  const sink = new StatusSink({ name: "kube", status }, { clock, report: () => undefined });
  sink.tell({ pod, final: false });
  await clock.settle();
  sink.stop();
  expect(given?.reason).toMatchObject({ code: "AGENT_STOPPING" });
});

test("a disk whose size cannot be read is the machine's fault: HOST_UNAVAILABLE", async () => {
  const statfs = () => Promise.reject(new Error("EIO: i/o error"));
  const host = { cpus: 1, statfs, kernel: { read: () => undefined, directories: () => [] } } as unknown as Host;
  await expect(readMachine(host, "/var/lib/hooklet")).rejects.toMatchObject({
    code: "HOST_UNAVAILABLE",
    message:
      "The size of the disk under /var/lib/hooklet could not be read: EIO: i/o error. Expected a directory that exists.",
  });
});

/**
 * When probes are made and when they act, against the kubelet's rule: by the times that the probed container writes down itself, and
 * the changes of the pod as a watch brings them. The machine is shared: what happens often is judged by its median, and once more while
 * the machine has had no time for it; what is wrong by rule never gets better. What happens once has no limit but that it comes.
 */
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { AgentClient } from "@hooklet/cli/client";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort, until, Workplace } from "../support/agent.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

const LIMIT = 300_000;
/** Seconds in which the machine has time once for some probes in a row. */
const CALM = 200;
/** Milliseconds, of all probes but the quick one. */
const PERIOD = 1_000;
/** Milliseconds that the median of their distances may be off. */
const CLOSE = 400;
/** Milliseconds, of the probe below a second. */
const QUICK = 250;

/** Milliseconds since the machine's start, with what was seen or done then. */
interface Note {
  readonly at: number;
  readonly word: string;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const gaps = (notes: readonly Note[]): readonly number[] =>
  notes.slice(1).map(({ at }, i) => at - (notes[i]?.at ?? Number.NaN));
/** Whether the last ones came at this distance from each other. */
const keeps = (notes: readonly Note[], count: number, period: number, off: number): boolean =>
  notes.length > count && Math.abs(median(gaps(notes.slice(-count - 1))) - period) < off;
const uptime = async (): Promise<number> => 1000 * Number((await readFile("/proc/uptime", "utf8")).split(" ")[0]);

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: Workplace;
  let state: string;
  const end = new AbortController();
  let watched: Promise<void>;
  /** Changes of readiness, by container. */
  const flips: Record<string, Note[]> = { main: [], quick: [] };

  /** Puts a script into the container, whole or not at all; its `note WORD` writes the time to the script's own file. */
  async function script(name: string, text: string): Promise<void> {
    const note = `note() { echo "$(cut -d' ' -f1 /proc/uptime) $1" >> /state/${path.basename(name)}.notes; }`;
    await writeFile(path.join(state, "new"), `#!/bin/sh\n${note}\n${text}\n`);
    await chmod(path.join(state, "new"), 0o755);
    await rename(path.join(state, "new"), path.join(state, name));
  }

  async function notes(name: string, word?: string): Promise<readonly Note[]> {
    const text = await readFile(path.join(state, `${name}.notes`), "utf8").catch(() => "");
    const all = [...text.matchAll(/^(\S+) (\S+)$/gm)].map(([, at, said = ""]) => ({
      at: 1000 * Number(at),
      word: said,
    }));
    return all.filter((one) => word === undefined || one.word === word);
  }

  const answer = (container: string, code: number): Promise<void> =>
    script(`www/cgi-bin/${container}`, `note ${code}; printf 'Status: ${code} Word\\r\\n\\r\\nsaid\\n'`);

  /**
   * Has the server answer `code` and waits for what becomes of it. Probes of later periods until the change: by rule none. One that follows
   * at once is none of those: a container that is not ready is asked again with each change of its pod.
   */
  async function turn(container: "main" | "quick", code: number, threshold: number): Promise<number> {
    const [before, own] = [(await notes(container, String(code))).length, flips[container] ?? []];
    const known = own.length;
    await answer(container, code);
    await until(`${container} turns at ${code}`, async () => own.length > known);
    expect(own[known]?.word).toBe(code === 200 ? "ready" : "unready");
    const turned = own[known]?.at ?? Number.NaN;
    const made = (await notes(container, String(code))).slice(before).filter(({ at }) => at <= turned);
    expect(made.length).toBeGreaterThanOrEqual(threshold);
    const decided = made[threshold - 1]?.at ?? Number.NaN;
    return made.filter(({ at }) => at > decided + PERIOD / 2).length;
  }

  async function watch(): Promise<void> {
    const changes = new AgentClient(path.join(node.rootDir, "hooklet.sock")).watchPods(end.signal);
    try {
      for await (const { object } of changes) {
        for (const { name, ready } of object.status?.containerStatuses ?? []) {
          const word = ready ? "ready" : "unready";
          if (flips[name]?.at(-1)?.word !== word) flips[name]?.push({ at: await uptime(), word });
        }
      }
    } catch (error) {
      if (!end.signal.aborted) throw error;
    }
  }

  beforeAll(async () => {
    runtime = await offer.start("probtime");
    node = await Workplace.create();
    const rc = {
      node: { name: "node1", evictionHard: {} },
      runtime: runtime.rc,
      plugins: [["probe", { subSecond: true }]],
    };
    await writeFile(path.join(node.folder, "rc.json"), JSON.stringify(rc));
    await node.start("--config", path.join(node.folder, "rc.json"));
    watched = watch();
    state = path.join(node.folder, "state");
    await mkdir(path.join(state, "www/cgi-bin"), { recursive: true });
    const port = await freePort();
    for (const container of ["main", "quick"]) await answer(container, 200);
    await script(
      "life",
      `note born; busybox httpd -f -p ${port} -h /state/www & web=$!
trap 'note term; kill $web; exit 0' TERM; wait $web`,
    );
    await script("started", "note asked; test -e /state/up");
    await script("alive", "if test -e /state/sick; then note sick; exit 1; fi; note well");
    const common = {
      image: runtime.image,
      imagePullPolicy: "IfNotPresent",
      volumeMounts: [{ name: "state", mountPath: "/state" }],
    };
    const probe = { periodSeconds: 1, timeoutSeconds: 20 };
    const main = {
      ...common,
      name: "main",
      command: ["sh", "/state/life"],
      startupProbe: { exec: { command: ["sh", "/state/started"] }, ...probe, failureThreshold: 300 },
      readinessProbe: { httpGet: { path: "/cgi-bin/main", port }, ...probe, failureThreshold: 2 },
      livenessProbe: { exec: { command: ["sh", "/state/alive"] }, ...probe, failureThreshold: 2 },
    };
    const quick = {
      ...common,
      name: "quick",
      command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait $!"],
      readinessProbe: { httpGet: { path: "/cgi-bin/quick", port }, timeoutSeconds: 20, failureThreshold: 3 },
    };
    const annotations = { "probe.hooklet.dev/quick.readiness.periodMilliseconds": String(QUICK) };
    const volumes = [{ name: "state", hostPath: { path: state } }];
    const spec = { terminationGracePeriodSeconds: 60, volumes, containers: [main, quick] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "timed", annotations }, spec };
    await node.manifest("timed.json", JSON.stringify(pod));
    await until("it is probed", async () => (await notes("started")).length > 0, 120);
  }, LIMIT);

  afterAll(async () => {
    end.abort();
    await watched;
    await node.remove();
    await runtime.stop();
  }, LIMIT);

  test(
    "a startup probe comes every second; the others wait for its success",
    async () => {
      const steady = async () => keeps(await notes("started"), 4, PERIOD, CLOSE);
      await until("a startup probe comes every second", steady, CALM);
      expect(await notes("main")).toEqual([]);
      expect(await notes("alive")).toEqual([]);
      await writeFile(path.join(state, "up"), "");
      await until("readiness is probed", async () => (await notes("main")).length > 0);
      const asked = await notes("started");
      expect((await notes("main"))[0]?.at).toBeGreaterThanOrEqual(asked.at(-1)?.at ?? Number.NaN);
    },
    LIMIT,
  );

  test(
    "readiness is lost with the second 503 in a row and is back with the first 200, before the probe of the next period",
    async () => {
      await until("it is ready", async () => flips.main?.at(-1)?.word === "ready");
      const late: number[] = [];
      for (let round = 0; round < 30 && !(round >= 3 && median(late.slice(-6)) === 0); round++) {
        late.push(await turn("main", 503, 2));
        late.push(await turn("main", 200, 1));
      }
      expect(median(late.slice(-6))).toBe(0);
    },
    LIMIT,
  );

  test(
    "a period of 250 ms is kept; no fewer than three failures in a row count, and one success",
    async () => {
      const before = (await notes("quick")).length;
      const steady = async () => keeps((await notes("quick")).slice(before), 20, QUICK, QUICK / 2);
      await until("a quick probe comes four times a second", steady, CALM);
      await turn("quick", 503, 3);
      await turn("quick", 200, 1);
    },
    LIMIT,
  );

  test(
    "the second failure of liveness in a row stops the container, no third one is needed, and a new one comes",
    async () => {
      await writeFile(path.join(state, "sick"), "");
      await until("there is a new container", async () => (await notes("life", "born")).length === 2);
      const [term] = await notes("life", "term");
      const born = (await notes("life", "born"))[1];
      const sick = (await notes("alive", "sick")).filter(({ at }) => at <= (born?.at ?? Number.NaN));
      expect(sick.length).toBe(2);
      expect(term?.at).toBeGreaterThanOrEqual(sick[1]?.at ?? Number.NaN);
      expect(born?.at).toBeGreaterThanOrEqual(term?.at ?? Number.NaN);
    },
    LIMIT,
  );
});

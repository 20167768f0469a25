/** The story that a real kubelet was watched in, and what happens when the agent dies in the middle of it, on real containers. */
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, type V1Pod, Workplace } from "./agent.js";
import { type RealRuntime, runtimes } from "./runtimes.js";

interface Golden {
  readonly refused: Readonly<Record<string, { phase: string; reason: string; message: string }>>;
  readonly events: readonly string[];
}

const golden = JSON.parse(
  readFileSync(path.join(root, "packages/plugin-preemption/test/golden/preemption.json"), "utf8"),
) as Golden;

const LIMIT = 120_000;
/** Ends at once on TERM, with 0; or ignores it. Either way a line is left behind every 0.2 s. */
const obedient = 'trap "exit 0" TERM';
const deaf = 'trap "" TERM';

interface PodText {
  readonly resources?: object;
  readonly trap?: string;
  readonly spec?: object;
}

class Node {
  private constructor(
    readonly place: Workplace,
    readonly runtime: RealRuntime,
  ) {}

  /** A node of 2 CPU and 2 GiB. */
  static async create(runtime: RealRuntime): Promise<Node> {
    const place = await Workplace.create();
    await mkdir(path.join(place.folder, "beats"));
    const node = { name: "node1", capacity: { cpu: "2", memory: "2Gi" }, evictionHard: {} };
    const plugins = ["preemption"];
    await writeFile(path.join(place.folder, "rc.json"), JSON.stringify({ node, runtime: runtime.rc, plugins }));
    const here = new Node(place, runtime);
    await here.start();
    return here;
  }

  start(): Promise<void> {
    return this.place.start("--config", path.join(this.place.folder, "rc.json"));
  }

  manifest(name: string, { resources = {}, trap = obedient, spec = {} }: PodText = {}): string {
    const command = ["sh", "-c", `${trap}; while :; do echo >> /beats/${name}; sleep 0.2; done`];
    const volumeMounts = [{ name: "beats", mountPath: "/beats" }];
    const container = {
      name: "main",
      image: this.runtime.image,
      imagePullPolicy: "IfNotPresent",
      command,
      volumeMounts,
      resources,
    };
    const volumes = [{ name: "beats", hostPath: { path: path.join(this.place.folder, "beats") } }];
    const whole = { terminationGracePeriodSeconds: 3, volumes, containers: [container], ...spec };
    return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: whole });
  }

  async apply(name: string, parts: PodText = {}): Promise<void> {
    const file = path.join(this.place.folder, `${name}.json`);
    await writeFile(file, this.manifest(name, parts));
    const { code, stderr } = await this.place.hooklet("apply", "-f", file);
    if (code !== 0) throw new Error(stderr);
  }

  async get(name: string): Promise<V1Pod | undefined> {
    return (await this.place.pods()).find(({ metadata }) => metadata.name === name);
  }

  runs(name: string): Promise<void> {
    return until(`pod ${name} runs`, async () => (await this.get(name))?.status.phase === "Running", 60);
  }

  /** Lines that the pod's process has left so far. */
  async beats(name: string): Promise<number> {
    return (await readFile(path.join(this.place.folder, "beats", name), "utf8").catch(() => "")).length;
  }

  /** Whether a process of the pod still does something. */
  async isAlive(name: string): Promise<boolean> {
    const before = await this.beats(name);
    await new Promise((resolve) => setTimeout(resolve, 700));
    return (await this.beats(name)) > before;
  }

  async warnings(): Promise<readonly string[]> {
    const { stdout } = await this.place.hooklet("events", "-o", "json");
    const events = stdout.split("\n").filter((line) => line !== "");
    return events
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type }) => type === "Warning")
      .map(({ reason, message, involvedObject }) => {
        const { name } = involvedObject as { name: string };
        return `Warning ${String(reason)} ${name}: ${String(message)}`;
      });
  }
}

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
const limits = (cpu: string, memory: string) => ({ resources: { limits: { cpu, memory } } });
const idOf = (pod: V1Pod | undefined) => pod?.status.containerStatuses?.[0]?.containerID;

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: Node;

  beforeAll(async () => {
    runtime = await offer.start("preempt");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  describe("a critical pod on a full node", () => {
    const survivors = new Map<string, string | undefined>();

    beforeAll(async () => {
      node = await Node.create(runtime);
      await node.apply("f-be");
      await node.apply("f-bu600", requests("600m"));
      await node.apply("f-bu500", { ...requests("500m"), trap: deaf });
      await node.apply("f-gu700", limits("700m", "16Mi"));
      for (const name of ["f-be", "f-bu600", "f-bu500", "f-gu700"]) await node.runs(name);
      await node.apply("f-late", requests("500m"));
      await until("f-late is refused", async () => (await node.get("f-late"))?.status.phase === "Failed");
      for (const name of ["f-be", "f-gu700"]) survivors.set(name, idOf(await node.get(name)));
      await node.place.manifest(
        "crit.json",
        node.manifest("crit", { ...requests("1"), spec: { priorityClassName: "system-node-critical" } }),
      );
      await node.runs("crit-node1");
    }, LIMIT);

    afterAll(() => node.place.remove(), LIMIT);

    test("runs; an ordinary one before it was refused, in the kubelet's words", async () => {
      expect((await node.get("f-late"))?.status).toMatchObject(golden.refused["f-late"] ?? {});
    });

    test("displaced the pods that the kubelet displaced, in its order and with its words", async () => {
      expect(await node.warnings()).toEqual(golden.events);
    });

    test.each([
      { name: "f-bu600", how: "ended on TERM", exitCode: 0, reason: "Completed" },
      { name: "f-bu500", how: "ignored TERM and was killed after its grace period", exitCode: 137, reason: "Error" },
    ])("$name $how: Failed, Preempting, and DisruptionTarget", async ({ name, exitCode, reason }) => {
      const { status } = (await node.get(name)) ?? {};
      expect(status).toMatchObject({
        phase: "Failed",
        reason: "Preempting",
        message: "Preempted in order to admit critical pod",
      });
      expect(status?.conditions?.[0]).toMatchObject({
        type: "DisruptionTarget",
        status: "True",
        reason: "TerminationByKubelet",
        message: "Pod was preempted by Kubelet to accommodate a critical pod.",
      });
      expect(status?.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode, reason });
      expect(await node.isAlive(name)).toBe(false);
    });

    test("never touched the others", async () => {
      for (const [name, id] of survivors) {
        const pod = await node.get(name);
        expect({ name, id: idOf(pod), phase: pod?.status.phase }).toEqual({ name, id, phase: "Running" });
        expect(pod?.status.containerStatuses?.[0]?.restartCount).toBe(0);
      }
    });

    test("is explained: what was missing, who went for whom, and who would go next", async () => {
      const late = await node.place.hooklet("explain", "pod", "f-late");
      expect(late.stdout).toMatch(/rejected: OutOfcpu[\s\S]*pod\/default\/f-gu700\s+uses\s+cpu: 700 of 2000/);
      const victim = await node.place.hooklet("explain", "pod", "f-bu600");
      expect(victim.stdout).toMatch(
        /evicted for pod default\/crit-node1[\s\S]*f-gu700\s+spared\s+Guaranteed; gives cpu 700 of 800; distance 0\.01563/,
      );
      const next = path.join(node.place.folder, "next.json");
      await writeFile(next, node.manifest("next", requests("1")));
      const plan = await node.place.hooklet("plan", "preemption", "-f", next, "--static");
      expect(plan.stdout).toContain("would evict default/f-gu700 to free [(res: cpu, q: 700), ]");
    });

    test("that cannot fit even with all victims kills nobody", async () => {
      await node.place.manifest("toobig.json", node.manifest("toobig", requests("64")));
      await until("toobig is refused", async () => (await node.get("toobig-node1"))?.status.phase === "Failed");
      expect((await node.get("toobig-node1"))?.status).toMatchObject({
        reason: "UnexpectedAdmissionError",
        message: expect.stringContaining("no set of running pods found to reclaim resources: [(res: cpu, q: 63000), ]"),
      });
      for (const name of ["f-be", "f-gu700", "crit-node1"])
        expect((await node.get(name))?.status.phase).toBe("Running");
    });
  });

  describe.each([
    { name: "while the first victim dies", delay: 1_000 },
    { name: "between two kills", delay: 3_400 },
    { name: "while the last victim dies", delay: 8_000 },
  ])("an agent that is killed with -9 $name", ({ delay }) => {
    beforeAll(async () => {
      node = await Node.create(runtime);
      await node.apply("spared", requests("300m"));
      for (const name of ["a", "b", "c"]) await node.apply(name, { ...requests("500m"), trap: deaf });
      for (const name of ["spared", "a", "b", "c"]) await node.runs(name);
      await node.place.manifest("crit.json", node.manifest("crit", requests("1500m")));
      await until("the first kill", async () =>
        (await node.warnings()).some((line) => line.startsWith("Warning Preempting")),
      );
      await new Promise((resolve) => setTimeout(resolve, delay));
      await node.place.kill();
      await node.start();
    }, LIMIT);

    afterAll(() => node.place.remove(), LIMIT);

    test(
      "goes on: the same victims end, no other one, and the critical pod runs",
      async () => {
        await node.runs("crit-node1");
        await until(
          "no victim runs",
          async () => !(await Promise.all(["a", "b", "c"].map((name) => node.isAlive(name)))).includes(true),
        );
        for (const name of ["a", "b", "c"]) {
          expect((await node.get(name))?.status).toMatchObject({ phase: "Failed", reason: "Preempting" });
        }
        const spared = await node.get("spared");
        expect([spared?.status.phase, spared?.status.containerStatuses?.[0]?.restartCount]).toEqual(["Running", 0]);
        expect([await node.isAlive("spared"), await node.isAlive("crit")]).toEqual([true, true]);
      },
      LIMIT,
    );
  });
});

describe("what this machine lacks", () => {
  for (const { name, lacking } of runtimes.filter((offer) => offer.lacking !== undefined)) {
    test.skip(`the stories on ${name}: ${lacking}`, () => {});
  }
  test("local processes are always there", () => {
    expect(runtimes.filter(({ lacking }) => lacking === undefined).length).toBeGreaterThan(0);
  });
});

/** The story that a real kubelet was watched in, on real containers. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, type V1Pod } from "../support/agent.js";
import { deaf, LimitedNode } from "../support/limited-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

interface Golden {
  readonly refused: Readonly<Record<string, { phase: string; reason: string; message: string }>>;
  readonly events: readonly string[];
  readonly pods_after: Readonly<Record<string, GoldenPod>>;
}

interface GoldenPod {
  readonly qosClass: string;
  readonly phase: string;
  readonly conditions: readonly Condition[];
  /** State of each container. */
  readonly cs: readonly object[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

const golden = JSON.parse(
  readFileSync(path.join(root, "packages/plugin-preemption/test/golden/preemption.json"), "utf8"),
) as Golden;

const LIMIT = 300_000;

const requests = (cpu: string) => ({ resources: { requests: { cpu } } });
const limits = (cpu: string, memory: string) => ({ resources: { limits: { cpu, memory } } });
/** The watched kubelet let victims that exit 0 end as Succeeded; hooklet keeps the documented Failed / Preempting. */
function onPurpose(name: string, golden: GoldenPod): object {
  if (golden.phase !== "Succeeded") return golden;
  const conditions = golden.conditions.map(({ reason, ...rest }) => {
    if (reason !== "PodCompleted") return { ...rest, ...(reason === undefined ? {} : { reason }) };
    return { ...rest, ...(rest.type === "Initialized" ? {} : { reason: "PodFailed" }) };
  });
  const failed = { phase: "Failed", reason: "Preempting", message: "Preempted in order to admit critical pod" };
  return { ...golden, ...failed, conditions, ...(name === "f-bu500" ? { cs: [killedByForce] } : {}) };
}

/** What f-bu500 did not do in the watched story: it ignores TERM here. */
const killedByForce = { terminated: { exitCode: 137, reason: "Error" } };

const idOf = (pod: V1Pod | undefined) => pod?.status.containerStatuses?.[0]?.containerID;

describe.each(runtimes.filter(({ lacking }) => lacking === undefined))("on $name", (offer) => {
  let runtime: RealRuntime;
  let node: LimitedNode;

  beforeAll(async () => {
    runtime = await offer.start("preempt");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  describe("a critical pod on a full node", () => {
    const survivors = ["f-be", "f-gu700"];
    let after: readonly V1Pod[];
    const pod = (name: string) => after.find(({ metadata }) => metadata.name === name);
    const before = new Map<string, { readonly id: string | undefined; readonly processes: readonly number[] }>();

    beforeAll(async () => {
      node = await LimitedNode.create(runtime);
      await node.apply({
        "f-be": {},
        "f-bu600": requests("600m"),
        "f-bu500": { ...requests("500m"), trap: deaf },
        "f-gu700": limits("700m", "16Mi"),
      });
      await node.run("f-be", "f-bu600", "f-bu500", "f-gu700");
      await node.apply({ "f-late": requests("500m") });
      await until("f-late is refused", async () => (await node.get("f-late"))?.status.phase === "Failed");
      for (const name of survivors)
        before.set(name, { id: idOf(await node.get(name)), processes: node.processes(name) });
      await node.place.manifest(
        "crit.json",
        node.manifest("crit", { ...requests("1"), spec: { priorityClassName: "system-node-critical" } }),
      );
      await node.run("crit-node1");
      after = await node.place.pods();
    }, LIMIT);

    afterAll(() => node.place.remove(), LIMIT);

    test("runs; an ordinary one before it was refused, in the kubelet's words", () => {
      expect(pod("f-late")?.status).toMatchObject(golden.refused["f-late"] ?? {});
    });

    test("displaced the pods that the kubelet displaced, in its order and with its words", async () => {
      expect(await node.warnings()).toEqual(golden.events);
    });

    test.each(Object.entries(golden.pods_after))("leaves %s with the kubelet's status", (name, watched) => {
      const { containerStatuses = [], ...status } = pod(name)?.status ?? {};
      expect({ ...status, cs: containerStatuses.map(({ state }) => state) }).toMatchObject(onPurpose(name, watched));
    });

    test.each(["f-bu600", "f-bu500"])("left no process of %s", (name) => {
      expect(node.processes(name)).toEqual([]);
    });

    test("never touched the others", () => {
      for (const name of survivors) {
        expect({ id: idOf(pod(name)), processes: node.processes(name) }).toEqual(before.get(name));
        expect(before.get(name)?.processes).not.toEqual([]);
        expect(pod(name)?.status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
      }
    });

    test("is explained: what was missing, which pod was evicted for it, and which would be next", async () => {
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

    test("that cannot fit even with all victims kills no pod", async () => {
      await node.place.manifest("toobig.json", node.manifest("toobig", requests("64")));
      await until("toobig is refused", async () => (await node.get("toobig-node1"))?.status.phase === "Failed");
      after = await node.place.pods();
      expect(pod("toobig-node1")?.status).toMatchObject({
        reason: "UnexpectedAdmissionError",
        message: expect.stringContaining("no set of running pods found to reclaim resources: [(res: cpu, q: 63000), ]"),
      });
      for (const name of ["f-be", "f-gu700", "crit-node1"]) expect(pod(name)?.status.phase).toBe("Running");
    });
  });
});

describe("missing on this machine", () => {
  for (const { name, lacking } of runtimes.filter((offer) => offer.lacking !== undefined)) {
    test.skip(`the stories on ${name}: ${lacking}`, () => {});
  }
  test("local processes are always there", () => {
    expect(runtimes.filter(({ lacking }) => lacking === undefined).length).toBeGreaterThan(0);
  });
});

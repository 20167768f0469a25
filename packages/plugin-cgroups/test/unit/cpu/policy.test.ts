import type { Container, Pod } from "@hooklet/core";
import { formatCpuList } from "@hooklet/core/rules";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { StaticPolicy, type StaticPolicyInit } from "../../../src/cpu/policy.js";
import { aPod, both } from "../world.js";
import { cpus, dualSocket, plain, singleSocket } from "./machines.js";

function policyOn(given: Partial<StaticPolicyInit> = {}): StaticPolicy {
  return new StaticPolicy({
    topology: singleSocket,
    reservedMilliCpu: 500,
    reservedCpus: new Set(),
    fullPhysicalCpusOnly: false,
    strictReservation: false,
    ...given,
  });
}

const whole = (name: string, ...amounts: readonly string[]): Pod =>
  aPod(
    name,
    amounts.map((cpu) => both({ cpu, memory: "64Mi" })),
  );

function admit(policy: StaticPolicy, pod: Pod, nodes?: readonly number[]): string | undefined {
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const rejection = policy.allocate(pod, container, nodes);
    if (rejection !== undefined) return `${rejection.reason}: ${rejection.message}`;
  }
  return undefined;
}

const own = (policy: StaticPolicy, uid: string, container = "main"): string =>
  formatCpuList(policy.cpusOf(uid, container));
const shared = (policy: StaticPolicy): string => formatCpuList(policy.state.shared);

describe("the reservation", () => {
  test("is rounded up to whole CPUs, the first ones by topology", () => {
    expect(formatCpuList(policyOn({ reservedMilliCpu: 1100 }).reserved)).toBe("0,4");
  });

  test("is the CPUs that are named", () => {
    expect(formatCpuList(policyOn({ reservedMilliCpu: 2000, reservedCpus: cpus("2,6") }).reserved)).toBe("2,6");
  });

  test.each([
    ["none at all", { reservedMilliCpu: 0 }, "requires systemreserved.cpu + kubereserved.cpu to be greater than zero"],
    [
      "more than there are",
      { reservedMilliCpu: 9000 },
      "unable to reserve the required amount of CPUs (size of  did not equal 9)",
    ],
    [
      "CPUs that are not there",
      { reservedMilliCpu: 1000, reservedCpus: cpus("9") },
      "unable to build the reserved physical CPUs",
    ],
  ])("fails the start in the kubelet's words: %s", (_, init, words) => {
    expect(() => policyOn(init)).toThrow(words);
  });
});

describe("a container", () => {
  test.each([
    { name: "of a Guaranteed pod with whole CPUs has them alone", pod: whole("a", "2"), got: "1,5" },
    { name: "of a Guaranteed pod with parts of CPUs shares", pod: whole("a", "1500m"), got: "0-7" },
  ])("$name", ({ pod, got }) => {
    const policy = policyOn();
    expect(admit(policy, pod)).toBeUndefined();
    expect(own(policy, "uid-a")).toBe(got);
  });

  test("has the same CPUs when it is asked for again", () => {
    const policy = policyOn();
    const pod = whole("a", "2");
    admit(policy, pod);
    const before = own(policy, "uid-a");
    admit(policy, pod);
    expect([own(policy, "uid-a"), shared(policy)]).toEqual([before, "0,2-4,6-7"]);
  });

  test("gets no reserved CPU, and is refused in the kubelet's words when nothing else is left", () => {
    const policy = policyOn({ topology: plain });
    expect(admit(policy, whole("a", "4"))).toBe(
      "UnexpectedAdmissionError: Allocate failed due to not enough cpus available to satisfy request: requested=4, available=3, which is unexpected",
    );
    expect(admit(policy, whole("a", "3"))).toBeUndefined();
    expect(shared(policy)).toBe("0");
  });

  test("gets CPUs of the nodes that the topology manager chose, and the rest from elsewhere", () => {
    const near = policyOn({ topology: dualSocket });
    admit(near, whole("a", "4"), [1]);
    expect(own(near, "uid-a")).toBe("1,3,7,9");
    admit(near, whole("b", "4"), [1]);
    expect(own(near, "uid-b")).toBe("2,5,8,11");
  });
});

describe("init containers", () => {
  const amounts = { resources: both({ cpu: "2", memory: "64Mi" }) };
  const init = (name: string, more: object = {}): Container => ({ name, image: "app:1", ...amounts, ...more });

  test("leave their CPUs to those that start after them", () => {
    const policy = policyOn();
    const pod = aPod("a", [both({ cpu: "2", memory: "64Mi" })], { initContainers: [init("one"), init("two")] });
    admit(policy, pod);
    expect(["one", "two", "main"].map((name) => own(policy, "uid-a", name))).toEqual(["1,5", "1,5", "1,5"]);
    expect(shared(policy)).toBe("0,2-4,6-7");
    policy.release("uid-a");
    expect(shared(policy)).toBe("0-7");
  });

  test("that are sidecars keep theirs", () => {
    const policy = policyOn();
    const sidecar = init("side", { restartPolicy: "Always" });
    admit(policy, aPod("a", [both({ cpu: "2", memory: "64Mi" })], { initContainers: [sidecar] }));
    expect([own(policy, "uid-a", "side"), own(policy, "uid-a")]).toEqual(["1,5", "2,6"]);
  });
});

describe("policy options", () => {
  test("full-pcpus-only: parts of cores are refused", () => {
    const policy = policyOn({ fullPhysicalCpusOnly: true });
    expect(admit(policy, whole("a", "3"))).toBe(
      "SMTAlignmentError: SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2",
    );
  });

  test("full-pcpus-only: siblings of a reserved CPU are no whole core", () => {
    const policy = policyOn({ fullPhysicalCpusOnly: true });
    expect(admit(policy, whole("a", "8"))).toBe(
      "SMTAlignmentError: SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2",
    );
    expect(admit(policy, whole("a", "6"))).toBeUndefined();
  });

  test("strict-cpu-reservation: no container runs on reserved CPUs", () => {
    expect(shared(policyOn({ strictReservation: true }))).toBe("1-7");
  });
});

describe("hints", () => {
  test("name the smallest sets of nodes with enough free CPUs, those that could never be smaller preferred", () => {
    const policy = policyOn({ topology: dualSocket });
    const hints = (cpu: string) =>
      policy.containerHints(whole("a", cpu), whole("a", cpu).spec.containers[0] as Container);
    expect(hints("2")).toEqual([
      { nodes: [0], preferred: true },
      { nodes: [1], preferred: true },
      { nodes: [0, 1], preferred: false },
    ]);
    expect(hints("6")).toEqual([
      { nodes: [1], preferred: true },
      { nodes: [0, 1], preferred: false },
    ]);
    expect(hints("7")).toEqual([{ nodes: [0, 1], preferred: true }]);
    expect(hints("1500m")).toBeNull();
  });

  test("of a container that has its CPUs name their node again", () => {
    const policy = policyOn({ topology: dualSocket });
    const pod = whole("a", "4");
    admit(policy, pod, [1]);
    expect(policy.podHints(pod)?.[0]).toEqual({ nodes: [1], preferred: true });
  });

  test("of a container that has another number of CPUs cannot be met", () => {
    const policy = policyOn({ topology: dualSocket });
    admit(policy, whole("a", "4"));
    expect(policy.podHints(whole("a", "2"))).toEqual([]);
  });
});

describe("a state from before", () => {
  const saved = () => {
    const policy = policyOn();
    admit(policy, whole("a", "2"));
    return policy.state;
  };

  test("is gone on with", () => {
    const policy = policyOn();
    expect(policy.restore(saved())).toBeUndefined();
    expect(own(policy, "uid-a")).toBe("1,5");
  });

  test.each([
    [
      "more is reserved now",
      { reservedMilliCpu: 3000 },
      'not all reserved cpus: "0-1,4" are present in defaultCpuSet: "0,2-4,6-7"',
    ],
  ])("is refused in the kubelet's words: %s", (_, init, words) => {
    const policy = policyOn(init);
    expect(policy.restore(saved())).toContain(words);
    expect(policy.state.assignments.size).toBe(0);
  });

  test("is restored from running containers, except reserved CPUs and those of other containers", () => {
    const policy = policyOn();
    expect(policy.adopt("a", "main", cpus("2,6"))).toBe(true);
    expect(policy.adopt("b", "main", cpus("6-7"))).toBe(false);
    expect(policy.adopt("c", "main", cpus("0"))).toBe(false);
    expect(shared(policy)).toBe("0-1,3-5,7");
  });
});

test("after any sequence every CPU is shared or one pod's, reserved ones are always shared, and the end state is the initial one", () => {
  const amount = fc.constantFrom("1", "2", "3", "500m");
  const step = fc.record({
    pod: fc.integer({ min: 0, max: 5 }),
    amounts: fc.array(amount, { minLength: 1, maxLength: 3 }),
    goes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom(singleSocket, dualSocket), (steps, topology) => {
      const policy = policyOn({ topology });
      const here = new Set<string>();
      for (const { pod, amounts, goes } of steps) {
        const uid = `uid-${pod}`;
        if (goes || (!here.has(uid) && admit(policy, whole(String(pod), ...amounts)) !== undefined)) {
          policy.release(uid);
          here.delete(uid);
        } else here.add(uid);
        const sets = [
          policy.state.shared,
          ...[...policy.state.assignments.keys()].map((key) => policy.state.ofPod(key)),
        ];
        const count = sets.reduce((sum, set) => sum + set.size, 0);
        if (count !== topology.cpus.size || new Set(sets.flatMap((set) => [...set])).size !== count) return false;
        if (![...policy.reserved].every((cpu) => policy.state.shared.has(cpu))) return false;
      }
      for (const uid of here) policy.release(uid);
      return policy.state.shared.size === topology.cpus.size;
    }),
  );
});

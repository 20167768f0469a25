import type { Container, Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountOf, RunningAccount } from "../../../src/admission/account.js";
import { hostPorts, UsedPorts } from "../../../src/admission/host-ports.js";
import { aContainer, aPod } from "./pods.js";

type Port = NonNullable<Container["ports"]>[number];
const withPort = (port: Partial<Port>) =>
  aPod({ containers: [aContainer({}, { ports: [{ containerPort: 80, ...port }] })] });
const conflict = (held: Partial<Port>, wanted: Partial<Port>) =>
  accountOf([withPort(held)]).ports.conflict(hostPorts(withPort(wanted)));

describe("host ports", () => {
  test.each([
    { name: "the same port", held: { hostPort: 80 }, wanted: { hostPort: 80 }, expected: true },
    { name: "another port", held: { hostPort: 80 }, wanted: { hostPort: 81 }, expected: false },
    { name: "no host port", held: { hostPort: 80 }, wanted: {}, expected: false },
    { name: "another protocol", held: { hostPort: 80 }, wanted: { hostPort: 80, protocol: "UDP" }, expected: false },
    { name: "TCP is the default", held: { hostPort: 80, protocol: "TCP" }, wanted: { hostPort: 80 }, expected: true },
    {
      name: "another address",
      held: { hostPort: 80, hostIP: "127.0.0.1" },
      wanted: { hostPort: 80, hostIP: "127.0.0.2" },
      expected: false,
    },
    {
      name: "all addresses against one",
      held: { hostPort: 80, hostIP: "127.0.0.1" },
      wanted: { hostPort: 80 },
      expected: true,
    },
    {
      name: "one address against all",
      held: { hostPort: 80 },
      wanted: { hostPort: 80, hostIP: "127.0.0.1" },
      expected: true,
    },
  ])("$name: conflict $expected", ({ held, wanted, expected }) => expect(conflict(held, wanted)).toBe(expected));

  test("sidecars hold theirs for the pod's life, other init containers do not", () => {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const init = (rest: Partial<Container>) => aPod({ initContainers: [aContainer({}, { ports, ...rest })] });
    expect(hostPorts(init({ restartPolicy: "Always" }))).toHaveLength(1);
    expect(hostPorts(init({}))).toHaveLength(0);
  });
});

describe("the host ports of a pod", () => {
  test("are reported with protocol and address; those that only the pod has are no host ports", () => {
    const ports = [
      { containerPort: 80, hostPort: 8080 },
      { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "127.0.0.1" },
      { containerPort: 81 },
      { containerPort: 82, hostPort: 0 },
    ];
    expect(hostPorts(aPod({ containers: [aContainer({}, { ports })] }))).toEqual([
      { address: "0.0.0.0", port: "TCP/8080" },
      { address: "127.0.0.1", port: "UDP/53" },
    ]);
    expect(hostPorts(aPod({ containers: [aContainer({})] }))).toEqual([]);
  });

  test("are free after their last holder, and releasing a free port changes nothing", () => {
    const used = new UsedPorts();
    const port = hostPorts(withPort({ hostPort: 80 }));
    const elsewhere = hostPorts(withPort({ hostPort: 80, hostIP: "127.0.0.1" }));
    used.remove(port);
    used.add(port);
    used.add(port);
    used.remove(elsewhere);
    expect(used.conflict(port)).toBe(true);
    used.remove(port);
    expect(used.conflict(port)).toBe(true);
    used.remove(port);
    expect(used.conflict(port)).toBe(false);
    used.remove(port);
    used.add(port);
    expect(used.conflict(port)).toBe(true);
  });
});

describe("the running account", () => {
  const pods = Array.from({ length: 8 }, (_, i) =>
    aPod({
      containers: [
        aContainer(
          { cpu: `${i * 100}m`, memory: `${i}Gi`, [`vendor.example/r${i % 3}`]: "1" },
          { ports: [{ containerPort: 80, hostPort: 8000 + (i % 2), hostIP: i % 4 ? "0.0.0.0" : "127.0.0.1" }] },
        ),
      ],
    }),
  );
  const resources = ["cpu", "memory", "vendor.example/r0", "vendor.example/r1", "vendor.example/r2"];
  const view = (account: RunningAccount | ReturnType<typeof accountOf>) => ({
    pods: account.pods,
    used: resources.map((resource) => account.used(resource)),
    conflicts: pods.map((pod) => account.ports.conflict(hostPorts(pod))),
  });

  test("after any sequence of lists is that of the last list alone", () => {
    fc.assert(
      fc.property(fc.array(fc.shuffledSubarray(pods), { minLength: 1, maxLength: 6 }), (lists) => {
        const account = new RunningAccount();
        for (const list of lists) account.update(list);
        expect(view(account)).toEqual(view(accountOf(lists.at(-1) ?? [])));
      }),
    );
  });

  test("a newer status does not make another pod of a pod", () => {
    const account = new RunningAccount().update(pods);
    expect(view(account.update(pods.map((pod) => ({ ...pod, status: { phase: "Running" } }))))).toEqual(
      view(accountOf(pods)),
    );
  });

  test("a malformed quantity leaves the account as it was", () => {
    const account = new RunningAccount().update(pods);
    const bad = aPod({ containers: [aContainer({ cpu: "much" })] });
    expect(() => account.update([...pods.slice(4), bad])).toThrow("much");
    expect(view(account)).toEqual(view(accountOf(pods)));
  });
});

describe("a list that differs from the last one", () => {
  /** Pods that count how often they are read. */
  const looks = new Map<string, number>();
  const watched = (name: string) => {
    const container = aContainer({ cpu: "1m" });
    Object.defineProperty(container, "ports", {
      enumerable: true,
      get: () => void looks.set(name, (looks.get(name) ?? 0) + 1),
    });
    return aPod({ containers: [container] });
  };
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(watched) as [Pod, Pod, Pod, Pod, Pod];

  test.each<[string, readonly Pod[], readonly Pod[], readonly string[]]>([
    ["in nothing: no pod is read", [a, b, c], [a, b, c], []],
    ["in one more at its end", [a, b], [a, b, c], ["c"]],
    ["in one more at its head", [b, c], [a, b, c], ["a"]],
    ["in one more in its middle", [a, c], [a, b, c], ["b"]],
    ["in one less at its end", [a, b, c], [a, b], ["c"]],
    ["in one less at its head", [a, b, c], [b, c], ["a"]],
    ["in one less in its middle", [a, b, c, d], [a, c, d], ["b"]],
    ["in one for another", [a, b, c, d], [a, e, c, d], ["b", "e"]],
  ])("%s", (_, before, after, looked) => {
    const account = new RunningAccount().update(before);
    looks.clear();
    account.update(after);
    expect([...looks.keys()].sort()).toEqual(looked);
    expect(account.pods).toBe(after.length);
    expect(account.used("cpu")).toBe(after.length);
  });
});

import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { SourceIntake } from "../../../src/agent/source-intake.js";
import type { Rejection } from "../../../src/hooks/verdict.js";
import type { PodSource, SourceSink, StatusReport } from "../../../src/sources/port.js";
import { TestNode } from "../../agent/node.js";
import { aContainer, aPod } from "../../pod/pods.js";

const good = aPod({}, { name: "good", uid: "good" });

const hostile: readonly [string, Pod][] = [
  ["a name that leads to another folder", aPod({}, { name: "x/../../victim" })],
  ["a name that is ..", aPod({}, { name: ".." })],
  ["a name with an escape", aPod({}, { name: "a\u001b[31m" })],
  ["a name with a quote", aPod({}, { name: 'a"}' })],
  ["a name with a semicolon, which CNI reads as an argument", aPod({}, { name: "a;IP=10.0.0.1" })],
  ["a name that is too long", aPod({}, { name: "a".repeat(254) })],
  ["a namespace with a dot", aPod({}, { namespace: "a.b" })],
  ["a namespace with a line feed", aPod({}, { namespace: "a\n" })],
  ["a uid with a slash", aPod({}, { uid: "a/b" })],
  ["a uid that is too long", aPod({}, { uid: "a".repeat(65) })],
  ["a container's name that leads elsewhere", aPod({ containers: [aContainer("../../x")] })],
  ["an init container's name with a space", aPod({ initContainers: [aContainer("a b")] })],
  ["an ephemeral container's name with a NUL", aPod({ ephemeralContainers: [aContainer("a\0")] as never })],
  ["a volume's name that is ..", aPod({ volumes: [{ name: "..", emptyDir: {} }] })],
  ["a container's name that is a number", aPod({ containers: [aContainer(1 as never)] })],
  ["volumes that are no list", aPod({ volumes: {} as never })],
];

function intake(): { readonly intake: SourceIntake; readonly refused: [Pod, Rejection][]; readonly full: string[] } {
  const refused: [Pod, Rejection][] = [];
  const full: string[] = [];
  const ports = {
    refused: (pod: Pod, why: Rejection) => void refused.push([pod, why]),
    owner: () => undefined,
    full: (message: string) => void full.push(message),
  };
  return { intake: new SourceIntake(ports), refused, full };
}

test.each(hostile)("%s is refused, and the source's other pods are taken", (_, pod) => {
  const whole = intake();
  expect(whole.intake.replace([good, pod])).toEqual([good]);
  expect(whole.refused).toEqual([[pod, expect.objectContaining({ reason: "InvalidName" })]]);
  const single = intake();
  single.intake.replace([]);
  expect(single.intake.change({ set: [pod, good] })?.set).toEqual([good]);
  expect(single.refused).toHaveLength(1);
});

test.each<[string, Pod]>([
  ["a number in place of a text", aPod({ securityContext: { seccompProfile: { type: 1 as never } } })],
  ["a number in place of a yes", aPod({ hostNetwork: 1 as never })],
  ["a text in place of a number", aPod({ terminationGracePeriodSeconds: "soon" as never })],
  ["a user beyond the kernel's", aPod({ securityContext: { runAsUser: 2 ** 32 } })],
  ["a deadline that is no whole number", aPod({ activeDeadlineSeconds: 0.5 })],
  [
    "a port of more than 32 bits",
    aPod({ containers: [aContainer("main", { ports: [{ containerPort: 2 ** 32 + 22 }] })] }),
  ],
  [
    "capabilities that are a text",
    aPod({ containers: [aContainer("a", { securityContext: { capabilities: { add: "ALL" as never } } })] }),
  ],
  ["a word that no kernel takes", aPod({ containers: [aContainer("a", { args: ["x".repeat(128 * 1024)] })] })],
  [
    "more variables than any kernel takes, in an init container",
    aPod({
      initContainers: [
        aContainer("a", { env: Array.from({ length: 32 }, (_, i) => ({ name: `A${i}`, value: "x".repeat(65_536) })) }),
      ],
    }),
  ],
  ["nothing in place of a word", aPod({ containers: [aContainer("a", { args: [null as never] })] })],
  ["more than 256 KiB of annotations", aPod({}, { annotations: { text: "x".repeat(256 * 1024) } })],
])("a pod with %s is refused, as by an API server", (_, pod) => {
  const { intake: one, refused } = intake();
  expect(one.replace([good, pod])).toEqual([good]);
  expect(refused).toEqual([[pod, expect.objectContaining({ reason: "InvalidValue" })]]);
});

test("a grace period of a whole int64 is no fault of the pod", () => {
  const pod = aPod({ terminationGracePeriodSeconds: 9_000_000_000_000_000 });
  expect(intake().intake.replace([pod])).toEqual([pod]);
});

test("pods of one source are counted in all, not by change, and a removed pod frees a place", () => {
  const { intake: one, full } = intake();
  one.replace([]);
  one.release();
  for (let i = 0; i < 10_000; i += 1) one.change({ set: [aPod({}, { uid: `u${i}` })] });
  expect(full).toEqual([]);
  const late = aPod({}, { uid: "late" });
  expect(one.change({ set: [late] })?.set).toEqual([]);
  expect(full).toEqual([expect.stringContaining("10000 pods")]);
  one.change({ removed: [{ uid: "u1" }] });
  expect(one.change({ set: [late] })?.set).toEqual([late]);
});

test("bytes of one source's pods are counted in all", () => {
  const { intake: one, full } = intake();
  one.replace([]);
  const large = (uid: string): Pod =>
    aPod({ containers: [aContainer("main", { args: Array(16).fill("x".repeat(64 * 1024)) })] }, { uid });
  const taken = Array.from({ length: 100 }, (_, i) => one.change({ set: [large(`u${i}`)] })?.set?.length ?? 0);
  expect(taken.filter((count) => count === 1)).toHaveLength(63);
  expect(full).toContainEqual(expect.stringContaining("64 MiB"));
  expect(() => one.replace(Array.from({ length: 100 }, (_, i) => large(`v${i}`)))).toThrow("64 MiB");
});

test("a refused pod is reported by an event and, as Failed, to its source; the others run", async () => {
  const recorded: StatusReport[] = [];
  let sink: SourceSink | undefined;
  const source: PodSource = {
    name: "cluster",
    start: async (given) => {
      sink = given;
      sink.desired([]);
    },
    status: async (report) => void recorded.push(report),
    stop: async () => {},
  };
  const node = await new TestNode({ sources: () => [source] }).start();
  const pod = aPod({}, { name: "x/../../victim", uid: "bad" });
  sink?.changed({ set: [pod, good] });
  sink?.changed({ set: [pod] });
  await node.clock.advance(5_000);
  expect(node.agent.api.pods().map(({ metadata }) => metadata.name)).toEqual(["good"]);
  expect(node.events().filter((text) => text.startsWith("InvalidName"))).toEqual([
    expect.stringContaining('metadata.name \\"x/../../victim\\"'.replaceAll("\\", "")),
  ]);
  const last = recorded.filter(({ pod: { metadata } }) => metadata.uid === "bad").at(-1);
  expect(last).toMatchObject({ final: true, pod: { status: { phase: "Failed", reason: "InvalidName" } } });
});

/** An intake whose pods may have another owner. */
function owned(owners: Map<string, string> = new Map()) {
  const refused: unknown[] = [];
  const ports = {
    refused: (pod: Pod, why: Rejection) => void refused.push([pod.metadata.uid, why]),
    owner: (uid: string) => owners.get(uid),
    full: () => undefined,
  };
  return { owners, refused, intake: new SourceIntake(ports) };
}
const podOf = (uid: string): Pod => aPod({}, { name: uid, uid });

test("a pod with the uid of another source's is refused until that one has gone", () => {
  const { owners, refused, intake: one } = owned(new Map([["a", "cluster"]]));
  expect(one.replace([podOf("a"), podOf("b")]).map(({ metadata }) => metadata.uid)).toEqual(["b"]);
  const message = "pod default/a has the uid a of a pod of source cluster. Give it another uid";
  expect(refused).toEqual([["a", { reason: "DuplicateUid", message }]]);
  expect(one.freed()).toEqual([]);
  owners.clear();
  expect(one.freed().map(({ metadata }) => metadata.uid)).toEqual(["a"]);
  one.change({ removed: [{ uid: "a" }] });
  expect(one.freed()).toEqual([]);
});

test("a pod that waits for its uid waits no more once its source brings other pods, or the pod is taken", () => {
  const { owners, intake: one } = owned(new Map([["a", "cluster"]]));
  one.replace([podOf("a")]);
  one.replace([]);
  owners.clear();
  expect(one.freed()).toEqual([]);
  owners.set("a", "cluster");
  one.change({ set: [podOf("a")] });
  owners.clear();
  one.change({ set: [podOf("a")] });
  expect(one.freed()).toEqual([]);
});

test("256 pods wait for their uids, and no more", () => {
  const all = Array.from({ length: 257 }, (_, i) => podOf(`u${i}`));
  const { owners, refused, intake: one } = owned(new Map(all.map(({ metadata }) => [metadata.uid, "cluster"])));
  one.replace(all);
  owners.clear();
  expect([refused.length, one.freed().length]).toEqual([257, 256]);
});

test("changes before the first whole set wait for it, and then count over it", () => {
  const { intake: one } = owned();
  expect([one.hasSpoken, one.pods()]).toEqual([false, []]);
  expect(one.change({ set: [podOf("a")], removed: [{ uid: "b" }] })).toBeUndefined();
  const uids = one.replace([podOf("b"), podOf("c")]).map(({ metadata }) => metadata.uid);
  expect([one.hasSpoken, uids, one.has("a"), one.has("b")]).toEqual([true, ["c", "a"], true, false]);
});

test("until they are handed over the pods are kept; then changes go through", () => {
  const { intake: one } = owned();
  one.replace([podOf("a"), podOf("b")]);
  expect(one.change({ set: [podOf("c")], removed: [{ uid: "a" }] })).toMatchObject({ removed: [{ uid: "a" }] });
  expect(one.pods().map(({ metadata }) => metadata.uid)).toEqual(["b", "c"]);
  expect(one.release().map(({ metadata }) => metadata.uid)).toEqual(["b", "c"]);
  expect(one.pods()).toEqual([]);
  expect(one.replace([podOf("d")])).toHaveLength(1);
  expect(one.pods()).toEqual([]);
});

test("the pods of a source are frozen", () => {
  const { intake: one } = owned();
  const [taken] = one.replace([podOf("a")]);
  expect(Object.isFrozen(taken) && Object.isFrozen(taken?.spec.containers)).toBe(true);
});

test.each<[string, (one: SourceIntake) => unknown, string]>([
  ["pods are a list", (one) => one.replace({} as never), "pods of a source: expected a list, found {}."],
  [
    "10001 pods are too many",
    (one) => one.replace(Array(10_001).fill(podOf("a"))),
    "pods of a source: expected at most 10000, found 10001.",
  ],
  [
    "10001 changes are too many",
    (one) => one.change({ removed: Array(10_001).fill({ uid: "a" }) }),
    "changes of a source: expected at most 10000 pods, found 10001.",
  ],
  [
    "a removed pod has a uid",
    (one) => one.change({ removed: [{ uid: 1 as never }] }),
    "uid of a pod that is removed: expected a text, found 1.",
  ],
  [
    "a grace period is whole",
    (one) => one.change({ removed: [{ uid: "a", gracePeriodSeconds: 0.5 }] }),
    "gracePeriodSeconds: expected whole seconds, 0 or more, found 0.5.",
  ],
  [
    "and not negative",
    (one) => one.change({ removed: [{ uid: "a", gracePeriodSeconds: -1 }] }),
    "gracePeriodSeconds: expected whole seconds, 0 or more, found -1.",
  ],
  [
    "a pod has a name",
    (one) => one.replace([aPod({}, { name: "" })]),
    "a pod of a source: expected metadata with name, namespace and uid, and spec.containers, found ",
  ],
  [
    "a pod has containers",
    (one) => one.change({ set: [aPod({ containers: 1 as never })] }),
    "a pod of a source: expected metadata with name, namespace and uid, and spec.containers, found ",
  ],
  [
    "a pod is an object",
    (one) => one.replace([null as never]),
    "a pod of a source: expected metadata with name, namespace and uid, and spec.containers, found ",
  ],
])("what a source brings has a form: %s", (_rule, bring, message) => {
  const { intake: one } = owned();
  one.replace([podOf("x")]);
  expect(() => bring(one)).toThrow(message);
  expect(one.pods().map(({ metadata }) => metadata.uid)).toEqual(["x"]);
});

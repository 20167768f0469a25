import { keepUnchanged, type Pod, runsTheSame, saysTheSame } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { aContainer, aPod } from "../../../core/test/pod/pods.js";
import {
  type Entries,
  type Entry,
  type ManifestSet,
  type Owners,
  sameSet,
  takeUnowned,
  wholeSet,
} from "../../src/manifest-files.js";

const pod = (name: string, uid = name): Pod => aPod({}, { name, uid });
const file = (...pods: readonly Pod[]): Entry => ({ stamp: "1", pods, faultSince: 0, faultFrom: 0 });
const faulty = (where: string, faultFrom: number, ...pods: readonly Pod[]): Entry => ({
  ...file(...pods),
  fault: { where, message: "no YAML" },
  faultFrom,
});
const files = (entries: Readonly<Record<string, Entry>>): Entries => new Map(Object.entries(entries));
const read = (entries: Readonly<Record<string, Entry>>, before: Owners = new Map(), now = 0): ManifestSet =>
  wholeSet(files(entries), before, now);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const IN_A = "is already in /a; it runs from there, rename or remove one of the two";

describe("the pods of a folder", () => {
  test("are those of all files, in their order, each owned by its file", () => {
    const { pods, faults, owners } = read({ "/a": file(pod("x")), "/b": file(pod("y"), pod("z")) });
    expect(names(pods)).toEqual(["x", "y", "z"]);
    expect(faults.size).toBe(0);
    expect(Object.fromEntries(owners)).toEqual({
      "pod default/x": "/a",
      "uid x": "/a",
      "pod default/y": "/b",
      "uid y": "/b",
      "pod default/z": "/b",
      "uid z": "/b",
    });
  });

  test.each([
    ["name", pod("x", "other"), "pod default/x"],
    ["uid", pod("other", "x"), "uid x"],
  ])("of two new files with one %s the first by name has it, and the other one is reported", (_, second, what) => {
    const { pods, faults } = read({ "/a": file(pod("x")), "/b": file(second) });
    expect(names(pods)).toEqual(["x"]);
    expect(Object.fromEntries(faults)).toEqual({ "/b": { where: "/b", message: `${what} ${IN_A}` } });
  });

  test("a file that comes later takes no pod away, even when its name is first", () => {
    const before = read({ "/b": file(pod("x")) }).owners;
    const { pods, faults, owners } = read({ "/a": file(pod("x", "new")), "/b": file(pod("x")) }, before);
    expect(pods.map(({ metadata }) => metadata.uid)).toEqual(["x"]);
    expect([...faults.keys()]).toEqual(["/a"]);
    expect(owners.get("pod default/x")).toBe("/b");
    expect(owners.has("uid new")).toBe(false);
  });

  test("once the owner is gone the other file has the pod", () => {
    const before = read({ "/a": file(pod("x")), "/b": file(pod("x")) }).owners;
    const { pods, faults, owners } = read({ "/b": file(pod("x")) }, before);
    expect(names(pods)).toEqual(["x"]);
    expect(faults.size).toBe(0);
    expect(owners.get("uid x")).toBe("/b");
  });

  test("a pod twice in one file runs once, and the file is reported", () => {
    const { pods, faults } = read({ "/a": file(pod("x"), pod("x")) });
    expect(pods).toHaveLength(1);
    expect(faults.get("/a")?.message).toBe(`pod default/x ${IN_A}`);
  });

  test("a file that became faulty runs what it had, and its fault goes before that of a name", () => {
    const { pods, faults } = read({ "/a": file(pod("x")), "/b": faulty("/b:3", 5, pod("y"), pod("x")) }, new Map(), 5);
    expect(names(pods)).toEqual(["x", "y"]);
    expect(faults.get("/b")).toEqual({ where: "/b:3", message: "no YAML" });
  });

  test("a fault is reported from its time on: a file may be half written", () => {
    const half = { "/a": faulty("/a:1", 5) };
    expect(read(half, new Map(), 4).faults.size).toBe(0);
    expect(read(half, new Map(), 5).faults.size).toBe(1);
  });
});

describe("new files of a folder that was not read whole", () => {
  test("give the pods without an owner, and own them from then on", () => {
    const owners: Owners = new Map([["pod default/x", "/a"]]);
    const entries = files({ "/a": file(pod("x")), "/b": file(pod("x", "2"), pod("y")), "/c": file(pod("z", "y")) });
    expect(names(takeUnowned(["/b", "/c", "/gone"], entries, owners))).toEqual(["y"]);
    expect(owners.get("pod default/y")).toBe("/b");
    expect(owners.get("uid y")).toBe("/b");
    expect([owners.has("uid 2"), owners.has("pod default/z")]).toEqual([false, false]);
  });
});

test("a set is the same as another one with the same objects in the same order", () => {
  const [a, b] = [pod("a"), pod("b")];
  expect(sameSet([a, b], [a, b])).toBe(true);
  expect(sameSet([], [])).toBe(true);
  for (const other of [[b, a], [a], [a, b, a], [a, pod("b")]]) expect(sameSet([a, b], other)).toBe(false);
});

describe("a manifest that was read again", () => {
  const annotated = (annotations: Record<string, string>, more: object = {}) => aPod({}, { annotations, ...more });
  const SEEN = "kubernetes.io/config.seen";
  const HASH = "kubernetes.io/config.hash";

  test.each<[string, Pod, Pod, { says: boolean; runs: boolean }]>([
    ["says the same", aPod(), aPod(), { says: true, runs: true }],
    [
      "says the same whenever it was seen, and whatever the hash of its file",
      annotated({ [SEEN]: "1", [HASH]: "1" }),
      annotated({ [SEEN]: "2", [HASH]: "2" }),
      { says: true, runs: true },
    ],
    ["says the same with another uid", aPod({}, { uid: "1" }), aPod({}, { uid: "2" }), { says: true, runs: true }],
    ["says the same with no labels and with none in it", aPod({}, { labels: {} }), aPod(), { says: true, runs: true }],
    [
      "says something else with another label, and runs the same",
      aPod({}, { labels: { a: "1" } }),
      aPod(),
      { says: false, runs: true },
    ],
    [
      "says something else with another annotation, and runs the same",
      annotated({ a: "1" }),
      aPod(),
      { says: false, runs: true },
    ],
    ["is another one with another name", aPod({}, { name: "a" }), aPod(), { says: false, runs: false }],
    ["is another one in another namespace", aPod({}, { namespace: "a" }), aPod(), { says: false, runs: false }],
    ["is another one with another spec", aPod({ containers: [aContainer("a")] }), aPod(), { says: false, runs: false }],
  ])("%s", (_, a, b, { says, runs }) => {
    expect([saysTheSame(a, b), saysTheSame(b, a)]).toEqual([says, says]);
    expect([runsTheSame(a, b), runsTheSame(b, a)]).toEqual([runs, runs]);
  });

  test("stays the same object when its content is the same, with the time at which it was first seen", () => {
    const first = annotated({ [SEEN]: "1" });
    const again = annotated({ [SEEN]: "2" });
    const changed = annotated({ [SEEN]: "2" }, { labels: { a: "1" } });
    const other = annotated({ [SEEN]: "2" }, { uid: "new" });
    expect(keepUnchanged([first], [again])[0]).toBe(first);
    expect(keepUnchanged([first], [changed])[0]).toBe(changed);
    expect(keepUnchanged([first], [other])[0]).toBe(other);
    expect(keepUnchanged([first], [])).toEqual([]);
  });
});

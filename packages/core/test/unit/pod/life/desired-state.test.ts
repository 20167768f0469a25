import { describe, expect, test } from "@jest/globals";
import { DesiredState } from "../../../../src/pod/life/desired-state.js";
import { aPod } from "../../../pod/pods.js";

const pod = (name: string, uid = name) => aPod({}, { name, uid });

test("a change touches what it changes and nothing else, however many pods there are", () => {
  const wanted = new DesiredState();
  wanted.replace(
    "a",
    Array.from({ length: 1_000 }, (_, i) => pod(`p${i}`)),
  );
  const touched = wanted.change("a", { set: [pod("new")], removed: [{ uid: "p7" }, { uid: "unknown" }] });
  expect([...touched.uids]).toEqual(["p7", "new"]);
  expect([...touched.names]).toEqual(["default/p7", "default/new"]);
});

test("a whole set touches what is new, other or missing", () => {
  const wanted = new DesiredState();
  const [one, two] = [pod("one"), pod("two")];
  wanted.replace("a", [one, two]);
  expect([...wanted.replace("a", [one, pod("three")]).uids]).toEqual(["two", "three"]);
});

test("a source removes only its own pods", () => {
  const wanted = new DesiredState();
  wanted.replace("a", [pod("web")]);
  expect(wanted.change("b", { removed: [{ uid: "web" }] }).uids.size).toBe(0);
  expect(wanted.replace("b", []).uids.size).toBe(0);
  expect(wanted.get("web")?.source).toBe("a");
});

test("of two sources that want one uid the first counts, and the other one when it lets go", () => {
  const wanted = new DesiredState();
  wanted.replace("a", [pod("web")]);
  wanted.replace("b", [pod("web")]);
  expect(wanted.get("web")?.source).toBe("a");
  wanted.replace("a", []);
  expect(wanted.named("default/web").map(({ source }) => source)).toEqual(["b"]);
});

test("a name finds pods of that name alone, though another source wants the uid under it", () => {
  const wanted = new DesiredState();
  wanted.replace("a", [pod("web", "u")]);
  wanted.replace("b", [pod("thief", "u")]);
  expect(wanted.named("default/thief")).toEqual([]);
  expect(wanted.named("default/web").map(({ pod: { metadata } }) => metadata.name)).toEqual(["web"]);
});

describe("of pods that are wanted under one name", () => {
  const winnerOf = (over: readonly string[], runs: readonly string[]) => {
    const wanted = new DesiredState();
    for (const source of ["a", "b", "c"]) wanted.replace(source, [pod("web", `of-${source}`)]);
    const { winner, others } = wanted.winner("default/web", new Map(runs.map((uid) => [uid, true])), new Set(over));
    return [winner?.source, ...others.map(({ source }) => source)];
  };

  test.each<[string, readonly string[], readonly string[], readonly (string | undefined)[]]>([
    ["the first counts", [], [], ["a", "b", "c"]],
    ["the one that runs counts", [], ["of-b"], ["b", "a", "c"]],
    ["one that is over does not count", ["of-a", "of-b"], [], ["c"]],
    ["none counts when all are over", ["of-a", "of-b", "of-c"], ["of-a"], [undefined]],
  ])("%s, and the others are named", (_, over, runs, expected) => {
    expect(winnerOf(over, runs)).toEqual(expected);
  });
});

test("a pod that gets another name touches both, and is found under the new one alone", () => {
  const wanted = new DesiredState();
  wanted.replace("a", [pod("web", "u")]);
  expect([...wanted.change("a", { set: [pod("db", "u")] }).names]).toEqual(["default/web", "default/db"]);
  expect([wanted.named("default/web"), wanted.named("default/db").length]).toEqual([[], 1]);
});

test("the same pod once more touches nothing", () => {
  const wanted = new DesiredState();
  const web = pod("web");
  wanted.replace("a", [web]);
  const touched = wanted.change("a", { set: [web] });
  expect([touched.uids.size, touched.names.size]).toEqual([0, 0]);
});

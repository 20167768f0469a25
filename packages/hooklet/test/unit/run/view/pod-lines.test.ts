/** The pods of the live view: which are shown, in which order, and what stands below those in trouble. */
import type { Pod } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import { aPod, NOW } from "../../../../../server/test/samples.js";
import { isInTrouble, podLines, podsInOrder } from "../../../../src/run/view/pod-lines.js";

const style = (format: string, text: string): string => `<${format} ${text}>`;
const failed = { name: "main", ready: false, restartCount: 0, image: "", imageID: "" };
const inTrouble = (name: string, change: object = {}): Pod =>
  aPod(name, {
    status: { conditions: [], containerStatuses: [{ ...failed, state: { terminated: { exitCode: 3 } } }], ...change },
  });
const comingUp = aPod("slow", { status: { phase: "Pending", conditions: [], containerStatuses: [] } });
const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

test("pods in trouble stand first, then those that come up, then the others; each group as it came", () => {
  const pods = [aPod("b"), comingUp, aPod("a"), inTrouble("y"), inTrouble("x")];
  expect(names(podsInOrder(pods, ""))).toEqual(["y", "x", "slow", "b", "a"]);
});

test.each([
  ["", ["slow", "web"]],
  ["WEB", ["web"]],
  ["kube-system", ["web"]],
  ["kube-system/web", ["web"]],
  ["pend", ["slow"]],
  ["default/slow pending", ["slow"]],
  ["nothing", []],
])("the filter %j is part of a name, a namespace or a status, in letters of any size", (filter, expected) => {
  const web = aPod("web", { metadata: { namespace: "kube-system" } });
  expect(names(podsInOrder([comingUp, web], filter))).toEqual(expected);
});

test("a pod is in trouble that has a trouble", () => {
  expect([aPod("web"), comingUp, inTrouble("x")].map(isInTrouble)).toEqual([false, false, true]);
});

function lines(pods: readonly Pod[], lastLines: Record<string, string> = {}, selected?: string) {
  const found = podLines(pods, { lastLines: new Map(Object.entries(lastLines)), selected, now: NOW, style });
  return { head: found.head, lines: found.lines.map(({ uid, text }) => [uid, text.replaceAll(/ {2,}/g, "  ")]) };
}

test("the heading is bold, a pod's status has its colour, and the selected pod is inverse as a whole", () => {
  expect(lines([aPod("web"), aPod("db")], {}, "uid-db")).toEqual({
    head: expect.stringMatching(/^<bold NAME +READY +STATUS +RESTARTS +AGE *>$/),
    lines: [
      ["uid-web", "web  1/1  <green Running>  0  60s"],
      ["uid-db", "<inverse db  1/1  Running  0  60s>"],
    ],
  });
});

test("why a container is in trouble stands below its pod, and what it said last; what is empty has no line", () => {
  const below = (said?: string) =>
    lines([inTrouble("x")], said === undefined ? {} : { "uid-x/main": said }).lines.slice(1);
  expect(below("no\ttable\u001b[2J")).toEqual([
    [undefined, "<yellow  main: exit code 3>"],
    [undefined, "<dim  | no\ttable^[[2J>"],
  ]);
  for (const said of [undefined, ""]) expect(below(said)).toEqual([[undefined, "<yellow  main: exit code 3>"]]);
});

test("a trouble of the pod as a whole names no container", () => {
  const evicted = aPod("x", {
    status: { phase: "Failed", reason: "Evicted", message: "low on memory", conditions: [], containerStatuses: [] },
  });
  expect(lines([evicted], { "uid-x/": "last" }).lines.slice(1)).toEqual([
    [undefined, "<yellow  Evicted: low on memory>"],
    [undefined, "<dim  | last>"],
  ]);
});

test("pods of several namespaces say which they are in", () => {
  const other = aPod("web", { metadata: { namespace: "kube-system", uid: "other" } });
  expect(lines([aPod("web"), other])).toMatchObject({
    head: expect.stringMatching(/^<bold NAMESPACE +NAME /),
    lines: [
      ["uid-web", expect.stringMatching(/^default {2}web /)],
      ["other", expect.stringMatching(/^kube-system {2}web /)],
    ],
  });
});

test("no pods have a heading and no lines", () => {
  expect(lines([]).lines).toEqual([]);
});

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ManifestError } from "@hooklet/manifest";
import { type Clock, randomIds, systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { yamlPod } from "../../../../manifest/test/pods.js";
import { type ControlSource, controlSource } from "../../../src/sources/control.js";
import { RecordingSink, temporaryFolder } from "../../sources/harness.js";

let root: Awaited<ReturnType<typeof temporaryFolder>>;
let now: number;
let sink: RecordingSink;
let source: ControlSource;
const clock: Clock = { ...systemClock, now: () => now };

beforeEach(async () => {
  root = await temporaryFolder();
  now = Date.UTC(2026, 10, 21);
  await restart();
});
afterEach(() => root.remove());

/** A new agent on the same root directory. */
async function restart(): Promise<void> {
  sink = new RecordingSink();
  source = controlSource({ rootDir: root.path, nodeName: "n", clock, ids: randomIds });
  await source.start(sink);
}
const folder = (): string => join(root.path, "api-pods");
const apply = (text: string) => source.apply(text, "control socket");

test("an applied pod has its own name, comes as source api, and is there after a restart as it was", async () => {
  expect(await apply(yamlPod("web"))).toEqual([{ subject: "pod/web", action: "created" }]);
  expect(sink.names).toEqual(["web"]);
  const [pod] = sink.pods;
  expect(pod?.metadata.annotations?.["kubernetes.io/config.source"]).toBe("api");
  await restart();
  expect(sink.pods).toEqual([pod]);
});

test("the same again changes nothing; something else replaces the pod by one with a new uid", async () => {
  await apply(yamlPod("web"));
  const uid = sink.uid("web");
  expect(await apply(`# again\n${yamlPod("web")}`)).toEqual([{ subject: "pod/web", action: "unchanged" }]);
  expect(sink.sets).toHaveLength(2);
  expect(await apply(`${yamlPod("web")}    args: [x]\n`)).toEqual([{ subject: "pod/web", action: "configured" }]);
  expect(sink.uid("web")).not.toBe(uid);
  expect(await readdir(folder())).toEqual([`${sink.uid("web")}.json`]);
});

test("other labels or annotations alone leave the pod its uid, also on disk", async () => {
  const labelled = (value: string): string =>
    yamlPod("web").replace("name: web", `name: web\n  labels: { app: ${value} }`);
  await apply(labelled("a"));
  const uid = sink.uid("web");
  expect(await apply(labelled("b"))).toEqual([{ subject: "pod/web", action: "configured" }]);
  expect(sink.pods.map(({ metadata }) => [metadata.uid, metadata.labels])).toEqual([[uid, { app: "b" }]]);
  await restart();
  expect(sink.pods.map(({ metadata }) => [metadata.uid, metadata.labels])).toEqual([[uid, { app: "b" }]]);
});

test("a single change is delivered as one, with the grace period of a deletion", async () => {
  for (let i = 0; i < 50; i++) await apply(yamlPod(`p${i}`));
  await source.delete("default", "p7", 3);
  expect(sink.changes.every(({ set = [], removed = [] }) => set.length + removed.length === 1)).toBe(true);
  expect(sink.changes.at(-1)).toEqual({ removed: [{ uid: expect.any(String), gracePeriodSeconds: 3 }] });
});

test("a manifest with one fault is refused whole", async () => {
  await expect(apply(`${yamlPod("a")}---\n${yamlPod("B")}`)).rejects.toThrow(ManifestError);
  await expect(apply(`${yamlPod("a")}---\n${yamlPod("a")}`)).rejects.toThrow(/a second pod default\/a in the same/);
  expect(sink.sets).toEqual([[]]);
});

test("pods of one name in two namespaces are two", async () => {
  const other = yamlPod("a").replace("name: a", "name: a\n  namespace: team");
  expect(await apply(`${yamlPod("a")}---\n${other}`)).toEqual([
    { subject: "pod/a", action: "created" },
    { subject: "pod/a (team)", action: "created" },
  ]);
  await source.delete("team", "a");
  expect(sink.pods.map(({ metadata }) => metadata.namespace)).toEqual(["default"]);
});

test("a deleted pod stays deleted after a restart; an unknown one is an error with the nearest name", async () => {
  await apply(yamlPod("web"));
  expect((await source.delete("default", "web")).metadata.name).toBe("web");
  expect(sink.names).toEqual([]);
  await restart();
  expect(sink.names).toEqual([]);
  await apply(yamlPod("frontend"));
  await expect(source.delete("default", "frontent")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: 'No pod default/frontent was applied with hooklet apply. Did you mean "default/frontend"?',
  });
});

test("a damaged file is moved aside with a fault and costs no other pod", async () => {
  await apply(`${yamlPod("a")}---\n${yamlPod("b")}`);
  const path = join(folder(), `${sink.uid("a")}.json`);
  await writeFile(path, (await readFile(path, "utf8")).replace("host", "hose"));
  await restart();
  expect(sink.names).toEqual(["b"]);
  expect(sink.log).toEqual([
    `fault ${path}: State file is damaged: its checksum does not match; renamed to ${path}.corrupt-20261121T000000.000Z; apply its pod again`,
  ]);
  await apply(yamlPod("a"));
  await restart();
  expect(sink.names.toSorted()).toEqual(["a", "b"]);
  expect(sink.log).toEqual([]);
});

test("a crash in the middle of a replacement leaves the newer pod, even when the clock was set back", async () => {
  await apply(yamlPod("web"));
  const name = `${sink.uid("web")}.json`;
  const old = await readFile(join(folder(), name));
  now -= 86_400_000;
  await apply(`${yamlPod("web")}    args: [x]\n`);
  const uid = sink.uid("web");
  await writeFile(join(folder(), name), old);
  await writeFile(join(folder(), `.${uid}.json.tmp`), "half");
  await restart();
  expect(sink.uid("web")).toBe(uid);
  expect(await readdir(folder())).toEqual([`${uid}.json`]);
});

test("what cannot be kept is not taken", async () => {
  await apply(yamlPod("a"));
  await rm(folder(), { recursive: true });
  await writeFile(folder(), "in the way");
  await expect(apply(`${yamlPod("b")}---\n${yamlPod("c")}`)).rejects.toMatchObject({ code: "STATE_UNWRITABLE" });
  expect(sink.names).toEqual(["a"]);
  await rm(folder());
  await mkdir(folder());
  expect(await apply(yamlPod("b"))).toEqual([{ subject: "pod/b", action: "created" }]);
});

test("what goes on with other labels keeps its former file when another pod of the manifest cannot be kept", async () => {
  await apply(yamlPod("a"));
  const [before] = sink.pods;
  const uids = ["u-a", "u-b"];
  source = controlSource({
    rootDir: root.path,
    nodeName: "n",
    clock,
    ids: { ...randomIds, uid: () => uids.shift() ?? "u" },
  });
  await source.start(sink);
  // Nothing can be renamed to it.
  await mkdir(join(folder(), "u-b.json"));
  const labelled = yamlPod("a").replace("name: a", "name: a\n  labels: { app: x }");
  await expect(apply(`${labelled}---\n${yamlPod("b")}`)).rejects.toMatchObject({ code: "STATE_UNWRITABLE" });
  expect(sink.pods).toEqual([before]);
  await rm(join(folder(), "u-b.json"), { recursive: true });
  await restart();
  expect(sink.pods).toEqual([before]);
});

test("an object that was not applied is named when it is to be deleted, with the nearest of its kind", async () => {
  const object = (kind: string, name: string) =>
    `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${name} }\n${kind === "Secret" ? "stringData" : "data"}: { a: b }\n`;
  await apply([object("ConfigMap", "settings"), object("Secret", "setting")].join("---\n"));
  await expect(source.deleteObject("ConfigMap", "default", "setting")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringMatching(
      /^No ConfigMap default\/setting was applied with hooklet apply\. .*"?default\/settings"?/,
    ),
  });
  await source.deleteObject("ConfigMap", "default", "settings");
  expect(source.objects.list().map(({ metadata }) => metadata.name)).toEqual(["setting"]);
});

test("applies and deletes at the same time are done one after the other", async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, i) => apply(yamlPod(`p${i % 5}`).replace("image: host", `image: host:${i}`))),
  );
  expect(results.flat().filter(({ action }) => action === "created")).toHaveLength(5);
  expect(sink.names.toSorted()).toEqual(["p0", "p1", "p2", "p3", "p4"]);
  expect(sink.pods.map(({ spec }) => spec.containers[0]?.image).toSorted()).toEqual([
    "host:15",
    "host:16",
    "host:17",
    "host:18",
    "host:19",
  ]);
  expect(await readdir(folder())).toHaveLength(5);
});

test("what comes once the source has stopped is refused, and leaves nothing for the next agent", async () => {
  await source.stop();
  await expect(apply(yamlPod("late"))).rejects.toThrow("the agent stops");
  await expect(source.delete("default", "late")).rejects.toThrow("the agent stops");
  expect(await readdir(folder()).catch(() => [])).toEqual([]);
});

/** ConfigMaps and Secrets of the control socket, in files. */
import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApiObject } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { ObjectStore, subjectOf } from "../../../src/sources/object-store.js";
import type { SourceFault } from "../../../src/sources/port.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-objects-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const object = (kind: "ConfigMap" | "Secret", name: string, more: object = {}, namespace = "default"): ApiObject =>
  ({ apiVersion: "v1", kind, metadata: { name, namespace }, data: { a: "MQ==" }, ...more }) as ApiObject;
const store = (): ObjectStore => new ObjectStore(folder, new VirtualClock());

async function loaded(): Promise<{ objects: readonly ApiObject[]; faults: readonly SourceFault[] }> {
  const again = store();
  const faults: SourceFault[] = [];
  await again.load((fault) => void faults.push(fault));
  return { objects: again.list(), faults };
}

const [b, a, secret, other] = [
  object("ConfigMap", "b"),
  object("ConfigMap", "a"),
  object("Secret", "a"),
  object("ConfigMap", "a", {}, "team"),
];

test("objects are listed by kind, namespace and name, and are there after a restart", async () => {
  const own = store();
  await own.put([b, a, secret, other]);
  expect(own.list()).toEqual([a, b, other, secret]);
  expect(own.get("Secret", { namespace: "default", name: "a" })).toEqual(secret);
  expect(await own.read("ConfigMap", { namespace: "team", name: "b" })).toBeUndefined();
  expect(await loaded()).toEqual({ objects: [a, b, other, secret], faults: [] });
});

test("who watches sees each change, until it leaves", async () => {
  const own = store();
  const seen: unknown[] = [];
  const leave = own.watch((change) => void seen.push(change));
  const name = { namespace: "default", name: "a" };
  await own.put([a]);
  expect([await own.delete("ConfigMap", name), await own.delete("ConfigMap", name)]).toEqual([true, false]);
  leave();
  await own.put([a]);
  expect(seen).toEqual([
    { kind: "ConfigMap", name },
    { kind: "ConfigMap", name },
  ]);
  await own.delete("ConfigMap", name);
  expect((await loaded()).objects).toEqual([]);
});

test("an object is created, unchanged or configured", async () => {
  const own = store();
  expect(own.action(a)).toBe("created");
  await own.put([a]);
  expect(own.action({ ...a })).toBe("unchanged");
  expect(own.action(object("ConfigMap", "a", { data: { a: "2" } }))).toBe("configured");
});

test("what is immutable keeps its data", async () => {
  const own = store();
  await own.put([object("Secret", "a", { immutable: true }, "team")]);
  const change = object("Secret", "a", { data: { a: "Mg==" } }, "team");
  expect(() => own.check([change])).toThrow(
    "secret/a (team) is immutable: its data cannot change. Delete it first, or apply it under another name.",
  );
  expect(() => own.check([object("Secret", "a", { immutable: true }, "team"), object("Secret", "a")])).not.toThrow();
});

test("10000 objects are the most", async () => {
  const own = store();
  await own.put([a]);
  const many = (count: number): ApiObject[] => Array.from({ length: count }, (_, i) => object("ConfigMap", `m${i}`));
  expect(() => own.check([a, ...many(9_999)])).not.toThrow();
  expect(() => own.check([a, ...many(10_000)])).toThrow("More than 10000 ConfigMaps and Secrets; delete some first");
});

test("a file that holds another object than its name says is a fault", async () => {
  await store().put([a]);
  const [file = ""] = await readdir(folder);
  expect(await readFile(join(folder, file), "utf8")).toContain('"a"');
  const wrong = join(folder, `${"0".repeat(64)}.json`);
  await rename(join(folder, file), wrong);
  expect(await loaded()).toEqual({
    objects: [],
    faults: [
      {
        where: wrong,
        message: "it does not hold the object that its name says; apply the object again and delete this file",
      },
    ],
  });
});

test("an object is named with its namespace, unless that is default", () => {
  expect([a, other, secret].map(subjectOf)).toEqual(["configmap/a", "configmap/a (team)", "secret/a"]);
});

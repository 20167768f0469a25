import { expect, test } from "@jest/globals";
import { SourceList } from "../../../src/agent/source-list.js";
import type { PodSource } from "../../../src/sources/port.js";

const source = (name: string, more: object = {}): PodSource =>
  ({ name, start: async () => undefined, stop: async () => undefined, ...more }) as PodSource;

test("sources are listed in their order; a plugin's has its owner", () => {
  const all = new SourceList();
  const [file, cluster] = [source("file"), source("cluster")];
  all.add(file);
  all.addFor("@acme/cluster", cluster);
  expect(all.list()).toEqual([file, cluster]);
  expect(["file", "cluster", "none", undefined].map((name) => all.ownerOf(name))).toEqual([
    ...[undefined, "@acme/cluster", undefined, undefined],
  ]);
});

test("a name is there once", () => {
  const all = new SourceList();
  all.add(source("file"));
  const twice = 'There are two sources of pods called "file". Give one of them another name.';
  expect(() => all.add(source("file"))).toThrow(expect.objectContaining({ code: "CLAIM_CONFLICT", message: twice }));
  expect(() => all.addFor("p", source("file"))).toThrow(
    'its source "file" has the name of another one. Choose another name.',
  );
  expect(all.list()).toHaveLength(1);
});

test.each([
  undefined,
  null,
  {},
  source(""),
  source("a", { name: 1 }),
  source("a", { start: 1 }),
  source("a", { stop: undefined }),
])("what a plugin adds is a source: not %j", (given) => {
  expect(() => new SourceList().addFor("p", given as PodSource)).toThrow(
    expect.objectContaining({
      code: "PLUGIN_START",
      message: expect.stringContaining("it added a source that is none: expected {name, start, stop}."),
    }),
  );
});

test("the place of a pod is that of the first source that knows it, whatever the others do", () => {
  const all = new SourceList();
  const fails = (): never => {
    throw new Error("no");
  };
  all.add(source("a", { placeOf: fails }));
  all.add(source("b", { placeOf: () => 1 }));
  all.add(source("c"));
  all.add(source("d", { placeOf: (uid: string) => (uid === "u" ? "/m/a.yaml" : undefined) }));
  expect([all.placeOf("u"), all.placeOf("v")]).toEqual(["/m/a.yaml", undefined]);
});

test("sources are ready once it is reported so", () => {
  const all = new SourceList();
  expect(all.isReady()).toBe(false);
  all.readyWhen(() => true);
  expect(all.isReady()).toBe(true);
});

import { describe, expect, test } from "@jest/globals";
import { parseSet, setLayer } from "../../../src/config/sets.js";

describe("--set", () => {
  test("values are YAML; those of one plugin come together", () => {
    const sets = ["plugins.imagegc.order=lru", "plugins.imagegc.imageGCHighThresholdPercent=70", "node.maxPods=50"];
    const { raw } = setLayer(
      sets.map((text) => parseSet(text)),
      "/f",
    );
    expect(raw).toEqual({
      node: { maxPods: 50 },
      plugins: [["imagegc", { order: "lru", imageGCHighThresholdPercent: 70 }]],
    });
  });

  test("an option deep in a plugin is made with all above it", () => {
    const { raw } = setLayer([parseSet("plugins.cgroups.memorySwap.swapBehavior=NoSwap")], "/f");
    expect(raw).toEqual({ plugins: [["cgroups", { memorySwap: { swapBehavior: "NoSwap" } }]] });
  });

  test.each([
    ['node.evictionHard["memory.available"]=100Mi', { node: { evictionHard: { "memory.available": "100Mi" } } }],
    ['plugins["@hooklet/plugin-imagegc"].order=lru', { plugins: [["imagegc", { order: "lru" }]] }],
    ['node.labels["a/b=c"]=d', { node: { labels: { "a/b=c": "d" } } }],
    ['node["@hooklet/plugin-a"]=b', { node: { "@hooklet/plugin-a": "b" } }],
    ['plugins["x/@hooklet/plugin-a"].b=c', { plugins: [["x/@hooklet/plugin-a", { b: "c" }]] }],
    ['plugins.a["@hooklet/plugin-b"]=c', { plugins: [["a", { "@hooklet/plugin-b": "c" }]] }],
    ["a=", { a: undefined }],
    ["a=b=c", { a: "b=c" }],
    ["a=b\nc", { a: "b c" }],
  ])("a path is taken as hooklet check prints it: %s", (text, raw) => {
    expect(setLayer([parseSet(text)], "/f").raw).toEqual(raw);
  });

  test("a fault names the option that was written", () => {
    const layer = setLayer([parseSet("node.maxPods=x"), parseSet("plugins.imagegc.order=z")], "/f");
    expect(layer.place(["node", "maxPods"])).toEqual({ file: "--set node.maxPods=x" });
    expect(layer.place(["plugins", 0, 1, "order"])).toEqual({ file: "--set plugins.imagegc.order=z" });
    expect(layer.place(["plugins", 0])).toEqual({ file: "--set plugins.imagegc.order=z" });
    for (const path of [["plugins", 1, 1, "order"], ["plugins", 0, 1, "orders"], ["node", "maxPod"], ["port"]])
      expect(layer.place(path)).toEqual({ file: "--set" });
    expect(layer.place([])).toEqual({ file: "--set node.maxPods=x" });
    expect(layer.file).toBe("/f/command-line");
  });

  test.each(["", "order", "=1", "plugins.imagegc=lru", "a..b=1", "plugins=1"])("%j is none", (text) => {
    expect(() => parseSet(text)).toThrow(
      `--set: expected PATH=VALUE such as plugins.imagegc.order=lru or node.maxPods=50, found "${text}".`,
    );
    expect(() => parseSet(text, "--with")).toThrow(/^--with: expected PATH=VALUE/);
  });

  test("a value that is no YAML is reported", () => {
    expect(() => parseSet("a.b=[1")).toThrow(/--set a\.b: expected a value in YAML/);
  });
});

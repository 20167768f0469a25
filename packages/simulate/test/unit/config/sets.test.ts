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
  ])("a path is taken as hooklet check prints it: %s", (text, raw) => {
    expect(setLayer([parseSet(text)], "/f").raw).toEqual(raw);
  });

  test("a fault names the option that was written", () => {
    const layer = setLayer([parseSet("node.maxPods=x"), parseSet("plugins.imagegc.order=z")], "/f");
    expect(layer.place(["node", "maxPods"])).toEqual({ file: "--set node.maxPods=x" });
    expect(layer.place(["plugins", 0, 1, "order"])).toEqual({ file: "--set plugins.imagegc.order=z" });
  });

  test.each(["", "order", "=1", "plugins.imagegc=lru", "a..b=1", "plugins=1"])("%j is none", (text) => {
    expect(() => parseSet(text)).toThrow(/--set: expected PATH=VALUE/);
  });

  test("a value that is no YAML is reported", () => {
    expect(() => parseSet("a.b=[1")).toThrow(/--set a\.b: expected a value in YAML/);
  });
});

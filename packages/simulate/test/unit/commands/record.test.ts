import { mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { type RecordOptions, record } from "../../../src/commands/record.js";
import { scenarioFolder } from "./scenario-folder.js";

const place = scenarioFolder();
const recorded = (options: RecordOptions) => place.run((context) => record(context, options));

const POD = {
  metadata: { name: "web", namespace: "shop" },
  spec: { containers: [{ name: "main", image: "web:1", env: [{ name: "KEY", value: "SECRET" }] }] },
  status: { phase: "Running" },
};
const NODE = { kind: "Node", metadata: { name: "n1" }, status: { capacity: { cpu: "8", memory: "16Gi", pods: "20" } } };
const CONFIGZ = { kubeletconfig: { kind: "KubeletConfiguration", maxPods: 7 } };

beforeAll(async () => {
  await place.write("pods.json", { kind: "PodList", items: [POD] });
  await place.write("more.json", { kind: "PodList", items: [{ ...POD, metadata: { name: "other" } }] });
  await place.write("node.json", NODE);
  await place.write("configz.json", CONFIGZ);
  await place.write("day.csv", "pod,arrival,duration,cpu,memory\na,0,30,20,100Gi\nb,60,90,1,1Gi\n");
  await place.write("empty.csv", "pod,arrival,duration\n");
  await mkdir(path.join(place.path, "scenarios"));
});

test("files of a node become a scenario on standard output, with its machine and all pods, without values of the environment", async () => {
  const { code, out, err } = await recorded({ fromFiles: "pods.json,more.json,node.json" });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^# Recorded by hooklet record\./);
  expect(out).not.toContain("SECRET");
  const { node, timeline } = parse(out);
  expect(node).toMatchObject({ cpu: "8", memory: "16Gi" });
  expect(JSON.stringify(timeline)).toMatch(/"name":"web","namespace":"shop".*"name":"other"/);
});

test("--with-env keeps the values", async () => {
  expect((await recorded({ fromFiles: "pods.json", withEnv: true })).out).toContain("SECRET");
});

test("--output-file is only for the user who recorded, and nothing is printed", async () => {
  expect(await recorded({ fromFiles: "pods.json", outputFile: "scenarios/node.yaml" })).toEqual({
    code: 0,
    out: "",
    err: "",
  });
  const file = path.join(place.path, "scenarios/node.yaml");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(parse(await readFile(file, "utf8")).timeline.length).toBeGreaterThan(0);
});

test("what a kubelet's configuration has that hooklet has not is a warning, as is an option that is not taken", async () => {
  const host = {
    url: import.meta.url,
    plugins: [],
    rcOfKubelet: async () => ({
      rc: { node: { maxPods: 7, maxPodz: 1 } },
      left: [{ field: "tlsMinVersion", why: "TLS 1.2 it is" }],
    }),
  };
  const { code, out, err } = await place.run((context) =>
    record({ ...context, host } as never, { fromFiles: "pods.json,configz.json" }),
  );
  expect(code).toBe(0);
  expect(err).toContain("warning: tlsMinVersion is left out: TLS 1.2 it is\n");
  expect(err).toMatch(/^warning: node\.maxPodz is left out: expected .*, found .*$/m);
  expect(parse(out).config.node).toEqual({ maxPods: 7 });
});

test("a trace becomes a scenario that names it, on a node with room for twice its largest pod", async () => {
  const { code, out, err } = await recorded({ fromTrace: "day.csv" });
  expect([code, err]).toEqual([0, ""]);
  expect(parse(out)).toMatchObject({
    description: "2 pods of day.csv",
    node: { cpu: "40", memory: String(200 * 1024 ** 3) },
    trace: { file: path.join(place.path, "day.csv") },
    until: "3m30s",
    expect: [],
  });
});

test("a trace is named from where the scenario is written", async () => {
  await recorded({ fromTrace: "day.csv", outputFile: "scenarios/day.yaml" });
  await recorded({ fromTrace: "day.csv", outputFile: "day.yaml" });
  const named = async (file: string) => parse(await readFile(path.join(place.path, file), "utf8")).trace.file;
  expect([await named("scenarios/day.yaml"), await named("day.yaml")]).toEqual(["../day.csv", "./day.csv"]);
});

test("a trace without pods is a warning, and the node has 16 processors and 64 GiB", async () => {
  const { out, err } = await recorded({ fromTrace: "empty.csv" });
  expect(err).toMatch(/^warning: .*empty\.csv has no pod with a beginning and an end$/m);
  expect(parse(out)).toMatchObject({ node: { cpu: "16", memory: String(64 * 1024 ** 3) }, until: "1m0s" });
});

test("without pods there is nothing to record", async () => {
  await expect(recorded({ fromFiles: "node.json" })).rejects.toThrow(
    "record: expected pods among what was given, found none.",
  );
});

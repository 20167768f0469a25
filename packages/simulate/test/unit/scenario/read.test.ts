import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { namespacedName } from "@hooklet/manifest";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseScenario, readScenario } from "../../../src/scenario/read.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-scenario-"));
  await writeFile(path.join(folder, "web.yaml"), POD);
  await writeFile(path.join(folder, "bad.yaml"), POD.replace("image: web:1", "image: ''"));
});
afterAll(() => rm(folder, { recursive: true }));

const POD =
  "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - name: main\n    image: web:1\n";
const parse = (text: string) => parseScenario(text, path.join(folder, "s.yaml"));
const faults = async (text: string): Promise<string> => {
  try {
    await parse(text);
  } catch (error) {
    return (error as Error).message.replaceAll(folder, "F");
  }
  throw new Error("expected faults, found none");
};

describe("a scenario that is well formed", () => {
  test("has its steps by time, those of one time as they stand in the file", async () => {
    const { steps } = await parse(
      "until: 10m\ntimeline:\n- {at: 1m, delete: b}\n- {at: 5s, delete: c}\n- {at: 60, delete: a}\n",
    );
    expect(steps.map(({ at, step }) => [at, step.delete])).toEqual([
      [5000, "c"],
      [60_000, "b"],
      [60_000, "a"],
    ]);
  });

  test("has pods of files beside it, and inline ones without apiVersion and kind", async () => {
    const { steps } = await parse(
      `until: 1m\ntimeline:\n- {at: 0s, apply: {file: web.yaml}}\n- {at: 0s, apply: {metadata: {name: in, namespace: n}, spec: {containers: [{name: c, image: i}]}}}\n`,
    );
    expect(steps.flatMap(({ pods }) => pods.map(({ metadata }) => namespacedName(metadata)))).toEqual([
      "default/web",
      "n/in",
    ]);
  });

  test("has so many pods as replicas says, each with a name of its own", async () => {
    const { steps } = await parse("until: 1m\ntimeline:\n- {at: 0s, replicas: 3, apply: {file: web.yaml}}\n");
    expect(steps[0]?.pods.map(({ metadata }) => namespacedName(metadata))).toEqual([
      "default/web-0",
      "default/web-1",
      "default/web-2",
    ]);
  });

  test("has ConfigMaps and Secrets beside pods, of files and inline, as the API server keeps them", async () => {
    await writeFile(
      path.join(folder, "app.yaml"),
      `${POD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "1"}\n`,
    );
    const inline = "{kind: Secret, metadata: {name: s, namespace: n}, stringData: {p: x}}";
    const { steps } = await parse(
      `until: 1m\ntimeline:\n- {at: 0s, apply: {file: app.yaml}}\n- {at: 0s, apply: ${inline}}\n`,
    );
    expect(steps.flatMap(({ objects }) => objects)).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "c", namespace: "default" }, data: { a: "1" } },
      { kind: "Secret", metadata: { name: "s", namespace: "n" }, data: { p: "eA==" } },
    ]);
    expect(steps.flatMap(({ pods }) => pods.map(({ metadata }) => namespacedName(metadata)))).toEqual(["default/web"]);
  });

  test("has the pods of a trace, which come, use, end and go; what was evicted meanwhile is passed over", async () => {
    await writeFile(
      path.join(folder, "day.csv"),
      "pod,arrival,duration,cpu,memoryLimit,priority,usage\na,10,5,500m,1Gi,7,0:1Ki 2:2Ki\nb,12,1,,,,\n",
    );
    const { steps } = await parse("until: 1h\ntrace: {file: day.csv}\ntimeline:\n- {at: 1s, delete: a}\n");
    expect(steps.map(({ at, mayFail, pods: [pod], step }) => [at, mayFail, pod?.metadata.name ?? step])).toEqual([
      [0, true, "a"],
      [100, true, { at: 0.1, usage: { pod: "default/a", memory: 1_024 } }],
      [1_000, undefined, { at: "1s", delete: "a" }],
      [2_000, true, "b"],
      [2_100, true, { at: 2.1, usage: { pod: "default/a", memory: 2_048 } }],
      [33_000, true, { at: 33, delete: "default/b" }],
      [35_000, true, { at: 35, delete: "default/a" }],
    ]);
    expect(steps[0]?.pods[0]?.spec).toMatchObject({
      restartPolicy: "Never",
      priority: 7,
      containers: [
        {
          name: "main",
          image: "trace:1",
          command: ["sleep", "5"],
          resources: { requests: { cpu: "500m" }, limits: { memory: "1073741824" } },
        },
      ],
    });
  });

  test("its config is an rc file whose values are found in the scenario", async () => {
    const { rc } = await parse("until: 1m\nconfig:\n  node: {maxPods: 5}\n");
    expect(rc?.raw).toEqual({ node: { maxPods: 5 } });
    expect(rc?.locate(["node", "maxPods"])).toEqual({ line: 3, column: 10 });
  });
});

describe("what is wrong is reported with line, column, path and the nearest name", () => {
  test.each([
    [
      "a misspelt key",
      "until: 1m\ntimelin: []\n",
      'F/s.yaml:2:1 timelin: unknown option "timelin". Did you mean "timeline"?',
    ],
    [
      "a misspelt action",
      "until: 1m\ntimeline:\n- {at: 0s, delet: web}\n",
      'F/s.yaml:3:12 timeline[0].delet: unknown option "delet". Did you mean "delete" or "deleteObject" or "delay"?',
    ],
    ["no action", "until: 1m\ntimeline:\n- {at: 0s}\n", "F/s.yaml:3:3 timeline[0]: expected exactly one action"],
    [
      "another kind than there is",
      "until: 1m\ntimeline:\n- {at: 0s, apply: {kind: Deployment, metadata: {name: web}}}\n",
      'F/s.yaml:3:12 timeline[0].apply: expected a valid pod, found kind: Unsupported value: "Deployment"',
    ],
    [
      "a pod without a spec",
      "until: 1m\ntimeline:\n- {at: 0s, apply: {metadata: {name: web}}}\n",
      "timeline[0].apply.spec.containers: expected a valid pod, found spec.containers: Required value",
    ],
    [
      "a key of a ConfigMap that none may have",
      "until: 1m\ntimeline:\n- {at: 0s, apply: {kind: ConfigMap, metadata: {name: c}, data: {a/b: x}}}\n",
      "expected a valid ConfigMap, found ",
    ],
    [
      "several of a ConfigMap",
      "until: 1m\ntimeline:\n- {at: 0s, replicas: 2, apply: {kind: ConfigMap, metadata: {name: c}}}\n",
      "F/s.yaml:3:12 timeline[0].replicas: expected pods to be made several of, found none in apply",
    ],
    [
      "a variable and a file in one expectation",
      "until: 1m\nexpect:\n- {pod: web, env: A, file: /b}\n",
      "F/s.yaml:3:3 expect[0]: expected one of env and file, beside pod alone",
    ],
    [
      "a file without a pod",
      "until: 1m\nexpect:\n- {image: web, file: /b}\n",
      "F/s.yaml:3:3 expect[0]: expected one of env and file, beside pod alone",
    ],
    [
      "a file that is not named from the root",
      "until: 1m\nexpect:\n- {pod: web, file: etc/web}\n",
      'expect[0].file: expected a path that begins with "/", found "etc/web"',
    ],
    [
      "an object of a namespace of a namespace",
      "until: 1m\ntimeline:\n- {at: 0s, deleteObject: {kind: Secret, name: a/b/login}}\n",
      'timeline[0].deleteObject.name: expected NAME or NAMESPACE/NAME, found "a/b/login"',
    ],
    [
      "content of no file",
      "until: 1m\nexpect:\n- {pod: web, content: x}\n",
      'expect[0].content: expected content beside "file" alone',
    ],
    [
      "two actions",
      "until: 1m\ntimeline:\n- {at: 0s, delete: a, agent: restart}\n",
      "timeline[0]: expected exactly one action",
    ],
    [
      "a time that is none",
      "until: soon\n",
      'F/s.yaml:1:1 until: expected a time such as 90s, 10m, 1h30m or 7d, or a number of seconds, found "soon".',
    ],
    ["no end", "timeline: []\n", "until: expected"],
    [
      "a step after the end",
      "until: 1m\ntimeline:\n- {at: 2m, delete: a}\n",
      "F/s.yaml:3:4 timeline[0].at: expected a time until the end, 1m, found 2m.",
    ],
    [
      "a result that no probe has",
      "until: 1m\ntimeline:\n- {at: 0s, probe: {pod: a, type: liveness, result: failur}}\n",
      'Did you mean "failure"?',
    ],
    [
      "an operation that no runtime has",
      "until: 1m\ntimeline:\n- {at: 0s, fault: {op: RemoveImag, error: x}}\n",
      'Did you mean "RemoveImage"?',
    ],
    [
      "devices of nobody",
      "until: 1m\ndevices: {v.example/gpu: [{id: a}]}\ntimeline:\n- {at: 0s, device: {resource: v.example/gpus, id: a, health: Bad}}\n",
      'Did you mean "v.example/gpu"?',
    ],
    [
      "a quantity that is none",
      "until: 1m\nnode: {memory: lots}\n",
      "node.memory: expected a quantity such as 512Mi, 1Gi, 250m or a number",
    ],
    [
      "an expectation of nothing",
      "until: 1m\nexpect:\n- {at: 1s, ready: true}\n",
      "F/s.yaml:3:3 expect[0]: expected what is expected of: one of pod,",
    ],
    [
      "an inline pod that is none",
      "until: 1m\ntimeline:\n- at: 0s\n  apply:\n    metadata: {name: a}\n    spec: {containers: [{name: c, imag: x}]}\n",
      "F/s.yaml:6:35 timeline[0].apply.spec.containers[0].imag",
    ],
    ["a manifest with a fault", "until: 1m\ntimeline:\n- {at: 0s, apply: {file: bad.yaml}}\n", "F/bad.yaml:7"],
    [
      "a manifest that is not there",
      "until: 1m\ntimeline:\n- {at: 0s, apply: {file: none.yaml}}\n",
      "F/s.yaml:3:20 timeline[0].apply.file: expected a manifest that can be read",
    ],
    ["broken YAML", "until: [1m\n", "F/s.yaml:2:1: invalid YAML:"],
    [
      "both ways to configure",
      "until: 1m\nrc: ./a.yaml\nconfig: {}\n",
      "F/s.yaml:2:1 rc: expected either config or rc, found both.",
    ],
  ])("%s", async (_, text, part) => {
    expect(await faults(text)).toContain(part);
  });

  test("all faults come together, and nothing is run", async () => {
    const text = await faults("until: soon\nnode: {memory: lots, cpus: 4}\n");
    expect(text).toMatch(/^The scenario has 3 faults; nothing was run\./);
  });

  test("a file that is not there is named", async () => {
    await expect(readScenario(path.join(folder, "no.yaml"))).rejects.toThrow(
      /Cannot read the scenario .*no\.yaml: ENOENT/,
    );
  });
});

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineRuntime } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { temporaryFolder } from "../../../../server/test/start.js";
import { fakeIo, hooklet, host, type Result } from "../../binary.js";

const factory = defineRuntime({
  meta: { name: "none", api: 1 },
  options: z.strictObject({ endpoint: z.string().optional() }),
  create: () => {
    throw new Error("check starts nothing");
  },
});
const by = {
  ...host,
  modules: { resolve: (name: string) => `/fake/${name}.js`, load: async () => ({ default: factory }) },
};

async function check(words: string, files: Readonly<Record<string, string>>): Promise<Result> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return hooklet(`check ${words}`, { ...fakeIo(), cwd: () => folder }, by);
}

test("where the rc file is in a folder above, that is a warning which names it", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, ".hookletrc.yaml"), "port: 1234\nplugins: []\n");
  await mkdir(join(folder, "sub"));
  const { code, out, err } = await hooklet("check", { ...fakeIo(), cwd: () => join(folder, "sub") }, by);
  expect([code, err]).toEqual([
    0,
    "warning: there is no rc file here, but one above: hooklet check --config ../.hookletrc.yaml\n",
  ]);
  expect(out).not.toContain("1234");
});

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: main, image: host}]}\n";

test("every value is shown with its origin", async () => {
  const { code, out, err } = await check("--root-dir r", { ".hookletrc.yaml": "port: 1234\nplugins: []\n" });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/port +1234 +\S*\.hookletrc\.yaml/);
  expect(out).toMatch(/rootDir +\S+\/r +--root-dir/);
  expect(out).toMatch(/node\.maxPods +110 +default/);
});

test("as JSON it can be read by programs, the faults too", async () => {
  const good = await check("-o json", { ".hookletrc.yaml": "plugins: []\n" });
  expect(JSON.parse(good.out)).toMatchObject({
    settings: expect.arrayContaining([expect.objectContaining({ path: "port" })]),
  });
  const bad = await check("-o json", { ".hookletrc.yaml": "prot: 1\nplugins: []\n" });
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.out)).toMatchObject({ faults: [{ path: "prot", nearest: ["port"] }] });
});

test("manifests are checked with file and line of each fault, and without an agent", async () => {
  const good = await check("-f web.yaml", { "web.yaml": POD });
  expect(good).toEqual({ code: 0, out: "web.yaml: well formed: pod default/web\n", err: "" });
  const bad = await check("-f web.yaml", { "web.yaml": POD.replace("image: host", "image: host, prots: []") });
  expect(bad).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^web\.yaml:4: .*prots/) });
  const json = await check("-f web.yaml -o json", { "web.yaml": POD });
  expect(JSON.parse(json.out)).toEqual([{ file: "web.yaml", pods: ["default/web"], faults: [] }]);
});

test("ConfigMaps and Secrets are checked as well, and what uses them is well formed", async () => {
  const objects = "{ apiVersion: v1, kind: ConfigMap, metadata: { name: app }, data: { color: blue } }\n---\n";
  const using = POD.replace("image: host", "image: host, envFrom: [{ configMapRef: { name: app } }]");
  const good = await check("-f web.yaml", { "web.yaml": `${objects}${using}` });
  expect(good.out).toBe("web.yaml: well formed: configmap default/app, pod default/web\n");
  const bad = await check("-f web.yaml", { "web.yaml": objects.replace("color:", "'a/b':") });
  expect(bad).toMatchObject({ code: 1, err: expect.stringMatching(/^web\.yaml:1: data\[a\/b\]: Invalid value/) });
});

const LIST = `apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: main, image: host}]}}]\n`;
const SCENARIO = "node: {cpu: 2, memory: 1Gi}\nuntil: 10s\nplugins: []\n";

test.each([
  ["a Pod", POD, { code: 0, out: "it.yaml: well formed: pod default/web\n" }],
  ["a List", LIST, { code: 0, out: "it.yaml: well formed: pod default/a\n" }],
  ["an rc file", "port: 1234\nplugins: []\n", { code: 0, out: expect.stringMatching(/port +1234 /) }],
  ["a scenario", SCENARIO, { code: 1, err: expect.stringMatching(/The scenario has 1 fault.*plugins/s) }],
  [
    "something else",
    "- a\n- b\n",
    { code: 1, err: expect.stringMatching(/is neither a manifest .* nor a scenario .* nor an rc/) },
  ],
])("check FILE checks %s as what it is", async (_, text, expected) => {
  expect(await check("it.yaml", { "it.yaml": text })).toMatchObject(expected);
});

test("check takes several files of several kinds, and checks all of them", async () => {
  const { code, out, err } = await check("bad.yaml pod.yaml", {
    "pod.yaml": POD,
    "bad.yaml": POD.replace("image", "imge"),
  });
  expect({ code, out }).toEqual({ code: 1, out: "pod.yaml: well formed: pod default/web\n" });
  expect(err).toMatch(/^bad\.yaml:4: .*imge/);
});

test("a misspelt eviction signal has a suggestion", async () => {
  const { err } = await check("", { ".hookletrc.yaml": "node: {evictionHard: {nodefs.availble: 10%}}\nplugins: []\n" });
  expect(err).toContain('unknown option "nodefs.availble". Did you mean "nodefs.available"?');
});

const WEBHOOK = "plugins: []\nserver: {port: 1234, authorization: {mode: Webhook}}\n";

test("a server that would refuse every client is a warning: no plugin answers for the API server", async () => {
  const warned = await check("", { ".hookletrc.yaml": WEBHOOK });
  expect(warned).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^warning: server\.authorization\.mode is Webhook:/),
  });
  const open = await check("", { ".hookletrc.yaml": WEBHOOK.replace("Webhook", "AlwaysAllow") });
  expect(open.err).not.toContain("server.authorization.mode");
});

test("more reserved than this machine has is a fault at its place, for each resource", async () => {
  const { code, err } = await check("--config rc.yaml", {
    "rc.yaml": "node:\n  systemReserved: { cpu: 100M }\n  kubeReserved:\n    memory: 640Ti\nplugins: []\n",
  });
  expect(code).toBe(1);
  expect(err).toContain("The configuration has 2 faults:");
  expect(err).toMatch(/rc\.yaml:2 node\.systemReserved\.cpu: expected at most \d+, the cpu of this node, found 100M\./);
  expect(err).toMatch(
    /rc\.yaml:4 node\.kubeReserved\.memory: expected at most \d+\w*, the memory of this node, together with node\.evictionHard\["memory\.available"\] \(\w+ in all\), found 640Ti\./,
  );
});

test("more reserved CPUs than there are is a fault of their list alone", async () => {
  const { code, err } = await check("--config rc.yaml", {
    "rc.yaml": "node:\n  reservedSystemCPUs: 0-4095\nplugins: []\n",
  });
  expect(code).toBe(1);
  expect(err).toMatch(
    /rc\.yaml:2 node\.reservedSystemCPUs: expected at most \d+, the cpu of this node, found 0-4095\./,
  );
});

test("a KubeletConfiguration is one fault, which names --from-kubelet", async () => {
  const files = {
    "kubelet.yaml": "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nmaxPods: 5\n",
  };
  for (const words of ["--config kubelet.yaml", "kubelet.yaml"]) {
    const { code, err } = await check(words, files);
    expect(code).toBe(1);
    expect(err).toMatch(
      /has 1 fault:\n {2}\S+kubelet\.yaml:1:1 kind: expected an rc file \(hooklet check --from-kubelet \S+kubelet\.yaml prints .*\), found a KubeletConfiguration\.\n$/,
    );
  }
});

test("a folder of manifests that is not there is a warning; without faults the last line says so", async () => {
  const { code, out, err } = await check("--config rc.yaml", {
    "rc.yaml": "sources: { manifests: ./none }\nplugins: []\n",
  });
  expect(code).toBe(0);
  expect(err).toMatch(/^warning: sources\.manifests: there is no directory \S+none now; /m);
  expect(out).toMatch(/\nThe configuration has no fault\.\n$/);
});

test("an rc file that is not there is called that", async () => {
  expect((await check("--config nope.yaml", {})).err).toContain("nope.yaml: no such file.");
});

test.each([
  [
    "a socket of the runtime that is not there",
    "runtime: { use: cri, options: { endpoint: unix:///nowhere/cri.sock } }\nplugins: []\n",
    /^warning: runtime\.options\.endpoint: there is no socket \/nowhere\/cri\.sock now; without it hooklet run ends after 20 s\n$/,
  ],
  [
    "a folder of manifests that is not there",
    "sources: { manifests: /nowhere }\nplugins: []\n",
    /^warning: sources\.manifests: there is no directory \/nowhere now; the agent takes pods from it once it is there\n$/,
  ],
  ["a folder of manifests that is there", "sources: { manifests: / }\nplugins: []\n", /^$/],
])("%s is a warning where an agent would wait for it", async (_name, text, said) => {
  expect((await check("", { ".hookletrc.yaml": text })).err).toMatch(said);
});

test("a folder of manifests is checked as one, a file that is not there is named, and JSON has objects and faults of each file", async () => {
  const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n---\n";
  const json = await check("-f a.yaml -f b.yaml -o json", { "a.yaml": `${config}${POD}`, "b.yaml": "kind: Pod\n" });
  expect([json.code, JSON.parse(json.out)]).toEqual([
    1,
    [
      { file: "a.yaml", pods: ["default/web"], objects: ["configmap default/app"], faults: [] },
      { file: "b.yaml", pods: [], faults: expect.arrayContaining([expect.objectContaining({ line: 1 })]) },
    ],
  ]);
  const folder = await temporaryFolder();
  await mkdir(join(folder, "pods"));
  await writeFile(join(folder, "pods/web.yaml"), POD);
  const io = { ...fakeIo(), cwd: () => folder };
  expect(await hooklet("check pods", io, by)).toMatchObject({
    code: 0,
    out: "pods/web.yaml: well formed: pod default/web\n",
  });
  expect((await check("nope.yaml", {})).err).toMatch(/^error: Cannot read \S+\/nope\.yaml: ENOENT/);
});

test("a manifest without a pod is well formed as well", async () => {
  const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n";
  expect(await check("-f a.yaml", { "a.yaml": config })).toMatchObject({
    code: 0,
    out: "a.yaml: well formed: configmap default/app\n",
  });
});

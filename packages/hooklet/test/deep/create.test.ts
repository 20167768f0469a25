import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { temporaryFolder } from "../../../server/test/start.js";
import { withoutDefaults } from "../../src/commands/check/kubelet-defaults.js";
import { fromKubelet } from "../../src/commands/check/kubelet-fields.js";
import { rcText } from "../../src/commands/create/rc-text.js";
import { type FakeIo, fakeIo, hooklet, type Result } from "../binary.js";

const run = promisify(execFile);
const CONTAINERD = { use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } };
const root = fileURLToPath(new URL("../../../../", import.meta.url));

async function folder(): Promise<{ path: string; hooklet(words: string): Promise<Result> }> {
  const path = await temporaryFolder();
  return { path, hooklet: (words) => hooklet(words, { ...fakeIo(), cwd: () => path } as FakeIo) };
}

describe("init", () => {
  test("writes an rc file that says what this machine has, and never over another one", async () => {
    const here = await folder();
    const { code, out } = await here.hooklet("init");
    expect([code, out]).toEqual([0, expect.stringContaining("Next: hooklet check, then hooklet run")]);
    const rc = parse(await readFile(join(here.path, ".hookletrc.yaml"), "utf8"));
    expect(rc).toMatchObject({ sources: { manifests: "./manifests" }, port: 10248 });
    expect(await here.hooklet("init")).toMatchObject({
      code: 1,
      err: expect.stringContaining("it is there already"),
    });
  });

  test.each([
    [
      "with containerd, as root",
      true,
      "/run/containerd/containerd.sock",
      { use: "cri", options: { endpoint: "unix:///run/containerd/containerd.sock" } },
    ],
    ["with containerd, as somebody else", false, "/run/containerd/containerd.sock", "process"],
    ["without any", true, undefined, "process"],
  ])("the runtime %s", (_, isRoot, criSocket, runtime) => {
    expect(parse(rcText({ name: "n", isRoot, criSocket, manifests: "./m" })).runtime).toEqual(runtime);
  });
});

/** As `npm install` links them. */
async function linkKit(own: string): Promise<void> {
  await mkdir(join(own, "node_modules/@hooklet"), { recursive: true });
  for (const name of [
    "core",
    "testkit",
    ...["preemption", "eviction", "imagegc", "devices"].map((one) => `plugin-${one}`),
  ])
    await symlink(join(root, "packages", name), join(own, "node_modules/@hooklet", name));
}

describe("create", () => {
  const points = ["victims", "ranking", "order", "allocation"];
  test.each(["plugin it", ...points.map((point) => `strategy it --for ${point}`)])(
    "%s: its test with the test kit passes, its scenario holds, and the rc file names it",
    async (words) => {
      const here = await folder();
      await writeFile(join(here.path, ".hookletrc.yaml"), "# mine\nport: 0 # none\n");
      expect(await here.hooklet(`create ${words}`)).toMatchObject({ code: 0, err: "" });
      await linkKit(join(here.path, "it"));
      const { stdout } = await run(process.execPath, ["--test"], {
        cwd: join(here.path, "it"),
        env: { PATH: process.env.PATH },
      });
      expect(stdout).toMatch(/fail 0/);
      const program = join(root, "packages/hooklet/bin/hooklet.js");
      const simulated = await run(program, ["simulate", "scenario.yaml"], { cwd: join(here.path, "it") });
      expect(simulated.stdout).toMatch(/(\d) of \1 expectations hold$/m);
      const rc = await readFile(join(here.path, ".hookletrc.yaml"), "utf8");
      expect(rc).toContain("# mine\nport: 0 # none");
      expect(JSON.stringify(parse(rc).plugins)).toContain("./it/index.js");
    },
  );

  test.each(["plugin it", ...points.map((point) => `strategy it --for ${point}`)])(
    "%s --ts: builds with a strict compiler, and its test passes",
    async (words) => {
      const here = await folder();
      await here.hooklet(`create ${words} --ts`);
      const own = join(here.path, "it");
      // Tests run on the sources; types of core are those that were built.
      const settings = await readFile(join(own, "tsconfig.json"), "utf8");
      await writeFile(join(own, "tsconfig.json"), settings.replaceAll("/src/index.d.ts", "/dist/index.d.ts"));
      await linkKit(own);
      await symlink(join(root, "node_modules/@types"), join(own, "node_modules/@types"));
      await run(join(root, "node_modules/.bin/tsc"), [], { cwd: own });
      const { stdout } = await run(process.execPath, ["--test", "dist/"], {
        cwd: own,
        env: { PATH: process.env.PATH },
      });
      expect(stdout).toMatch(/fail 0/);
    },
  );

  test.each(points)("the compiler refuses a wrong answer and a wrong option of strategy %s --ts", async (point) => {
    const here = await folder();
    await here.hooklet(`create strategy it --for ${point} --ts`);
    const own = join(here.path, "it");
    const settings = await readFile(join(own, "tsconfig.json"), "utf8");
    await writeFile(join(own, "tsconfig.json"), settings.replaceAll("/src/index.d.ts", "/dist/index.d.ts"));
    await linkKit(own);
    const main = join(own, "src/index.ts");
    const text = await readFile(main, "utf8");
    const [head = "", tail = ""] = text.split("  create:");
    const body = "({ lable }) => ({ candidates }) => candidates.map((one) => ({ id: one.oops }))";
    await writeFile(main, `${head}  create: ${body},${tail.slice(tail.indexOf("\n};"))}`);
    const compiler = join(root, "node_modules/.bin/tsc");
    const { stdout } = await run(compiler, ["--noEmit", "--types", ""], { cwd: own }).catch((error) => error);
    expect(stdout).toContain("Property 'lable' does not exist on type");
    expect(stdout).toContain("Property 'oops' does not exist on type");
    expect(stdout).toMatch(/src\/index\.ts\(\d+,\d+\): error TS2322/);
  });

  test("a strategy of a plugin that the rc file configures already joins what is there", async () => {
    const here = await folder();
    await writeFile(join(here.path, ".hookletrc.yaml"), "plugins:\n  - [imagegc, { imageMinimumGCAge: 5m }]\n");
    await here.hooklet("create strategy mine --for order");
    expect(parse(await readFile(join(here.path, ".hookletrc.yaml"), "utf8")).plugins).toEqual([
      ["imagegc", { imageMinimumGCAge: "5m", order: { use: "./mine/index.js" } }],
    ]);
  });

  test("where package.json has the configuration no other rc file is put beside it", async () => {
    const here = await folder();
    await writeFile(join(here.path, "package.json"), '{"hooklet":{"plugins":[]}}');
    expect((await here.hooklet("create plugin it")).out).toContain(
      'Add it to the plugins of package.json: "./it/index.js"',
    );
    expect(await readdir(here.path)).not.toContain(".hookletrc.yaml");
  });

  test("nothing is written over, and an rc file that is a program is left alone", async () => {
    const here = await folder();
    await writeFile(join(here.path, "hooklet.config.mjs"), "export default {};\n");
    expect((await here.hooklet("create plugin it")).out).toContain(
      'Add it to the plugins of hooklet.config.mjs: "./it/index.js"',
    );
    expect((await here.hooklet("create plugin it")).code).toBe(1);
    expect((await here.hooklet("create plugin ../it")).code).toBe(1);
    expect((await here.hooklet("create strategy it --for luck")).err).toContain("victims, ranking, order, allocation");
  });
});

describe("a KubeletConfiguration", () => {
  const known = {
    node: new Set(["maxPods", "clusterDNS", "evictionHard"]),
    plugins: new Map([
      ["imagegc", new Set(["imageGCHighThresholdPercent"])],
      ["cgroups", new Set(["podPidsLimit", "cgroupRoot"])],
    ]),
  };

  test("finds its place field by field, and what has none is named with the reason", () => {
    const configuration = {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      maxPods: 60,
      clusterDNS: ["10.96.0.10"],
      staticPodPath: "/etc/kubernetes/manifests",
      healthzPort: 1,
      registerWithTaints: [{ key: "a", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z" }],
      containerRuntimeEndpoint: "unix:///x.sock",
      imageGCHighThresholdPercent: 80,
      podPidsLimit: 5,
      authentication: { anonymous: { enabled: false } },
      authorization: { mode: "AlwaysAllow", webhook: { cacheAuthorizedTTL: "0s" } },
      tlsMinVersion: "VersionTLS12",
      rotateCertificates: true,
      somethingNew: 1,
    };
    expect(fromKubelet(configuration, known)).toEqual({
      rc: {
        node: { maxPods: 60, clusterDNS: ["10.96.0.10"], taints: [{ key: "a", effect: "NoSchedule" }] },
        sources: { manifests: "/etc/kubernetes/manifests" },
        port: 1,
        server: {
          authentication: { anonymous: { enabled: false } },
          authorization: { mode: "AlwaysAllow", webhook: {} },
        },
        runtime: { use: "cri", options: { endpoint: "unix:///x.sock" } },
        plugins: [
          ["imagegc", { imageGCHighThresholdPercent: 80 }],
          ["cgroups", { podPidsLimit: 5 }],
        ],
      },
      left: [
        { field: "tlsMinVersion", why: expect.stringContaining("TLS 1.2") },
        { field: "rotateCertificates", why: "it is sources.kube.rotateCertificates, beside sources.kube.kubeconfig" },
        { field: "somethingNew", why: "hooklet has nothing like it" },
      ],
    });
  });

  test.each([
    ["asks an API server that nobody named", {}, /Add sources\.kube\.kubeconfig first/],
    ["is off, whoever may do what", { enableServer: false, authorization: { mode: "AlwaysAllow" } }, /enableServer/],
  ])("no server is made of its fields where it %s", (_name, more, why) => {
    const { rc, left } = fromKubelet({ port: 10_250, authentication: {}, ...more }, known);
    expect(rc).toEqual({ runtime: CONTAINERD });
    expect(left.map(({ field }) => field)).toEqual(expect.arrayContaining(["port", "authentication"]));
    for (const one of left) expect(one.why).toMatch(why);
  });

  test.each([
    ["a zero that means the default", { fileCheckFrequency: "0s", staticPodPath: "" }, {}],
    ["written otherwise", { httpCheckFrequency: "0h0m0s", fileCheckFrequency: 0 }, {}],
    ["a time that is none", { fileCheckFrequency: "10s" }, { sources: { fileCheckFrequency: "10s" } }],
    ["a zero that means off", { readOnlyPort: 0 }, { readOnlyPort: 0 }],
  ])("what the kubelet puts its default for is left out: %s", (_name, configuration, rc) => {
    expect(fromKubelet(configuration, known)).toEqual({ rc: { runtime: CONTAINERD, ...rc }, left: [] });
  });

  test.each([
    "port",
    "maxPods",
    "maxOpenFiles",
    "nodeLeaseDurationSeconds",
    "registryBurst",
    "eventBurst",
    "kubeAPIBurst",
  ])("%s: 0 is the kubelet's default as well, not none at all", (field) => {
    expect(withoutDefaults({ [field]: 0, registryPullQPS: 0 })).toEqual({ registryPullQPS: 0 });
    expect(withoutDefaults({ [field]: 1 })).toEqual({ [field]: 1 });
  });

  test("containerLogMonitorInterval: 0s is said, for only an absent one gets the kubelet's default", () => {
    expect(withoutDefaults({ containerLogMonitorInterval: "0s" })).toEqual({ containerLogMonitorInterval: "0s" });
  });

  test.each([
    ["no endpoint", {}],
    ["an empty one, as kubeadm writes it", { containerRuntimeEndpoint: "" }],
    ["none at all, as null", { containerRuntimeEndpoint: null }],
  ])("with %s the runtime is containerd, the kubelet's default, not local processes", (_name, configuration) => {
    expect(fromKubelet(configuration, known)).toEqual({ rc: { runtime: CONTAINERD }, left: [] });
  });

  test("is refused when the file holds something else", async () => {
    const here = await folder();
    await writeFile(join(here.path, "pod.yaml"), "kind: Pod\n");
    expect((await here.hooklet("check --from-kubelet pod.yaml")).err).toContain("a KubeletConfiguration");
  });
});

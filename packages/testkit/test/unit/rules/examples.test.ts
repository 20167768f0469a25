/** The examples of what a plugin brings from elsewhere: pods, values, volumes, credentials, readiness gates. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodePlugin, Pod } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { SimulatedRuntime, startTestAgent, VirtualClock } from "../../../src/index.js";

async function example(name: string): Promise<NodePlugin> {
  const { default: plugin } = await import(join(process.cwd(), "examples/plugins", `${name}.mjs`));
  return plugin;
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooklet-example-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
}

const podJson = (name: string, image = "app:1"): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  });

describe("json-folder.mjs: a source of pods", () => {
  const start = async () => startTestAgent({ plugins: [[await example("json-folder"), { folder }]] });
  const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name).sort();

  test("each file is a pod; a new file comes, one that is gone goes, a changed one is another pod", async () => {
    await put("a.json", podJson("a"));
    const agent = await start();
    await agent.waitFor(() => agent.pod("a").status?.phase === "Running");
    const { uid } = agent.pod("a").metadata;

    await put("b.json", podJson("b"));
    await agent.advance(15_000);
    expect(names(agent.api.pods())).toEqual(["a", "b"]);
    expect(agent.pod("a").metadata.uid).toBe(uid);

    await put("a.json", podJson("a", "app:2"));
    await agent.waitFor(() => agent.pod("a").metadata.uid !== uid && agent.pod("a").status?.phase === "Running");
    await rm(join(folder, "b.json"));
    await agent.waitFor(() => agent.api.pods().length === 1);
    expect(names(agent.api.pods())).toEqual(["a"]);
  });

  test("an unusable file is reported by name, and its pod keeps running unchanged", async () => {
    await put("a.json", podJson("a"));
    const agent = await start();
    await agent.waitFor(() => agent.pod("a").status?.phase === "Running");
    const { uid } = agent.pod("a").metadata;
    await put("a.json", "{");
    await agent.advance(30_000);
    expect(agent.pod("a").metadata.uid).toBe(uid);
    expect(agent.events().filter(({ message }) => message?.includes(join(folder, "a.json")))).not.toEqual([]);
  });
});

describe("values-from-files.mjs: ConfigMaps and Secrets", () => {
  const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  volumes: [{ name: conf, configMap: { name: app } }]
  containers:
    - name: main
      image: app:1
      volumeMounts: [{ name: conf, mountPath: /conf }]
      env:
        - { name: COLOR, valueFrom: { configMapKeyRef: { name: app, key: color } } }
        - { name: PASSWORD, valueFrom: { secretKeyRef: { name: db, key: password } } }
`;

  test("their keys are in the environment and in the volume; a pod waits until they are there", async () => {
    await put("ConfigMap/default/app/color", "blue");
    const agent = await startTestAgent({ plugins: [[await example("values-from-files"), { folder }]] });
    await agent.apply(manifest);
    await agent.advance(5_000);
    expect(agent.pod("web").status?.containerStatuses?.[0]?.state?.waiting).toMatchObject({
      reason: "CreateContainerConfigError",
      message: 'secret "db" not found',
    });

    await put("Secret/default/db/password", "s3cret");
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    const config = agent.runtime.configOf("web", "main");
    expect(config.envs).toEqual(
      expect.arrayContaining([
        { key: "COLOR", value: "blue" },
        { key: "PASSWORD", value: "s3cret" },
      ]),
    );
    const mounted = config.mounts?.find(({ containerPath }) => containerPath === "/conf");
    expect(await readFile(join(mounted?.hostPath ?? "", "color"), "utf8")).toBe("blue");
  });

  test("without the plugin the same pod is refused by name", async () => {
    const agent = await startTestAgent();
    await expect(agent.apply(manifest)).rejects.toThrow("not supported by hooklet without an API server");
  });
});

/** A registry that accepts clients with the password. */
class ClosedRegistry extends SimulatedRuntime {
  readonly asked: unknown[] = [];

  override async pullImage(
    image: string,
    signal?: AbortSignal,
    credentials?: { readonly password?: string },
  ): Promise<string> {
    this.asked.push(credentials);
    if (credentials?.password !== "right") throw new RuntimeError("unknown", "authorization failed");
    return super.pullImage(image, signal);
  }
}

describe("registry-credentials.mjs: credentials of pulls", () => {
  test("the namespace's own are tried first, then those of all; the password is read each time", async () => {
    await put("a", "wrong\n");
    await put("all", "old\n");
    await chmod(join(folder, "all"), 0o600);
    const clock = new VirtualClock();
    const runtime = new ClosedRegistry({ clock, writeLogs: true });
    const registry = "registry.example.com";
    const registries = [
      { registry, namespace: "default", username: "a", passwordFile: join(folder, "a") },
      { registry, namespace: "team-b", username: "b", passwordFile: join(folder, "b") },
      { registry, username: "all", passwordFile: join(folder, "all") },
    ];
    const agent = await startTestAgent({
      clock,
      runtime,
      plugins: [[await example("registry-credentials"), { registries }]],
    });
    await agent.apply(podJson("web", `${registry}/app:1`));
    await agent.advance(2_000);
    expect(runtime.asked).toEqual([
      { username: "a", password: "wrong" },
      { username: "all", password: "old" },
      undefined,
    ]);

    await put("all", "right\n");
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    expect(runtime.asked.at(-1)).toEqual({ username: "all", password: "right" });
  });
});

describe("in-service.mjs: a readiness gate", () => {
  test("a pod with the gate is Ready only while its name stands in the file; a file that is gone changes nothing", async () => {
    await put("in-service", "default/other\n");
    const plugin = await example("in-service");
    const agent = await startTestAgent({ plugins: [[plugin, { file: join(folder, "in-service") }]] });
    const ready = () => agent.pod("web").status?.conditions?.find(({ type }) => type === "Ready")?.status;
    const gated = JSON.parse(podJson("web"));
    gated.spec.readinessGates = [{ conditionType: "example.com/in-service" }];
    await agent.apply(JSON.stringify(gated));
    await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
    await agent.advance(10_000);
    expect(ready()).toBe("False");

    await put("in-service", "default/other\ndefault/web\n");
    await agent.advance(10_000);
    expect(ready()).toBe("True");

    await rm(join(folder, "in-service"));
    await agent.advance(10_000);
    expect(ready()).toBe("True");

    await put("in-service", "");
    await agent.advance(10_000);
    expect(ready()).toBe("False");
  });
});

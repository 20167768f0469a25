/** The plugin in a whole agent, in virtual time, with objects of the control socket. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startTestAgent, type TestAgent } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const start = (): Promise<TestAgent> => startTestAgent({ plugins: [plugin] });

const apply = async (agent: TestAgent, manifest: string) => {
  const work = agent.api.apply(manifest, "test");
  await agent.advance(10);
  return work;
};

const configMap = (color: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {color: ${color}}}`;
const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { tier: one } }
spec:
  volumes:
    - { name: conf, configMap: { name: app } }
    - { name: down, downwardAPI: { items: [{ path: labels, fieldRef: { fieldPath: metadata.labels } }] } }
    - { name: keys, secret: { secretName: keys, defaultMode: 0400, optional: true } }
  containers:
    - name: main
      image: app:1
      volumeMounts: [{ name: conf, mountPath: /conf }, { name: down, mountPath: /down }, { name: keys, mountPath: /keys }]
      env: [{ name: COLOR, valueFrom: { configMapKeyRef: { name: app, key: color } } }]
      envFrom: [{ prefix: K_, secretRef: { name: keys, optional: true } }]
`;

/** In virtual time nothing is mounted: what is in memory lies in a folder of its own, as for an ordinary user. */
function volume(agent: TestAgent, kind: string, name: string, file: string): string {
  const { rootDir } = agent;
  const own = `hooklet-${createHash("sha256").update(rootDir).digest("hex").slice(0, 12)}`;
  const pods = kind === "configmap" ? path.join(rootDir, "pods") : path.join(rootDir, "memory", own);
  return path.join(pods, agent.pod("web").metadata.uid, "volumes", `kubernetes.io~${kind}`, name, file);
}

async function gone(agent: TestAgent): Promise<void> {
  await agent.api.deletePod({ name: "web", namespace: "default" }, { gracePeriodSeconds: 0 });
  await agent.waitFor(() => agent.api.pods().length === 0);
}

test("a pod waits for its ConfigMap, then runs with it, and follows its changes without a restart", async () => {
  const agent = await start();
  await apply(agent, pod);
  await agent.advance(2_000);
  expect(agent.events().map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    'FailedMount: MountVolume.SetUp failed for volume "conf" : configmap "app" not found',
  );
  expect(await apply(agent, configMap("blue"))).toEqual([{ subject: "configmap/app", action: "created" }]);
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const color = volume(agent, "configmap", "conf", "color");
  expect(readFileSync(color, "utf8")).toBe("blue");
  await apply(agent, configMap("green"));
  await agent.advance(100);
  expect(readFileSync(color, "utf8")).toBe("green");
  expect(agent.pod("web").status?.containerStatuses?.[0]?.restartCount).toBe(0);
  await gone(agent);
  expect(existsSync(color)).toBe(false);
});

test("labels in a downwardAPI volume follow the pod; an optional Secret appears once it is there, and goes again", async () => {
  const agent = await start();
  await apply(agent, `${configMap("blue")}\n---\n${pod}`);
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const labels = volume(agent, "downward-api", "down", "labels");
  expect(readFileSync(labels, "utf8")).toBe('tier="one"');
  await apply(agent, pod.replace("tier: one", "tier: two"));
  await agent.advance(100);
  expect(readFileSync(labels, "utf8")).toBe('tier="two"');
  const key = volume(agent, "secret", "keys", "password");
  expect(existsSync(key)).toBe(false);
  await apply(agent, "{apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {password: hunter2}}");
  await agent.advance(100);
  expect(readFileSync(key, "utf8")).toBe("hunter2");
  expect(statSync(key).mode & 0o7777).toBe(0o400);
  const deleted = agent.api.deleteObject("Secret", { namespace: "default", name: "keys" });
  await agent.advance(100);
  await deleted;
  expect(existsSync(key)).toBe(false);
  await gone(agent);
});

test("objects survive a restart of the agent in private files; a damaged file costs that object alone", async () => {
  const agent = await start();
  await apply(
    agent,
    `${configMap("blue")}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: keys}, data: {a: eA==}}`,
  );
  const folder = path.join(agent.rootDir, "api-objects");
  const names = readdirSync(folder);
  expect(names.map((name) => statSync(path.join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await agent.restart(() => {
    const damaged = names.find((name) => readFileSync(path.join(folder, name), "utf8").includes("Secret")) as string;
    writeFileSync(path.join(folder, damaged), "rubbish");
  });
  expect((await agent.api.view("configmaps")).rows).toEqual([
    { namespace: "default", name: "app", data: 1, immutable: false, keys: "color" },
  ]);
  expect((await agent.api.view("secrets")).rows).toEqual([]);
  expect(
    agent
      .events()
      .some(({ reason, message }) => reason === "InvalidManifest" && /apply its object again/.test(message ?? "")),
  ).toBe(true);
});

test.each([
  {
    name: "a key that is no file name",
    manifest: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {'../x': one}}",
    text: /data\[\.\.\/x\]: Invalid value/,
  },
  {
    name: "a value that is no base64",
    manifest: "{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {x: 'p!'}}",
    text: /data\[x\]: Invalid value: "": must be base64/,
  },
  {
    name: "a key twice",
    manifest: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: one}, binaryData: {x: eA==}}",
    text: /duplicate of key present in binaryData/,
  },
  {
    name: "a field that ConfigMaps have not",
    manifest: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, dta: {x: one}}",
    text: /unknown field "dta"/,
  },
  {
    name: "an object twice",
    manifest: `${configMap("a")}\n---\n${configMap("b")}`,
    text: /a second ConfigMap default\/app/,
  },
])("$name is refused, and nothing of the manifest is taken", async ({ manifest, text }) => {
  const agent = await start();
  await expect(agent.api.apply(`${manifest}\n---\n${configMap("z").replace("app", "other")}`, "test")).rejects.toThrow(
    text,
  );
  expect((await agent.api.view("configmaps")).rows).toEqual([]);
});

test("what is immutable does not change", async () => {
  const agent = await start();
  await apply(agent, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: one}, immutable: true}");
  await expect(
    agent.api.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: two}, immutable: true}", "test"),
  ).rejects.toThrow(/configmap\/a is immutable/);
});

/** etcd forgets its history while the node is cut off: the node's next watch is answered with 410, and it has what is there all the same. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { until } from "../../support/agent.js";
import { BehindProxy } from "./behind-proxy.js";
import { deployment, Going, kubectl, pod, say, there } from "./cluster.js";
import { PKI } from "./cluster-files.js";
import { killApiServer } from "./control-plane.js";
import type { Asked } from "./faulty-proxy.js";

describe("a compaction of etcd", () => {
  let behind: BehindProxy;
  let proxy: BehindProxy["proxy"];
  let node: BehindProxy["node"];
  let place: BehindProxy["place"];

  beforeAll(async () => {
    behind = await BehindProxy.create("compaction");
    ({ proxy, node, place } = behind);
    await place.kubectl("create", "configmap", "settings", "--from-literal=value=1");
    const volumeMounts = [{ name: "settings", mountPath: "/settings" }];
    const volumes = [{ name: "settings", configMap: { name: "settings" } }];
    await place.apply(deployment("web", 4), pod("leaving"), pod("reader", { volumeMounts }, { volumes }));
    await place.ready("app=web", 4);
    for (const name of ["leaving", "reader"]) await place.ready(`app=${name}`, 1);
  }, 180_000);

  afterAll(() => behind?.remove(), 240_000);

  test("while the node is cut off: what came, changed and went is seen, what stayed is not touched", async () => {
    const stayed = await containers();
    const version = await versionOf("/api/v1/pods");
    proxy.begin(() => ({ kind: "status", code: 503 }));
    await place.kubectl("scale", "deployment/web", "--replicas=6");
    await place.kubectl("delete", "pod", "leaving", "--wait=false");
    await place.kubectl("create", "configmap", "late", "--from-literal=value=late");
    const late = [{ name: "VALUE", valueFrom: { configMapKeyRef: { name: "late", key: "value" } } }];
    await place.apply(pod("newcomer", { env: late }));
    await place.kubectl("patch", "configmap", "settings", "-p", '{"data":{"value":"2"}}');
    await until(
      "two more are bound",
      async () => (await bound("app=web")) === 6 && (await bound("app=newcomer")) === 1,
    );
    const revision = await compact();
    // Its cache holds the history in memory; the next one has what etcd has.
    await killApiServer();
    expect(await watchFrom(version)).toMatch(/"code":410|Expired/);
    say(`etcd was compacted to revision ${revision}; a watch from ${version} is answered with 410`);
    const asked: Asked[] = [];
    proxy.begin((one) => {
      asked.push(one);
      return undefined;
    });
    const began = Date.now();
    await place.ready("app=web", 6, 120);
    await place.ready("app=newcomer", 1);
    say(`all run ${Date.now() - began} ms after the node was let in again`);
    await until("the pod that was deleted is gone", async () => (await place.pod("leaving")) === undefined, 60);
    const read = (): Promise<string> => place.kubectl("exec", "reader", "--", "cat", "/settings/value");
    await until("the volume has the new value", async () => (await read()) === "2", 60);
    expect(await containers()).toEqual(expect.objectContaining(stayed));
    const again = asked.filter(({ path: one }) => one.startsWith("/api/v1/pods?")).map(({ path: one }) => one);
    // First from where it was, then the whole of it.
    expect(again[0]).toMatch(/resourceVersion=[1-9]/);
    expect(again.slice(1).some((one) => !/resourceVersion=[1-9]/.test(one))).toBe(true);
    await until("the node has these alone", async () => node.podFolders().length === 8);
  }, 360_000);

  /** Of those that stay: restarts and container by uid. */
  async function containers(): Promise<Readonly<Record<string, string>>> {
    const pods = (await place.pods()).filter(({ metadata: { name } }) => name !== "leaving");
    return Object.fromEntries(
      pods.map(({ metadata, status: { containerStatuses: [one] = [] } }) => [
        metadata.uid,
        `${one?.containerID} ${one?.restartCount}`,
      ]),
    );
  }

  async function bound(selector: string): Promise<number> {
    return (await place.pods(selector)).filter(({ spec }) => spec.nodeName === node.name).length;
  }
});

async function versionOf(collection: string): Promise<string> {
  const list = await kubectl("get", "--raw", `${collection}?limit=1`);
  return (JSON.parse(list) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

/** What the first words of a watch from this version are. */
async function watchFrom(version: string): Promise<string> {
  const words = ["get", "--raw", `/api/v1/pods?watch=1&timeoutSeconds=2&resourceVersion=${version}`];
  const going = Going.kubectl(...words);
  await going.ended;
  return going.output;
}

/** All that is not the newest is gone from etcd. */
async function compact(): Promise<string> {
  const program = path.join(root, "test/deep/kube/etcd.mjs");
  const etcd = async (where: string, body: object): Promise<{ readonly header: { readonly revision: string } }> => {
    const words = [`--net=${there.namespace}`, process.execPath, program, PKI, where, JSON.stringify(body)];
    return JSON.parse((await promisify(execFile)("nsenter", words)).stdout);
  };
  const { header } = await etcd("/v3/kv/range", { key: Buffer.from("/registry/").toString("base64") });
  await etcd("/v3/kv/compaction", { revision: header.revision, physical: true });
  return header.revision;
}

/** A node that is known by a token: it ends, with and without a successor in its file. */
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { deployment, Going, kubectl, Place, say, there } from "./cluster.js";
import { AUTHORITY, kubeconfigOf, PKI } from "./cluster-files.js";
import { HookletNode } from "./nodes.js";

const ACCOUNT = "node-by-token";

describe("a node with a token", () => {
  let node: HookletNode;
  let place: Place;
  let file: string;

  /** The cluster's own, with another end: TokenRequest gives none below ten minutes. */
  const tokenFor = async (seconds: number): Promise<string> => {
    const real = await kubectl("create", "token", ACCOUNT, "-n", "kube-system");
    const [header = "", claims = ""] = real.trim().split(".");
    const now = Math.floor(Date.now() / 1000);
    const given = { ...(JSON.parse(Buffer.from(claims, "base64url").toString()) as object), exp: now + seconds };
    const text = `${header}.${Buffer.from(JSON.stringify(given)).toString("base64url")}`;
    const key = createPrivateKey(readFileSync(path.join(PKI, "sa.key")));
    return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
  };
  const put = (token: string): void => {
    writeFileSync(`${file}.new`, token, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const isTaken = async (token: string): Promise<boolean> => {
    const server = ["--kubeconfig=/dev/null", "--server", there.server, "--certificate-authority", AUTHORITY];
    return (await Going.program(there.kubectl, ...server, "--token", token, "get", "nodes").ended) === 0;
  };
  const renewed = (): Promise<string> =>
    kubectl("get", "lease", node.name, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}");

  beforeAll(async () => {
    place = await Place.create("token");
    await kubectl("create", "serviceaccount", ACCOUNT, "-n", "kube-system");
    // What a kubelet may do where no Node authorizer checks its name.
    const subject = `--serviceaccount=kube-system:${ACCOUNT}`;
    await kubectl("create", "clusterrolebinding", ACCOUNT, "--clusterrole=system:node", subject);
    node = await HookletNode.create("worker1");
    file = path.join(node.folder, "token");
    put(await tokenFor(3_600));
    const kubeconfig = path.join(node.folder, "kubeconfig");
    writeFileSync(kubeconfig, kubeconfigOf({ tokenFile: "token" }), { mode: 0o600 });
    const config = path.join(node.folder, "hookletrc.json");
    const rc = JSON.parse(readFileSync(config, "utf8")) as object;
    writeFileSync(config, JSON.stringify({ ...rc, sources: { kube: { kubeconfig } } }), { mode: 0o600 });
    await node.start();
    await place.apply(deployment("web", 3));
    await place.ready("app=web", 3);
  }, 180_000);

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
    await kubectl("delete", "clusterrolebinding", ACCOUNT, "--ignore-not-found");
    await kubectl("delete", "serviceaccount", ACCOUNT, "-n", "kube-system", "--ignore-not-found");
  }, 240_000);

  test("that ends while its successor lies in the file already: no request is lost by it", async () => {
    // The server bears with one for a minute after its end.
    const ending = await tokenFor(30);
    put(ending);
    // What was read counts for a minute.
    await new Promise((resolve) => setTimeout(resolve, 65_000));
    expect(await isTaken(ending)).toBe(true);
    put(await tokenFor(3_600));
    const log = node.log.length;
    await until("the server takes it no more", async () => !(await isTaken(ending)), 120);
    for (let times = 0; times < 2; times += 1) {
      const before = await renewed();
      await until("the lease is renewed", async () => (await renewed()) !== before, 40);
    }
    expect(node.log.slice(log)).not.toMatch(/Unauthorized|401/);
  }, 300_000);

  test("that ends without one: pods keep running, are started again, and are reported with the next token", async () => {
    const before = await place.pods("app=web");
    const ended = await tokenFor(-55);
    put(ended);
    await until("the server takes it no more", async () => !(await isTaken(ended)), 60);
    await until("the agent says so", async () => node.log.includes("Unauthorized"), 120);
    const last = await renewed();
    const victim = before[0]?.metadata.name ?? "";
    await node.hooklet("exec", "-n", place.namespace, victim, "--", "kill", "1");
    await until("the agent itself has started it again", async () => (await restartsHere(victim)) === 1, 60);
    await place.kubectl("scale", "deployment/web", "--replicas=4");
    await new Promise((resolve) => setTimeout(resolve, 15_000));
    expect(await renewed()).toBe(last);
    expect((await place.pod(victim))?.status.containerStatuses?.[0]?.restartCount).toBe(0);
    put(await tokenFor(3_600));
    const began = Date.now();
    await until("the lease is renewed", async () => (await renewed()) !== last, 60);
    say(`the lease is renewed ${Date.now() - began} ms after the next token`);
    const restarts = async (): Promise<number | undefined> =>
      (await place.pod(victim))?.status.containerStatuses?.[0]?.restartCount;
    await until("the API knows of the restart", async () => (await restarts()) === 1, 60);
    say(`the restart is told ${Date.now() - began} ms after it`);
    await place.ready("app=web", 4, 90);
    const now = new Set((await place.pods("app=web")).map(({ metadata }) => metadata.uid));
    for (const { metadata } of before) expect(now).toContain(metadata.uid);
  }, 400_000);

  async function restartsHere(name: string): Promise<number | undefined> {
    const { stdout } = await node.hooklet("get", "pods", "-n", place.namespace, "-o", "json");
    const { items } = JSON.parse(stdout) as { items: Awaited<ReturnType<Place["pods"]>> };
    return items.find(({ metadata }) => metadata.name === name)?.status.containerStatuses?.[0]?.restartCount;
  }
});

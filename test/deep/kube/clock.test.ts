/** Nodes whose clocks are an hour off the API server's, by libfaketime; plain processes, since two agents cannot share a containerd. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { Going, IDLE, kubectl, Place, pod, say, there } from "./cluster.js";
import { HookletNode } from "./nodes.js";

const HOUR = 3_600;
const [FAKETIME] = readdirSync("/usr/lib")
  .map((folder) => path.join("/usr/lib", folder, "faketime/libfaketimeMT.so.1"))
  .filter((file) => existsSync(file));
const story = FAKETIME === undefined ? describe.skip : describe;

class Skewed {
  private constructor(
    readonly node: HookletNode,
    readonly seconds: number,
  ) {}

  static async create(name: string, host: number, seconds: number): Promise<Skewed> {
    const more = { runtime: { use: "process" }, plugins: [["cgroups", false]] };
    const skewed = new Skewed(await HookletNode.create(name, { address: `${there.prefix}.${host}`, more }), seconds);
    skewed.set(seconds);
    skewed.node.env = {
      LD_PRELOAD: FAKETIME ?? "",
      FAKETIME_TIMESTAMP_FILE: skewed.#file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    return skewed;
  }

  get #file(): string {
    return path.join(this.node.folder, "clock");
  }

  /** Seconds that its clock is ahead, from a second from now on. */
  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  }

  async start(): Promise<void> {
    this.node.launch();
    await until(
      () => `node ${this.node.name} is Ready; ${this.node.log.slice(-1500)}`,
      () => this.node.isReady(),
      90,
    );
  }

  /** Of a time that the node has reported, in seconds: how far it is ahead of the clock here. */
  ahead(time: string): number {
    return Math.round((Date.parse(time) - Date.now()) / 1000);
  }
}

const token = {
  name: "token",
  projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 600 } }] },
};

function podOn(nodeName: string, name: string, container: object = {}, spec: object = {}): object {
  return pod(name, { image: "host", ...container }, { nodeName, hostNetwork: true, ...spec });
}

story("a node with a clock", () => {
  let ahead: Skewed;
  let behind: Skewed;
  let place: Place;
  let began: number;
  const cases = [
    { name: "an hour ahead", of: () => ahead },
    { name: "an hour behind", of: () => behind },
  ];
  const tokenOf = (name: string): Promise<string> => place.kubectl("exec", name, "--", "cat", "/token/token");
  const first = new Map<string, string>();

  beforeAll(async () => {
    [ahead, behind] = await Promise.all([Skewed.create("ahead", 4, HOUR), Skewed.create("behind", 5, -HOUR)]);
    place = await Place.create("clock");
    await Promise.all([ahead.start(), behind.start()]);
    began = Date.now();
    for (const { node } of [ahead, behind])
      await place.apply(
        podOn(node.name, `web-${node.name}`, { command: ["sh", "-c", `echo hello; ${IDLE}`] }),
        podOn(node.name, `crashing-${node.name}`, { command: ["sh", "-c", "sleep 2; exit 3"] }),
        podOn(
          node.name,
          `teller-${node.name}`,
          { volumeMounts: [{ name: "token", mountPath: "/token" }] },
          { volumes: [token] },
        ),
      );
  }, 240_000);

  afterAll(async () => {
    await place?.remove();
    await Promise.all([ahead?.node.remove(), behind?.node.remove()]);
  }, 240_000);

  test.each(cases)(
    "$name runs pods; their logs are read, and commands run in them",
    async ({ of }) => {
      const { node, ahead: aheadOf, seconds } = of();
      await place.ready(`app=web-${node.name}`, 1, 90);
      expect(await place.kubectl("logs", `web-${node.name}`)).toBe("hello\n");
      await place.ready(`app=teller-${node.name}`, 1, 90);
      first.set(node.name, await tokenOf(`teller-${node.name}`));
      const now = (await place.pod(`web-${node.name}`))?.status.startTime ?? "";
      expect(Math.abs(aheadOf(now) - seconds)).toBeLessThan(240);
    },
    240_000,
  );

  test.each(cases)(
    "$name crashes and starts again as any other",
    async ({ of }) => {
      const name = `crashing-${of().node.name}`;
      const restarts = async (): Promise<number> =>
        (await place.pod(name))?.status.containerStatuses?.[0]?.restartCount ?? 0;
      await until("two restarts, ten and twenty seconds apart", async () => (await restarts()) >= 2, 120);
      const events = await place.kubectl(
        "get",
        "events",
        "--field-selector",
        `involvedObject.name=${name}`,
        "-o",
        "json",
      );
      const { items } = JSON.parse(events) as { items: readonly { reason: string; lastTimestamp: string }[] };
      expect(items.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["Started", "BackOff"]));
      for (const { lastTimestamp } of items)
        expect(Math.abs(of().ahead(lastTimestamp) - of().seconds)).toBeLessThan(300);
      await place.kubectl("delete", "pod", name, "--timeout=60s");
    },
    240_000,
  );

  test.each(cases)(
    "$name keeps its lease, in its own time, and is Ready all the time",
    async ({ of }) => {
      const { node, seconds } = of();
      const lease = (): Promise<string> =>
        kubectl("get", "lease", node.name, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}");
      // The controllers give a node up after 50 s.
      for (const end = Date.now() + 60_000; Date.now() < end; ) {
        expect(Math.abs(of().ahead(await lease()) - seconds)).toBeLessThan(40);
        const taints = await kubectl("get", "node", node.name, "-o", "jsonpath={.spec.taints}");
        expect([await node.isReady(), taints]).toEqual([true, ""]);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
      }
    },
    150_000,
  );

  test.each(cases)(
    "$name renews a token of ten minutes before its end, and the API server takes both",
    async ({ of }) => {
      const name = `teller-${of().node.name}`;
      const before = first.get(of().node.name) ?? "";
      const left = 600 - (Date.now() - began) / 1_000;
      const isAnother = async (): Promise<boolean> => {
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        return (await tokenOf(name)) !== before;
      };
      await until("there is another token", isAnother, left);
      const after = await tokenOf(name);
      say(`another token ${Math.round((Date.now() - began) / 1_000)} s after the pod was made`);
      for (const one of [before, after])
        expect(await whoIs(one)).toBe(`system:serviceaccount:${place.namespace}:default`);
    },
    660_000,
  );

  test.each(cases)(
    "$name that is set right while pods run: none is touched",
    async ({ of }) => {
      const skewed = of();
      const shown = async (): Promise<readonly unknown[]> =>
        (await place.pods())
          .filter(({ spec }) => spec.nodeName === skewed.node.name)
          .map(({ metadata, status: { containerStatuses: [one] = [] } }) => [
            metadata.uid,
            one?.containerID,
            one?.ready,
          ]);
      const before = await shown();
      skewed.set(0);
      const lease = ["get", "lease", skewed.node.name, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}"];
      await until("the lease has the right time", async () => Math.abs(skewed.ahead(await kubectl(...lease))) < 30, 60);
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      expect(await shown()).toEqual(before);
      expect(await skewed.node.isReady()).toBe(true);
    },
    150_000,
  );

  test("two days behind reports that certificates are not valid yet, and joins when the clock is set right", async () => {
    const lost = await Skewed.create("lost", 6, -48 * HOUR);
    try {
      lost.node.launch();
      await until(
        () => `it says why; ${lost.node.log.slice(-1500)}`,
        async () => /not yet valid/.test(lost.node.log),
        60,
      );
      expect(await kubectl("get", "node", "lost", "--ignore-not-found", "-o", "name")).toBe("");
      lost.set(0);
      const set = Date.now();
      await until("the node is Ready", () => lost.node.isReady(), 120);
      say(`Ready ${Date.now() - set} ms after the clock was set`);
    } finally {
      await lost.node.remove();
    }
  }, 300_000);
});

/** As the API server knows it. */
async function whoIs(bearer: string): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: bearer } };
  const asked = Going.kubectl("create", "-o", "jsonpath={.status.user.username}", "-f", "-");
  asked.child.stdin?.end(JSON.stringify(review));
  await asked.ended;
  return asked.output;
}

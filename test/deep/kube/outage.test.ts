/**
 * The API server is killed and stays away for `HOOKLET_OUTAGE_MINUTES` (2): pods run on, restarts and probes go on, and all of it is
 * reported when it is back, in its order.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readIfThere } from "../../../scripts/machine.mjs";
import { until } from "../../support/agent.js";
import { deployment, Going, IDLE, kubectl, Place, pod, podTemplate, say } from "./cluster.js";
import { withoutApiServer } from "./control-plane.js";
import { HookletNode } from "./nodes.js";

const MINUTES = Number(process.env.HOOKLET_OUTAGE_MINUTES ?? 2);
const NAMESPACE = "away";
const EVENTS = `/api/v1/namespaces/${NAMESPACE}/events`;

interface State {
  readonly running?: object;
  readonly terminated?: { readonly exitCode: number; readonly finishedAt: string };
}

interface Seen {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly containerID?: string;
      readonly ready: boolean;
      readonly restartCount: number;
      readonly state: State;
      readonly lastState: State;
    }[];
  };
}

interface ListOfEvents {
  readonly metadata: { readonly resourceVersion: string };
}

interface Told {
  readonly involvedObject: { readonly name: string };
  readonly reason: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly source?: { readonly host?: string };
}

/** Goes on, and ends well or badly, when /tmp/go was touched in it. */
const untilTold = (code: number): object => ({
  command: ["sh", "-c", `until [ -e /tmp/go ]; do sleep 1; done; exit ${code}`],
});

const token = {
  name: "token",
  projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 600 } }] },
};

const flips = ["sh", "-c", "[ $(( $(date +%s) / 30 % 2 )) = 0 ]"];

const objects: readonly object[] = [
  deployment("steady", 3),
  pod("crashing", { command: ["sh", "-c", "sleep 5; exit 3"] }),
  pod("flipping", { readinessProbe: { exec: { command: flips }, periodSeconds: 5, failureThreshold: 1 } }),
  pod("unwell", {
    command: ["sh", "-c", `sleep 20; touch /tmp/dead; ${IDLE}`],
    livenessProbe: { exec: { command: ["test", "!", "-e", "/tmp/dead"] }, periodSeconds: 2, failureThreshold: 1 },
  }),
  pod("ending", untilTold(4), { restartPolicy: "Never" }),
  pod("teller", { volumeMounts: [{ name: "token", mountPath: "/token" }] }, { volumes: [token] }),
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work" },
    spec: { completions: 2, parallelism: 1, template: podTemplate("work", untilTold(0), { restartPolicy: "Never" }) },
  },
];

describe(`the API server, away for ${MINUTES} min`, () => {
  let node: HookletNode;
  let place: Place;
  let went: number;
  let came: number;
  /** As the agent's own socket showed them last, before the server was back. */
  let lastSeen: ReadonlyMap<string, Seen>;
  let before: ReadonlyMap<string, Seen>;
  /** Of the API server's store, before it went. */
  let version: string;
  const flipped: string[] = [];

  const here = async (): Promise<ReadonlyMap<string, Seen>> => {
    const { stdout } = await node.hooklet("get", "pods", "-n", NAMESPACE, "-o", "json");
    return byName((JSON.parse(stdout) as { items: readonly Seen[] }).items);
  };
  const there = async (): Promise<ReadonlyMap<string, Seen>> =>
    byName((await place.pods()) as readonly unknown[] as readonly Seen[]);
  const isDuring = (time: string): boolean => Date.parse(time) >= went - 1_000 && Date.parse(time) <= came;
  const goOn = async (name: string): Promise<void> => {
    const { code, stderr } = await node.hooklet("exec", "-n", NAMESPACE, name, "--", "touch", "/tmp/go");
    if (code !== 0) throw new Error(`${name}: ${stderr}`);
  };

  beforeAll(async () => {
    node = await HookletNode.create("worker1");
    await node.start();
    place = await Place.create(NAMESPACE);
    await place.apply(...objects);
    await place.ready("app=steady", 3);
    await until(
      "all run, and one has crashed",
      async () => {
        const all = [...(await there()).values()];
        const runs = all.filter(({ status }) => status.phase === "Running");
        return runs.length === 9 && restarts(all.find(({ metadata }) => metadata.name === "crashing")) > 0;
      },
      120,
    );
    before = await there();
    const list = JSON.parse(await kubectl("get", "--raw", `${EVENTS}?limit=1`)) as ListOfEvents;
    version = list.metadata.resourceVersion;
  }, 240_000);

  afterAll(async () => {
    await place?.remove().finally(() => node?.remove());
  }, 240_000);

  test(
    "meanwhile: what ends is started again, liveness and readiness are probed, what is well is not touched",
    async () => {
      const recorded = new Map<string, string>();
      const log = node.log.length;
      say(`${time()} resident ${resident(node.pid)} MiB`);
      await withoutApiServer(async () => {
        went = Date.now();
        say(`${time()} the API server is gone`);
        const end = went + MINUTES * 60_000;
        let isHalf = false;
        while (Date.now() < end) {
          lastSeen = await here();
          for (const [name, one] of lastSeen) {
            const words = describeOne(one);
            if (recorded.get(name) === words) continue;
            if (name === "flipping" && recorded.has(name)) flipped.push(words);
            recorded.set(name, words);
            say(`${time()} ${name}: ${words}`);
          }
          if (!isHalf && Date.now() > went + MINUTES * 30_000) {
            isHalf = true;
            await goOn("ending");
            await goOn(nameOf(lastSeen, "work"));
          }
          await new Promise((resolve) => setTimeout(resolve, 5_000));
        }
        came = Date.now();
        say(`${time()} the API server may come back; resident ${resident(node.pid)} MiB`);
      }, "SIGKILL");
      say(`${time()} the API server answers; ${node.log.slice(log).split("\n").length} lines in the log since it went`);
      const [crashed, unwell] = ["crashing", "unwell"].map((name) => restarts(lastSeen.get(name)));
      // Back-off grows to five minutes.
      const atLeast = 2 + Math.floor(Math.max(0, MINUTES - 8) / 5.5);
      expect(crashed).toBeGreaterThanOrEqual(restarts(before.get("crashing")) + atLeast);
      expect(unwell).toBeGreaterThan(restarts(before.get("unwell")));
      expect(flipped.length).toBeGreaterThanOrEqual(MINUTES - 1);
      expect(lastSeen.get("ending")?.status.phase).toBe("Failed");
      expect(lastSeen.get(nameOf(before, "work"))?.status.phase).toBe("Succeeded");
      expect(containers(lastSeen, "steady")).toEqual(containers(before, "steady"));
    },
    MINUTES * 60_000 + 300_000,
  );

  test("then: the API has what the agent has, of every pod", async () => {
    await until("the node is Ready", () => node.isReady(new Date()), 90);
    say(`${time()} the node is Ready`);
    let unlike = "";
    await until(
      () => `the statuses agree; ${unlike}`,
      async () => {
        const [mine, theirs] = [await here(), await there()];
        const other = [...before.keys()].find((name) => describeOne(mine.get(name)) !== describeOne(theirs.get(name)));
        unlike = `${other}: ${describeOne(mine.get(other ?? ""))}; at the API ${describeOne(theirs.get(other ?? ""))}`;
        return other === undefined;
      },
      90,
    );
    say(`${time()} the statuses agree`);
    const now = await there();
    for (const [name, { metadata }] of before)
      expect([name, now.get(name)?.metadata.uid]).toEqual([name, metadata.uid]);
    expect(containers(now, "steady")).toEqual(containers(before, "steady"));
    for (const name of ["crashing", "unwell"])
      expect(restarts(now.get(name))).toBeGreaterThanOrEqual(restarts(lastSeen.get(name)));
    const ended = now.get("ending")?.status.containerStatuses?.[0]?.state.terminated;
    expect(ended?.exitCode).toBe(4);
    expect(isDuring(ended?.finishedAt ?? "")).toBe(true);
  }, 240_000);

  test("then: the Job continues with its next pod, and ends", async () => {
    const first = nameOf(before, "work");
    const second = async (): Promise<Seen | undefined> =>
      [...(await there()).values()].find(({ metadata: { name } }) => name.startsWith("work") && name !== first);
    await until("the next pod runs", async () => (await second())?.status.phase === "Running", 120);
    say(`${time()} the next pod of the Job runs`);
    await goOn((await second())?.metadata.name ?? "");
    await place.kubectl("wait", "--for=condition=Complete", "job/work", "--timeout=90s");
  }, 240_000);

  test("then: events of that time are written, in order", async () => {
    // The API server keeps no cache of events: what it shows here is each write, as etcd has them one after the other.
    const history = await kubectl("get", "--raw", `${EVENTS}?watch=1&timeoutSeconds=3&resourceVersion=${version}`);
    const recorded = history
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly object: Told })
      .filter(({ type, object }) => type !== "DELETED" && object.source?.host === node.name)
      .map(({ object }) => object);
    const times = recorded.map(({ lastTimestamp }) => lastTimestamp);
    expect(times).toEqual(times.toSorted());
    const during = recorded.filter(({ lastTimestamp }) => isDuring(lastTimestamp));
    say(`${recorded.length} events told, ${during.length} of them of the time without a server`);
    for (const { involvedObject, reason, lastTimestamp, count } of during)
      say(`${lastTimestamp} ${involvedObject.name} ${reason} ${count}`);
    const reasons = (name: string): readonly string[] => [
      ...new Set(during.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason)),
    ];
    expect(reasons("unwell")).toEqual(expect.arrayContaining(["Unhealthy", "Killing", "Started"]));
    expect(reasons("crashing")).toEqual(expect.arrayContaining(["Started", "BackOff"]));
    expect(reasons("flipping")).toEqual(["Unhealthy"]);
  }, 60_000);

  test("then: a token whose end came in that time is replaced by one that holds", async () => {
    const expires = async (): Promise<number> => {
      const [, claims = ""] = (await place.kubectl("exec", "teller", "--", "cat", "/token/token")).split(".");
      return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp: number }).exp * 1_000;
    };
    await until("the token holds", async () => (await expires()) > Date.now() + 60_000, 120);
    say(`${time()} the token holds for ${Math.round(((await expires()) - Date.now()) / 1000)} s`);
    const spec = { token: await place.kubectl("exec", "teller", "--", "cat", "/token/token") };
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
    const asked = Going.kubectl("create", "-o", "jsonpath={.status.user.username}", "-f", "-");
    asked.child.stdin?.end(JSON.stringify(review));
    await asked.ended;
    expect(asked.output).toBe(`system:serviceaccount:${NAMESPACE}:default`);
  }, 180_000);
});

function byName(pods: readonly Seen[]): ReadonlyMap<string, Seen> {
  return new Map(pods.map((one) => [one.metadata.name, one]));
}

function restarts(one: Seen | undefined): number {
  return one?.status.containerStatuses?.[0]?.restartCount ?? -1;
}

function nameOf(pods: ReadonlyMap<string, Seen>, prefix: string): string {
  return [...pods.keys()].find((name) => name.startsWith(prefix)) ?? "";
}

function containers(pods: ReadonlyMap<string, Seen>, prefix: string): readonly (readonly string[])[] {
  const own = [...pods].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  return own.map(([name, { status }]) => [name, status.containerStatuses?.[0]?.containerID ?? ""]);
}

/** What the API must have as the agent has it. */
function describeOne(one: Seen | undefined): string {
  const { phase, containerStatuses, conditions } = one?.status ?? {};
  const [{ ready, restartCount, containerID = "", state = {} } = {} as Partial<Container>] = containerStatuses ?? [];
  const since = conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  return [
    phase,
    ...Object.keys(state),
    ready ? "ready" : "not ready",
    `since ${since}`,
    restartCount,
    containerID.slice(-8),
  ].join(" ");
}

type Container = NonNullable<Seen["status"]["containerStatuses"]>[number];

function time(): string {
  return new Date().toISOString().slice(11, 19);
}

function resident(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/status`))?.[1]) / 1024);
}

/** The first two lines of `hooklet explain`, of broken pods on a real agent. The table of all causes: packages/cli/test/unit/print/cause. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort, until, Workplace } from "../support/agent.js";

const LIMIT = 180_000;

let place: Workplace;
let port: number;

beforeAll(async () => {
  place = await Workplace.create();
  const rc = path.join(place.folder, "rc.json");
  await writeFile(
    rc,
    JSON.stringify({ node: { evictionHard: { "nodefs.available": "99.9%" } }, plugins: [["eviction", {}]] }),
  );
  port = await freePort();
  await place.start("--config", rc);
}, LIMIT);

afterAll(() => place.remove(), LIMIT);

async function firstLines(name: string, expected: RegExp): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  await until(
    () => `explain ${name}: ${lines.join(" / ")}`,
    async () => {
      lines = (await place.hooklet("explain", "pod", name)).stdout.split("\n").slice(0, 2);
      return expected.test(lines[0] ?? "");
    },
  );
  return lines;
}

async function run(name: string, container: object, spec: object = {}): Promise<void> {
  // Critical: the node is under pressure.
  const containers = [{ name: "main", image: "host", ...container }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { dnsPolicy: "Default", priorityClassName: "system-node-critical", containers, ...spec },
  };
  await writeFile(path.join(place.folder, `${name}.json`), JSON.stringify(pod));
  expect(await place.hooklet("apply", "-f", path.join(place.folder, `${name}.json`))).toMatchObject({ code: 0 });
}

const listen = (): object => ({
  command: ["node", "-e", `require("net").createServer().listen(${port}, "127.0.0.1")`],
  ports: [{ containerPort: port }],
});

test(
  "a port in use names the port and the pod that has it",
  async () => {
    await run("first", listen(), { hostNetwork: true });
    await until("first runs", async () => (await place.pod("first"))?.status.phase === "Running");
    await run("second", listen(), { hostNetwork: true });
    const [, next] = await firstLines("second", new RegExp(`^(Port|Host port) ${port} is in use by pod default/first`));
    expect(next).toMatch(/^Next: Choose another (hostPort|port)/);
  },
  LIMIT,
);

test(
  "a crash, a missing image, a missing object and a probe that fails have their cause on the first line",
  async () => {
    await run("crash", { command: ["sh", "-c", "echo no database >&2; exit 3"] });
    await run("image", { image: "example.invalid/none:1", imagePullPolicy: "Never" });
    await run("object", { command: ["sleep", "3600"], envFrom: [{ configMapRef: { name: "gone" } }] });
    await run("probe", {
      command: ["sleep", "3600"],
      readinessProbe: { exec: { command: ["false"] }, periodSeconds: 1 },
    });
    await firstLines("crash", /^Container main ends with exit code 3: no database\.$/);
    await firstLines("image", /^Image example.invalid\/none:1 is not on this node, and it is not pulled\.$/);
    await firstLines("object", /^ConfigMap gone is missing, and the pod needs it\.$/);
    await firstLines("probe", /^The readiness probe of container main fails\.$/);
  },
  LIMIT,
);

test(
  "node pressure names the amount and the threshold",
  async () => {
    await until("the node is under pressure", async () =>
      (await place.hooklet("get", "eviction")).stdout.includes("crossed"),
    );
    await run("late", { command: ["sleep", "3600"] }, { priorityClassName: "" });
    const [, next] = await firstLines(
      "late",
      /^The node has DiskPressure: nodefs\.available is .* of .*, with the threshold of 99\.9%/,
    );
    expect(next).toContain("node.evictionHard");
  },
  LIMIT,
);

/** What the commands for scenarios do with what people have: files of a kubelet, folders, rc files, questions. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { root } from "../sources.js";
import { binary } from "../support/agent.js";

const run = promisify(execFile);
const EXAMPLES = path.join(root, "examples/scenarios");
const LIMIT = 300_000;
const scratch = mkdtempSync(path.join(tmpdir(), "hooklet-scenario-commands-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function hooklet(...args: readonly string[]): Promise<Result> {
  return run(process.execPath, [binary, ...args], { cwd: scratch, maxBuffer: 64 * 1024 ** 2 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Result) => ({ code, stdout, stderr }),
  );
}

function scratchFile(name: string, text: string): string {
  const file = path.join(scratch, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Recorded from a kubelet 1.33. */
const golden = (file: string): string => readFileSync(path.join(root, file), "utf8");
const PODS = golden("packages/core/test/golden/pods.json");
const SUMMARY = golden("packages/plugin-stats/test/golden/stats-summary.json");
const CONFIGZ = golden("test/fixtures/kubelet/configz.json");
const CHECKPOINT = (
  JSON.parse(golden("packages/plugin-devices/test/golden/devices.json")) as { checkpoint_file: string }
).checkpoint_file;
const NODE = JSON.stringify({
  kind: "Node",
  metadata: { name: "node1", labels: { zone: "a" } },
  status: {
    capacity: { cpu: "2", memory: "25000000Ki", pods: "250" },
    nodeInfo: { architecture: "amd64", kubeletVersion: "v1.33.0" },
  },
});
/** As `crictl images -o json` has them: sizes are texts. */
const IMAGES = JSON.stringify({
  images: [{ id: "sha256:5fa", repoTags: ["hk.local/busybox:1"], repoDigests: [], size: "4454192", pinned: false }],
});

interface Recorded {
  readonly node: Readonly<Record<string, unknown>>;
  readonly config?: { readonly node: object; readonly plugins: readonly (readonly [string, object])[] };
  readonly images: readonly object[];
  readonly devices: Readonly<Record<string, readonly object[]>>;
  readonly timeline: readonly {
    readonly apply?: { readonly metadata: { readonly name: string } };
    readonly usage?: object;
  }[];
}

function what(file: string): Recorded & { readonly pods: readonly string[] } {
  const recorded = parse(readFileSync(file, "utf8")) as Recorded;
  return { ...recorded, pods: recorded.timeline.flatMap(({ apply }) => apply?.metadata.name ?? []) };
}

const THREE = ["guaranteed-node1", "burstable-node1", "besteffort-node1"];

test(
  "a file of the machine that simulates is not one of the simulated machine",
  async () => {
    const mounts = "volumeMounts: [{ name: h, mountPath: /h }]";
    const spec = `{ containers: [{ name: main, image: a, ${mounts} }], volumes: [{ name: h, hostPath: { path: / } }] }`;
    const expected = ["/h/etc/passwd", "/h/../../etc/passwd"].map((file) => `- { pod: web, file: ${file} }\n`).join("");
    const text = `until: 1m\ntimeline:\n- { at: 0s, apply: { metadata: { name: web }, spec: ${spec} } }\nexpect:\n${expected}`;
    const { code, stderr } = await hooklet("simulate", scratchFile("outside.yaml", text), "-o", "junit");
    expect(code).toBe(1);
    expect(stderr).toMatch(/expect\[0\].*: \/h is \/ of the machine, which is not simulated\n/);
    expect(stderr).toMatch(/expect\[1\].*: no volume is mounted at \/h\/\.\.\/\.\.\/etc\/passwd\n/);
  },
  LIMIT,
);

describe("a node with a kubelet is recorded", () => {
  test(
    "from its own files and those of kubectl and crictl, recognized by their shape: node, options, pods, what they use, images, devices",
    async () => {
      const texts = { PODS, SUMMARY, CONFIGZ, CHECKPOINT, NODE, IMAGES };
      const files = Object.entries(texts).map(([name, text]) => scratchFile(`kubelet/${name}.json`, text));
      const { code, stderr } = await hooklet("record", "--from-files", files.join(","), "--output-file", "files.yaml");
      expect(code).toBe(0);
      // What the kubelet has and hooklet has not is reported.
      expect(stderr).toContain("warning: hairpinMode is left out: hooklet has nothing like it\n");
      const recorded = what(path.join(scratch, "files.yaml"));
      expect(recorded.node).toMatchObject({
        name: "node1",
        cpu: "2",
        memory: "25000000Ki",
        labels: { zone: "a" },
        imageFs: { capacity: 270553174016, available: 80300982272 },
      });
      expect(Object.fromEntries(recorded.config?.plugins ?? [])).toMatchObject({
        imagegc: { imageGCHighThresholdPercent: 85 },
        cgroups: { podPidsLimit: 1024 },
      });
      expect(recorded.pods).toEqual(THREE);
      expect(recorded.timeline.map(({ usage }) => usage)).toContainEqual({
        pod: "default/burstable-node1",
        container: "main",
        memory: 741376,
        disk: 8192,
      });
      expect(recorded.images).toEqual([{ id: "sha256:5fa", names: ["hk.local/busybox:1"], size: 4454192 }]);
      expect(recorded.devices["example.com/resource"]).toEqual([{ id: "Dev-1" }, { id: "Dev-2" }]);
      const simulated = await hooklet("simulate", "files.yaml", "-o", "jsonl");
      expect(simulated).toMatchObject({ code: 0, stderr: "" });
      for (const name of THREE) {
        expect(simulated.stdout).toContain(`"kind":"pod.phase","pod":"default/${name}","phase":"Running"`);
      }
    },
    LIMIT,
  );

  test(
    "not without an answer: the error has the address and the reason",
    async () => {
      const { code, stdout, stderr } = await hooklet("record", "--kubelet", "http://127.0.0.1:1");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:1\/pods does not answer: .+\n$/);
      expect(stderr).not.toContain("fetch failed");
    },
    LIMIT,
  );

  test(
    "by its read-only port, beside files of its device manager and its images; what it does not tell is named",
    async () => {
      const answers: Readonly<Record<string, string>> = { "/pods": PODS, "/configz": CONFIGZ };
      const asked: string[] = [];
      const server: Server = createServer(({ url = "" }, response) => {
        asked.push(url);
        const answer = answers[url];
        response.writeHead(answer === undefined ? 403 : 200).end(answer ?? "Forbidden");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const checkpoint = scratchFile("kubelet_internal_checkpoint", CHECKPOINT);
        const images = scratchFile("images.json", IMAGES);
        const words = ["--kubelet", `${url}/`, "--checkpoint", checkpoint, "--images", images];
        const { code, stderr } = await hooklet("record", ...words, "--output-file", "kubelet.yaml");
        expect(code).toBe(0);
        expect(stderr).toContain(
          `warning: what pods and disks use is left out: ${url}/stats/summary: expected status 200, found 403.\n`,
        );
        expect(asked.sort()).toEqual(["/configz", "/pods", "/stats/summary"]);
      } finally {
        server.close();
      }
      const recorded = what(path.join(scratch, "kubelet.yaml"));
      expect(recorded.pods).toEqual(THREE);
      expect(recorded.config?.node).toMatchObject({ maxPods: 250 });
      expect(recorded.images).toHaveLength(1);
      expect(Object.keys(recorded.devices)).toEqual(["example.com/resource"]);
    },
    LIMIT,
  );
});

test(
  "the removal of an image and the holder of a device are explained at a time of a scenario",
  async () => {
    const disk = path.join(EXAMPLES, "disk-fills-up.yaml");
    const devices = path.join(EXAMPLES, "gpus-on-two-numa-nodes.yaml");
    const [image, before, device] = await Promise.all([
      hooklet("explain", "image", "batch:1", "--scenario", disk),
      hooklet("explain", "image", "batch:1", "--scenario", disk, "--at", "20m"),
      hooklet("explain", "device", "gpu-1", "--scenario", devices, "--at", "14s"),
    ]);
    expect(image.stdout).toMatch(/image\/batch:1 +removed +unused for 5m30s, 12\.0 GiB/);
    expect(before.stdout).toMatch(/image\/batch:1 +enough room +76% of the image filesystem used/);
    expect(device.stdout).toContain("held by container main of pod default/infer");
    expect(device.stdout).toMatch(/NUMA node +1 /);
  },
  LIMIT,
);

test(
  "a folder of scenarios gives one table for two rc files",
  async () => {
    const folder = path.join(scratch, "folder");
    for (const name of ["critical-pod-on-full-node.yaml", "memory-runs-out.yaml"]) {
      cpSync(path.join(EXAMPLES, name), path.join(folder, name));
    }
    const rc = (name: string, victims: string): string =>
      scratchFile(name, JSON.stringify({ plugins: [["preemption", { victims }]] }));
    const files = [rc("A.rc", "kubelet"), rc("B.rc", "lowest-priority-first")].flatMap((file) => ["--with", file]);
    const { code, stdout, stderr } = await hooklet("compare", "folder", ...files, "-o", "json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const compared = JSON.parse(stdout) as readonly {
      readonly scenario: string;
      readonly runs: readonly { readonly name: string; readonly figures: Readonly<Record<string, number>> }[];
      readonly partings: readonly { readonly with: string; readonly t?: number }[];
    }[];
    expect(compared.map(({ scenario }) => path.basename(scenario))).toEqual([
      "critical-pod-on-full-node.yaml",
      "memory-runs-out.yaml",
    ]);
    for (const { runs } of compared) expect(runs.map(({ name }) => name)).toEqual(["A.rc", "B.rc"]);
    // Another victim in the one, and nothing else in the other: it has no critical pod.
    expect(compared[0]?.partings).toMatchObject([{ with: "B.rc", t: 60 }]);
    expect(compared[1]?.partings).toEqual([{ with: "B.rc" }]);
  },
  LIMIT,
);

test(
  "a search prints the figure of each value, what else changes with it, and which is best",
  async () => {
    const scenario = path.join(EXAMPLES, "disk-fills-up.yaml");
    const sweep = "plugins.imagegc.imageGCHighThresholdPercent=75..95:10";
    const words = ["compare", scenario, "--sweep", sweep, "--minimise", "bytes-removed"];
    const { code, stdout } = await hooklet(...words);
    expect(code).toBe(0);
    // At 75 percent an image goes that the scenario expects to be there still: that counts before the figure does.
    expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["imageGCHighThresholdPercent", "bytes removed", "expectations that fail"],
      ["75", "20Gi", "1"],
      ["85", "20Gi", "0", "best"],
      ["95", "20Gi", "0"],
      [""],
      ["plugins.imagegc.imageGCHighThresholdPercent=85: fewest bytes removed, 20Gi"],
      [""],
    ]);
  },
  LIMIT,
);

test(
  "a program does at SIGTERM what the scenario says; by default it ends at once with 0",
  async () => {
    const pods = ["polite", "slow", "deaf", "late"].map(
      (name) =>
        `{ metadata: { name: ${name} }, spec: { terminationGracePeriodSeconds: 10, containers: [{ name: main, image: "app:1" }] } }`,
    );
    const file = scratchFile(
      "term.yaml",
      [
        "timeline:",
        `  - { at: 0s, apply: [${pods.join(", ")}] }`,
        "  - { at: 1s, onTerm: { pod: slow, code: 3, after: 4s } }",
        "  - { at: 1s, onTerm: { pod: deaf, container: main, ignored: true } }",
        "  - { at: 1s, onTerm: { pod: late, after: 1m } }",
        "  - { at: 60s, delete: [polite, slow, deaf, late] }",
        "  - { at: 1s, onTerm: { pod: slow, container: other, code: 1 } }",
        "until: 2m",
        "",
      ].join("\n"),
    );
    const { code, stdout, stderr } = await hooklet("simulate", file, "-o", "jsonl");
    const ends = stdout
      .split("\n")
      .filter((line) => line.includes('"container.killed"'))
      .map((line) => JSON.parse(line) as { readonly t: number; readonly pod: string; readonly code: number });
    expect(ends.map(({ t, pod, code }) => [pod, t, code])).toEqual([
      ["default/polite", 60, 0],
      ["default/slow", 64, 3],
      ["default/deaf", 70, 137],
      ["default/late", 70, 137],
    ]);
    // An impossible step is reported, with its line.
    expect(code).toBe(1);
    expect(stderr).toMatch(/timeline\[5\] .*expected a container of pod slow, main, found other/);
  },
  LIMIT,
);

test(
  "check reports every fault of a scenario with line, column and path, and runs nothing",
  async () => {
    const file = scratchFile(
      "faulty.yaml",
      "node: { cpu: many }\ntimeline:\n  - { at: 0s, delete: a, agent: restart }\n  - { at: 1s, onTerm: { pod: a, ignored: true, code: 2 } }\nuntil: 1m\nexpect: [{ pod: a, phase: Runing }]\nconfig: { plugins: [[imagegc, { order: lruu }]] }\n",
    );
    const { code, stderr, stdout } = await hooklet("check", file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`${file}:1:`);
    for (const place of ["node.cpu", "timeline[0]", "timeline[1].onTerm", "expect[0].phase"]) {
      expect(stderr).toContain(place);
    }
    expect(stderr).toMatch(/:6:\d+ /);
  },
  LIMIT,
);

const SIDECAR = `node: { cpu: "4", memory: 8Gi }
timeline:
  - at: 0s
    apply:
      metadata: { name: web }
      spec:
        terminationGracePeriodSeconds: 5
        initContainers: [{ name: proxy, image: "proxy:1", restartPolicy: Always }]
        containers: [{ name: main, image: "web:1" }]
  - at: 0s
    apply:
      metadata: { name: asleep }
      spec:
        terminationGracePeriodSeconds: 5
        containers: [{ name: main, image: "web:1", command: [sleep, "3600"] }]
  - { at: 10s, usage: { pod: web, memory: 64Mi } }
  - { at: 20s, exit: { pod: web, code: 3 } }
  - { at: 30s, delete: asleep }
until: 1m
expect:
  - { pod: web, phase: Running, restarts: 1 }
`;

test(
  "a step that names no container means the first of spec.containers, beside a sidecar as well; sleep hears no SIGTERM",
  async () => {
    scratchFile("sidecar.yaml", SIDECAR);
    const { code, stdout, stderr } = await hooklet("simulate", "sidecar.yaml", "-o", "jsonl");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const ends = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter(({ kind }) => kind === "container.exited" || kind === "container.killed");
    expect(ends).toEqual([
      expect.objectContaining({ t: 20, pod: "default/web", container: "main", code: 3 }),
      expect.objectContaining({ t: 35, pod: "default/asleep", container: "main", code: 137 }),
    ]);
  },
  LIMIT,
);

test(
  "a value that the configuration refuses is reported, and the others of the grid run; when all are refused the command fails",
  async () => {
    const scenario = path.join(EXAMPLES, "probe-life.yaml");
    const sweep = (range: string) =>
      hooklet(
        "compare",
        scenario,
        "--sweep",
        `plugins.imagegc.imageGCHighThresholdPercent=${range}`,
        "--minimise",
        "pulls",
      );
    const { code, stdout, stderr } = await sweep("70..90:10");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(lines.filter((line) => /^\d+ /.test(line)).map((line) => line.split(/ +/)[0])).toEqual(["80", "90", "70"]);
    expect(stdout).toMatch(/^70 is refused: .*at most imageGCHighThresholdPercent, 70/m);
    const none = await sweep("60..70:10");
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("at most imageGCHighThresholdPercent, 60");
  },
  LIMIT,
);

test.each([
  ["an rc file", ["--with", "other.rc.yaml"], "--with"],
  ["a page", ["--report", "page.html"], "--report"],
  ["both", ["--with", "other.rc.yaml", "--report", "page.html"], "--with and --report"],
])(
  "a sweep with %s beside it is refused, not done by half",
  async (_, beside, found) => {
    const words = ["--sweep", "node.maxPods=1..2:1", "--minimise", "pods failed", ...beside];
    const { code, stdout, stderr } = await hooklet("compare", path.join(EXAMPLES, "probe-life.yaml"), ...words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`--sweep: expected neither --with nor --report beside it, found ${found}.`);
  },
  LIMIT,
);

test(
  "a tap that loops without end ends the run with what to look for",
  async () => {
    const tap = "hooks.podAdmit.tap(() => { for (;;); });";
    scratchFile("loop.mjs", `export default { meta: { name: "loop", api: 1 }, start({ hooks }) { ${tap} } };\n`);
    const pod = '{ metadata: { name: web }, spec: { containers: [{ name: main, image: "web:1" }] } }';
    const text = `config: { plugins: [./loop.mjs] }\nuntil: 1m\ntimeline:\n- { at: 20s, apply: ${pod} }\n`;
    const { code, stderr } = await hooklet("simulate", scratchFile("loop.yaml", text));
    expect(code).toBe(1);
    expect(stderr).toContain("loops without end: the run stood still for 30 s");
  },
  LIMIT,
);

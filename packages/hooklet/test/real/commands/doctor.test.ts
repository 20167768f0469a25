/** `hooklet doctor` on the machine that runs the tests: what does not depend on it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineRuntime } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { startFake, temporaryFolder } from "../../../../server/test/start.js";
import type { Finding } from "../../../src/doctor/findings.js";
import { fakeIo, hooklet, host, type Result } from "../../binary.js";

const factory = defineRuntime({
  meta: { name: "none", api: 1 },
  options: z.strictObject({}),
  create: () => {
    throw new Error("doctor starts nothing");
  },
});
const by = {
  ...host,
  modules: { resolve: (name: string) => `/fake/${name}.js`, load: async () => ({ default: factory }) },
};

async function doctor(words: string, rc = "plugins: []\nport: 0\n", env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, ".hookletrc.yaml"), rc);
  const io = { ...fakeIo({ HOME: folder, ...env }), cwd: () => folder };
  const result: Result = await hooklet(`doctor ${words}`, io, by);
  return { ...result, folder };
}

const found = ({ out }: Result): Record<string, Finding> =>
  Object.fromEntries((JSON.parse(out) as Finding[]).map((one) => [one.what, one]));

test("programs get the findings as JSON, and 1 where one of them fails", async () => {
  const result = await doctor("-o json");
  const all = Object.values(found(result));
  expect(all.map(({ what }) => what)).toEqual([
    ...["configuration", "root dir", "disk", "port", "runtime", "util-linux", "namespaces", "cgroups", "skopeo"],
  ]);
  expect(result.code).toBe(all.some(({ state }) => state === "fails") ? 1 : 0);
  expect(found(result)).toMatchObject({
    configuration: { state: "ok" },
    port: { state: "ok", found: "off: no HTTP for health and metrics" },
    runtime: { state: "ok", found: expect.stringMatching(/^process/) },
  });
});

test("people get a line for each, with what it costs and the fix below, and in the end what is missing", async () => {
  const rc = "plugins: []\nport: 0\nrootDir: /proc/1/none\n";
  const json = await doctor("-o json", rc);
  const { code, out } = await doctor("", rc);
  const lines = out.split("\n");
  const who = process.geteuid?.() === 0 ? "As root" : "As an ordinary user";
  expect(lines.slice(0, 2)).toEqual([`${who}, Node ${process.versions.node}, root dir /proc/1/none`, ""]);
  const expected = Object.values(found(json)).flatMap(({ state, what, found: text, costs, mend }) => [
    `${state} ${what} ${text}`,
    ...(costs === undefined ? [] : [` costs: ${costs}`]),
    ...(mend === undefined ? [] : [` fix: ${mend}`]),
  ]);
  const squeezed = lines.slice(2, -3).map((line) => line.replace(/ {2,}/g, " "));
  // What is free on the disk changes from call to call.
  const plain = (all: readonly string[]) => all.map((line) => line.replace(/ free on .*/, ""));
  expect(plain(squeezed).length).toBe(plain(expected).length);
  expect(squeezed.filter((line) => !/ disk /.test(line))).toEqual(expected.filter((line) => !/ disk /.test(line)));
  expect(lines.slice(-3)).toEqual(["", expect.stringMatching(/^hooklet cannot run well here: root dir.*\.$/), ""]);
  expect(code).toBe(1);
});

test("faults of the rc file are counted, an option of the command line is named, and the rest is found all the same", async () => {
  const file = found(await doctor("-o json", "prot: 1\nmaxPods: 2\nplugins: []\n"));
  expect(file.configuration).toEqual({
    what: "configuration",
    state: "fails",
    found: "2 faults in the rc file",
    costs: "hooklet run does not start",
    mend: "hooklet check",
  });
  expect(file["root dir"]).toBeUndefined();
  const missing = found(await doctor("-o json --config nope.yaml"));
  expect(missing.configuration).toMatchObject({ state: "fails", mend: "hooklet check --config nope.yaml" });
});

test("a port of the command line is the one that is checked, and no port is an error", async () => {
  expect(found(await doctor("-o json --port 0", "plugins: []\nport: 1\n")).port).toMatchObject({
    found: "off: no HTTP for health and metrics",
  });
  expect(await doctor("--port x")).toMatchObject({ code: 1, err: expect.stringContaining("--port: expected a port") });
});

test("the agent that the other commands would ask is named, by the environment or by --socket", async () => {
  const { socket } = await startFake(new FakeAgent());
  const agent = expect.stringMatching(`^an agent runs here: hooklet \\S+ on node node1, socket ${socket}$`);
  expect(found(await doctor("-o json", undefined, { HOOKLET_SOCKET: socket })).port).toMatchObject({ found: agent });
  expect(found(await doctor(`-o json --socket ${socket}`)).port).toMatchObject({ found: agent });
  expect(found(await doctor("-o json", undefined, { HOOKLET_SOCKET: "/nowhere" })).port?.found).toMatch(/^off/);
});

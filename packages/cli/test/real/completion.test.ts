import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { startFake, temporaryFolder } from "../../../server/test/start.js";
import { fakeIo, hooklet } from "../cli.js";

/** The words that complete the last one. */
async function complete(socket: string, ...words: readonly string[]): Promise<readonly string[]> {
  const printed: string[] = [];
  const print = jest.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  await hooklet(["complete", "--", ...words], fakeIo({ HOOKLET_SOCKET: socket }));
  print.mockRestore();
  return printed.filter((line) => !line.startsWith(":")).map((line) => line.split("\t")[0] ?? "");
}

function busyAgent(): FakeAgent {
  const api = new FakeAgent();
  api.setPods([
    aPod("web", { spec: { containers: [{ name: "main" }, { name: "side" }], initContainers: [{ name: "prep" }] } }),
    aPod("worker"),
    aPod("dns", { metadata: { namespace: "kube-system" }, spec: { containers: [{ name: "bind" }] } }),
  ]);
  api.imageList = [{ id: "sha256:1", repoTags: ["web:1", "web:2"], repoDigests: [], size: 1, pinned: false }];
  const rows = [{ device: "gpu0" }, { device: "gpu0" }, { device: "" }, { other: 1 }];
  api.tables = { devices: { columns: [{ name: "device" }], rows }, configmaps: { columns: [], rows: [{ name: "a" }] } };
  return api;
}

describe("with an agent", () => {
  const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
    ["ver", ["version"]],
    ["compl", ["completion"]],
    ["logs ", ["web", "worker"]],
    ["logs w", ["web", "worker"]],
    ["logs -n kube-system ", ["dns"]],
    ["logs --namespace kube-system d", ["dns"]],
    ["get pods -A d", ["dns"]],
    ["get pods --all-namespaces w", ["web", "worker"]],
    ["delete ", ["pod", "web", "worker", "pod/web", "pod/worker"]],
    ["delete po", ["pod", "pod/web", "pod/worker"]],
    ["cp w", ["web:", "worker:"]],
    ["get ", ["pods", "node", "plugins", "images", "events", "devices", "configmaps"]],
    ["top ", ["pods", "node"]],
    ["explain ", ["pod", "container", "image", "device", "pod/web", "pod/worker"]],
    ["explain pod ", ["web", "worker"]],
    ["explain container ", ["main", "side", "prep"]],
    ["explain image ", ["web:1", "web:2"]],
    ["explain device ", ["gpu0"]],
    ["describe ", ["pod", "node", "pod/web", "pod/worker"]],
    ["describe pod/w", ["pod/web", "pod/worker"]],
    ["get pods ", ["web", "worker"]],
    ["get po ", ["web", "worker"]],
    ["get no ", ["node1"]],
    ["get nodes ", ["node1"]],
    ["get node ", ["node1"]],
    ["get plugin ", ["sample"]],
    ["get plugins ", ["sample"]],
    ["get images ", ["web:1", "web:2"]],
    ["get devices ", ["gpu0"]],
    ["get configmap ", ["a"]],
    ["get events ", []],
    ["plugin off ", ["sample"]],
    ["plan ", ["sample"]],
    ["image remove ", ["web:1", "web:2"]],
    ["logs web -c ", ["main", "side", "prep"]],
    ["logs pod/web -c ", ["main", "side", "prep"]],
    ["logs worker -c ", ["main"]],
    ["logs -c ", ["main", "side", "prep"]],
    ["get pods -n ", ["default", "kube-system"]],
    ["get pods --name", ["--namespace"]],
    ["get pods -o ", ["wide", "name", "json", "yaml", "jsonpath=", "custom-columns="]],
    ["get pods -o=js", ["json", "jsonpath="]],
    ["events --types ", ["Normal", "Warning"]],
    ["events --for ", ["pod/web", "pod/worker", "node/node1"]],
    ["wait --for ", ["pod/web", "pod/worker", "node/node1"]],
    ["get pods -l ", []],
  ];

  test("names, kinds, options and their values are completed", async () => {
    const { socket } = await startFake(busyAgent());
    const found: (readonly [string, readonly string[]])[] = [];
    for (const [line] of lines) found.push([line, await complete(socket, ...line.split(" "))]);
    expect(found).toEqual(lines);
  });

  test("paths of files, a folder with a slash", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "site"));
    for (const name of ["a.yaml", "ab.yaml", "b.yaml"]) await writeFile(join(folder, name), "");
    const { socket } = await startFake(busyAgent());
    const all = ["a.yaml", "ab.yaml", "b.yaml", "site/"].map((name) => join(folder, name));
    expect((await complete(socket, "apply", "--filename", `${folder}/`)).toSorted()).toEqual(all);
    expect((await complete(socket, "delete", "--filename", `${folder}/a`)).toSorted()).toEqual(all.slice(0, 2));
    expect(await complete(socket, "cp", `${folder}/s`)).toEqual([`${folder}/site/`]);
    expect(await complete(socket, "--socket", `${folder}/b`)).toEqual([`${folder}/b.yaml`]);
    expect(await complete(socket, "apply", "--filename", `${folder}/gone/`)).toEqual([]);
  });

  test("the agent of --socket or --root-dir is asked", async () => {
    const { socket } = await startFake(busyAgent());
    expect(await complete("/nothing", "--socket", socket, "logs", "we")).toEqual(["web"]);
    expect(await complete("/nothing", "logs", "--root-dir", join(socket, ".."), "we")).toEqual(["web"]);
  });
});

test("without an agent, commands and words that are always the same are completed all the same", async () => {
  expect(await complete("/nothing", "logs", "")).toEqual([]);
  expect(await complete("/nothing", "get", "")).toEqual(["pods", "node", "plugins", "images", "events"]);
  expect(await complete("/nothing", "get", "devices", "")).toEqual([]);
});

test("the scripts of other shells ask hooklet as well", async () => {
  const printed: string[] = [];
  const print = jest.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  await hooklet("completion fish");
  print.mockRestore();
  expect(printed.join("\n")).toContain("hooklet complete --");
  expect((await hooklet("completion zsh")).out).toContain("hooklet complete --");
});

describe("the script for bash", () => {
  /** What bash completes of a line, with a `hooklet` that answers with these words and tells what it was asked. */
  async function completed(line: string, ...answers: readonly string[]): Promise<{ words: string[]; asked: string[] }> {
    const { out: script } = await hooklet("completion bash");
    const folder = await temporaryFolder();
    const asked = join(folder, "asked");
    const program = `
      hooklet() { printf '%s\\n' "\${@:3}" > ${asked}; printf '%s\\tabout it\\n' ${answers.join(" ")}; echo :4; }
      ${script}
      ${script}
      COMP_LINE=$1 COMP_POINT=\${#1}
      __hooklet_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "--noprofile", "-c", program, "bash", line], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    return { words: stdout.trimEnd().split("\n"), asked: (await readFile(asked, "utf8")).trimEnd().split("\n") };
  }

  test("is sourced twice without a word, and needs no package", async () => {
    expect(await completed("hooklet logs w", "web", "worker", "db")).toEqual({
      words: ["web", "worker"],
      asked: ["logs", "w"],
    });
  });

  test("words with : and = are completed from there, as bash wants it", async () => {
    expect((await completed("hooklet image rm web:", "web:1", "web:2")).words).toEqual(["1", "2"]);
    expect((await completed("hooklet get pods -o=js", "json", "yaml")).words).toEqual(["json"]);
  });

  test("nothing of the command line is run", async () => {
    const folder = await temporaryFolder();
    await completed(`hooklet logs $(touch ${folder}/run) \`touch ${folder}/run\` w`, "web");
    expect(await readdir(folder)).toEqual([]);
  });
});

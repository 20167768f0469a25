import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { pause, until } from "../../../core/test/sources/harness.js";
import { yamlPod } from "../../../manifest/test/pods.js";
import { at, folder, put, root, shows, sink, source, start, write } from "../manifest-folder-world.js";

test("a bad file is one fault with its line while its last good pods, and all others, run on; mended, it is taken back", async () => {
  await put("a.yaml", "a");
  await put("b.yaml", "b");
  await start(folder, 0.05);
  await write("a.yaml", `${yamlPod("a")}    comand: [x]\n`);
  const fault = `fault ${at("a.yaml")}:9: unknown field "spec.containers[0].comand". Did you mean "command"?`;
  await until(() => sink.log.length > 0);
  await pause(120);
  expect(sink.log).toEqual([fault]);
  expect(sink.sets).toHaveLength(1);

  await write("a.yaml", `\n${yamlPod("a")}    comand: [x]\n`);
  await until(() => sink.log.length === 3);
  expect(sink.log.slice(1)).toEqual([`mended ${at("a.yaml")}:9`, fault.replace(":9:", ":10:")]);

  await put("a.yaml", "a");
  await until(() => sink.open.size === 0);
  expect(sink.names).toEqual(["a-n", "b-n"]);
});

test("a bad file that was never good is a fault soon after the start, and removing it mends it", async () => {
  await put("a.yaml", "a");
  await write("b.yaml", "kind: Pod\nmetadata:\n\tname: b\n");
  await start();
  expect(sink.names).toEqual(["a-n"]);
  await until(() => sink.open.size === 1);
  expect(sink.log[0]).toMatch(/b\.yaml:3: Tabs are not allowed/);
  await unlink(at("b.yaml"));
  await until(() => sink.open.size === 0);
});

test("one bad document and nothing of its file is taken", async () => {
  await write("a.yaml", `${yamlPod("a")}---\n${yamlPod("B")}`);
  await start();
  await until(() => sink.open.size === 1);
  expect(sink.names).toEqual([]);
});

test("a file that adds a pod which runs from another file changes nothing, whatever its name and even when the other is edited", async () => {
  await put("b.yaml", "web");
  await start();
  const [pod] = sink.pods;
  await put("a.yaml", "web");
  await until(() => sink.open.has(at("a.yaml")));
  expect(sink.pods).toEqual([pod]);
  await write("b.yaml", yamlPod("web").replace("host", "other"));
  await until(() => sink.pods[0] !== pod);
  expect(sink.pods[0]?.spec.containers[0]?.image).toBe("other");
  await unlink(at("b.yaml"));
  await until(() => sink.open.size === 0);
  expect(sink.names).toEqual(["web-n"]);
});

test("a file that is still being written is no fault, for a few seconds", async () => {
  let now = 0;
  let asked = 0;
  const monotonic = (): number => {
    asked++;
    return now;
  };
  await start(folder, 0.01, { ...systemClock, monotonic });
  const step = async (text: string): Promise<void> => {
    now += 200;
    await writeFile(at("a.yaml"), text);
    // The look under way and a whole one after it: each asks for the time once or twice.
    const before = asked;
    await until(() => asked >= before + 4);
  };
  const lines = yamlPod("a").split("\n");
  for (let length = 1; length <= lines.length; length++) await step(lines.slice(0, length).join("\n"));
  await shows("a-n");
  expect(sink.log).toEqual([]);

  for (let steps = 0; sink.open.size === 0; steps++) {
    await step(`- ${steps}`);
    expect(steps).toBeLessThan(100);
  }
});

test.each<[string, (path: string) => void | Promise<void>, RegExp]>([
  ["a FIFO", (path) => void execFileSync("mkfifo", [path]), /it is a FIFO; expected a regular file/],
  ["a link to a device", (path) => symlink("/dev/zero", path), /it is a device/],
  ["a link to nothing", (path) => symlink("nowhere", path), /ENOENT/],
  ["a link to itself", (path) => symlink(path, path), /ELOOP/],
  ["a file in UTF-16", (path) => writeFile(path, yamlPod("a"), "utf16le"), /NUL byte|not UTF-8/],
  ["a file of more than 10 MiB", (path) => writeFile(path, Buffer.alloc(11_000_000, "#")), /expected at most 10485760/],
])("%s is a fault; nothing hangs and the others run", async (_name, make, message) => {
  await put("b.yaml", "b");
  await make(at("a.yaml"));
  await start();
  expect(sink.names).toEqual(["b-n"]);
  await until(() => sink.open.size === 1);
  expect(sink.log[0]).toMatch(message);
});

test("a socket in the folder is a fault", async () => {
  const server = createServer().listen(at("s"));
  await start();
  await until(() => sink.open.size === 1);
  await new Promise((resolve) => server.close(resolve));
});

test("a missing folder is one fault and no pods; it is picked up when it appears, and watched", async () => {
  await rm(folder, { recursive: true });
  await start();
  expect(sink.sets).toEqual([[]]);
  expect(sink.log).toEqual([
    `fault ${folder}: it does not exist; create the directory, or set another one in sources.manifests`,
  ]);
  await mkdir(folder);
  await put("a.yaml", "a");
  await shows("a-n");
  expect(sink.open.size).toBe(0);
  await put("b.yaml", "b");
  await shows("a-n", "b-n");
});

test("a folder that is replaced by another one is watched on", async () => {
  await start(folder, 0.05);
  await rename(folder, `${folder}.old`);
  await mkdir(folder);
  await put("a.yaml", "a");
  await shows("a-n");
});

test("a single file can be the source; its neighbours do not count", async () => {
  await put("a.yaml", "a");
  await put("b.yaml", "b");
  await start(at("a.yaml"));
  expect(sink.names).toEqual(["a-n"]);
  await write("new", yamlPod("c"));
  await rename(at("new"), at("a.yaml"));
  await shows("c-n");
  await write("a.yaml", "nonsense");
  await until(() => sink.open.size === 1);
  await write("b.yaml", "x");
  await pause(30);
  expect(sink.log).toHaveLength(1);
  expect(sink.names).toEqual(["c-n"]);
});

test("what the watch misses, the full read finds", async () => {
  const outside = join(root.path, "outside.yaml");
  await writeFile(outside, yamlPod("a"));
  await symlink(outside, at("a.yaml"));
  await start(folder, 0.05);
  await writeFile(outside, yamlPod("b"));
  await shows("b-n");
});

test("a stopped source is silent", async () => {
  await start(folder, 0.02);
  await source?.stop();
  await put("a.yaml", "a");
  await pause(60);
  expect(sink.sets).toEqual([[]]);
});

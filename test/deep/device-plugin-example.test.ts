/** examples/device-plugin as its README says it is run. */
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until, Workplace } from "../support/agent.js";
import { PluginProcess } from "../support/device-node.js";

const example = path.join(root, "examples/device-plugin");
const program = path.join(example, "dist/main.js");

let place: Workplace;
let plugin: PluginProcess | undefined;

beforeEach(async () => {
  place = await Workplace.create();
});
afterEach(async () => {
  plugin?.kill();
  await place.remove();
});

async function said(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await place.hooklet(...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Nothing while no container has been started. */
const logged = async (): Promise<string> => (await place.hooklet("logs", "null-user")).stdout;

const devices = async (): Promise<readonly string[]> =>
  (await said("get", "devices"))
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(/\s+/).join(" "));

test("a pod gets a device and, when that one falls ill, another; without the plugin it runs on", async () => {
  await place.start("--config", path.join(example, "hookletrc.yaml"), "--node-name", "node");
  const folder = path.join(place.rootDir, "device-plugins");
  plugin = new PluginProcess(process.execPath, [
    program,
    "--folder",
    folder,
    "--device",
    "a,numa=0",
    "--device",
    "b,numa=1",
  ]);
  await plugin.says("registered demo.hooklet.dev/null");
  await until("the devices are there", async () => (await devices()).length === 2);

  await said("apply", "-f", path.join(example, "manifests/null.yaml"));
  await until("the container says what it got", async () => (await logged()).includes("got a"));
  expect(await devices()).toEqual([
    "demo.hooklet.dev/null a 0 Healthy null-user main",
    "demo.hooklet.dev/null b 1 Healthy <none> <none>",
  ]);
  expect(await said("explain", "pod", "null-user")).toMatch(/demo\.hooklet\.dev\/null: a/);

  plugin.type("a Unhealthy");
  await until("it is started again with the other one", async () => (await logged()).includes("got b"));
  expect(await devices()).toEqual([
    "demo.hooklet.dev/null a 0 Unhealthy <none> <none>",
    "demo.hooklet.dev/null b 1 Healthy null-user main",
  ]);

  plugin.kill();
  await until("its devices are out of reach", async () => (await devices()).every((row) => row.includes("PluginGone")));
  const pod = await place.pod("null-user");
  expect(pod?.status.containerStatuses?.[0]?.state.running).toBeDefined();
}, 300_000);

test("--help lists the options, and a wrong command line gets its error", async () => {
  const help = new PluginProcess(process.execPath, [program, "--help"]);
  await until("it has said so", async () => help.output.includes("--pre-start"));
  const wrong = new PluginProcess(process.execPath, [program, "--device", "a,colour=red"]);
  await until("it has said so", async () =>
    wrong.output.includes("--device a,colour=red: expected ID[,numa=N][,health=WORD]"),
  );
});

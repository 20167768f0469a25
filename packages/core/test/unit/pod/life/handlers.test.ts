import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { HandlerRunner } from "../../../../src/pod/life/handlers.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const runner = new HandlerRunner({
  clock: new VirtualClock(),
  runtime: {
    execSync: async () => ({ exitCode: 1, stdout: Buffer.from("no such database"), stderr: Buffer.alloc(0) }),
  } as never,
  httpGet: async () => ({ statusCode: 500 }),
  sleepTerminatedEarly: () => undefined,
});
const target = { pod: aPod(), container: aContainer("main"), containerId: "c1", podIp: "10.0.0.1" };
const { signal } = new AbortController();

test("the error of an exec hook contains no word of its command", async () => {
  const run = runner.run({ exec: { command: ["login", "--password=S3CRET"] } }, target, 0, signal);
  await expect(run).rejects.toThrow(
    /^Exec lifecycle hook for Container "main" in Pod ".*" failed - error: it exited with 1, message: "no such database"$/,
  );
});

test("the error of an HTTP hook contains no query", async () => {
  const run = runner.run({ httpGet: { path: "/x?token=S3CRET", port: 80 } }, target, 0, signal);
  await expect(run).rejects.toThrow("HTTP lifecycle hook failed: http://10.0.0.1:80/x answered with status 500");
});

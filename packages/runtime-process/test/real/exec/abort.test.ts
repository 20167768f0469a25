import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TestNode } from "../../node.js";

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(() => node.end());

test("a command whose client has left is not started", async () => {
  const id = await node.sh("sleep 300");
  const file = `/tmp/hooklet-started-${process.pid}`;
  const start = (signal: AbortSignal) =>
    node.runtime.exec(id, { command: ["touch", file], tty: false, stdin: false, signal }, () => undefined);
  await expect(start(AbortSignal.abort())).rejects.toThrow("its client has left");
  expect((await node.runtime.execSync(id, ["test", "-e", file], 60)).exitCode).toBe(1);
  expect(await (await start(new AbortController().signal)).exitCode).toBe(0);
  expect((await node.runtime.execSync(id, ["rm", file], 60)).exitCode).toBe(0);
});

test("an abort of a command that has ended sends no signal: the number of its session may be reused", async () => {
  const id = await node.sh("sleep 300");
  // What stays behind has that number, as a stranger would that was given it.
  const command = ["/bin/sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $!"];
  let pid = "";
  const session = await node.runtime.exec(id, { command, tty: false, stdin: false }, (_stream, data) => {
    pid += data.toString();
  });
  expect(await session.exitCode).toBe(0);
  session.abort();
  const { stdout } = await node.runtime.execSync(
    id,
    ["/bin/sh", "-c", `sleep 0.5; kill -0 ${pid.trim()} && echo lives`],
    60,
  );
  expect(stdout.toString()).toBe("lives\n");
});

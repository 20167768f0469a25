import { existsSync } from "node:fs";
import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { securityContext } from "../../../../testkit/src/runtime-suite/configs.js";
import { Outputs } from "../../../src/output/outputs.js";
import { isRoot } from "../../harness.js";
import { contentOf } from "../../log-content.js";
import { TestNode, until } from "../../node.js";

let node: TestNode;
beforeEach(async () => {
  node = await TestNode.start();
});
afterEach(() => node.end());

describe("the log of a local process", () => {
  test("a line's time is that of its writing, and both streams are in the order of writing", async () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const status = await node.ended(await node.sh("echo one; echo two >&2; echo three"));
    const lines = (await readFile(status.logPath, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ").slice(1))).toEqual([
      ["stdout", "F", "one"],
      ["stdout", "F", "two"],
      ["stdout", "F", "three"],
    ]);
    for (const line of lines) {
      const time = BigInt(Date.parse(line.split(" ")[0] ?? "")) * 1_000_000n;
      expect(time >= before - 20_000_000n && time <= status.finishedAt + 1_000_000n).toBe(true);
    }
  });

  const asRoot = isRoot ? test : test.skip;
  asRoot("a program of another user than root can open its output again", async () => {
    const nobody = { ...securityContext, runAsUser: 65534, capabilities: { add: [], drop: ["ALL"] } };
    const script = "echo out >>/dev/stdout && echo err >>/dev/stderr && id -u";
    const out = await node.output(script, { linux: { resources: {}, securityContext: nobody } });
    expect(out).toBe("out\nerr\n65534\n");
  });

  test("nothing is lost or doubled when the log is rotated and agents come and go while the container writes", async () => {
    const lines = 4000;
    const id = await node.sh(
      `i=0; while [ $i -lt ${lines} ]; do i=$((i + 1)); echo "line $i"; [ $((i % 50)) != 0 ] || sleep 0.02; done`,
    );
    const { logPath } = await node.runtime.containerStatus(id);
    const rotated: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await until("something should be in the log", async () => (await stat(logPath)).size > 0);
      const aside = `${logPath}.2026010${turn + 1}-000000`;
      await rename(logPath, aside);
      await node.runtime.reopenContainerLog(id);
      rotated.push(aside);
      await node.newAgent();
    }
    await node.ended(id);
    const logs = await Promise.all([...rotated, logPath].map((file) => readFile(file, "utf8")));
    expect(contentOf(logs.join(""))).toBe(Array.from({ length: lines }, (_, at) => `line ${at + 1}\n`).join(""));
  });

  test("what is in the log does not stay on the disk twice", async () => {
    const id = await node.sh("yes 0123456789012345678901234567890123456789 | head -c 20000000; sleep 300");
    const file = join(node.directory, "runtime-process", "events", `${id}.output`);
    const { logPath } = await node.runtime.containerStatus(id);
    await until("all should be in the log", async () => (await stat(logPath)).size > 36_000_000);
    await until("it should be freed", async () => (await stat(file)).blocks * 512 < 9 * 2 ** 20);
    expect((await stat(file)).size).toBe(20_000_000);
  });

  test("a container's output goes before its folder: what is still being taken has a place for its note", async () => {
    const id = await node.sh("true");
    await node.ended(id);
    const removal = Outputs.prototype.remove;
    const seen: boolean[] = [];
    const spy = jest.spyOn(Outputs.prototype, "remove").mockImplementation(function (this: Outputs, one) {
      seen.push(existsSync(node.folder(id)));
      return removal.call(this, one);
    });
    await node.runtime.removeContainer(id);
    spy.mockRestore();
    expect(seen).toEqual([true]);
  });

  test("a log of a container that has ended is not opened again", async () => {
    const id = await node.sh("true");
    await node.ended(id);
    await expect(node.runtime.reopenContainerLog(id)).rejects.toMatchObject({ code: "failed-precondition" });
  });
});

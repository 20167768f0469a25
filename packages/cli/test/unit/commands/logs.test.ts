/** Whose log is meant, and how the lines of several are written. */
import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import type { AgentClient } from "../../../src/client/agent-client.js";
import { LineWriter, logTargets, wholeNumber } from "../../../src/commands/logs.js";
import { fakeIo } from "../../cli.js";

describe("lines", () => {
  async function written(prefix: string, ...pieces: readonly string[]) {
    const { stdout } = fakeIo();
    const writer = new LineWriter(stdout, prefix);
    const steps: string[] = [];
    for (const piece of pieces) {
      await writer.take(Buffer.from(piece));
      steps.push(stdout.text);
    }
    await writer.end();
    return { steps, text: stdout.text };
  }

  test("are written once they are whole; the last one gets an end", async () => {
    expect(await written("", "on", "e\ntwo\nth", "ree")).toEqual({
      steps: ["", "one\ntwo\n", "one\ntwo\n"],
      text: "one\ntwo\nthree\n",
    });
    expect((await written("", "one\n")).text).toBe("one\n");
  });

  test("have their prefix, empty ones too", async () => {
    expect((await written("[a] ", "one\n\ntw", "o\nthree")).text).toBe("[a] one\n[a] \n[a] two\n[a] three\n");
    expect((await written("[a] ", "one\r\n")).text).toMatch(/^\[a\] one/);
  });

  test("without an end are written at a mebibyte", async () => {
    const mebibyte = "x".repeat(1024 * 1024);
    expect((await written("", mebibyte)).steps).toEqual([""]);
    expect((await written("", `${mebibyte}y`, "z")).steps[0]).toBe(`${mebibyte}y`);
  });
});

describe("of", () => {
  const two = (name: string, more: object = {}) =>
    aPod(name, {
      metadata: more,
      spec: { initContainers: [{ name: "init" }], containers: [{ name: "main" }, { name: "side" }] },
    });
  const pods: readonly Pod[] = [
    two("web", { labels: { app: "a" } }),
    two("db", { labels: { app: "b" } }),
    two("far", { labels: { app: "a" }, namespace: "team" }),
  ];
  const client = {
    pods: async () => pods,
    pod: async ({ name, namespace }: { name: string; namespace: string }) => {
      const found = pods.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
      if (found === undefined) throw new Error(`no pod ${namespace}/${name}`);
      return found;
    },
  } as unknown as AgentClient;
  const targets = async (...[pod, container, options = {}]: [string?, string?, Parameters<typeof logTargets>[4]?]) =>
    (await logTargets(client, fakeIo(), pod, container, options)).map(
      ({ pod: { name, namespace }, container: inside }) => `${namespace}/${name} ${inside}`,
    );

  test("a pod its first container is meant, or the one that is named, or all", async () => {
    expect(await targets("web")).toEqual(["default/web main"]);
    expect(await targets("pod/web", "side")).toEqual(["default/web side"]);
    expect(await targets("far", undefined, { namespace: "team", allContainers: true })).toEqual([
      "team/far init",
      "team/far main",
      "team/far side",
    ]);
  });

  test("labels the pods of the namespace are meant that have them", async () => {
    expect(await targets(undefined, undefined, { selector: "app=a" })).toEqual(["default/web main"]);
    expect(await targets(undefined, "side", { selector: "app" })).toEqual(["default/web side", "default/db side"]);
    expect(await targets(undefined, undefined, { selector: "app=a", namespace: "team", allContainers: true })).toEqual([
      "team/far init",
      "team/far main",
      "team/far side",
    ]);
    await expect(targets(undefined, undefined, { selector: "app=c" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "No resources found in default namespace.",
    });
  });

  test.each([
    ["neither a name nor labels", undefined, undefined, {}, "expected the name of a pod, or --selector with labels"],
    [
      "both",
      "web",
      undefined,
      { selector: "app" },
      'expected the name of a pod, or --selector with labels, found "both"',
    ],
    ["all containers and one", "web", "side", { allContainers: true }, 'not both, found "side"'],
  ])("%s is refused", async (_name, pod, container, options, message) => {
    await expect(targets(pod, container, options)).rejects.toThrow(message);
  });
});

test.each(["0", "7", "999999999999999"])("%s is a whole number", (text) => {
  expect(wholeNumber(text, "--tail")).toBe(Number(text));
});
test.each(["", "-1", "1.5", "x1", "1x", "1234567890123456"])("%j is no whole number", (text) => {
  expect(() => wholeNumber(text, "--tail")).toThrow("--tail: expected a whole number from 0");
});

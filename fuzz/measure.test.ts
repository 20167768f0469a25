import { describe, expect, test } from "@jest/globals";
import { Inputs } from "./inputs.js";
import { longs, ofLength } from "./long.js";
import { grown, isSteep, measured } from "./measure.js";
import type { Outcome } from "./target.js";
import { yamlSeeds } from "./targets/seeds.js";

/** A target whose inputs cost what is said, without taking any time. */
function costing(milliseconds: (bytes: number, tries: number) => number) {
  let [spent, tries] = [0, 0];
  return {
    cpu: () => spent,
    tries: () => tries,
    run: async (input: Buffer): Promise<Outcome> => {
      spent += milliseconds(input.length, ++tries);
      return "accepted";
    },
  };
}

const ALLOWED = { milliseconds: 10, nanosecondsPerByte: 1_000 };

describe("what an input may cost", () => {
  test("more than its bytes are allowed each time is a failure", async () => {
    const { run, cpu } = costing(() => 12);
    await expect(measured(run, Buffer.alloc(1_000), ALLOWED, cpu)).rejects.toThrow(
      "12 ms of CPU or more in 5 tries, expected at most 11 ms for 1000 bytes",
    );
  });

  test("the same for more bytes is none", async () => {
    const { run, cpu, tries } = costing(() => 12);
    await expect(measured(run, Buffer.alloc(10_000), ALLOWED, cpu)).resolves.toEqual({ outcome: "accepted", took: 12 });
    expect(tries()).toBe(1);
  });

  test("more at first only is none: the machine was busy, or memory was collected", async () => {
    const { run, cpu } = costing((_, tries) => (tries < 5 ? 500 : 3));
    await expect(measured(run, Buffer.alloc(1_000), ALLOWED, cpu)).resolves.toEqual({ outcome: "accepted", took: 3 });
  });

  test("more than a second is a failure, however long it is", async () => {
    const { run, cpu } = costing(() => 1_001);
    await expect(measured(run, Buffer.alloc(10_000_000), ALLOWED, cpu)).rejects.toThrow("at most 1000 ms");
  });
});

describe("how cost grows", () => {
  const inputs = [1_000, 2_000, 4_000].map((bytes) => Buffer.alloc(bytes)) as [Buffer, Buffer, Buffer];

  test.each([
    ["like the square", (bytes: number) => (bytes / 1_000) ** 2 * 3, true],
    ["like the cube", (bytes: number) => (bytes / 1_000) ** 3, true],
    [
      "like the square, behind something linear as large",
      (bytes: number) => (bytes / 1_000) ** 2 * 5 + bytes / 400,
      true,
    ],
    ["with the length", (bytes: number) => bytes / 40, false],
    ["with the length and its logarithm", (bytes: number) => (bytes * Math.log2(bytes)) / 400, false],
    ["like the square, of so little that there is no result", (bytes: number) => (bytes / 1_000) ** 2, false],
    ["not at all", () => 200, false],
    ["once, by a busy machine", (bytes: number, tries: number) => (tries <= 3 ? (bytes / 1_000) ** 2 * 5 : 5), false],
  ])("%s", async (_name, cost, isFailure) => {
    const { run, cpu } = costing(cost);
    const found = await grown(run, inputs, cpu).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(found.includes("like the square of its length: 1000 bytes")).toBe(isFailure);
  });
});

describe("inputs in which a part comes over and over", () => {
  const [manifest] = [Buffer.from('{"env":[{"name":"a1","fieldPath":"metadata.labels[\'x\']"}]}')];
  const texts = (bytes: number): readonly string[] => longs([manifest]).map((one) => ofLength(one, bytes).toString());

  test("each run of signs, with and without the end of its string", () => {
    expect(texts(100)).toContainEqual(expect.stringMatching(/"metadata\.labels(\['){10,}x'\]"}\]}$/));
    expect(texts(100)).toContainEqual(expect.stringMatching(/"metadata\.labels(\['){10,}"}\]}$/));
  });

  test("each list with more members like its last, also of names of their own", () => {
    const env = texts(200).flatMap((text) => {
      try {
        return [(JSON.parse(text) as { env: readonly { name: string }[] }).env.map(({ name }) => name)];
      } catch {
        return [];
      }
    });
    const beginnings = env.map((names) => names.slice(0, 4));
    expect(beginnings).toContainEqual(["a1", "a1", "a1", "a1"]);
    expect(beginnings).toContainEqual(["a1", "a10", "a11", "a12"]);
  });

  test("each line with its numbers counted up", () => {
    const [long] = longs([Buffer.from("- &m1 {<<: *m0, a1: 1}\n")]).filter(
      ({ part }) => part(0).toString() !== part(1).toString(),
    );
    expect(long?.part(2).toString()).toBe("- &m3 {<<: *m2, a3: 3}\n");
  });

  test("any of them as long as is asked for", () => {
    for (const long of longs(yamlSeeds("fuzz/seeds")))
      expect(ofLength(long, 4_096).length).toBeGreaterThanOrEqual(4_096);
  });

  test("an input is the same for the same number, and grows where a part of it comes over and over", () => {
    const [inputs, again] = [new Inputs(7, [manifest]), new Inputs(7, [manifest])];
    for (let index = 0; index < 300; index++) expect(inputs.at(index)).toEqual(again.at(index));
    expect(inputs.grows(0)).toBe(false);
    expect(inputs.grows(1)).toBe(true);
    expect(inputs.at(1, 4).length).toBeGreaterThan(3 * inputs.at(1).length);
  });
});

describe("a first run of an input and a quarter of it", () => {
  const inputs = [Buffer.alloc(1_000), Buffer.alloc(4_000)] as const;

  test.each([
    ["like the square", (bytes: number) => (bytes / 1_000) ** 2, true],
    ["like the square, behind something that is always there", (bytes: number) => 5 + (bytes / 1_000) ** 2 * 5, true],
    ["with the length", (bytes: number) => bytes / 100, false],
    ["like the square, of too little", (bytes: number) => (bytes / 1_000) ** 2 / 8, false],
    ["more at first only", (_: number, tries: number) => (tries === 1 ? 100 : 5), false],
  ])("%s", async (_name, cost, isIt) => {
    const { run, cpu } = costing(cost);
    const { took } = await measured(run, inputs[1], { milliseconds: 1_000, nanosecondsPerByte: 0 }, cpu);
    await expect(isSteep(run, inputs, took, cpu)).resolves.toBe(isIt);
  });
});

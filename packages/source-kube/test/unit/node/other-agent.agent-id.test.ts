/** Which agent this is among those of one node name: made once, and kept. */
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { agentId } from "../../../src/node/other-agent.js";

async function found(kept: string | undefined | Error) {
  const saved: unknown[] = [];
  const reports: string[] = [];
  let schema: z.ZodType | undefined;
  let failed: (error: unknown) => void = () => undefined;
  const keep = (given: { value(): unknown; schema(from: typeof z): z.ZodType; failed(error: unknown): void }) => {
    schema = given.schema(z);
    failed = given.failed;
    return {
      read: async () => {
        if (kept instanceof Error) throw kept;
        return kept;
      },
      saved: async () => void saved.push(given.value()),
    };
  };
  let next = 0;
  const random = (): number => (next++ % 16) / 16;
  const id = await agentId({
    checkpoint: { keep } as never,
    random,
    report: (where, error) => void reports.push(`${where}: ${(error as Error).message}`),
  });
  return { id, saved, reports, schema: schema as z.ZodType, failed };
}

test("a new one has 16 digits by chance, and is kept", async () => {
  expect(await found(undefined)).toMatchObject({ id: "0123456789abcdef", saved: ["0123456789abcdef"], reports: [] });
});

test("the one of an earlier life stays, and is not written again", async () => {
  expect(await found("00000000000000ff")).toMatchObject({ id: "00000000000000ff", saved: [], reports: [] });
});

test("one that cannot be read is made again, and that is reported; so is one that cannot be kept", async () => {
  const { id, saved, reports, failed } = await found(new Error("no disk"));
  failed(new Error("full"));
  expect([id, saved, reports]).toEqual([
    "0123456789abcdef",
    ["0123456789abcdef"],
    ["id of the agent: no disk", "id of the agent: full"],
  ]);
});

test("what is kept has 16 hexadecimal digits, and nothing else", async () => {
  const { schema } = await found(undefined);
  const all = ["0123456789abcdef", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg", "0123456789ABCDEF", 1];
  expect(all.map((value) => schema.safeParse(value).success)).toEqual([true, false, false, false, false, false]);
});

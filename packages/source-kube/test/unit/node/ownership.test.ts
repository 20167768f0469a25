/** Whether this agent has had the node of this cluster, over its restarts. */
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { NodeOwnership } from "../../../src/node/ownership.js";

function agent(kept?: string | false | Error, server: () => Promise<string> = async () => "https://api") {
  const lease = { acts: false, isDisputed: false, listener: (): void => undefined };
  const state = { kept: kept as unknown, saves: [] as unknown[], fails: undefined as Error | undefined };
  const reports: string[] = [];
  let keep: { value(): unknown; schema(from: typeof z): z.ZodType; failed(error: unknown): void } | undefined;
  const ownership = new NodeOwnership({
    nodeLease: {
      get acts() {
        return lease.acts;
      },
      get isDisputed() {
        return lease.isDisputed;
      },
      watch: (listener) => {
        lease.listener = listener;
      },
    },
    checkpoint: {
      keep: (given: NonNullable<typeof keep>) => {
        keep = given;
        return {
          read: async () => {
            if (state.kept instanceof Error) throw state.kept;
            return state.kept;
          },
          saved: async () => {
            if (state.fails !== undefined) throw state.fails;
            state.saves.push(given.value());
          },
        };
      },
    } as never,
    nodeName: "node1",
    server,
    report: (where, error) => reports.push(`${where}: ${(error as Error).message}`),
  });
  const heard = async (change: Partial<typeof lease>): Promise<void> => {
    Object.assign(lease, change);
    lease.listener();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ownership, state, reports, heard, keep: () => keep as NonNullable<typeof keep> };
}

test.each([
  ["this node of this cluster", "node node1 of https://api", true],
  ["another node", "node node2 of https://api", false],
  ["this node of another cluster", "node node1 of https://other", false],
  ["none", false, false],
  ["nothing, for it is new", undefined, false],
])("an agent whose last life has had %s", async (_name, kept, expected) => {
  const { ownership, reports } = agent(kept as never);
  expect(ownership.hasHeld).toBe(false);
  await ownership.open();
  expect([ownership.hasHeld, reports]).toEqual([expected, []]);
});

test.each([
  ["a file that cannot be read", new Error("no disk"), undefined, "no disk"],
  ["a server that is not known", "node node1 of x", () => Promise.reject(new Error("no config")), "no config"],
])("%s counts as none, and is reported", async (_name, kept, server, message) => {
  const { ownership, reports } = agent(kept as never, server as never);
  await ownership.open();
  expect([ownership.hasHeld, reports]).toEqual([false, [`lease of the node: ${message}`]]);
});

test("it has the node from its first lease on, also while it does not act, until the node is in dispute; each change is saved", async () => {
  const { ownership, state, heard } = agent();
  await ownership.open();
  await heard({});
  expect([ownership.hasHeld, state.saves]).toEqual([false, []]);
  await heard({ acts: true });
  await heard({});
  await heard({ acts: false });
  expect([ownership.hasHeld, state.saves]).toEqual([true, ["node node1 of https://api"]]);
  await heard({ isDisputed: true });
  expect([ownership.hasHeld, state.saves]).toEqual([false, ["node node1 of https://api", false]]);
  await heard({ isDisputed: false });
  expect(ownership.hasHeld).toBe(false);
});

test("what cannot be saved is reported, and holds until the agent ends", async () => {
  const { ownership, state, reports, heard, keep } = agent();
  await ownership.open();
  state.fails = new Error("no disk");
  await heard({ acts: true });
  keep().failed(new Error("full"));
  expect([ownership.hasHeld, reports]).toEqual([true, ["lease of the node: no disk", "lease of the node: full"]]);
});

test("what is kept is a text, or false", () => {
  const schema = agent().keep().schema(z);
  expect([false, "node", true, 1, undefined].map((value) => schema.safeParse(value).success)).toEqual([
    ...[true, true, false, false, false],
  ]);
});

import { describe, expect, test } from "@jest/globals";
import { ownPackages } from "../../../src/load/own-packages.js";

interface Context {
  readonly parentURL?: string;
}

const CORE = "file:///opt/hooklet/bundle/core.js";
const FOREIGN: Context = { parentURL: "file:///etc/hooklet/mine.mjs" };

/** Node's own resolution, which knows what hooklet's files see and nothing else. */
const next = (specifier: string, { parentURL = "" }: Context): { readonly url: string } => {
  if (parentURL.startsWith("file:///etc/")) throw new Error(`Cannot find ${specifier}`);
  return { url: `near hooklet: ${specifier}` };
};

describe.each<[string, (specifier: string, context: Context) => unknown]>([
  ["in the agent's thread", (specifier, context) => next(specifier, context)],
  ["in a thread of hooks", async (specifier, context) => next(specifier, context)],
])("a specifier %s", (_, resolve) => {
  const own = ownPackages(new Map([["@hooklet/core", CORE]]));

  test("of the bundle is the bundle's file, without further lookup", async () => {
    const unasked = (): never => {
      throw new Error("asked");
    };
    expect(await own("@hooklet/core", FOREIGN, unasked)).toEqual({ url: CORE, shortCircuit: true });
  });

  test("of another package of hooklet's is found from hooklet where it is not found otherwise", async () => {
    expect(await own("@hooklet/cli/client", FOREIGN, resolve)).toEqual({ url: "near hooklet: @hooklet/cli/client" });
  });

  test("of another package is that package's", async () => {
    await expect(async () => own("left-pad", FOREIGN, resolve)).rejects.toThrow("Cannot find left-pad");
  });
});

import { describe, expect, test } from "@jest/globals";
import { HintProviders } from "../../../src/node/ports.js";
import type { HintProvider } from "../../../src/plugin/contract/node.js";

const provider = (name: string): HintProvider => ({
  name,
  containerHints: () => new Map(),
  podHints: () => new Map(),
  allocate: () => undefined,
});

describe("hint providers", () => {
  test("are listed in the order of their offers", () => {
    const providers = new HintProviders();
    const [cpu, memory] = [provider("cpu"), provider("memory")];
    providers.offer("one", cpu);
    providers.offer("two", memory);
    expect(providers.list()).toEqual([cpu, memory]);
  });

  test("a name belongs to the plugin that offered it, which may offer another in its place", () => {
    const providers = new HintProviders();
    providers.offer("one", provider("cpu"));
    const next = provider("cpu");
    providers.offer("one", next);
    expect(providers.list()).toEqual([next]);
    expect(() => providers.offer("two", provider("cpu"))).toThrow(
      expect.objectContaining({ code: "CLAIM_CONFLICT", message: expect.stringContaining("one") }),
    );
  });

  test.each([
    ["nothing", undefined],
    ["no name", { ...provider("cpu"), name: "" }],
    ["no hints", { ...provider("cpu"), containerHints: undefined }],
    ["no allocate", { ...provider("cpu"), allocate: 1 }],
  ])("%s is refused", (_, given) => {
    expect(() => new HintProviders().offer("one", given as never)).toThrow(
      expect.objectContaining({ code: "INVALID" }),
    );
  });
});

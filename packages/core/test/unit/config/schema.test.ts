import { parseWith, pathText } from "@hooklet/config";
import { describe, expect, test } from "@jest/globals";
import { defineConfig, rcSchema, rcSchemaWith } from "../../../src/config/schema.js";
import { cpuList, duration, path, quantity, subdomain, threshold, whole } from "../../../src/config/values.js";

/** What an rc file gives; its faults as `path: expected`. */
function read(raw: object): { readonly value?: ReturnType<typeof rcSchema.parse>; readonly faults: readonly string[] } {
  const parsed = parseWith(rcSchema, raw);
  if (parsed.faults === undefined) return { value: parsed.value, faults: [] };
  return { faults: parsed.faults.map(({ path, expected }) => `${pathText(path)}: ${expected}`) };
}

describe("the rc file's node", () => {
  test("evicts by what is given alone, or with mergeDefaultEvictionSettings on top of the defaults", () => {
    const evictionHard = { "memory.available": "1Gi" };
    expect(read({ node: { evictionHard } }).value?.node.evictionHard).toEqual(evictionHard);
    expect(read({ node: { evictionHard, mergeDefaultEvictionSettings: true } }).value?.node.evictionHard).toMatchObject(
      {
        "memory.available": "1Gi",
        "nodefs.available": "10%",
      },
    );
  });

  test.each<[string, object, readonly string[]]>([
    ["one at a time is the default", {}, []],
    ["one at a time may be said twice", { maxParallelImagePulls: 1 }, []],
    [
      "five at a time contradict one at a time",
      { maxParallelImagePulls: 5 },
      ["node.maxParallelImagePulls: 1, or serializeImagePulls to be false"],
    ],
    ["five at a time need serializeImagePulls to be off", { maxParallelImagePulls: 5, serializeImagePulls: false }, []],
    ["without a limit there may be many", { serializeImagePulls: false }, []],
  ])("image pulls: %s", (_, node, faults) => expect(read({ node }).faults).toEqual(faults));
});

describe("the rc file's server", () => {
  test.each<[string, object, readonly string[]]>([
    ["neither certificate nor key: it signs its own", {}, []],
    ["both", { tlsCertFile: "/c.pem", tlsPrivateKeyFile: "/k.pem" }, []],
    [
      "a certificate alone",
      { tlsCertFile: "/c.pem" },
      ["server: tlsCertFile and tlsPrivateKeyFile together, or neither"],
    ],
    [
      "a key alone",
      { tlsPrivateKeyFile: "/k.pem" },
      ["server: tlsCertFile and tlsPrivateKeyFile together, or neither"],
    ],
  ])("has %s", (_, server, faults) => expect(read({ server }).faults).toEqual(faults));

  test("denies anonymous access by default, as a kubelet with a secure configuration", () => {
    expect(read({ server: {} }).value?.server).toEqual({
      address: "0.0.0.0",
      port: 10_250,
      streamingConnectionIdleTimeout: 14_400,
      authentication: { anonymous: { enabled: false }, webhook: { enabled: true, cacheTTL: 120 }, x509: {} },
      authorization: { mode: "Webhook", webhook: { cacheAuthorizedTTL: 300, cacheUnauthorizedTTL: 30 } },
    });
    expect(read({}).value?.server).toBeNull();
  });
});

describe("the rc file's sources", () => {
  test("a header has one value or several", () => {
    const manifestUrlHeader = { a: "1", b: ["2", "3"] };
    expect(read({ sources: { manifestUrlHeader } }).value?.sources.manifestUrlHeader).toEqual({
      a: ["1"],
      b: ["2", "3"],
    });
  });

  test("those of plugins are known to a build that has them, and to no other", () => {
    const kube = { specifier: "@hooklet/source-kube", description: "An API server.", files: [] };
    const raw = { sources: { kube: { any: 1 } } };
    expect(read(raw).faults).toEqual([expect.stringContaining("sources.kube: a known option")]);
    const schema = rcSchemaWith({ kube });
    expect(schema.parse(raw).sources).toMatchObject({ kube: { any: 1 } });
    expect(schema.parse({}).sources).toMatchObject({ kube: null, manifests: null, fileCheckFrequency: 20 });
    expect(schema.shape.sources.description).toBe("Where pods come from, beside the control socket.");
  });
});

test("an rc file in a program is handed on as it is", () => {
  const config = { port: 1 };
  expect(defineConfig(config)).toBe(config);
});

describe("a fault names the expected value", () => {
  test.each<[string, () => { safeParse(value: unknown): unknown }, unknown, string]>([
    [
      "a duration of no text",
      () => duration("100ms", "24h"),
      null,
      "a duration from 100ms to 24h (20s, 1m0s, or a number of seconds)",
    ],
    [
      "a duration too short",
      () => duration("100ms", "24h"),
      "50ms",
      "a duration from 100ms to 24h (20s, 1m0s, or a number of seconds)",
    ],
    ["a quantity", () => quantity(), "x", "a quantity of 0 or more (100m, 2Gi, 4)"],
    ["a quantity of no text", () => quantity(), {}, "a quantity of 0 or more (100m, 2Gi, 4)"],
    ["a list of processors", () => cpuList(), "x", 'a list of processors (0-3,8), or ""'],
    ["a list of processors of no text", () => cpuList(), 1, 'a list of processors (0-3,8), or ""'],
    ["a threshold", () => threshold(), "0", "a quantity above 0 (100Mi) or a percentage (10%)"],
    ["a threshold of no text", () => threshold(), [], "a quantity above 0 (100Mi) or a percentage (10%)"],
    ["a number too small", () => whole(1, 5), 0, "a whole number from 1 to 5"],
    ["a number too large", () => whole(1, 5), 6, "a whole number from 1 to 5"],
    ["a number that is not whole", () => whole(1, 5), 1.5, "a whole number from 1 to 5"],
    ["an empty path", () => path(), "", "a path"],
    ["a path of no text", () => path(), 1, "a path"],
    ["a path with NUL", () => path(), "/a\0b", "a path without NUL"],
    [
      "a node's name",
      () => subdomain(),
      "Node",
      "a DNS name of lower-case letters, digits, - and ., at most 253 characters",
    ],
    [
      "a node's name that is too long",
      () => subdomain(),
      "a".repeat(254),
      "a DNS name of lower-case letters, digits, - and ., at most 253 characters",
    ],
  ])("%s", (_, made, value, expected) => {
    expect(made().safeParse(value)).toMatchObject({ success: false, error: { issues: [{ message: expected }] } });
  });

  test.each<[string, () => { safeParse(value: unknown): unknown }, unknown]>([
    ["the shortest duration", () => duration("100ms", "24h"), 0.1],
    ["the longest duration", () => duration("100ms", "24h"), 86_400],
    ["a set of processors", () => cpuList(), "0-3,8"],
    ["no processors", () => cpuList(), ""],
    ["the smallest number", () => whole(1, 5), 1],
    ["the largest number", () => whole(1, 5), 5],
    ["a path of 4096 bytes", () => path(), `/${"a".repeat(4095)}`],
    ["a name of 253 letters", () => subdomain(), "a".repeat(253)],
  ])("and takes %s", (_, made, value) => {
    expect(made().safeParse(value)).toMatchObject({ success: true, data: value });
  });

  test("a path is no longer than the kernel takes", () => {
    expect(path().safeParse(`/${"a".repeat(4096)}`).success).toBe(false);
  });

  test.each([
    [() => duration("0s", "1s"), "duration"],
    [() => quantity(), "quantity"],
    [() => cpuList(), "list of CPUs"],
    [() => threshold(), "quantity or percentage"],
    [() => path(), "path"],
  ])("the table of options calls it by its kind: %#", (made, title) => {
    const schema = made();
    const { meta } = schema as { meta(): unknown };
    const inner = (schema as { readonly def?: { readonly in?: { meta(): unknown } } }).def?.in;
    expect([meta.call(schema), inner?.meta()]).toContainEqual({ title });
  });
});

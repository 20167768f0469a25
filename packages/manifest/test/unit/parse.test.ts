import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ManifestError } from "../../src/error.js";
import { aContainer, aPod, faultsOf, messagesOf, read, readOne, WHERE, yamlPod } from "../pods.js";

const names = async (text: string | Uint8Array): Promise<readonly string[]> =>
  (await read(text)).map(({ metadata }) => metadata.name);

test.each([
  ["YAML", yamlPod("a"), ["a-node1"]],
  [
    "several documents, empty ones left out",
    `---\n${yamlPod("a")}---\n# nothing\n---\n${yamlPod("b")}`,
    ["a-node1", "b-node1"],
  ],
  ["JSON", JSON.stringify(aPod({}, { name: "a" })), ["a-node1"]],
  ["JSON indented with tabs", JSON.stringify(aPod({}, { name: "a" }), null, "\t"), ["a-node1"]],
  ["a v1 List", JSON.stringify({ apiVersion: "v1", kind: "List", items: [aPod()] }), ["web-node1"]],
  [
    "a PodList whose items do not say what they are",
    "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n  spec: {containers: [{name: c, image: i}]}",
    ["a-node1"],
  ],
  ["an empty PodList", "apiVersion: v1\nkind: PodList\nitems: []", []],
  ["Windows line ends", yamlPod("a").replaceAll("\n", "\r\n"), ["a-node1"]],
  ["a byte order mark", `\ufeff${yamlPod("a")}`, ["a-node1"]],
  [
    "anchors and merge keys",
    `${yamlPod("a").replace("- name: main", "- &main\n    name: main")}  - {<<: *main, name: other}\n`,
    ["a-node1"],
  ],
])("%s is read", async (_name, text, expected) => {
  expect(await names(text)).toEqual(expected);
});

test.each([
  ["a tab", "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: a\n", 4, /Tabs are not allowed as indentation/],
  ["an open bracket", "apiVersion: v1\nkind: Pod\nspec: {containers: [\n", 4, /flow/i],
  ["a key given twice", `${yamlPod("a")}kind: Pod\n`, 9, /"kind" is there twice/],
  ["a key given twice in JSON", '{"kind": "Pod",\n "kind": "Pod"}', 2, /"kind" is there twice/],
  [
    "a key given twice in JSON, once with an escape",
    '{"kind": "Pod",\n "\\u006bind": "Pod"}',
    2,
    /"kind" is there twice/,
  ],
  [
    "a fault in JSON",
    '{"apiVersion": "v1", "kind": "Pod",\n "metadata": {"name": "a"},\n "spec": {\n "nodeNames": 1}}',
    4,
    /nodeNames/,
  ],
  [
    "another kind",
    "apiVersion: apps/v1\nkind: Deployment\n",
    2,
    /^kind: Unsupported value: "Deployment": supported values: "List", "Pod", "PodList"$/,
  ],
  ["no kind", "# words\nmetadata: {}\n", 2, /^kind: Required value/],
  ["another version", "kind: Pod\napiVersion: v2\n", 2, /^apiVersion: Unsupported value: "v2"/],
  ["a list as a key", "? [a]\n: b\n", 1, /^a key must be a plain word/],
  ["a text, which may be a token and is not shown", "hello\n", 1, /found a string$/],
  ["a list in place of an object", "- a\n", 1, /found a list/],
  [
    "an item of another kind",
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n",
    4,
    /^items\[0\]: kind: Unsupported value: "Secret"/,
  ],
  [
    "a wrong field",
    `${yamlPod("a")}    imag: x\n`,
    9,
    /unknown field "spec.containers\[0\].imag". Did you mean "image"/,
  ],
  [
    "a fault in the second document",
    `${yamlPod("a")}---\n${yamlPod("b")}    stdin: 1\n`,
    18,
    /^Pod "b": spec.containers\[0\].stdin/,
  ],
  [
    "two pods of one name",
    `${yamlPod("a")}---\n${yamlPod("a")}`,
    13,
    /^a second pod default\/a-node1 in the same manifest$/,
  ],
  ["an empty file", "", undefined, /^it is empty/],
  ["only comments", "# a\n", undefined, /^it is empty/],
])("%s is a fault with its line", async (_name, text, line, message) => {
  const [first] = await faultsOf(text);
  expect(first?.message).toMatch(message);
  expect(first?.line).toBe(line);
});

test("the error names file and line, and every further line", async () => {
  const text = `${yamlPod("a")}    ports: [{containerPort: 0}]\n    stdin: 1\n`;
  await expect(read(text)).rejects.toMatchObject({
    code: "INVALID_MANIFEST",
    message:
      `${WHERE}:10: spec.containers[0].stdin: Invalid value: 1: must be true or false; ` +
      "spec.containers[0].ports[0].containerPort: Required value (line 9)",
  });
});

test.each([
  ["UTF-16", Buffer.from(`\ufeff${yamlPod("a")}`, "utf16le"), /not UTF-8/],
  ["Latin-1", Buffer.from("apiVersion: v1\nkind: \xe4", "latin1"), /not UTF-8/],
  ["a NUL byte", Buffer.from("a: 1\nb: \0"), /NUL byte/],
  ["more than 10 MiB", Buffer.alloc(10 * 1024 * 1024 + 1, "#"), /expected at most 10485760/],
])("%s is refused", async (_name, bytes, message) => {
  const [fault] = await faultsOf(bytes);
  expect(fault?.message).toMatch(message);
});

test("words that YAML 1.1 reads differently have Kubernetes' error", async () => {
  expect(await messagesOf(`${yamlPod("a")}    command: [yes, 012]\n`)).toEqual([
    "spec.containers[0].command[0]: Invalid value: true: must be a string (put it in quotes)",
    "spec.containers[0].command[1]: Invalid value: 10: must be a string (put it in quotes)",
  ]);
  const pod = await readOne(`${yamlPod("a")}    command: [12:30, 2001-01-01, 1_0:0]\n`);
  expect(pod.spec.containers[0]?.command).toEqual(["12:30", "2001-01-01", "1_0:0"]);
});

test.each([
  ["a long word", "x".repeat(90), `"${"x".repeat(79)}...`],
  ["a word of 78 letters", "x".repeat(78), `"${"x".repeat(78)}"`],
  ["an object", {}, "an object"],
  ["a number", 5, "5"],
])("%s in place of a kind is shown as far as a line has room", async (_name, kind, shown) => {
  expect(await messagesOf({ apiVersion: "v1", kind })).toEqual([
    `kind: Unsupported value: ${shown}: supported values: "List", "Pod", "PodList"`,
  ]);
});

test("a manifest without an apiVersion, and a list without items, are faults of their own", async () => {
  expect(await messagesOf("kind: Pod\n")).toEqual(["apiVersion: Required value: expected v1"]);
  expect(await faultsOf("apiVersion: v1\nkind: List\nitems: 5\n")).toEqual([
    { line: 3, message: "items: Invalid value: expected a list of Pods" },
  ]);
  expect(await names("apiVersion: v1\nkind: List\n")).toEqual([]);
  expect(await faultsOf("apiVersion: v1\nkind: List\nitems:\n- 1\n- {kind: Pod}\n")).toEqual([
    { line: 4, message: "items[0]: expected a Kubernetes object of kind Pod, found a number" },
    { line: 5, message: "items[1]: apiVersion: Required value: expected v1" },
  ]);
});

test("any bytes give a list of pods or the documented error", async () => {
  const pieces = fc.constantFrom(
    "apiVersion: v1\n",
    "kind: Pod\n",
    "kind: List\n",
    "items:\n- ",
    "metadata: ",
    "{",
    "}",
    "[",
    "]",
    "spec:\n",
    "  ",
    "- ",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!binary x",
    "'",
    '"',
    "|\n",
    "? ",
    ": ",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\t",
    "\0",
    "null\n",
    "__proto__: ",
    "1e999",
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(pieces).map((parts) => parts.join("")),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, fc.uint8Array()), async (source) => {
      const outcome = await read(source).catch((error: unknown) => error);
      expect(outcome instanceof ManifestError || Array.isArray(outcome)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("any fields give a pod or the documented error", async () => {
  const field = fc.oneof(fc.jsonValue(), fc.constantFrom("__proto__", "a\0b", -0, 1e300, [null], { "": null }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        "containers",
        "volumes",
        "securityContext",
        "tolerations",
        "affinity",
        "resources",
        "os",
        "dnsConfig",
      ),
      fc.constantFrom("ports", "env", "resources", "volumeMounts", "livenessProbe", "lifecycle", "image", "command"),
      field,
      field,
      async (podField, containerField, a, b) => {
        const container = { name: "c", image: "i", [containerField]: b };
        const manifest = JSON.stringify(aPod({ containers: [container], [podField]: a }));
        const outcome = await read(manifest).catch((error: unknown) => error);
        expect(outcome instanceof ManifestError || Array.isArray(outcome)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

describe("texts that are small and mean a lot of work", () => {
  const spec = (yaml: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\nx:\n${yaml}`;

  test.each([
    [
      "a large map merged many times",
      `- &big {${Array.from({ length: 2_000 }, (_, i) => `k${i}: 1`).join(", ")}}\n${"- {<<: *big}\n".repeat(900)}`,
      /merge keys \(<<\) bring in more than 100000 keys/,
    ],
    [
      "maps that merge each other, each twice the size of the one before",
      `- &m0 {a: 1}\n${Array.from({ length: 40 }, (_, i) => `- &m${i + 1} {<<: [*m${i}, *m${i}], b${i}: 1}\n`).join("")}`,
      /merge keys|Excessive alias count/,
    ],
    ["very many aliases", `- &a 1\n${"- *a\n".repeat(1_001)}`, /more than 1000 aliases/],
  ])("%s: refused, naming the line", async (_name, yaml, says) => {
    await expect(read(spec(yaml))).rejects.toThrow(says);
  });

  test("a fieldPath of brackets is refused like any other, and costs no more for each letter the longer it is", async () => {
    /** Microseconds of CPU. */
    const cost = async (letters: number): Promise<number> => {
      const fieldPath = `metadata.labels${"['".repeat(letters / 2)}`;
      const env = [{ name: "A", valueFrom: { fieldRef: { fieldPath } } }];
      const before = process.cpuUsage();
      await expect(messagesOf(aContainer({ env }))).resolves.toContainEqual(expect.stringContaining("fieldPath"));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await cost(8_000);
    // Eight times as long: what tries all of them for each of them takes 64 times as much.
    const [short, long] = [await cost(8_000), await cost(64_000)];
    expect(long).toBeLessThan(24 * Math.max(short, 5_000));
  });
});

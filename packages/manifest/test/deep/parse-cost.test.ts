/** Large texts, and texts that take long: what reading them costs. */
import { expect, test } from "@jest/globals";
import { aContainer, aPod, faultsOf, read, readOne, yamlPod } from "../pods.js";

/** Microseconds of CPU that a text takes to be refused. */
async function costOf(text: string): Promise<number> {
  const before = process.cpuUsage();
  await faultsOf(text);
  return process.cpuUsage(before).user;
}

test.each([
  [
    "a bomb of aliases",
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghi"].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${"abcdefghi"[i]}`)}]`).join("\n")}`,
    /alias/i,
  ],
  [
    "an alias to itself",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: &s {containers: [{name: a, image: b}], initContainers: [*s]}",
    /unknown field/,
  ],
  ["brackets without end", "[".repeat(250_000), /levels deep/],
  ["maps in maps in JSON", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, /levels deep/],
  ["dashes without end", "- ".repeat(250_000), /levels deep/],
  ["maps in maps", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"), /levels deep/],
  ["closing brackets without end", "]".repeat(250_000), /Unexpected/],
  ["commas without end", `a: [${",".repeat(100_000)}]`, /Unexpected , in flow sequence/],
  ["quotes without end", `a: ${'"'.repeat(250_000)}`, /Unexpected/],
  [
    "fields without end that Kubernetes does not have",
    JSON.stringify({
      ...aPod(),
      spec: Object.fromEntries(Array.from({ length: 75_000 }, (_, i) => [`nodename${i}`, i])),
    }),
    /unknown field/,
  ],
])("%s is refused, and costs little", async (_name, text, message) => {
  const list = await costOf(`a: [${"1,".repeat(15_000)}]`);
  expect((await faultsOf(text))[0]?.message).toMatch(message);
  // What is right takes a quarter of a second for it on a quiet machine, what goes on after the first error three.
  expect(await costOf(text)).toBeLessThan(5 * list);
});

test.each([
  ["YAML", (blob: string) => yamlPod("a").replace("image: host", `image: "${blob}"`)],
  ["JSON", (blob: string) => JSON.stringify(aContainer({ image: blob }))],
])("a 5 MB manifest in %s is read", async (_name, manifest) => {
  const [pod] = await read(manifest("x".repeat(5_000_000)));
  expect(pod?.spec.containers[0]?.image).toHaveLength(5_000_000);
});

test("a dense 5 MB manifest does not block the agent", async () => {
  const env = "    - name: A_VARIABLE\n      value: something\n".repeat(20_000);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const pod = await readOne(`${yamlPod("a")}    env:\n${env}`);
  clearInterval(timer);
  expect(pod.spec.containers[0]?.env).toHaveLength(20_000);
  expect(turns).toBeGreaterThan(3);
});

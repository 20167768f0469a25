/** `pnpm bench [NAME...]`: runs the benches of this folder, all or those named. */
import { readdir } from "node:fs/promises";

interface BenchModule {
  readonly title: string;
  run(): Promise<void>;
}

const wanted = process.argv.slice(2);
const here = new URL(".", import.meta.url);
const names = (await readdir(here))
  .filter((file) => file.endsWith(".js") && file !== "run.js")
  .map((file) => file.slice(0, -3))
  .sort();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No bench ${unknown.join(", ")}; there are ${names.join(", ")}.`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : names) {
  const bench = (await import(new URL(`${name}.js`, here).href)) as BenchModule;
  console.log(`\n${name}: ${bench.title}`);
  await bench.run();
}

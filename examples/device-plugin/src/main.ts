#!/usr/bin/env node
/** A device plugin to try hooklet, or a kubelet, with: `node dist/main.js --help`. */
import { createInterface } from "node:readline";
import { type Options, readOptions, usage } from "./arguments.js";
import { DevicePlugin } from "./plugin.js";

if (process.argv.includes("--help")) {
  console.log(usage);
  process.exit(0);
}

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exit(2);
}

const plugin = new DevicePlugin(options, (text) => console.log(text));
createInterface({ input: process.stdin }).on("line", (line) => {
  const [id = "", health = ""] = line.trim().split(/\s+/);
  if (health !== "") plugin.setHealth(id, health);
});
try {
  await plugin.start();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

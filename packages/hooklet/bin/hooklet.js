#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=20
// The flags, which scripts/node-flags.mjs reads from the first line too: V8 collects garbage sooner than it would by itself. While 110 pods start, the agent peaks at 101 MiB in place of 120, for the same CPU.
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import { bundle } from "./bundle.js";
import { keepCompiledCode } from "./compiled-code.js";

// Node 20 optimises functions that ran some hundred times: a burst is over before that pays. Later versions do not know the flag.
if (process.versions.node.startsWith("20.")) v8.setFlagsFromString("--interrupt-budget=2000000");

/** Milliseconds after which an agent has run what a start and its first pods need. */
const KEEP_AFTER = 60_000;

const folder = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const keep = keepCompiledCode(folder("bundle/"), folder("cache"));
const { run } = await import(bundle);

// Kept code is not renewed: of a command that ends sooner, too little has run to be worth it.
if (process.argv[2] === "run") setTimeout(keep, KEEP_AFTER).unref();
// Timers of the agent do not hold the process; as long as the command runs, this one does.
const running = setInterval(() => undefined, 2 ** 30);
const code = await run(process.argv.slice(2));
clearInterval(running);
process.exit(code);

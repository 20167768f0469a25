#!/usr/bin/env -S node --max-semi-space-size=8
import { run } from "../dist/main.js";

// Timers of the agent do not hold the process; as long as the command runs, this one does.
const running = setInterval(() => undefined, 2 ** 30);
const code = await run(process.argv.slice(2));
clearInterval(running);
process.exit(code);

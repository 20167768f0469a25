// Loads tsx, which keeps what it has translated in TMPDIR. There a run's own folder goes with the run: in this one the next run finds it again.
import { fileURLToPath } from "node:url";

const own = process.env.TMPDIR;
process.env.TMPDIR = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
await import("tsx");
if (own === undefined) delete process.env.TMPDIR;
else process.env.TMPDIR = own;

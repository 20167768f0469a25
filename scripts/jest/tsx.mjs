// Loads tsx, which keeps what it has translated in TMPDIR. There a run's own folder goes with the run: in this one the next run finds it again.
// A user who cannot write there keeps TMPDIR: tsx would hang.
import { accessSync, constants, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const own = process.env.TMPDIR;
const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
try {
  mkdirSync(cache, { recursive: true });
  accessSync(cache, constants.W_OK);
  process.env.TMPDIR = cache;
} catch (error) {
  if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
}
await import("tsx");
if (own === undefined) delete process.env.TMPDIR;
else process.env.TMPDIR = own;

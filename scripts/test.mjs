// `npm test`: installs, builds, checks types and style, runs all tests. The last line has the totals.
import { installAndBuild, pnpm } from "./pnpm.mjs";

installAndBuild();
pnpm("run", "types");
pnpm("run", "lint");
pnpm("run", "unit", ...process.argv.slice(2));

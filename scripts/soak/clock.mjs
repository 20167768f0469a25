// Loaded into the agent under soak: its wall clock is off by the milliseconds that a file names. The machine's own stays as it is.
import { readFileSync } from "node:fs";

const file = process.env.HOOKLET_SOAK_CLOCK;
const real = Date.now;
const offset = () => {
  try {
    return Number(readFileSync(file, "utf8")) || 0;
  } catch {
    return 0;
  }
};
if (file !== undefined) Date.now = () => real() + offset();

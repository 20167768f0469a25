/** The chart library, as its package has it. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ChartLibrary } from "./page.js";

export async function chartLibrary(): Promise<ChartLibrary> {
  const folder = dirname(createRequire(import.meta.url).resolve("uplot"));
  const [script, style] = await Promise.all([
    readFile(join(folder, "uPlot.iife.min.js"), "utf8"),
    readFile(join(folder, "uPlot.min.css"), "utf8"),
  ]);
  return { script, style };
}

/** Inputs that were failures once. */
import path from "node:path";
import { ROOT } from "./targets/seeds.js";

/** One folder a target, one file an input. */
export const CASES = path.join(ROOT, "fuzz/cases");

/** The folder of a target. */
export function caseName(target: string): string {
  return target.toLowerCase().replaceAll(" ", "-");
}

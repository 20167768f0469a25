/** Any pods that ask for cpu and memory, or do not. */
import fc from "fast-check";
import { type Amounts, aPod } from "../world.js";

const milli = fc.integer({ min: 0, max: 4000 }).map((amount) => `${amount}m`);
const mebi = fc.integer({ min: 0, max: 4096 }).map((amount) => `${amount}Mi`);
const list = fc.record({ cpu: milli, memory: mebi }, { requiredKeys: [] });
const container: fc.Arbitrary<Amounts> = fc.record({ requests: list, limits: list }, { requiredKeys: [] });
export const pods = fc
  .array(fc.array(container, { minLength: 1, maxLength: 3 }), { maxLength: 6 })
  .map((all) => all.map((containers, index) => aPod(`p${index}`, containers)));

import { registrationFault } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys } from "./devices.js";

/** The `reason` of an expectation is for people. */
export const adapter: Adapter<{ readonly name: string }> = {
  keys: ["name"],
  run({ name, ...rest }) {
    knownKeys(rest, []);
    return { extended: registrationFault({ version: "v1beta1", resourceName: name }) === undefined };
  },
  expected: ({ extended }: { readonly extended: boolean }) => ({ extended }),
};

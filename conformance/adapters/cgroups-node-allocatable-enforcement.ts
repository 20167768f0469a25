import { parseList, type QuantityTexts, toQuantityTexts } from "@hooklet/core/rules";
import { allocatableForEnforcement } from "@hooklet/plugin-cgroups/internal";
import type { Adapter } from "../adapter.js";
import { onlyKeys } from "./cgroups.js";
import { canonicalTexts, type Input, toReservations } from "./cgroups-node-allocatable-reservation.js";

export const adapter: Adapter<Input> = {
  run(input) {
    onlyKeys(input, ["kubeReserved", "systemReserved", "capacity", "hardEvictionThreshold"]);
    const allocatable = allocatableForEnforcement(parseList(input.capacity), toReservations(input));
    return { allocatable: canonicalTexts(toQuantityTexts(allocatable)) };
  },
  expected: ({ allocatable }: { readonly allocatable: QuantityTexts }) => ({
    allocatable: canonicalTexts(allocatable),
  }),
};

import { checkReservation, parseList } from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";
import { type Input, toReservations } from "./cgroups-node-allocatable-reservation.js";

export const adapter: Adapter<Input> = {
  keys: ["kubeReserved", "systemReserved", "capacity", "hardEvictionThreshold"],
  run(input) {
    try {
      checkReservation(parseList(input.capacity), toReservations(input));
      return { error: false };
    } catch {
      return { error: true };
    }
  },
  // The message prints amounts as Go's debugger does; core's own test holds its words.
  expected: ({ error }: { readonly error: boolean }) => ({ error }),
};

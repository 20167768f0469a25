import {
  nodeReservation,
  parseList,
  parseQuantity,
  type QuantityTexts,
  type Reservations,
  type Threshold,
  toQuantityTexts,
} from "@hooklet/core/rules";
import type { Adapter } from "../adapter.js";

export interface Input {
  readonly kubeReserved: QuantityTexts;
  readonly systemReserved: QuantityTexts;
  readonly capacity: QuantityTexts;
  readonly hardEvictionThreshold: {
    readonly signal: string;
    readonly value: { readonly quantity?: string; readonly percentage?: number } | null;
  } | null;
}

export const adapter: Adapter<Input> = {
  keys: ["kubeReserved", "systemReserved", "capacity", "hardEvictionThreshold"],
  run: (input) => ({
    reservation: canonicalTexts(toQuantityTexts(nodeReservation(parseList(input.capacity), toReservations(input)))),
  }),
  expected: ({ reservation }: { readonly reservation: QuantityTexts }) => ({
    reservation: canonicalTexts(reservation),
  }),
};

export function toReservations({ kubeReserved, systemReserved, hardEvictionThreshold }: Input): Reservations {
  const threshold = toThreshold(hardEvictionThreshold?.value ?? null);
  return {
    kubeReserved: parseList(kubeReserved),
    systemReserved: parseList(systemReserved),
    evictionHard: new Map(threshold && hardEvictionThreshold ? [[hardEvictionThreshold.signal, threshold]] : []),
  };
}

function toThreshold(value: NonNullable<Input["hardEvictionThreshold"]>["value"]): Threshold | undefined {
  if (value?.quantity !== undefined) return { quantity: parseQuantity(value.quantity) };
  return value?.percentage === undefined ? undefined : { percentage: value.percentage };
}

/** Amounts, whatever suffix they are written with. */
export function canonicalTexts(texts: QuantityTexts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([resource, text]) => [resource, `${parseQuantity(text).nano}n`]),
  );
}

/** Formats amounts for the reasons of a plan. Pure. */
import { formatQuantity, quantityOf, quantityOfMilli } from "@hooklet/core/rules";

export function bytes(amount: number): string {
  return formatQuantity(quantityOf(amount, "BinarySI"));
}

export function milli(amount: number): string {
  return formatQuantity(quantityOfMilli(amount));
}

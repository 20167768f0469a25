/** Colours of the live view. Pure. */
import { styleText } from "node:util";

export type Style = (format: Format, text: string) => string;

type Format = "bold" | "dim" | "inverse" | "green" | "red" | "yellow" | "cyan";

export function styling(colour: boolean): Style {
  return (format, text) => (colour && text !== "" ? styleText(format, text, { validateStream: false }) : text);
}

const WELL = ["Running", "Completed", "Succeeded"];
const BAD = /Error|BackOff|Failed|ExitCode|Signal|OOM|Evicted|Preempt|OutOf|Unexpected|Invalid/;

export function statusStyle(status: string): "green" | "red" | "yellow" {
  if (WELL.includes(status)) return "green";
  return BAD.test(status) ? "red" : "yellow";
}

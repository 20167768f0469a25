/** Families that are read at the scrape, in Prometheus' text format; prom-client has no samples with timestamps. */
import { type Clock, withDeadline } from "@hooklet/utils";
import type { Collected, CollectOptions, Sample } from "./contract.js";

const DEADLINE_MILLISECONDS = 10_000;

export interface Collector {
  readonly owner: string;
  readonly path: string;
  readonly families: readonly CollectOptions[];
  read(): Collected | Promise<Collected>;
}

/** The text of one collector's families; families without samples are left out. Rejects when the reading fails or takes too long. */
export async function collectedText({ families, read, owner }: Collector, clock: Clock): Promise<string> {
  const late = (): Error => new Error(`metrics of ${owner}: no reading within ${DEADLINE_MILLISECONDS / 1000} s`);
  const collected = await withDeadline(clock, DEADLINE_MILLISECONDS, (async () => read())(), late);
  return families.map((family) => familyText(family, collected[family.name] ?? [])).join("");
}

function familyText({ name, help, type }: CollectOptions, samples: Iterable<Sample>): string {
  let lines = "";
  for (const sample of samples)
    lines += `${name}${sample.suffix ?? ""}${labelText(sample.labels)} ${numberText(sample.value)}${timeText(sample)}\n`;
  return lines === "" ? "" : `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines}`;
}

function labelText(labels: Sample["labels"]): string {
  if (labels === undefined) return "";
  let text = "";
  for (const name in labels) text += `${text === "" ? "{" : ","}${name}="${escapeValue(labels[name] ?? "")}"`;
  return text === "" ? "" : `${text}}`;
}

function timeText({ timestamp }: Sample): string {
  return timestamp === undefined ? "" : ` ${Math.trunc(timestamp)}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}

function escapeValue(text: string): string {
  return /[\\"\n]/.test(text) ? text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n") : text;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** What survives a restart of the agent: since when images are known and when they were last used. Pure. */
import { isRecord, type Json } from "@hooklet/core";
import type { ImageRecords } from "./record.js";

/** What an earlier look left of an image. */
export interface Remembered {
  readonly firstDetected: number | undefined;
  readonly lastUsed: number | undefined;
}

export interface Memory {
  /** When the loop began, in whichever life of the agent. */
  readonly began: number;
  readonly images: ReadonlyMap<string, Remembered>;
}

/** One run of the machine. */
export interface Boot {
  /** The kernel's own name for it. */
  readonly id: string;
  /** Milliseconds since it began, on a clock that nobody sets. */
  readonly uptime: number;
}

/** `now` on the clock of the records, `wall` on the machine's. */
interface Moment {
  readonly now: number;
  readonly wall: number;
  /** Absent where the kernel does not tell. */
  readonly boot?: Boot | undefined;
}

/** Milliseconds that count as ever: more than that is no age, and a date that nobody can write. */
const EVER = 100 * 365 * 24 * 3_600_000;

/** As JSON, with the ages of things and the time of writing: no clock of this life means anything in the next one. */
export function memoryJson(began: number, records: ImageRecords, { now, wall, boot }: Moment): Json {
  const age = (time: number | undefined): number | null =>
    time === undefined ? null : Math.max(0, Math.round(now - time));
  return {
    version: 1,
    writtenAt: wall,
    ...(boot !== undefined && { boot: { id: boot.id, uptime: boot.uptime } }),
    began: age(began),
    images: Object.fromEntries(
      [...records.values()].map(({ key, firstDetected, lastUsed }) => [key, [age(firstDetected), age(lastUsed)]]),
    ),
  };
}

/**
 * The memory on this life's clock; undefined when there is none. Time that the agent was away counts by the machine's uptime. Where the
 * machine was started anew meanwhile there is only the wall clock: time counts as none when that was set back.
 * @throws Error when it was not written by `memoryJson`
 */
export function readMemory(saved: Json | undefined, moment: Moment): Memory | undefined {
  if (saved === undefined) return undefined;
  const { now } = moment;
  const { version, writtenAt, boot, began, images } = asObject(saved, "a memory");
  if (version !== 1) throw new Error(`expected version 1, found ${JSON.stringify(version)}`);
  if (typeof writtenAt !== "number" || !isAge(began))
    throw new Error("expected the number writtenAt and the age began");
  const away = Math.min(EVER, Math.max(0, timeAway(writtenAt, boot, moment)));
  const time = (age: unknown, key: string): number | undefined => {
    if (age === null) return undefined;
    if (!isAge(age)) throw new Error(`expected two ages for image ${key}, found ${JSON.stringify(age)}`);
    return now - away - Math.min(EVER, age);
  };
  const entries = Object.entries(asObject(images, "images")).map(([key, ages]): [string, Remembered] => {
    if (!Array.isArray(ages) || ages.length !== 2) throw new Error(`expected two ages for image ${key}`);
    return [key, { firstDetected: time(ages[0], key), lastUsed: time(ages[1], key) }];
  });
  return { began: now - away - Math.min(EVER, began), images: new Map(entries) };
}

function timeAway(writtenAt: number, saved: unknown, { wall, boot }: Moment): number {
  const then = isRecord(saved) ? saved : undefined;
  if (boot === undefined || then?.id !== boot.id || typeof then.uptime !== "number") return wall - writtenAt;
  return boot.uptime - then.uptime;
}

function isAge(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error(`expected ${what} as an object`);
}

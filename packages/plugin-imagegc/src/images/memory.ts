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

/** `now` on the clock of the records, `wall` on the machine's. */
interface Moment {
  readonly now: number;
  readonly wall: number;
}

/** As JSON, with the ages of things and the wall clock's time of writing: no clock of this life means anything in the next one. */
export function memoryJson(began: number, records: ImageRecords, { now, wall }: Moment): Json {
  const age = (time: number | undefined): number | null => (time === undefined ? null : Math.round(now - time));
  return {
    version: 1,
    writtenAt: wall,
    began: age(began),
    images: Object.fromEntries(
      [...records.values()].map(({ key, firstDetected, lastUsed }) => [key, [age(firstDetected), age(lastUsed)]]),
    ),
  };
}

/**
 * The memory on this life's clock; undefined when there is none. Time that the agent was away counts by the wall clock, as none when that
 * was set back meanwhile.
 * @throws Error when it was not written by `memoryJson`
 */
export function readMemory(saved: Json | undefined, { now, wall }: Moment): Memory | undefined {
  if (saved === undefined) return undefined;
  const { version, writtenAt, began, images } = asObject(saved, "a memory");
  if (version !== 1) throw new Error(`expected version 1, found ${JSON.stringify(version)}`);
  if (typeof writtenAt !== "number" || typeof began !== "number")
    throw new Error("expected the numbers writtenAt and began");
  const away = Math.max(0, wall - writtenAt);
  const time = (age: unknown, key: string): number | undefined => {
    if (age === null) return undefined;
    if (typeof age !== "number") throw new Error(`expected two ages for image ${key}, found ${JSON.stringify(age)}`);
    return now - away - age;
  };
  const entries = Object.entries(asObject(images, "images")).map(([key, ages]): [string, Remembered] => {
    if (!Array.isArray(ages) || ages.length !== 2) throw new Error(`expected two ages for image ${key}`);
    return [key, { firstDetected: time(ages[0], key), lastUsed: time(ages[1], key) }];
  });
  return { began: now - away - began, images: new Map(entries) };
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error(`expected ${what} as an object`);
}

/** What survives a restart of the agent: since when images are known and when they were last used. Pure. */
import type { OptionsSchema } from "@hooklet/core";
import type { ImageRecords, Remembered } from "./image-records.js";

export interface Memory {
  /** When the loop began, in whichever life of the agent. */
  readonly began: number;
  readonly images: ReadonlyMap<string, Remembered>;
}

/** One run of the machine. */
export interface Boot {
  /** The kernel's own name for it. */
  readonly id: string;
  /** Milliseconds since boot, monotonic. */
  readonly uptime: number;
}

/** `now` on the clock of the records, `wall` on the machine's. */
interface Moment {
  readonly now: number;
  readonly wall: number;
  /** Absent where the kernel does not tell. */
  readonly boot?: Boot | undefined;
}

/** Milliseconds that count as forever: a larger age cannot be written as a date. */
const EVER = 100 * 365 * 24 * 3_600_000;

type Ages = readonly [firstDetected: number | null, lastUsed: number | null];

/** As it is kept: the ages of things and the time of writing, for no clock of this life means anything in the next one. */
export interface SavedMemory {
  readonly version: 1;
  readonly writtenAt: number;
  readonly boot?: Boot | undefined;
  readonly began: number;
  readonly images: Readonly<Record<string, Ages>>;
}

export const savedMemory: OptionsSchema<SavedMemory> = (z) => {
  const age = z.number().min(0);
  return z.object({
    version: z.literal(1),
    writtenAt: z.number(),
    boot: z.object({ id: z.string(), uptime: z.number() }).optional(),
    began: age,
    images: z.record(z.string(), z.tuple([age.nullable(), age.nullable()])),
  });
};

export function memoryToSave(began: number, records: ImageRecords, { now, wall, boot }: Moment): SavedMemory {
  const ageOf = (time: number): number => Math.max(0, Math.round(now - time));
  const age = (time: number | undefined): number | null => (time === undefined ? null : ageOf(time));
  return {
    version: 1,
    writtenAt: wall,
    ...(boot !== undefined && { boot: { id: boot.id, uptime: boot.uptime } }),
    began: ageOf(began),
    images: Object.fromEntries(
      [...records.values()].map(({ key, firstDetected, lastUsed }) => [key, [age(firstDetected), age(lastUsed)]]),
    ),
  };
}

/**
 * The memory on this agent's clock. Time without an agent is measured by the machine's uptime. After a reboot only the
 * wall clock remains; a clock that was set back counts as no time.
 */
export function memoryOf(saved: SavedMemory, moment: Moment): Memory {
  const away = Math.min(EVER, Math.max(0, timeAway(saved, moment)));
  const timeOf = (age: number): number => moment.now - away - Math.min(EVER, age);
  const time = (age: number | null): number | undefined => (age === null ? undefined : timeOf(age));
  const entries = Object.entries(saved.images).map(([key, [firstDetected, lastUsed]]): [string, Remembered] => [
    key,
    { firstDetected: time(firstDetected), lastUsed: time(lastUsed) },
  ]);
  return { began: timeOf(saved.began), images: new Map(entries) };
}

function timeAway({ writtenAt, boot: then }: SavedMemory, { wall, boot }: Moment): number {
  if (boot === undefined || then?.id !== boot.id) return wall - writtenAt;
  return boot.uptime - then.uptime;
}

/** Signals by name and number. */
import { constants } from "node:os";

const NUMBERS: Readonly<Record<string, number>> = constants.signals;

/** 0 for null and for what is no signal. */
export function signalNumber(signal: string | null): number {
  return signal === null ? 0 : (NUMBERS[signal] ?? 0);
}

/**
 * The signal of an image's StopSignal: `SIGQUIT`, `QUIT`, `3` or `SIGRTMIN+3`. Undefined when it is no signal.
 * (Real-time signals: glibc's numbers, SIGRTMIN = 34.)
 */
export function parseSignal(text: string): number | undefined {
  const name = text.trim().toUpperCase();
  if (/^\d{1,2}$/.test(name)) {
    const number = Number(name);
    return number >= 1 && number <= 64 ? number : undefined;
  }
  const realTime = /^(?:SIG)?RTMIN(?:\+(\d{1,2}))?$/.exec(name);
  if (realTime !== null) {
    const number = 34 + Number(realTime[1] ?? 0);
    return number <= 64 ? number : undefined;
  }
  return NUMBERS[name.startsWith("SIG") ? name : `SIG${name}`];
}

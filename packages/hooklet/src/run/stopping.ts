/** What happens at Ctrl-C, SIGTERM and the end of `--once`. */

import type { Io } from "@hooklet/cli/extend";
import type { AgentApi } from "@hooklet/core/host";
import { sleep, type Timer } from "@hooklet/utils";

/** Why `run` ends. */
export type Ending =
  /** Ctrl-C: pods are stopped with their grace periods. */
  | { readonly kind: "interrupt" }
  /** SIGTERM: the agent ends, the pods run on and the next one takes them over. */
  | { readonly kind: "terminate" }
  /** The terminal was closed: pods that stay behind would be forgotten, so they are stopped as by Ctrl-C. */
  | { readonly kind: "hangup" };

const EXIT_CODES = { interrupt: 130, terminate: 143, hangup: 129 } as const;

export interface Signals {
  /** Resolves at the first signal. */
  readonly first: Promise<Ending>;
  /** Resolves at the Ctrl-C after the first signal. */
  readonly second: Promise<void>;
  /** Called at each SIGHUP that comes without a terminal. */
  onReload(listener: () => void): void;
  /** Ctrl-C where the terminal makes no signal of it. */
  interrupt(): void;
  /** The agent runs: from now on there is something to stop in order. */
  booted(): void;
  release(): void;
}

/** Listens; a third Ctrl-C ends the process on the spot, and so does any second signal while the agent is not up. */
export function listenForSignals(io: Io): Signals {
  let count = 0;
  let up = false;
  let tellFirst: (ending: Ending) => void = () => undefined;
  let tellSecond: () => void = () => undefined;
  let reload: () => void = () => undefined;
  const first = new Promise<Ending>((resolve) => {
    tellFirst = resolve;
  });
  const second = new Promise<void>((resolve) => {
    tellSecond = resolve;
  });
  const heard = (ending: Ending): void => {
    count += 1;
    if (count === 1) tellFirst(ending);
    else if (!up) io.exit(EXIT_CODES[ending.kind]);
    else if (ending.kind === "interrupt" && count === 2) tellSecond();
    else if (ending.kind === "interrupt") io.exit(130);
  };
  const endings = [
    io.onSignal("SIGINT", () => heard({ kind: "interrupt" })),
    io.onSignal("SIGTERM", () => heard({ kind: "terminate" })),
    // Without a terminal it asks a daemon to read its configuration again.
    io.onSignal("SIGHUP", () => (hasTerminal(io) ? heard({ kind: "hangup" }) : reload())),
  ];
  const release = (): void => {
    for (const end of endings) end();
  };
  const booted = (): void => {
    up = true;
  };
  const onReload = (listener: () => void): void => {
    reload = listener;
  };
  return { first, second, onReload, booted, release, interrupt: () => heard({ kind: "interrupt" }) };
}

function hasTerminal({ stdin, stdout, stderr }: Io): boolean {
  return [stdin, stdout, stderr].some(({ isTTY }) => isTTY === true);
}

/** How long a kill may take before the process ends anyway, milliseconds. */
const KILL_PATIENCE = 5_000;

/** Milliseconds. */
const TELL_EVERY = 1_000;

export interface Stopping {
  readonly io: Io;
  readonly api: AgentApi;
  shutdown(gracePeriodSeconds?: number): Promise<void>;
  killAll(): Promise<void>;
  /** Shows what is being waited for. */
  say(text: string): void;
}

/**
 * Stops every pod, saying which ones it still waits for; once `kill` resolves it kills them. True: all went in order.
 */
export async function stopPods({ io, api, shutdown, killAll, say }: Stopping, kill: Promise<void>): Promise<boolean> {
  let timer: Timer | undefined;
  let last = "";
  const tell = (): void => {
    timer = undefined;
    const names = api.pods().map(({ metadata }) => metadata.name);
    const text = `Waiting for ${listed(names)} to stop. Ctrl-C again kills at once.`;
    if (names.length > 0 && text !== last) say(text);
    last = text;
  };
  // Many pods end at once; a line for each would bury the rest.
  const changed = (): void => {
    timer ??= io.clock.schedule(TELL_EVERY, tell);
  };
  const unwatch = api.watchPods(changed);
  const done = shutdown().then(() => "stopped" as const);
  tell();
  try {
    const how = await Promise.race([done, kill.then(() => "kill" as const)]);
    if (how === "stopped") return true;
    say("Killing.");
    await Promise.race([Promise.all([shutdown(0), killAll(), done]), sleep(io.clock, KILL_PATIENCE)]);
    return false;
  } finally {
    timer?.cancel();
    unwatch();
  }
}

/** At most three names: `pods a, b, c and 4 more`. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${names.length === 1 ? "pod" : "pods"} ${shown}${more}`;
}

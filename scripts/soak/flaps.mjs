// Steady pods that change without a request: each change with what was done to the machine before it, and what the agent said of the pod.

/** Lines of the agent's log that are shown of one change. */
const LINES = 12;

export class Flaps {
  #known;
  #offset = 0;
  #deeds = [];
  /** A container that is another one, or was started again. */
  restarted = 0;
  /** Samples in which a pod was not ready. */
  unready = 0;

  /** `known`: name -> state, as at the beginning; `log`: the text of the agent's log from an offset in bytes, `{ text, end }`. */
  constructor(known, log, say = console.log) {
    this.#known = known;
    this.log = log;
    this.say = say;
    this.#offset = log(Number.MAX_SAFE_INTEGER).end;
  }

  /** Something was done to the agent or the machine. */
  deed(what) {
    this.#deeds.push(`${new Date().toISOString()} ${what}`);
  }

  /** `pods`: name -> { state, pod } of now. */
  look(pods) {
    const { text, end } = this.log(this.#offset);
    for (const [name, { state, pod }] of pods) {
      const before = this.#known.get(name);
      if (!state.ready) this.unready += 1;
      if (same(before, state)) continue;
      if (before.container !== state.container || before.restarts !== state.restarts) this.restarted += 1;
      this.#tell({ name, before, state, pod, text });
      this.#known.set(name, state);
    }
    this.#offset = end;
    this.#deeds = this.#deeds.slice(-6);
  }

  #tell({ name, before, state, pod, text }) {
    const uid = pod?.metadata.uid;
    const said = text.split("\n").filter((line) => line.includes(`${name}-`) || (uid && line.includes(uid)));
    const conditions = pod?.status.conditions?.map(({ type, status, reason, message }) =>
      [type, status, reason, message].filter(Boolean).join(" "),
    );
    this.say(
      [
        `${new Date().toISOString()} ${name}: ${JSON.stringify(before)} -> ${JSON.stringify(state)}`,
        `  container: ${JSON.stringify(pod?.status.containerStatuses?.[0])}`,
        `  conditions: ${conditions?.join("; ")}`,
        ...this.#deeds.map((deed) => `  done before: ${deed}`),
        ...said.slice(-LINES).map((line) => `  log: ${line}`),
      ].join("\n"),
    );
  }
}

export function stateOf(pod) {
  const [container] = pod?.status.containerStatuses ?? [];
  const ready = pod?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return { container: container?.containerID, restarts: container?.restartCount, ready };
}

export function same(a, b) {
  return a.container === b.container && a.restarts === b.restarts && a.ready === b.ready;
}

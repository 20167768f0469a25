/** The text that is shown in place of the pods: a log that goes on, a description, events. */

import { rowsText } from "@hooklet/cli/extend";
import { describePod, eventRows, explainedPod, oneLine, podObject, toText } from "@hooklet/cli/print";
import type { AgentApi } from "@hooklet/core/host";
import { readLog } from "@hooklet/logs";
import { allContainers, namespacedName, type Pod } from "@hooklet/manifest";
import { type Clock, errorText } from "@hooklet/utils";
import type { Event } from "kubernetes-types/core/v1.js";
import type { LastLines } from "./pod-lines.js";
import type { ViewState } from "./view-state.js";

export interface Text {
  readonly title: string;
  readonly lines: readonly string[];
}

/** How old an answer may become, milliseconds. */
const ANSWER_MILLISECONDS = 2_000;
const MAX_LINES = 2_000;
const MAX_LINE = 2_000;

export class Texts {
  #name: string | undefined;
  #answer: { readonly key: string; lines: readonly string[]; until: number } | undefined;
  #log: { readonly key: string; readonly lines: string[]; readonly over: AbortController } | undefined;

  constructor(
    private readonly api: Pick<AgentApi, "log" | "pods" | "explain" | "explainNow">,
    private readonly clock: Clock,
    /** A log has gone on. */
    private readonly changed: () => void,
  ) {}

  /** @param lastLines of containers in trouble, by `<pod uid>/<container>` */
  of(state: ViewState, pod: Pod | undefined, events: readonly Event[], lastLines: LastLines): Text | undefined {
    if (state.mode !== "log") this.#endLog();
    if (state.mode === "pods" || state.mode === "help") return undefined;
    // Not another pod's in its place: who reads would not see the change.
    if (pod === undefined) return state.selected === undefined ? undefined : gone(this.#name);
    const { name, uid } = pod.metadata;
    this.#name = name;
    const own = events.filter(({ involvedObject }) => involvedObject.uid === uid);
    const now = this.clock.now();
    if (state.mode === "describe") return { title: `pod ${name}`, lines: describePod(pod, own, now).split("\n") };
    if (state.mode === "events")
      return { title: `events of pod ${name}`, lines: rowsText(eventRows(own, now)).split("\n") };
    if (state.mode === "explain") return this.#asked(pod, "explain", () => this.#explained(pod, own, lastLines));
    if (state.mode === "yaml") return this.#asked(pod, "yaml", async () => toText(podObject(pod), "yaml"));
    return this.#logOf(pod, state.container);
  }

  /** What takes a question: what is known already, until the answer is there. It is asked again once it has grown old. */
  #asked(pod: Pod, what: string, ask: () => Promise<string>): Text {
    const key = `${pod.metadata.uid}/${what}`;
    const title = `${what} of pod ${pod.metadata.name}`;
    const now = this.clock.monotonic();
    if (this.#answer?.key !== key) this.#answer = { key, lines: [], until: Number.NEGATIVE_INFINITY };
    const answer = this.#answer;
    if (now >= answer.until) {
      answer.until = Number.POSITIVE_INFINITY;
      const take = (text: string): void => {
        answer.lines = text.split("\n").map(oneLine);
        answer.until = this.clock.monotonic() + ANSWER_MILLISECONDS;
        this.changed();
      };
      ask().then(take, (error: unknown) => take(errorText(error)));
    }
    return { title, lines: answer.lines };
  }

  async #explained(pod: Pod, events: readonly Event[], lastLines: LastLines): Promise<string> {
    const name = namespacedName(pod.metadata);
    const decisions = [...this.api.explain("pod", name), ...(await this.api.explainNow("pod", name))];
    const logs = new Map(
      allContainers(pod).flatMap((container) => {
        const line = lastLines.get(`${pod.metadata.uid}/${container.name}`);
        return line === undefined || line === "" ? [] : [[container.name, [line]] as const];
      }),
    );
    return explainedPod({ pod, decisions, events, pods: this.api.pods(), logs, all: false, now: this.clock.now() });
  }

  stop(): void {
    this.#endLog();
  }

  #logOf(pod: Pod, at: number): Text {
    const names = allContainers(pod).map(({ name }) => name);
    const first = pod.spec.containers[0]?.name ?? "";
    const container = names[(names.indexOf(first) + at) % names.length] ?? first;
    const key = `${pod.metadata.uid}/${container}/${startsOf(pod, container)}`;
    if (this.#log?.key !== key) this.#follow(pod, container, key);
    const others = names.length > 1 ? ` (${names.length} containers)` : "";
    return { title: `log of pod ${pod.metadata.name}, container ${container}${others}`, lines: this.#log?.lines ?? [] };
  }

  #follow(pod: Pod, container: string, key: string): void {
    this.#endLog();
    const over = new AbortController();
    const lines: string[] = [];
    this.#log = { key, lines, over };
    let rest = "";
    const take = (data: Buffer): void => {
      const [...all] = (rest + data.toString("utf8")).split("\n");
      rest = (all.pop() ?? "").slice(0, MAX_LINE);
      lines.push(...all.map((line) => oneLine(line.slice(0, MAX_LINE))));
      lines.splice(0, Math.max(0, lines.length - MAX_LINES));
      this.changed();
    };
    const read = async (): Promise<void> => {
      const file = await this.api.log(pod.metadata, container, { previous: false });
      const options = { follow: true, timestamps: false, tail: MAX_LINES };
      await readLog(
        this.clock,
        file,
        options,
        (_, data) => take(data),
        async () => {},
        over.signal,
      );
    };
    read().catch((error: unknown) => {
      if (!over.signal.aborted) take(Buffer.from(`${error instanceof Error ? error.message : String(error)}\n`));
    });
  }

  #endLog(): void {
    this.#log?.over.abort();
    this.#log = undefined;
  }
}

function gone(name = "that was looked at"): Text {
  return { title: `pod ${name}`, lines: [`Pod ${name} is gone. Esc goes back to the pods.`] };
}

/** Another life of the container has another log. */
function startsOf({ status }: Pod, container: string): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find(({ name }) => name === container)?.containerID ?? "";
}

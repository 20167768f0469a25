/** A source that speaks when the test says so; until then it is as silent as a server that is down. */
import type { Pod } from "@hooklet/core";
import type { PodSource, SourceSink } from "@hooklet/core/host";

export class LateSource implements PodSource {
  readonly reported: Pod[] = [];
  pods: readonly Pod[] | undefined;
  #sink: SourceSink | undefined;

  constructor(readonly name = "late") {}

  async start(sink: SourceSink): Promise<void> {
    this.#sink = sink;
    if (this.pods !== undefined) sink.desired(this.pods);
  }

  async status({ pod }: { readonly pod: Pod }): Promise<void> {
    this.reported.push(pod);
  }

  speak(pods: readonly Pod[]): void {
    this.pods = pods;
    this.#sink?.desired(pods);
  }

  async stop(): Promise<void> {}
}

/** Options of `get` and `events`. */
export interface GetOptions {
  /** As outputFormat takes it. */
  readonly output?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly showLabels?: boolean;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  /** `--no-headers`. */
  readonly headers?: boolean;
}

export interface EventsOptions extends GetOptions {
  readonly for?: string;
  /** `Normal,Warning`. */
  readonly types?: string;
  readonly follow?: boolean;
}

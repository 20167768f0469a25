/** What a checkpoint holds. */
export interface CheckpointData {
  readonly entries: readonly CheckpointEntry[];
  /** Healthy devices by resource, in the order of the file. */
  readonly registered: ReadonlyMap<string, readonly string[]>;
}

export interface CheckpointEntry {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  /** By NUMA node, -1 without topology. */
  readonly devices: ReadonlyMap<number, readonly string[]>;
  /** ContainerAllocateResponse as protobuf in base64. */
  readonly response: string;
}

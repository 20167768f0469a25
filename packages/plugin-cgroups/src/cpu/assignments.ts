/** The CPU assignments that plans read. */
export interface CpuAssignments {
  /** Whether the container has exclusive processors; without a name: any container of the pod. */
  hasExclusive(podUid: string, container?: string): boolean;
  /** Those that the container runs on, its own or the shared ones: `2-3`. */
  cpusOf(podUid: string, container: string): string;
}

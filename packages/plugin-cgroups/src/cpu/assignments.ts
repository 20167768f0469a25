/** What plans need to know of processors. */
export interface CpuAssignments {
  /** Whether the container has processors of its own; without a name: any of the pod. */
  hasExclusive(podUid: string, container?: string): boolean;
  /** Those that the container runs on, its own or the shared ones: `2-3`. */
  cpusOf(podUid: string, container: string): string;
}

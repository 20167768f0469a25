/** The processors of a list, ascending. @throws NodeAgentError INVALID for what is no list of numbers and ranges */
export declare function parseCpuList(text: string, where?: string): ReadonlySet<number>;
/** `0-3,8`; two in a row are a range too, as the kubelet writes it. Empty for none. */
export declare function formatCpuList(cpus: Iterable<number>): string;

/** The subjects of decisions about pods, by which `hooklet explain` finds them. Pure. */
import { type Pod } from "@hooklet/manifest";
/** `pod/<namespace>/<name>`: what a decision about a pod is about, and what a pod is called among those considered. */
export declare function podSubject({ metadata }: Pick<Pod, "metadata">): string;
/** `container/<namespace>/<pod>/<name>`. */
export declare function containerSubject({ metadata }: Pick<Pod, "metadata">, container: string): string;

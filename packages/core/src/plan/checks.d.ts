import type { LinuxContainerResources } from "../runtime/port.js";
export declare function text(what: string, value: unknown): asserts value is string;
/** An absolute path, without `..`, `//` and a slash at its end: one path, one key. */
export declare function absolute(what: string, path: unknown): string;
export declare function annotationName(name: unknown): asserts name is string;
export declare function cgroupFile(file: unknown, value: unknown): void;
export declare function cdiDevice(name: unknown): asserts name is string;
/** An absolute cgroupfs path, cleaned, or the name of a systemd slice. */
export declare function cgroupParent(value: unknown): string;
/** One resource by CRI's name, but for `unified` and `hugepageLimits`. */
export declare function resource(name: string, value: unknown): void;
/** A whole set of resources. */
export declare function resources(what: string, value: unknown): LinuxContainerResources;

/** Values of the rc file that Kubernetes writes as text: durations, quantities, thresholds, names. Pure. */
import { z } from "zod";
/** `20s`, `1m0s` or plain seconds; gives seconds. */
export declare function duration(min: string, max: string): z.ZodType<number, string | number>;
/** A quantity of 0 or more, `100m`, `2Gi` or a number; gives text. */
export declare function quantity(): z.ZodType<string, string | number>;
/** A set of processors, `0-3,8`, or "" for none; gives text. */
export declare function cpuList(): z.ZodType<string, string>;
/** An eviction threshold: a quantity above 0, or a percentage from 0% to 100%. */
export declare function threshold(): z.ZodType<string, string | number>;
/** A whole number within bounds; the bounds are part of what an error expects. */
export declare function whole(min: number, max: number): z.ZodType<number, number>;
/** A DNS subdomain of RFC 1123, as Kubernetes names nodes. */
export declare function subdomain(): z.ZodString;

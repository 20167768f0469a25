/** Garbage collection of images and containers as a hooklet plugin. */
export { type OrderInput, type OrderStrategy, orderFault } from "./image-order.js";
export type { ImageRecord } from "./images/image-records.js";
export type { ImagegcOptions } from "./options.js";
export { plugin as default, plugin as imagegc } from "./plugin.js";

/** The public surface of @hooklet/core: contracts first, then what plugins and runtimes may use. */
export { type Clock, sleep, systemClock, type Timer, withDeadline } from "./clock.js";

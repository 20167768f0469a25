/** Helpers for messages: light, since every error of every package uses them. */
export { boundedText, didYouMean, errorText, nearest } from "./error-text.js";

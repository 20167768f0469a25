/** Helpers for messages: light, since every error of every package uses them. */
export { boundedText, errorText } from "./error-text.js";
export { didYouMean, nearest } from "./nearest.js";

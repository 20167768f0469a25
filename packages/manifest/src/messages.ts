/** Words for people: light, since every error of every package is made with them. */
export { boundedText, errorText } from "./error-text.js";
export { didYouMean, nearest } from "./nearest.js";

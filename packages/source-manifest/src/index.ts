export { manifestFolder } from "./manifest-folder.js";
export { manifestUrl } from "./manifest-url.js";

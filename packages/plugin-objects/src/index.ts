/** ConfigMaps, Secrets, tokens and the downward API for pods as a hooklet plugin. */
export { plugin as default, plugin as objects } from "./plugin.js";

/** The kubelet's statistics and metrics of node and pods as a hooklet plugin. */
export { plugin as default, plugin as stats } from "./plugin.js";

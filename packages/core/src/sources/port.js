/**
 * A source delivers desired pods and takes statuses and events back. Pods of a manifest folder, a URL and the control
 * socket come this way, and those of a cluster through a plugin (`ctx.addSource`). Nothing in the core asks where a pod
 * came from but by its annotation `kubernetes.io/config.source`, which the source sets; its name is not that mark.
 */
export {};

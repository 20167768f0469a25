/** Statistics in the words of the kubelet's Summary API (stats/v1alpha1), so that `/stats/summary` is these objects. */
export {};

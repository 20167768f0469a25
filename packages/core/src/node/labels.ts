/** The labels that a kubelet gives its node. */
const OS = "kubernetes.io/os";
const ARCH = "kubernetes.io/arch";

/** `own` labels win over the kubelet's. */
export function nodeLabels(
  name: string,
  platform: { readonly os: string; readonly arch: string },
  own: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    "kubernetes.io/hostname": name,
    [OS]: platform.os,
    [ARCH]: platform.arch,
    [`beta.${OS}`]: platform.os,
    [`beta.${ARCH}`]: platform.arch,
    ...own,
  };
}

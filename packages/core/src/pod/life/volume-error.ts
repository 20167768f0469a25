/** A volume that cannot be made: the pod waits, event FailedMount. */
export class VolumeError extends Error {
  override readonly name = "VolumeError";

  constructor(
    readonly volume: string,
    detail: string,
  ) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${detail}`);
  }
}

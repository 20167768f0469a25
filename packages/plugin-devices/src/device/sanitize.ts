/**
 * What the node must count as allocatable while a pod with devices is admitted: at least what is allocated, also when
 * its plugin is away (ManagerImpl.sanitizeNodeAllocatable). `allocated`: devices in use by resource. Pure.
 */
export function sanitizeAllocatable(
  allocatable: Readonly<Record<string, number>>,
  allocated: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const raised = Object.entries(allocated).filter(([resource, count]) => {
    const given = allocatable[resource];
    return given === undefined || given < count;
  });
  return { ...allocatable, ...Object.fromEntries(raised) };
}

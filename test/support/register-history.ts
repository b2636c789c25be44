/**
 * Checks that the history of one register is linearizable. A client reads the version of the register, and
 * then writes the next version. In a linearizable history, versions never decrease. A write has a higher
 * version than all earlier operations. A read never returns a version whose write has not begun.
 */

export interface Operation {
  readonly kind: 'read' | 'write';
  readonly version: number;
  /** The client that wrote the version. */
  readonly writer: string;
  readonly beganAt: number;
  readonly endedAt: number;
}

/** @param operations - Operations with known outcomes. @returns A description of each contradiction. */
export function findContradictions(operations: readonly Operation[]): readonly string[] {
  const writes = operations.filter(({ kind }) => kind === 'write');
  const writeByVersion = new Map(writes.map((write) => [write.version, write]));
  const writerByVersion = new Map<number, string>();
  const faults: string[] = writes.length > writeByVersion.size ? ['one version was written twice'] : [];

  const ends = operations.toSorted((left, right) => left.endedAt - right.endedAt);
  let ended = 0;
  let versionMin = 0; // the highest version of all operations that have ended
  for (const operation of operations.toSorted((left, right) => left.beganAt - right.beganAt)) {
    while ((ends[ended]?.endedAt ?? Infinity) < operation.beganAt) {
      versionMin = Math.max(versionMin, ends[ended]?.version ?? 0);
      ended += 1;
    }
    const { kind, version, writer } = operation;
    if (version < versionMin || (kind === 'write' && version === versionMin)) {
      faults.push(`a ${kind} of version ${version} began after version ${versionMin} was known`);
    }
    if ((writeByVersion.get(version)?.beganAt ?? -Infinity) > operation.endedAt) {
      faults.push(`version ${version} was read before its write began`);
    }
    if ((writerByVersion.get(version) ?? writer) !== writer) {
      faults.push(`version ${version} has two writers: ${writerByVersion.get(version)} and ${writer}`);
    }
    writerByVersion.set(version, writer);
  }
  return faults;
}

/**
 * Each schema is compiled to a check. A check judges one value, and adds a complaint to the validation for
 * each mistake that it finds.
 */

/** One reason why a schema refuses a value. It never quotes the value, which may be a password. */
export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value; '' is the whole value. */
  readonly pointer: string;
  /** The keyword that the value violates, or `limit` when the value is too large to check. */
  readonly keyword: string;
  /** A text for people. It completes a sentence that begins with the name of the part; no full stop. */
  readonly message: string;
}

/** Judges a value. The pointer says where the value is in the whole value. */
export type Check = (value: unknown, pointer: string, validation: Validation) => void;

/** The findings of one validation so far, and the work that it may still do. */
interface Validation {
  readonly complaints: Complaint[];
  /** The validation stops early once it has this many complaints. */
  readonly complaintsMax: number;
  /** The validation is abandoned when no steps are left. Trials share the steps of their validation. */
  readonly effort: { stepsLeft: number };
}

/** Adds a complaint, unless the validation has the most complaints already. */
export function complain({ complaints, complaintsMax }: Validation, complaint: Complaint): void {
  if (complaints.length < complaintsMax) {
    complaints.push(complaint);
  }
}

/** Tells whether a check accepts a value, without adding its complaints to the validation. */
export function accepts(check: Check, value: unknown, { effort }: Validation): boolean {
  const complaints: Complaint[] = [];
  check(value, '', { complaints, complaintsMax: 1, effort });
  return complaints.length === 0;
}

/** Combines checks into one check. It costs a step, and does nothing once the validation has stopped. */
export function combineChecks(checks: readonly Check[]): Check {
  return (value, pointer, validation) => {
    const { complaints, complaintsMax, effort } = validation;
    if (complaints.length === complaintsMax || effort.stepsLeft === 0) {
      return;
    }
    effort.stepsLeft -= 1;
    for (const check of checks) {
      check(value, pointer, validation);
    }
  };
}

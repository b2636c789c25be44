/**
 * What a schema is compiled to: checks, each of which judges one value at one place and adds what
 * is wrong there to a list of complaints.
 */

import { extendPointer } from './json.ts';

/** One reason why a value is not what its schema describes. It never quotes the value. */
export interface Complaint {
  /** JSON pointer (RFC 6901) to the wrong or missing part of the value; '' is the whole value. */
  readonly pointer: string;
  /** The keyword that is not satisfied, or `limit` when the value is too much to check. */
  readonly keyword: string;
  /** For people: continues a sentence that begins with the name of the part; no full stop. */
  readonly message: string;
}

/** Judges a value and adds its complaints to those of the place. */
export type Check = (value: unknown, place: Place) => void;

/** Where in the value a check stands, and what its validation has found and spent so far. */
interface Place {
  readonly pointer: string;
  readonly complaints: Complaint[];
  /** With this many complaints the validation has its answer and ends early. */
  readonly complaintsMax: number;
  /** Shared by the whole validation, which is given up when no steps are left. */
  readonly effort: { stepsLeft: number };
}

/** Adds a complaint about the place, unless there are enough. */
export function complain(place: Place, complaint: Omit<Complaint, 'pointer'>): void {
  if (place.complaints.length < place.complaintsMax) {
    place.complaints.push({ pointer: place.pointer, ...complaint });
  }
}

/** The place of a member or an item of the value at this place. */
export function partOf(place: Place, step: string | number): Place {
  return { ...place, pointer: extendPointer(place.pointer, step) };
}

/** Tells whether a check finds nothing wrong, and keeps what it finds to itself. */
export function passes(check: Check, value: unknown, place: Place): boolean {
  const trial = { ...place, complaints: [], complaintsMax: 1 };
  check(value, trial);
  return trial.complaints.length === 0;
}

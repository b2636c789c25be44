/**
 * The renewal of tokens. A renewable token is replaced by a new one with the same name, scope and lifetime,
 * and ends with the tokens that it issued. All tokens that come from one renewable token are a family. Only
 * the newest of them is valid, so a renewal with an older one shows that somebody has a copy: the whole
 * family ends. A client that lost the answer to its renewal looks the same, and needs the password again.
 */
import { integerOf, textOf, type Database } from '../../database/database.ts';
import type { Origin } from '../../model/audit.ts';
import type { Timestamp } from '../../model/clock.ts';
import type { Token, TokenDigest } from '../../model/token.ts';
import { toAuditStatement } from '../../stores/audit.ts';
import { changeIf, isSignedIn } from '../../stores/guarded.ts';
import { REMOVE_ENDED_OF_USER, toFamilyRevocation, toToken, TOKEN_COLUMNS } from '../../stores/tokens.ts';

interface Successor {
  readonly digest: TokenDigest;
  readonly lastFour: string;
  readonly expiresAt: Timestamp;
}

/** Selects the tokens that came from an ended token, by its id. */
const LATER_IN_FAMILY = `id IN (
  SELECT later.id FROM tokens AS used
  JOIN tokens AS later ON later.family_id = coalesce(used.family_id, used.id) AND later.id > used.id
  WHERE used.id = ? AND used.revoked_at IS NOT NULL)`;

export function createRenewalStore(database: Database) {
  return {
    /** Replaces the token with which the caller signed in. */
    renew({ id, userId, name }: Token, { digest, lastFour, expiresAt }: Successor, origin: Origin) {
      return changeIf(database, {
        target: { table: 'tokens', column: 'id', value: id },
        guards: isSignedIn(origin),
        write: ({ sql, parameters }) => ({
          sql: `
            INSERT INTO tokens (
              digest, user_id, name, last_four, scope, date_created, expires_at, renewal_seconds, family_id
            ) SELECT ?, user_id, name, ?, scope, ?, ?, renewal_seconds, coalesce(family_id, id)
            FROM tokens WHERE ${sql}`,
          parameters: [digest, lastFour, origin.at, expiresAt, ...parameters],
        }),
        audit: { action: 'token.renew', resource: { type: 'token', name }, details: `replaces=${id}` },
        then: [
          {
            sql: toFamilyRevocation('id = ? AND EXISTS (SELECT 1 FROM tokens WHERE digest = ?)'),
            parameters: [origin.at, origin.at, id, digest],
          },
          { sql: REMOVE_ENDED_OF_USER, parameters: [userId, origin.at, userId] },
        ],
        readBack: { sql: `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE digest = ?`, parameters: [digest] },
        toResult: toToken,
      }, origin);
    },

    /** Ends the family of a token that was renewed before. Does nothing for any other token. */
    async endFamily(digest: TokenDigest, origin: Origin): Promise<void> {
      const [used] = await database.read({
        sql: 'SELECT id, name FROM tokens WHERE digest = ? AND revoked_at IS NOT NULL', parameters: [digest],
      });
      if (used !== undefined) {
        const [id, name] = [integerOf(used, 'id'), textOf(used, 'name')];
        await database.change([
          { sql: toFamilyRevocation(LATER_IN_FAMILY), parameters: [origin.at, origin.at, id] },
          toAuditStatement({
            action: 'token.revoke', resource: { type: 'token', id, name },
            details: 'renewed again after its end',
          }, origin),
        ]);
      }
    },
  };
}

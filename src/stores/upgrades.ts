/**
 * The earlier versions of the tables that can be upgraded, each straight to the version of schema.ts. Each
 * entry names the tables of its version and the columns that are copied. Everything else follows from them
 * by the triggers of the new tables. A change of schema.ts that adds, drops or renames a column of a
 * copied table adapts all entries.
 */
import type { Upgrade } from '../database/upgrade-tables.ts';

const COPIED = ['users', 'projects', 'tokens', 'audit_events'];

const COPIES = [
  copy('users', `
    id, username, username_key, email, password_version, is_admin, disabled, version, date_created,
    password_hash`),
  copy('projects', 'id, name, name_key, owner_id, version, date_created, description'),
  copy('tokens', `
    id, digest, user_id, name, last_four, scope, date_created, expires_at, last_used, revoked_at,
    parent_id`),
  copy('audit_events', `
    id, occurred_at, action, resource_type, resource_id, resource_name, details, user_id, username,
    sign_in, token_id, request_id, address`),
];

const VERSION_5: Upgrade = {
  from: 5,
  copied: COPIED,
  derived: ['user_blocks', 'project_blocks', 'users_search', 'audit_removal', 'credential_changes'],
  copies: COPIES,
};

const VERSION_6: Upgrade = {
  from: 6,
  copied: COPIED,
  derived: [
    'users_search', 'row_counts', 'registrations', 'audit_removal', 'user_names', 'credential_changes',
  ],
  copies: COPIES,
};

export const upgrades: readonly Upgrade[] = [VERSION_5, VERSION_6];

/** @param columns - Columns that the table has in both versions. */
function copy(table: string, columns: string): string {
  return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM old_${table} ORDER BY id`;
}

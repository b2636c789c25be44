/**
 * The header fields of every response, unless it has its own. app.ts adds the id of the request, send.ts the
 * length.
 */
import { corsHeaders } from './cross-origin.ts';

/** One year, for this host only (RFC 6797 §6.1). */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** @param isSecure - True when this process speaks TLS itself. */
export function commonHeaders(corsOrigin: string, isSecure: boolean): Readonly<Record<string, string>> {
  return {
    ...corsHeaders(corsOrigin),
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(isSecure && { 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY }),
  };
}

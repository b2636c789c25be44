/** The audience of a token: hosts with an optional port (RFC 9110 §7.2), in a form that can be compared. */
import { domainToASCII } from 'node:url';

/** A host name may have letters of any script, but no wildcard. */
const HOST = /^(\[[\da-f.:]{2,45}\]|[^\s:[\]/?#@%\\]{1,254})(?::(\d{1,5}))?$/i;
/** The names of containers may have underscores. */
const NAME = /^(?:\[.+\]|[\w-]{1,63}(?:\.[\w-]{1,63})*)$/;
const NAME_LENGTH_MAX = 253;
const PORT_MAX = 65_535;

/**
 * Writes a host in lower case and in ASCII (`xn--`), without a final dot and without a default port. Both 80
 * and 443 are default ports, because the scheme is unknown behind a proxy.
 */
export function normalizeHost(text: string): string | undefined {
  const [, name = '', digits = '443'] = HOST.exec(text) ?? [];
  const host = domainToASCII(name).replace(/\.$/, '');
  const port = Number(digits);
  if (!NAME.test(host) || host.length > NAME_LENGTH_MAX || port < 1 || port > PORT_MAX) {
    return undefined;
  }
  return port === 80 || port === 443 ? host : `${host}:${port}`;
}

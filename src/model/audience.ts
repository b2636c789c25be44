/** The audience of a token: hosts with an optional port (RFC 9110 §7.2), in a form that can be compared. */
import { domainToASCII } from 'node:url';

const HOST = /^(\[[\da-f.:]{2,45}\]|[^\s:[\]/?#@%\\]{1,254})(?::(\d{1,5}))?$/i;
/** The host names of containers can contain underscores. */
const NAME = /^(?:\[.+\]|[\w-]{1,63}(?:\.[\w-]{1,63})*)$/;

/** Omits the default ports of HTTP and HTTPS, because the scheme is unknown behind a proxy. */
export function normalizeHost(text: string): string | undefined {
  const [, name = '', digits = '443'] = HOST.exec(text) ?? [];
  const host = domainToASCII(name).replace(/\.$/, '');
  const port = Number(digits);
  if (!NAME.test(host) || host.length > 253 || port < 1 || port > 65_535) {
    return undefined;
  }
  return port === 80 || port === 443 ? host : `${host}:${port}`;
}

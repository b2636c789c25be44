/**
 * The address and the network of a client. If the request came through proxies, the address is taken from the
 * list in `X-Forwarded-For`.
 *
 * Each proxy appends the address of its caller to the list, so the nearest proxy wrote the last address. The
 * list is read from its end. The first address that is not a trusted proxy is the client. The client may have
 * forged all addresses to the left.
 *
 * `Forwarded` (RFC 7239) is not read. A proxy writes either `Forwarded` or `X-Forwarded-For`, and passes the
 * other field on as the client sent it. A service that reads both fields lets clients choose their address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';

/** True when the address belongs to a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/**
 * @param text - Networks in CIDR notation or single addresses, separated by commas.
 * @returns `undefined` if an element is neither a network nor an address.
 */
export function parseTrustedProxies(text: string): IsTrusted | undefined {
  const list = new BlockList();
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
  for (const network of text.split(',').map((part) => part.trim())) {
    const [, address = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const bits = isIPv6(address) ? 128 : 32;
    const prefixLength = Number(prefix ?? bits);
    if (isIP(address) === 0 || prefixLength > bits) {
      return undefined;
    }
    list.addSubnet(address, prefixLength, familyOf(address));
  }
  // A link-local address ends in a zone, as in `fe80::1%eth0`.
  return (address) => isIP(address) !== 0 && list.check(address.replace(/%.*$/, ''), familyOf(address));
}

/** @returns The address of the other end of a connection. Empty for a closed connection. */
export function peerOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return toPlainAddress(remoteAddress);
}

/**
 * @param peer - The other end of the connection.
 * @param isTrusted - Absent when no proxy is trusted.
 */
export function findClientAddress(
  peer: string, { 'x-forwarded-for': list }: IncomingHttpHeaders, isTrusted: IsTrusted | undefined,
): string {
  if (isTrusted === undefined || list === undefined) {
    return peer;
  }
  let address = peer;
  for (const hop of String(list).split(',').map((part) => parseNode(part.trim())).toReversed()) {
    if (hop === undefined || !isTrusted(address)) {
      return address;
    }
    address = hop;
  }
  return address;
}

/** Parses an address with or without a port. @returns `undefined` for other text, such as `unknown`. */
function parseNode(text: string): string | undefined {
  const address = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : toPlainAddress(address);
}

/** A socket that accepts both families shows an IPv4 address as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2). */
function toPlainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/**
 * An IPv6 customer holds at least a /64 network (RFC 6177), with more addresses than any limit can count.
 * Therefore all addresses of a /64 network count as one address.
 */
export const toNetwork = (address: string): string => toPrefix(address, 64);

/** @returns The /48 of an IPv6 address. Many customers hold a whole /48, which contains 65 536 networks. */
export const toSite = (address: string): string => toPrefix(address, 48);

function toPrefix(address: string, bits: number): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) {
    return address;
  }
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const groups = address.includes('::') ? [...head, ...zeros, ...tail] : head;
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`;
}

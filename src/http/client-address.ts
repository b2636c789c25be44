/**
 * Finds the client of a request that came through proxies, from `X-Forwarded-For`.
 *
 * Each proxy appends the address of its caller. The list is read from its end, which the nearest proxy wrote,
 * up to the first address that is no trusted proxy: this is the client. The client may have forged
 * everything before it.
 *
 * `Forwarded` (RFC 7239) is not read. A proxy that writes one of the two fields passes the other on as the
 * client sent it, so reading both lets clients choose or hide their address.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';

/** True when the address belongs to a trusted proxy. */
export type IsTrusted = (address: string) => boolean;

/**
 * @param text - Networks in CIDR notation or single addresses, separated by commas.
 * @returns `undefined` when an element is neither.
 */
export function parseTrustedProxies(text: string): IsTrusted | undefined {
  const list = new BlockList();
  for (const network of text.split(',').map((part) => part.trim())) {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
    const bits = isIPv6(address) ? 128 : 32;
    const prefixLength = prefix === undefined ? bits : Number(prefix);
    if (isIP(address) === 0 || address.includes('%') || prefixLength > bits) {
      return undefined;
    }
    list.addSubnet(address, prefixLength, toFamily(address));
  }
  return (address) => isIP(address) !== 0 && list.check(withoutZone(address), toFamily(address));
}

/** True if a proxy added the address of its client, or if the client sent the field itself. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined;
}

/** @returns The address of the other end of a connection; empty for a connection that is closed. */
export function peerOf({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return toPlainAddress(remoteAddress);
}

/**
 * @param peer - The other end of the connection.
 * @param isTrusted - Absent when no proxy is trusted.
 */
export function findClientAddress(
  peer: string,
  headers: IncomingHttpHeaders,
  isTrusted: IsTrusted | undefined,
): string {
  const list = headers['x-forwarded-for']?.toString();
  if (isTrusted === undefined || list === undefined) {
    return peer;
  }
  let address = peer;
  for (const hop of list.split(',').map((part) => parseNode(part.trim())).toReversed()) {
    if (hop === undefined || !isTrusted(address)) {
      return address;
    }
    address = hop;
  }
  return address;
}

/** @returns `undefined` for anything but an address with or without a port, such as a name or `unknown`. */
function parseNode(text: string): string | undefined {
  const address = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : toPlainAddress(address);
}

/**
 * Writes an IPv4 address without the prefix of IPv6. A socket for both families shows it as
 * `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2).
 */
function toPlainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function toFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/**
 * The address and the network of a client. The field `Forwarded` (RFC 7239) is ignored. Some proxies
 * write `X-Forwarded-For`, but forward a `Forwarded` field that the client has forged.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';

export type IsTrusted = (address: string) => boolean;

/** @param text - Single addresses, or networks in CIDR notation, separated by commas. */
export function parseTrustedProxies(text: string): IsTrusted | undefined {
  const list = new BlockList();
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
  for (const network of text.split(',')) {
    const [, address = '', prefix] = /^([^/%]*)(?:\/(\d{1,3}))?$/.exec(network.trim()) ?? [];
    const bits = isIPv6(address) ? 128 : 32;
    const prefixLength = Number(prefix ?? bits);
    if (isIP(address) === 0 || prefixLength > bits) {
      return undefined;
    }
    list.addSubnet(address, prefixLength, familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/**
 * Finds the last address in `X-Forwarded-For` that is not the address of a trusted proxy. Each proxy appends
 * the address of its caller, so forged addresses stand before the address of the client.
 */
export function findClientAddress(
  peer: string, { 'x-forwarded-for': list = '' }: IncomingHttpHeaders, isTrusted: IsTrusted,
): string {
  const hops = String(list).split(',').slice(-100); // a client can send thousands of addresses
  let address = peer;
  for (let hop = parseHop(hops.pop()); hop !== undefined && isTrusted(address); hop = parseHop(hops.pop())) {
    address = hop;
  }
  return address;
}

/**
 * Some proxies add the port to an address, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`. Every IPv6 address
 * gets its shortest spelling (RFC 5952), so that limits count each address only once.
 */
function parseHop(text = ''): string | undefined {
  const hop = text.trim();
  const node = /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
  const address = toPlainAddress(node);
  return isIP(address) === 0 ? undefined
    : isIPv6(address) ? toPlainAddress(new SocketAddress({ address, family: 'ipv6' }).address)
    : address;
}

/**
 * Cuts off a zone, as in `fe80::1%eth0`: a zone has a meaning on one machine only (RFC 4007 §11.2). A socket
 * that accepts IPv4 and IPv6 shows an IPv4 address as `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2).
 *
 * @param address - An IP address. A closed connection has no address.
 */
export function toPlainAddress(address = ''): string {
  const withoutZone = address.replace(/%.*$/s, '');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1] ?? withoutZone;
}

/** A customer with IPv6 has at least one /64 network (RFC 6177), often a /48 with 65,536 /64 networks. */
export const toSite = (address: string): string => toNetwork(address, 48);

export function toNetwork(address: string, bits = 64): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) {
    return address;
  }
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return `${[...head, ...zeros, ...tail].slice(0, bits / 16).join(':')}::/${bits}`;
}

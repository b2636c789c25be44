/**
 * Finds the client of a request that came through proxies, from `X-Forwarded-For` and `Forwarded` (RFC 7239).
 *
 * Each proxy appends the address of its caller. The list is read from its end, which the nearest proxy wrote,
 * up to the first address that is no trusted proxy: this is the client. The client may have forged
 * everything before it.
 *
 * A proxy that writes one of the two fields forwards the other as the client sent it. When both are present,
 * they must name the same client; otherwise both are ignored. Left out: `by`, `host` and `proto`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

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

/** True if a proxy added the address of its client, or if the client sent such a field itself. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
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
  const nearest = toPlainAddress(peer);
  if (isTrusted === undefined || !isTrusted(nearest)) {
    return nearest;
  }
  const { 'x-forwarded-for': list, 'forwarded': elements } = headers;
  const clients = [
    ...(list === undefined ? [] : [follow(parseList(list.toString()))]),
    ...(elements === undefined ? [] : [follow(parseForwarded(elements))]),
  ];
  const [client = nearest] = clients;
  return clients.every((other) => other === client) ? client : nearest;

  /**
   * @param hops - The hops from the client to the nearest proxy; `undefined` for a hop without an address.
   */
  function follow(hops: readonly (string | undefined)[]): string {
    let address = nearest;
    for (const hop of hops.toReversed()) {
      if (hop === undefined || isTrusted?.(address) !== true) {
        return address;
      }
      address = hop;
    }
    return address;
  }
}

/** Parses `X-Forwarded-For`: `client, proxy1, proxy2`. */
function parseList(field: string): readonly (string | undefined)[] {
  return field.split(',').map((hop) => parseNode(hop.trim()));
}

/** One `name=value` of a `Forwarded` element, and the separator after it (RFC 7239 §4). */
const FORWARDED_PAIR =
  /[\t ]*([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))[\t ]*([;,]|$)/gy;

/** Parses `for=client, for=proxy1;by=proxy2`. A malformed field counts as one hop without an address. */
function parseForwarded(field: string): readonly (string | undefined)[] {
  const hops: (string | undefined)[] = [];
  let hop: string | undefined;
  let end = 0;
  for (const [text, name = '', quoted, token = '', separator] of field.matchAll(FORWARDED_PAIR)) {
    end += text.length;
    if (name.toLowerCase() === 'for') {
      hop = parseNode((quoted ?? token).replace(/\\(.)/g, '$1'));
    }
    if (separator !== ';') {
      hops.push(hop);
      hop = undefined;
    }
  }
  return end === field.length ? hops : [undefined];
}

/** Accepts an address with or without a port, but no name, pseudonym or `unknown` (RFC 7239 §6). */
function parseNode(text: string): string | undefined {
  const address = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(address) === 0 ? undefined : toPlainAddress(address);
}

/**
 * Writes an IPv4 address without the prefix of IPv6. A socket for both families shows it as
 * `::ffff:192.0.2.1` (RFC 4291 §2.5.5.2).
 */
export function toPlainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function toFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

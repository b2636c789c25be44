/**
 * Finds the network that counts as one client. An IPv6 client may choose among more addresses than any limit
 * can count.
 */

const IPV6_GROUPS = 8;

/** An IPv6 customer holds at least a /64 network (RFC 6177), so all addresses of a /64 count as one. */
export function toNetwork(address: string): string {
  return toPrefix(address, 64);
}

/** @returns The /48 of an IPv6 address. Many customers hold a /48, which contains 65 536 networks. */
export function toSite(address: string): string {
  return toPrefix(address, 48);
}

function toPrefix(address: string, bits: number): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) {
    return address;
  }
  const [head = [], tail] = address.split('::').map(
    (part) => part.split(':').filter((group) => group !== ''),
  );
  const missing = tail === undefined ? 0 : IPV6_GROUPS - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`;
}

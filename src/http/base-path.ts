/** Serves everything below the prefix `BASE_PATH`, for proxies that tell services apart by prefix. */
import type { Reply } from './exchange.ts';

interface BasePath {
  /** @returns The segments after the prefix, or `undefined` when the path does not begin with it. */
  strip(segments: readonly string[]): readonly string[] | undefined;
  /** @returns The reply with the prefix in `Location`; other links repeat the requested path. */
  addTo<AnyReply extends Reply>(reply: AnyReply): AnyReply;
}

/** @param prefix - Such as `/rollcall`; empty without a prefix. */
export function createBasePath(prefix: string): BasePath {
  if (prefix === '') {
    return { strip: (segments) => segments, addTo: (reply) => reply };
  }
  const base = prefix.slice(1).split('/');
  return {
    strip(segments) {
      const rest = segments.slice(base.length);
      const isBelow = base.every((segment, index) => segment === segments[index]);
      return isBelow ? (rest.length > 0 ? rest : ['']) : undefined; // the prefix itself is `/`
    },
    addTo(reply) {
      const { Location: location } = reply.headers;
      return location === undefined
        ? reply
        : { ...reply, headers: { ...reply.headers, 'Location': prefix + location } };
    },
  };
}

export function crc32(bytes: Uint8Array): number;
export function encodeColumns(meta: object, strings: string[], tables: object): Buffer;

/** SPEC §9: bytes of a request. */
export const REQUEST_LIMIT = 4 * 1024 * 1024;

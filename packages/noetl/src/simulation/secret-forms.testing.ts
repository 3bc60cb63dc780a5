/**
 * The forms in which a secret would give itself away (SEC-3), written down apart from those that the program takes out:
 * what it forgets must be noticed.
 */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // The first and the last characters also depend on what stands beside the secret.
    const own = text.slice(before === 0 ? 0 : 4, Math.floor((before + bytes.length) / 3) * 4);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  return [
    ...new Set([secret, json, JSON.stringify(json).slice(1, -1), percent, percent.replaceAll('%20', '+')]),
    ...base64,
    hex,
    hex.toUpperCase(),
  ];
}

/** Stands where a text goes on that was cut. */
export const CUT = '…';

/**
 * A text that was cut may end within a secret, and what is left of another begin within one. `marks` are what is put in the
 * place of each form of a secret; fewer than `shortest` characters of one tell nothing.
 */
export function cutEnds(marks: ReadonlyMap<string, string>, shortest: number): (text: string) => string {
  let known: Ends | undefined;
  return (text) => {
    known ??= endsOf([...marks.keys()], shortest);
    const { beginnings, endings, longest } = known;
    const parts = text.split(CUT);
    const last = parts.length - 1;

    const withoutBeginning = (part: string): string => {
      for (let at = Math.max(0, part.length - longest); at <= part.length - shortest; at++) {
        const forms = beginnings.get(part.slice(at, at + shortest));
        const form = forms?.find((one) => one.startsWith(part.slice(at)));
        if (form !== undefined) return `${part.slice(0, at)}${marks.get(form)}`;
      }
      return part;
    };
    const withoutEnding = (part: string): string => {
      for (let at = Math.min(longest, part.length); at >= shortest; at--) {
        const forms = endings.get(part.slice(at - shortest, at));
        const form = forms?.find((one) => one.endsWith(part.slice(0, at)));
        if (form !== undefined) return `${marks.get(form)}${part.slice(at)}`;
      }
      return part;
    };
    return parts
      .map((part, nth) => (nth === last ? part : withoutBeginning(part)))
      .map((part, nth) => (nth === 0 ? part : withoutEnding(part)))
      .join(CUT);
  };
}

interface Ends {
  /** Forms by what they begin and end with. */
  readonly beginnings: ReadonlyMap<string, readonly string[]>;
  readonly endings: ReadonlyMap<string, readonly string[]>;
  readonly longest: number;
}

function endsOf(forms: readonly string[], shortest: number): Ends {
  const beginnings = new Map<string, string[]>();
  const endings = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, form: string) => map.set(key, [...(map.get(key) ?? []), form]);
  for (const form of forms) {
    add(beginnings, form.slice(0, shortest), form);
    add(endings, form.slice(-shortest), form);
  }
  return { beginnings, endings, longest: Math.max(0, ...forms.map(({ length }) => length)) };
}

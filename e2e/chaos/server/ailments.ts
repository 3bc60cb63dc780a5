/** Who may not be well: the server, or the worker in a place. */
type Patient = 'server' | number;

interface Ailment {
  readonly patient: Patient;
  readonly from: number;
  to: number;
}

/** Who was not well, and when: what takes long meanwhile says nothing about how fast it is. */
export interface Ailments {
  /** From now on, until the function that is given back is called. */
  begin(patient: Patient): () => void;
  isWell(patient: Patient): boolean;
  wasWell(patient: Patient, from: number, to: number): boolean;
  /** Who is not well now. */
  ailing(): readonly Patient[];
}

export function createAilments(now: () => number): Ailments {
  const ailments: Ailment[] = [];
  const wasWell = (patient: Patient, from: number, to: number): boolean =>
    ailments.every((one) => one.patient !== patient || one.to < from || one.from > to);
  const lasting = (): readonly Ailment[] => ailments.filter(({ to }) => to === Number.POSITIVE_INFINITY);
  return {
    begin(patient) {
      const ailment = { patient, from: now(), to: Number.POSITIVE_INFINITY };
      ailments.push(ailment);
      return () => {
        ailment.to = now();
      };
    },
    isWell: (patient) => lasting().every((one) => one.patient !== patient),
    wasWell,
    ailing: () => lasting().map(({ patient }) => patient),
  };
}

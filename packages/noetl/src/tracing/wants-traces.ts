/** Whether there is a place for spans, and nobody said that there are to be none. Every start of the program asks. */
export const wantsTraces = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact, OTEL_EXPORTER_OTLP_ENDPOINT: general } = environment;
  const place = exact?.trim() || general?.trim();
  const disabled = environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
  return Boolean(place) && !disabled && environment.OTEL_TRACES_EXPORTER?.trim().toLowerCase() !== 'none';
};

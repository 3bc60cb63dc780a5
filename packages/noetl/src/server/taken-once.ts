/** Does what comes with the next number; one that came before is answered as the newest was, also while that is under way. */
export type TakenOnce<T> = (nth: number, action: () => Promise<T>) => Promise<T>;

/** DESIGN §4: who hears no answer asks again, and what was done stays done once. What failed may come again. */
export function takenOnce<T>(): TakenOnce<T> {
  let newest = 0;
  let answer: Promise<T> | undefined;
  return (nth, action) => {
    if (nth <= newest && answer !== undefined) return answer;
    newest = nth;
    answer = action().catch((error) => {
      newest = nth - 1;
      throw error;
    });
    return answer;
  };
}

/** Hours of the day in which a phone may ring for something that has waited already. */
export interface WakingHours {
  /** First hour, 0 to 23. */
  readonly from: number;
  /** The hour that no longer counts, 0 to 24; below `from` it runs over midnight. */
  readonly to: number;
}

export function isWaking(now: Date, { from, to }: WakingHours, timeZone: string): boolean {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hour12: false });
  const hour = Number(format.format(now)) % 24;
  return from <= to ? from <= hour && hour < to : hour >= from || hour < to;
}

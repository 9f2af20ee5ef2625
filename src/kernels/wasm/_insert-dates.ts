/**
 * Dates of an insert body in their plain forms: "YYYY-MM-DD", and "YYYY-MM-DDThh:mm:ss" with or without a fraction (which is
 * dropped) and a "Z". Readers take the offset of the opening quote; every other form is NO_DATE.
 */
const QUOTE: u32 = 0x22;
/** Marks a text that is not a date; no timestamp or day of the years 0000 to 9999 has this number. */
export const NO_DATE: i64 = 1 << 52;
const SECONDS_PER_DAY: i64 = 86400;
/** Lengths of the plain forms in bytes, quotes included; the second one up to its seconds. */
export const DATE_BYTES: usize = 12;
const SECONDS_END: usize = 20;
const FRACTION_DIGITS_MAX: usize = 9;

/** Returns whether the XOR of a word and its pattern has a digit for each "0" of the pattern and 0 for each other byte. */
// @ts-ignore: decorator
@inline
function fits(difference: u32, fixedMask: u32): bool {
  return (((difference + 0x06060606) | difference) & 0xf0f0f0f0) == 0 && (difference & fixedMask) == 0;
}

// @ts-ignore: decorator
@inline
function daysInMonth(year: u32, month: u32): u32 {
  if (month == 2) return (year & 3) == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/** Source  Hinnant, days_from_civil, counted from 400 years earlier so that no number is negative. */
// @ts-ignore: decorator
@inline
function daysFromCivil(year: u32, month: u32, day: u32): i64 {
  const shifted = month <= 2 ? year + 399 : year + 400;
  const era = shifted / 400;
  const yearOfEra = shifted - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return <i64>(era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear) - 719468 - 146097;
}

/** Returns the days since 1970-01-01 of the date that starts at `at` (after the quote), whatever follows it. */
function daysAt(at: usize): i64 {
  // Removes "0000", "-00-" and "00".
  const years = load<u32>(at) ^ 0x30303030;
  const months = load<u32>(at + 4) ^ 0x2d30302d;
  const days = <u32>load<u16>(at + 8) ^ 0x3030;
  if (!fits(years, 0) || !fits(months, 0xff0000ff) || !fits(days, 0)) return NO_DATE;
  const year = ((years & 0xff) * 10 + ((years >>> 8) & 0xff)) * 100 + ((years >>> 16) & 0xff) * 10 + (years >>> 24);
  const month = ((months >>> 8) & 0xff) * 10 + ((months >>> 16) & 0xff);
  const day = (days & 0xff) * 10 + (days >>> 8);
  if (month < 1 || month > 12 || day < 1) return NO_DATE;
  if (day > 28 && day > daysInMonth(year, month)) return NO_DATE;
  return daysFromCivil(year, month, day);
}

/** Returns the days of the date at `at`, which takes DATE_BYTES. */
export function readDays(at: usize): i64 {
  return <u32>load<u8>(at) == QUOTE && <u32>load<u8>(at + DATE_BYTES - 1) == QUOTE ? daysAt(at + 1) : NO_DATE;
}

/** Returns the offset after the datetime at `at`, by its form only; 0 = not a plain form. */
export function datetimeEnd(at: usize): usize {
  let end = at + SECONDS_END;
  if (<u32>load<u8>(end) == 0x2e) {
    const fraction = end + 1;
    end = fraction;
    while (<u32>load<u8>(end) - 0x30 <= 9) end++;
    if (end == fraction || end - fraction > FRACTION_DIGITS_MAX) return 0;
  }
  return <u32>load<u8>(end) == 0x5a && <u32>load<u8>(end + 1) == QUOTE ? end + 2 : 0;
}

/** Returns the seconds since 1970-01-01T00:00:00Z of the datetime at `at`, whatever follows its seconds. */
export function readSeconds(at: usize): i64 {
  // Removes "T00:", "00:0" and "0".
  const hours = load<u32>(at + 11) ^ 0x3a303054;
  const minutes = load<u32>(at + 15) ^ 0x303a3030;
  const ones = <u32>load<u8>(at + 19) - 0x30;
  if (!fits(hours, 0xff0000ff) || !fits(minutes, 0x00ff0000) || ones > 9) return NO_DATE;
  const hour = ((hours >>> 8) & 0xff) * 10 + ((hours >>> 16) & 0xff);
  const minute = (minutes & 0xff) * 10 + ((minutes >>> 8) & 0xff);
  const second = (minutes >>> 24) * 10 + ones;
  if (hour > 23 || minute > 59 || second > 59) return NO_DATE;
  const days = daysAt(at + 1);
  if (days == NO_DATE) return NO_DATE;
  return days * SECONDS_PER_DAY + <i64>(hour * 3600 + minute * 60 + second);
}

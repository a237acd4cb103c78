// What the ratings of a site add up to. Nothing here touches the page.

/**
 * Adds up a histogram, `[number of 1 star, …, number of 5 stars]`: the average in tenths and in half
 * stars, both rounded half up (null without ratings), and each bar in whole percent.
 */
export function addUp(histogram) {
  const count = histogram.reduce((total, number) => total + number, 0);
  const sum = histogram.reduce((total, number, index) => total + number * (index + 1), 0);
  if (count === 0) return { count, sum, tenths: null, halves: null, bars: histogram.map(() => 0) };
  return {
    count,
    sum,
    tenths: Math.floor((20 * sum + count) / (2 * count)),
    halves: Math.floor((4 * sum + count) / (2 * count)),
    bars: histogram.map((number) => Math.floor((number * 100) / count)),
  };
}

/** An average in tenths as people read it: 43 is "4.3". */
export function formatTenths(tenths) {
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

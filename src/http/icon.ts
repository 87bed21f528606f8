/** The icon of the product, a rotary dial: for the fronts, and for pages that are opened from disk. */

const holes = Array.from({ length: 10 }, (_, n) => {
  const angle = (Math.PI / 6) * (n - 1);
  const [x, y] = [16 + 9.5 * Math.cos(angle), 16 + 9.5 * Math.sin(angle)];
  return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2" fill="#fff"/>`;
});

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#2458b3"/>${holes.join('')}<circle cx="16" cy="16" r="4" fill="#fff"/></svg>`;

/** For the head of a page: nothing is loaded for it. */
export const iconLink = `<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(icon)}">`;

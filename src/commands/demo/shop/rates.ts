/** The known rates of the generated shop. Tests compare what the server counts with them. */

/** Of all visitors: those who look at a product in their first visit. */
export const PRODUCT_RATE = 0.6;

/** Of those who look at a product, by channel: those who put one into the cart. */
export const CART_RATES = { search: 0.35, mail: 0.5, social: 0.2, ads: 0.25, direct: 0.4 } as const;

/** Of those with a cart, by device: those who order. */
export const ORDER_RATES = { desktop: 0.6, tablet: 0.5, phone: 0.4 } as const;

/** Of all visitors: those who come back in the nth week after their first visit, from week 1. */
export const RETURN_RATES = [0.35, 0.26, 0.21, 0.18, 0.16, 0.15, 0.14, 0.13, 0.12, 0.12, 0.11, 0.11] as const;

/** Of the return visits of visitors who ordered: those with another order. */
export const REORDER_RATE = 0.2;

export type Channel = keyof typeof CART_RATES;
export type Device = keyof typeof ORDER_RATES;

/** Shares of visitors, as weights. */
export const CHANNELS: Readonly<Record<Channel, number>> = {
  search: 40,
  direct: 20,
  social: 16,
  ads: 14,
  mail: 10,
};
export const DEVICES: Readonly<Record<Device, number>> = { phone: 55, desktop: 37, tablet: 8 };
export const COUNTRIES: Readonly<Record<string, number>> = {
  Germany: 26,
  France: 18,
  Spain: 14,
  Italy: 13,
  Poland: 11,
  Netherlands: 10,
  Austria: 8,
};

/** Cipher suites of TLS 1.2, by their OpenSSL names: ephemeral keys and authenticated encryption only. TLS 1.3 has no others. */
export const TLS_1_2_CIPHERS: readonly string[] = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

#pragma once

#include <weft/store/sealed/sealing_keys.hpp>
#include <weft/store/sealed/value_cipher.hpp>

#include <memory>

namespace weft {

/** Seals with AES-256-GCM, under a key made for each text.
 *
 *  Each text gets 192 random bits of its own: half of them and the secret make the key, the other half is the nonce.
 *  So nonces need no counter and no care: 2^80 texts of one secret stay far from two that are the same, where plain
 *  AES-GCM with random nonces is good for 2^32. A sealed text is 42 bytes longer than the text, and as much as the
 *  key's name is long.
 *
 *  Hashes are hidden by AES-256 under a key made of the first secret and the scope.
 *
 *  @par Errors   `errc::invalid_configuration` if OpenSSL has no AES-256-GCM.
 *  @par Source   C2SP, XAES-256-GCM; NIST SP 800-38D §8.3; RFC 5869 §2.3 for the keys that come of a secret.
 */
[[nodiscard]] std::shared_ptr<const value_cipher> make_aes_gcm_cipher(const sealing_keys& keys);

}  // namespace weft

#pragma once

#include <weft/store/sealed/aes_gcm_cipher.hpp>

#include <memory>
#include <string>

namespace weft_tests {

inline weft::secret_string secret_of(char filling) { return weft::secret_string{std::string(32, filling)}; }

inline std::shared_ptr<const weft::value_cipher> cipher_of(char filling)
{
    return weft::make_aes_gcm_cipher(weft::sealing_keys{secret_of(filling)});
}

}  // namespace weft_tests

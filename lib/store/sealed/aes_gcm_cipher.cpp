#include <weft/store/sealed/aes_gcm_cipher.hpp>

#include "xaes_256_gcm.hpp"

#include <weft/base/error.hpp>

#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace weft {

namespace {

using sealed_detail::aes_256;
using sealed_detail::secret_key;
using sealed_detail::xaes_256_gcm;

// A sealed text: its format, the length of the key's name, that name, 24 random bytes, the text, its tag.
constexpr char sealed_format = '\x01';
constexpr std::size_t prefix_bytes = 2;

struct value_key {
    std::string id;
    xaes_256_gcm cipher;
};

class aes_gcm_cipher final : public value_cipher {
public:
    explicit aes_gcm_cipher(const sealing_keys& keys)
        : scopes_{sealed_detail::derived_key(keys.all().front().secret.reveal(), "weft: hidden hashes")},
          names_{sealed_detail::derived_key(keys.all().front().secret.reveal(), "weft: names")}
    {
        for (const sealing_keys::key& one : keys.all()) {
            const secret_key key = sealed_detail::derived_key(one.secret.reveal(), "weft: sealed values");
            keys_.push_back({one.id, xaes_256_gcm{aes_, key}});
        }
    }
    aes_gcm_cipher(const aes_gcm_cipher&) = delete;
    aes_gcm_cipher& operator=(const aes_gcm_cipher&) = delete;

    std::string seal(std::string_view text, const sealed_place& place) const override;
    std::string open(std::string_view sealed, const sealed_place& place) const override;
    void hide(std::span<content_hash> hashes, std::string_view scope) const override;
    void reveal(std::span<content_hash> hashes, std::string_view scope) const override;
    content_hash name(std::string_view text) const override;

private:
    const value_key* find_key(std::string_view id) const noexcept;

    aes_256 aes_;
    secret_key scopes_;
    secret_key names_;
    std::vector<value_key> keys_;  // the oldest first
};

const value_key* aes_gcm_cipher::find_key(std::string_view id) const noexcept
{
    const auto found = std::find_if(keys_.begin(), keys_.end(), [id](const value_key& one) { return one.id == id; });
    return found == keys_.end() ? nullptr : &*found;
}

std::string aes_gcm_cipher::seal(std::string_view text, const sealed_place& place) const
{
    const value_key& key = keys_.back();
    std::string sealed;
    sealed.reserve(prefix_bytes + key.id.size() + xaes_256_gcm::nonce + text.size() + aes_256::tag);
    sealed += sealed_format;
    sealed += static_cast<char>(key.id.size());
    sealed += key.id;
    const std::string bound_to = sealed + place.bytes();
    const std::size_t nonce_at = sealed.size();
    sealed.resize(nonce_at + xaes_256_gcm::nonce + text.size() + aes_256::tag);
    auto* const nonce = reinterpret_cast<unsigned char*>(sealed.data() + nonce_at);
    if (RAND_bytes(nonce, xaes_256_gcm::nonce) != 1)
        throw error{errc::store_refused, place.text(), "the operating system gives no secret random bytes"};
    char* const body = sealed.data() + nonce_at + xaes_256_gcm::nonce;
    key.cipher.seal(nonce, bound_to, text, body, reinterpret_cast<unsigned char*>(body + text.size()));
    return sealed;
}

std::string aes_gcm_cipher::open(std::string_view sealed, const sealed_place& place) const
{
    const auto refuse = [&place](std::string why) -> error {
        return error{errc::store_corrupt, place.text(), std::move(why)};
    };
    if (sealed.size() < prefix_bytes || sealed.front() != sealed_format)
        throw refuse("it is not sealed, or by a newer version");
    const auto id_size = static_cast<unsigned char>(sealed[1]);
    const std::size_t nonce_at = prefix_bytes + id_size;
    if (sealed.size() < nonce_at + xaes_256_gcm::nonce + aes_256::tag) throw refuse("its end is missing");
    const std::string_view id = sealed.substr(prefix_bytes, id_size);
    const value_key* const key = find_key(id);
    if (!key) throw refuse("its key is not among those given; look for one that was left out of the sealing keys");
    const std::string bound_to = std::string{sealed.substr(0, nonce_at)} + place.bytes();
    const auto* const nonce = reinterpret_cast<const unsigned char*>(sealed.data() + nonce_at);
    const std::string_view body = sealed.substr(nonce_at + xaes_256_gcm::nonce);
    const std::string_view text = body.substr(0, body.size() - aes_256::tag);
    std::string opened(text.size(), '\0');
    const auto* const tag = reinterpret_cast<const unsigned char*>(text.data() + text.size());
    if (!key->cipher.open(nonce, bound_to, text, tag, opened.data()))
        throw refuse("it was changed, moved from another place, or the key '" + key->id + "' is not the one it had");
    return opened;
}

void aes_gcm_cipher::hide(std::span<content_hash> hashes, std::string_view scope) const
{
    static_assert(sizeof(content_hash) == aes_256::block);
    if (hashes.empty()) return;
    const secret_key key = sealed_detail::keyed_hash(scopes_, scope);
    aes_.encrypt_blocks(key, {hashes.front().bytes.data(), hashes.size_bytes()});
}

void aes_gcm_cipher::reveal(std::span<content_hash> hashes, std::string_view scope) const
{
    if (hashes.empty()) return;
    const secret_key key = sealed_detail::keyed_hash(scopes_, scope);
    aes_.decrypt_blocks(key, {hashes.front().bytes.data(), hashes.size_bytes()});
}

content_hash aes_gcm_cipher::name(std::string_view text) const
{
    const secret_key whole = sealed_detail::keyed_hash(names_, text);
    content_hash made;
    std::copy_n(whole.bytes.begin(), made.bytes.size(), made.bytes.begin());
    return made;
}

}  // namespace

std::shared_ptr<const value_cipher> make_aes_gcm_cipher(const sealing_keys& keys)
{
    return std::make_shared<const aes_gcm_cipher>(keys);
}

}  // namespace weft

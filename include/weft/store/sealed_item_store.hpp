#pragma once

#include <weft/store/item_store.hpp>
#include <weft/store/sealed/value_cipher.hpp>

#include <memory>

namespace weft {

/** Encrypts the values that go into another store. Namespaces and names stay in the open: the store sorts by them.
 *
 *  A value is bound to its tenant and key. The store below holds it as a JSON string.
 *
 *  It keeps no vectors, though the store below may: a vector that can be compared says much of its text.
 *
 *  @par Errors          As the store below; `errc::store_corrupt` for what does not open, by name.
 *  @par Thread safety   As the store below.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class sealed_item_store final : public item_store {
public:
    sealed_item_store(std::shared_ptr<item_store> inner, std::shared_ptr<const value_cipher> cipher);

    [[nodiscard]] task<void> put(std::string tenant, item_key key, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime) override;
    [[nodiscard]] task<std::optional<stored_item>> get(std::string tenant, item_key key) override;
    [[nodiscard]] task<bool> erase(std::string tenant, item_key key) override;
    [[nodiscard]] task<std::vector<stored_item>> list(std::string tenant, std::vector<std::string> space,
                                                      std::optional<item_key> after, std::size_t max) override;
    [[nodiscard]] task<std::size_t> sweep(std::size_t max) override;

private:
    [[nodiscard]] stored_item opened(const std::string& tenant, stored_item found) const;

    std::shared_ptr<item_store> inner_;
    std::shared_ptr<const value_cipher> cipher_;
};

}  // namespace weft

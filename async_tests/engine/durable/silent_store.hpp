#pragma once

#include <weft/store/role/forwarding_store.hpp>

namespace weft_tests {

/** A store that tells nothing of what happens in it: all that is left is to look. */
class silent_store final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::store_news* news() noexcept override { return nullptr; }
};

}  // namespace weft_tests

#pragma once

#include <weft/base/chrono.hpp>
#include <weft/model/wire/credential_source.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace weft {

/** A key, and how long it is good for. */
struct fetched_key {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    fetched_key() {}
    explicit fetched_key(secret_string fetched, std::optional<std::chrono::nanoseconds> lifetime = {})
        : key{std::move(fetched)}, valid_for{lifetime}
    {
    }

    secret_string key;
    std::optional<std::chrono::nanoseconds> valid_for;  ///< From now on; nothing: until it is refused.
};

struct refreshing_key_options {
    std::chrono::nanoseconds fetch_time_max = std::chrono::seconds{30};
    /** So long before it expires a key is replaced. */
    std::chrono::nanoseconds renewed_before = std::chrono::seconds{60};
    /** A key that is refused sooner than this after it was fetched is not replaced: a new one would be refused as well,
     *  and the source of keys is not to be asked once for every call. */
    std::chrono::nanoseconds interval_min = std::chrono::seconds{10};
};

/** A key that a function fetches: when it is needed first, before it expires, and when an endpoint refuses it.
 *
 *      auto key = std::make_shared<weft::refreshing_key>([&]() -> weft::task<weft::fetched_key> { … });
 *
 *  However many calls need a key at once, it is fetched once: one of them fetches, the others wait for it. When the one
 *  that fetches is stopped, another one fetches.
 *
 *  @par Errors
 *    - `errc::timeout`              the function took too long.
 *    - `errc::model_unauthorized`   the function gave an empty key.
 *    - What the function throws; all that waited for it get the same.
 *  @par Cancellation    Of the function, if it is this call that fetches; the others do not notice.
 *  @par Thread safety   From any loop, all on one clock. The function runs on the loop of the call that fetches, one at
 *                       a time.
 */
class refreshing_key final : public credential_source {
public:
    using fetch_function = std::function<task<fetched_key>()>;

    explicit refreshing_key(fetch_function fetch, refreshing_key_options options = {});
    ~refreshing_key() override;

    /** How often the function was called. */
    [[nodiscard]] std::int64_t fetches() const;

private:
    class seat;
    struct state;
    [[nodiscard]] task<secret_string> do_current() override;
    [[nodiscard]] task<secret_string> do_refresh(secret_string refused) override;
    [[nodiscard]] static task<secret_string> key_other_than(std::shared_ptr<state> shared, secret_string refused);

    std::shared_ptr<state> state_;
};

}  // namespace weft

#pragma once

#include <weft/base/units.hpp>
#include <weft/chat/usage.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** What calls cost. */
struct model_cost {
    usd_micros amount{};   ///< Rounded up.
    bool is_whole = true;  ///< False if the usage has calls that reported nothing: then it costs more.

    friend bool operator==(const model_cost&, const model_cost&) = default;
};

/** What models cost per token, as the user says: weft knows no prices.
 *
 *      {"currency": "USD", "unit_tokens": 1000000, "models": [
 *        {"match": "gpt-x*", "provider": "openai", "input": 1.25, "input_cache_read": 0.125, "output": 10.0,
 *         "tiers": [{"above_input_tokens": 200000, "input": 2.5, "output": 15.0}]},
 *        {"match": "*", "provider": "ollama", "input": 0, "output": 0}]}
 *
 *  Prices are for `unit_tokens` tokens, in US dollars, to a billionth; `request` is one per call. `match` is a name
 *  with
 *  `*` for any text and `?` for any character; of the patterns that match, the longest counts, then one that names the
 *  provider, then the first. Without a price for what is read from or written to the provider's cache, that of the
 *  input
 *  counts. A tier counts for the whole call as soon as its input is above that many tokens; if it has no price for the
 *  cache, that one grows with its input's.
 */
class price_table {
public:
    /** Without any price. */
    price_table() = default;

    /** @par Errors
     *    - `errc::unexpected_json`        a field is missing, unknown or of another type; where: the path.
     *    - `errc::invalid_configuration`  a price is negative or not a price, or the currency is not `USD`. */
    [[nodiscard]] static price_table from(const boost::json::value& table);

    /** What a usage costs.
     *  @param provider   As in the table; may be empty.
     *  @param calls      How many calls it is the usage of.
     *  @return           Nothing if the table has no price for the model: not known is not free. */
    [[nodiscard]] std::optional<model_cost> cost(std::string_view provider, std::string_view model, const usage& used,
                                                 std::int64_t calls = 1) const;

private:
    // In billionths of a dollar per unit.
    struct prices {
        std::int64_t input = 0;
        std::int64_t cached = 0;
        std::int64_t cache_written = 0;
        std::int64_t output = 0;
        std::int64_t request = 0;  // per call
        std::int64_t above_input = -1;
    };
    struct entry {
        std::string match;
        std::string provider;  // empty: any
        std::vector<prices> tiers;  // the first for all, then by above_input
    };
    friend class price_table_reader;
    [[nodiscard]] const entry* find(std::string_view provider, std::string_view model) const noexcept;

    std::int64_t unit_tokens_ = 1'000'000;
    std::vector<entry> entries_;
};

}  // namespace weft

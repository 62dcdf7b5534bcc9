#include <weft/model/decorator/price_table.hpp>

#include <weft/base/json.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft {

namespace {

__extension__ using wide = __int128;

constexpr double price_max = 1e6;
constexpr double billion = 1e9;
// More tokens than anybody uses, and few enough that products with prices stay far below 128 bits.
constexpr std::int64_t count_max = std::int64_t{1} << 53;

struct price_tier_row {
    std::int64_t above_input_tokens = 0;
    std::optional<double> input{};
    std::optional<double> input_cache_read{};
    std::optional<double> input_cache_write{};
    std::optional<double> input_cache_write_1h{};
    std::optional<double> output{};
};
BOOST_DESCRIBE_STRUCT(price_tier_row, (),
                      (above_input_tokens, input, input_cache_read, input_cache_write, input_cache_write_1h, output))

struct price_row {
    std::string match{};
    std::optional<std::string> provider{};
    double input = 0;
    std::optional<double> input_cache_read{};
    std::optional<double> input_cache_write{};
    std::optional<double> input_cache_write_1h{};
    double output = 0;
    std::optional<double> request{};
    std::optional<std::vector<price_tier_row>> tiers{};
};
BOOST_DESCRIBE_STRUCT(price_row, (),
                      (match, provider, input, input_cache_read, input_cache_write, input_cache_write_1h, output,
                       request, tiers))

struct price_file {
    std::optional<std::string> currency{};
    std::optional<std::int64_t> unit_tokens{};
    std::vector<price_row> models{};
};
BOOST_DESCRIBE_STRUCT(price_file, (), (currency, unit_tokens, models))

std::int64_t billionths(double price, const std::string& where)
{
    if (!(price >= 0 && price <= price_max))
        throw error{errc::invalid_configuration, where, "a price lies between 0 and 1000000 dollars"};
    return std::llround(price * billion);
}

/** Whether a name matches a pattern; `*` stands for any text, `?` for any byte. */
bool matches_pattern(std::string_view name, std::string_view pattern) noexcept
{
    std::size_t n = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t retry_at = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry_at = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++retry_at;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

wide bounded_count(tokens amount) noexcept { return std::clamp<std::int64_t>(amount.count(), 0, count_max); }

wide divided_up(wide amount, wide divisor) noexcept { return (amount + divisor - 1) / divisor; }

}  // namespace

/** Makes a table of what was read. */
class price_table_reader {
public:
    static price_table read(const price_file& file)
    {
        if (file.currency.value_or("USD") != "USD")
            throw error{errc::invalid_configuration, "$.currency", "budgets are in US dollars: give prices in USD"};
        price_table table;
        table.unit_tokens_ = file.unit_tokens.value_or(table.unit_tokens_);
        if (table.unit_tokens_ < 1 || table.unit_tokens_ > 1'000'000'000)
            throw error{errc::invalid_configuration, "$.unit_tokens", "it lies between 1 and 1000000000"};
        for (std::size_t i = 0; i < file.models.size(); ++i)
            table.entries_.push_back(read(file.models[i], "$.models[" + std::to_string(i) + "]"));
        return table;
    }

private:
    static price_table::entry read(const price_row& row, const std::string& where)
    {
        if (row.match.empty()) throw error{errc::invalid_configuration, where + ".match", "name a model, or *"};
        price_table::prices base;
        base.input = billionths(row.input, where + ".input");
        base.cached = billionths(row.input_cache_read.value_or(row.input), where + ".input_cache_read");
        base.cache_written = billionths(row.input_cache_write.value_or(row.input), where + ".input_cache_write");
        base.output = billionths(row.output, where + ".output");
        base.request = billionths(row.request.value_or(0), where + ".request");
        price_table::entry made{row.match, row.provider.value_or(""), {base}};
        if (!row.tiers) return made;
        for (const price_tier_row& tier : *row.tiers) made.tiers.push_back(read(tier, base, where + ".tiers"));
        const auto is_lower = [](const auto& a, const auto& b) { return a.above_input < b.above_input; };
        std::sort(made.tiers.begin(), made.tiers.end(), is_lower);
        return made;
    }

    /** A tier whose input has a price of its own without one for the cache keeps the share that the cache costs. */
    static price_table::prices read(const price_tier_row& tier, const price_table::prices& base,
                                    const std::string& where)
    {
        if (tier.above_input_tokens < 0)
            throw error{errc::invalid_configuration, where, "above_input_tokens is not negative"};
        price_table::prices made = base;
        made.above_input = tier.above_input_tokens;
        if (tier.input) made.input = billionths(*tier.input, where);
        const auto share = [&](std::int64_t price) {
            return base.input == 0 ? made.input
                                   : static_cast<std::int64_t>(wide{price} * made.input / base.input);
        };
        made.cached = tier.input_cache_read ? billionths(*tier.input_cache_read, where) : share(base.cached);
        made.cache_written =
            tier.input_cache_write ? billionths(*tier.input_cache_write, where) : share(base.cache_written);
        if (tier.output) made.output = billionths(*tier.output, where);
        return made;
    }
};

price_table price_table::from(const boost::json::value& table)
{
    const json_options strict{.unknown = unknown_members::refused};
    return price_table_reader::read(from_json<price_file>(table, strict));
}

const price_table::entry* price_table::find(std::string_view provider, std::string_view model) const noexcept
{
    const entry* best = nullptr;
    const auto rank = [](const entry& one) { return std::pair{one.match.size(), !one.provider.empty()}; };
    for (const entry& one : entries_) {
        if (!one.provider.empty() && one.provider != provider) continue;
        if (!matches_pattern(model, one.match)) continue;
        if (!best || rank(one) > rank(*best)) best = &one;
    }
    return best;
}

std::optional<model_cost> price_table::cost(std::string_view provider, std::string_view model, const usage& used,
                                            std::int64_t calls) const
{
    const entry* found = find(provider, model);
    if (!found) return std::nullopt;
    const prices* price = &found->tiers.front();
    for (const prices& tier : found->tiers)
        if (used.input.count() > tier.above_input) price = &tier;
    const wide cached = bounded_count(used.cached);
    const wide written = bounded_count(used.cache_written);
    const wide plain = std::max<wide>(bounded_count(used.input) - cached - written, 0);
    const wide per_unit = plain * price->input + cached * price->cached + written * price->cache_written +
                          bounded_count(used.output) * price->output;
    const wide requests = wide{std::clamp<std::int64_t>(calls, 0, count_max)} * price->request;
    const wide micros = divided_up(per_unit + requests * unit_tokens_, wide{unit_tokens_} * 1'000);
    const auto amount = static_cast<std::int64_t>(std::min<wide>(micros, INT64_MAX));
    return model_cost{usd_micros{amount}, used.is_exact()};
}

}  // namespace weft
